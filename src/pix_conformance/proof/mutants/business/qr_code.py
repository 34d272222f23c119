"""Mutants of BUS-QR, the code of a charge."""

import binascii

from pix_conformance.proof.difference import changes_arguments, changes_result, setting
from pix_conformance.proof.mutants.guards import IN_PRODUCTION
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.responses import code_text, in_code, in_response
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.business import BusinessRules

GROUP = "schema"
CITY = tlv("60", BusinessRules.code_city)


def checksum(text: str, start: int = 0xFFFF) -> str:
    return f"{binascii.crc_hqx(text.encode(), start):04X}"


MUTANTS = {
    "BUS-QR-01": {"empty": code_text("The code is an empty string.", lambda _: "")},
    "BUS-QR-02": {"format-02": in_code("00", "02")},
    "BUS-QR-03": {"no-checksum": code_text("The code has no checksum.", lambda code: code[:-8])
            .also("BUS-QR-04")},
    "BUS-QR-04": {
        "starts-from-zero": code_text(
            "The checksum of the code starts from 0000, not from FFFF.",
            lambda code: code[:-4] + checksum(code[:-4], 0)),
        "zero-in-production": changes_result(
            "The checksum of the code is 0000.",
            new_charge=lambda _rules, row, *_: row | {"qr_code": row["qr_code"][:-4] + "0000"})
            .when(IN_PRODUCTION).of("isolation"),
    },
    "BUS-QR-05": {"missing": in_code("53", GONE)},
    "BUS-QR-06": {"missing": in_code("58", GONE)},
    "BUS-QR-07": {"missing": in_code("26", GONE)},
    "BUS-QR-08": {"city-twice": code_text(
            "The code contains the city twice.", lambda code: seal(code[:-8].replace(CITY, CITY * 2)))},
    "BUS-QR-09": {"letters": in_code("52", "SHOP")},
    "BUS-QR-10": {"missing": in_code("59", GONE)},
    "BUS-QR-11": {"missing": in_code("60", GONE)},
    "BUS-QR-12": {"missing": in_code("62", GONE)},
    "BUS-QR-13": {"initiation-13": in_code("01", "13")},
    "BUS-QR-14": {
        "six-digits": setting(
            "The amount in the code is rounded to six digits, which loses cents from 10,000.00 on.",
            code_amount=lambda _, cents: f"{cents / 100:g}"),
        "zero-of-cents-lost": setting(
            "Cents below ten lose their zero in the code: 10.05 becomes 10.5.",
            code_amount=lambda _, cents: f"{cents // 100}.{cents % 100}"),
    },
    "BUS-QR-15": {"static": setting(
            "The code contains a PIX key and no payment location.",
            code_account=lambda rules, _token: {"00": rules.code_gui, "01": "pix@example.com"})},
    "BUS-QR-16": {"over-512-characters": changes_result(
            "The code has more than 512 characters.",
            code_objects=lambda _rules, found, *_: found | {
                str(tag): template({"00": "com.example", "01": "x" * 75}) for tag in range(80, 85)})},
    "BUS-QR-17": {"same-of-equal-amounts": changes_arguments(
            "Charges of the same amount have the same code.", code=lambda _, token, cents: ("0" * len(token), cents))},
    "BUS-QR-18": {"image-besides": in_response(
            "create_charge", "", lambda body: body | {"qr_image": "data:image/png;base64,iVBORw0KGgo="})
            .says("The creation of a charge returns an image of the code as well.")},
}  # fmt: skip
