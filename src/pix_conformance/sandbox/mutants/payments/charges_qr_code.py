"""Mutants of PAY-CHG: the copy-and-paste code of a charge and its image."""

import base64
import io
from typing import Any

from PIL import Image

from pix_conformance.reference import qr
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "schema"
CHARGES = "create_charge get_charge"


def png(image: Image.Image) -> str:
    written = io.BytesIO()
    image.save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


def first_of_amount(rules: Any, charge: Row) -> Row:
    first: Row = rules.__dict__.setdefault("first_charges", {}).setdefault(charge["amount"], charge)
    return first


def with_earlier_code(rules: Any, charge: Row, _access: Any, read: dict[str, Any]) -> Row:
    first = first_of_amount(rules, charge)
    is_company = read["customer"]["documentType"] == "cnpj"
    return charge | ({"emv": first["emv"], "qr_code": first["qr_code"]} if is_company else {})


def currency_twice(rules: Any, token: str, cents: int) -> str:
    objects = rules.code_objects(token, cents)
    return seal(template(objects) + tlv("53", objects["53"]))


MUTANTS = {
    "PAY-CHG-42/base64-of-urls": in_response(CHARGES, "data.pix.qrCode", lambda text: f"{text[:40]}-_{text[42:]}")
        .says("The qrCode is written in the base64 of URLs."),
    "PAY-CHG-43/base64-of-code-if-company": in_response(
        CHARGES, "data.pix", lambda pix: pix | {"qrCode": base64.b64encode(pix["emv"].encode()).decode()})
        .says("The qrCode is base64 of the code itself, not of an image").when(OF_COMPANY).seen_in("PAY-CUS-03"),
    "PAY-CHG-43/cut-off": in_response(CHARGES, "data.pix.qrCode", lambda text: text[:40])
        .says("The qrCode ends in the middle of the image."),
    "PAY-CHG-44/same-code-always": setting("The image of every charge shows the same code.",
        qr_image=lambda rules, _emv: qr.png_base64(rules.code("0" * 16, 100))),
    "PAY-CHG-50/currency-twice": setting("The code gives the currency twice.", code=currency_twice),
    "PAY-CHG-51/format-02": in_code("00", "02"),
    "PAY-CHG-52/first-zeros-lost": code_text(
        "The checksum of the code loses its zeros in front.", lambda text: text[:-4] + text[-4:].lstrip("0"))
        .seen_in("PAY-IDEM-07"),
    "PAY-CHG-53/no-account": in_code("26", GONE),
    "PAY-CHG-54/no-category": in_code("52", GONE),
    "PAY-CHG-55/dollars": in_code("53", "840"),
    "PAY-CHG-56/cents-as-reais": setting(
        "The code asks for a hundred times the amount.", code_amount=lambda _, cents: f"{cents}.00"),
    "PAY-CHG-57/another-country": in_code("58", "US"),
    "PAY-CHG-58/no-name": in_code("59", GONE),
    "PAY-CHG-58/city-too-long": in_code("60", "C" * 16),
    "PAY-CHG-59/no-label": in_code("62", GONE),
    "PAY-CHG-60/initiation-13": in_code("01", "13"),
    "PAY-CHG-79/image-kept-per-amount": changes_result(
        "The image of a charge is kept for all later charges of the amount.",
        new_charge=lambda rules, charge, *_: charge | {"qr_code": first_of_amount(rules, charge)["qr_code"]})
        .also("PAY-CHG-44").seen_in("PAY-CUS-03"),
    "PAY-CHG-81/one-code-per-amount": changes_arguments(
        "All charges of an amount have one code.", code=lambda _, _token, cents: (f"{cents:025d}", cents)),
    "PAY-CHG-81/company-has-an-earlier-code": changes_result(
        "A charge for a cnpj has the code of the first charge with its amount.", new_charge=with_earlier_code),
    "PAY-CHG-82/white-in-query": in_response("get_charge", "data.pix.qrCode", png(Image.new("L", (200, 200), 255)))
        .says("The image in the query of a charge is white.").also("PAY-CHG-72"),
}  # fmt: skip
