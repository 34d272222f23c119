"""Mutants of BUS-QR, the code of a charge."""

import binascii
import uuid

from pix_conformance.proof.difference import changes_arguments, changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import IN_PRODUCTION
from pix_conformance.proof.mutants.operators.codes import code_text, in_code
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.responses import in_response
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.business import BusinessRules

GROUP = "schema"
CITY = tlv("60", BusinessRules.code_city)


def checksum(text: str, start: int = 0xFFFF) -> str:
    return f"{binascii.crc_hqx(text.encode(), start):04X}"


MUTANTS = {
    "BUS-QR-01": {
        "address": code_text("The code is the address of a page.", lambda code: f"https://pay.example.com/{code[-4:]}"),
        "empty": code_text("The code is an empty string.", lambda _: ""),
        "wrong-length": code_text(
            "The code counts one character too many in the city.",
            lambda code: seal(code[:-8].replace(CITY, f"60{len(CITY) - 3:02d}{CITY[4:]}"))),
        "cut": code_text("The code ends in the middle of its last object.", lambda code: code[:-2]),
        "line-feed-at-end": code_text("The code ends with a line feed.", lambda code: code + "\n"),
    },
    "BUS-QR-02": {
        "format-02": in_code("00", "02"),
        "second-object": code_text(
            "The format indicator of the code follows the point of initiation.",
            lambda code: seal(code[6:12] + code[:6] + code[12:-8])),
    },
    "BUS-QR-03": {
        "no-checksum": code_text("The code has no checksum.", lambda code: code[:-8]),
        "object-after-checksum": code_text(
            "An object follows the checksum of the code.", lambda code: code + tlv("80", "tail")),
    },
    "BUS-QR-04": {
        "starts-from-zero": code_text(
            "The checksum of the code starts from 0000, not from FFFF.",
            lambda code: code[:-4] + checksum(code[:-4], 0)),
        "without-its-own-head": code_text(
            "The checksum of the code leaves out its own id and length.",
            lambda code: code[:-4] + checksum(code[:-8])),
        "zero-in-production": changes_result(
            "The checksum of the code is 0000.",
            new_charge=lambda _rules, row, *_: row | {"qr_code": row["qr_code"][:-4] + "0000"})
            .when(IN_PRODUCTION).of("isolation"),
    },
    "BUS-QR-05": {
        "dollars": in_code("53", "840"),
        "missing": in_code("53", GONE),
    },
    "BUS-QR-06": {
        "portugal": in_code("58", "PT"),
        "missing": in_code("58", GONE),
    },
    "BUS-QR-07": {
        "another-scheme": setting(
            "The merchant account of the code is of another scheme.", code_gui="com.example.pay"),
        "missing": in_code("26", GONE),
        "outside-26-to-51": changes_result(
            "The merchant account of the code is object 80.",
            code_objects=lambda _rules, found, *_: {
                tag: found[tag] for tag in found if tag != "26"} | {"80": found["26"]}),
    },
    "BUS-QR-08": {
        "city-twice": code_text(
            "The code contains the city twice.", lambda code: seal(code[:-8].replace(CITY, CITY * 2))),
    },
    "BUS-QR-09": {
        "two-digits": in_code("52", "00"),
        "letters": in_code("52", "SHOP"),
    },
    "BUS-QR-10": {
        "26-characters": in_code("59", "N" * 26),
        "missing": in_code("59", GONE),
    },
    "BUS-QR-11": {
        "16-characters": in_code("60", "C" * 16),
        "missing": in_code("60", GONE),
    },
    "BUS-QR-12": {
        "missing": in_code("62", GONE),
        "reference-label-of-26": in_code("62", tlv("05", "L" * 26)),
    },
    "BUS-QR-13": {
        "initiation-13": in_code("01", "13"),
    },
    "BUS-QR-14": {
        "in-cents": setting("The code contains the amount in cents.", code_amount=lambda _, cents: str(cents)),
        "cents-lost": setting(
            "The amount in the code has lost its cents.", code_amount=lambda _, cents: f"{cents // 100}.00"),
        "comma": setting(
            "The amount in the code has a decimal comma.",
            code_amount=lambda _, cents: f"{cents // 100},{cents % 100:02d}"),
        "thousands-separated": setting(
            "The amount in the code has a comma between its thousands, from 10,000.00 on.",
            code_amount=lambda _, cents: f"{cents / 100:{',' if cents >= 10_000_00 else ''}.2f}"),
        "six-digits": setting(
            "The amount in the code is rounded to six digits, which loses cents from 10,000.00 on.",
            code_amount=lambda _, cents: f"{cents / 100:g}"),
        "zero-of-cents-lost": setting(
            "Cents below ten lose their zero in the code: 10.05 becomes 10.5.",
            code_amount=lambda _, cents: f"{cents // 100}.{cents % 100}"),
    },
    "BUS-QR-15": {
        "static": setting(
            "The code contains a PIX key and no payment location.",
            code_account=lambda rules, _token: {"00": rules.code_gui, "01": "pix@example.com"}),
    },
    "BUS-QR-16": {
        "over-512-characters": changes_result(
            "The code has more than 512 characters.",
            code_objects=lambda _rules, found, *_: found | {
                str(tag): template({"00": "com.example", "01": "x" * 75}) for tag in range(80, 85)}),
    },
    "BUS-QR-17": {
        "same-of-equal-amounts": changes_arguments(
            "Charges of the same amount have the same code.", code=lambda _, token, cents: ("0" * len(token), cents)),
        "same-of-equal-labels": changes_result(
            "Charges of the same external_ref and amount have the same code.",
            new_charge=lambda rules, row, *_: row | {
                "qr_code": rules.code(uuid.uuid5(uuid.NAMESPACE_URL, row["external_ref"]).hex, row["amount"])
                if row["external_ref"] else row["qr_code"]}),
    },
    "BUS-QR-18": {
        "image-besides": in_response(
            "create_charge", "", lambda body: body | {"qr_image": "data:image/png;base64,iVBORw0KGgo="})
            .says("The creation of a charge returns an image of the code as well."),
    },
}  # fmt: skip


@mutant("BUS-QR-01/checksum-without-leading-zero")
class ChecksumWithoutLeadingZero(BusinessRules):
    """Every code has a checksum that begins with 0, and lacks that digit."""

    def code(self, token: str, cents: int) -> str:
        whole = super().code(token, cents)
        while whole[-4] != "0":
            whole = super().code(uuid.uuid4().hex, cents)
        return whole[:-4] + whole[-4:].lstrip("0")
