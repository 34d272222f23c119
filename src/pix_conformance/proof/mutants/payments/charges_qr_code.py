"""Mutants of PAY-CHG: the copy-and-paste code of a charge and its image."""

import base64
import io
from typing import Any

from PIL import Image

from pix_conformance.proof.difference import changes_arguments, mutant, setting
from pix_conformance.proof.mutants.guards import OF_COMPANY
from pix_conformance.proof.mutants.operators.codes import code_text, in_code
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.responses import in_response
from pix_conformance.reference import qr
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.call import Access
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "schema"
CHARGES = "create_charge get_charge"


def with_code_as_image(pix: dict[str, str]) -> dict[str, str]:
    return pix | {"qrCode": base64.b64encode(pix["emv"].encode()).decode()}


def png(image: Image.Image) -> str:
    written = io.BytesIO()
    image.save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


def currency_twice(rules: Any, token: str, cents: int) -> str:
    objects = rules.code_objects(token, cents)
    return seal(template(objects) + tlv("53", objects["53"]))


MUTANTS = {
    "PAY-CHG-42": {"base64-of-urls": in_response(CHARGES, "data.pix.qrCode", lambda text: f"{text[:40]}-_{text[42:]}")
            .says("The qrCode is written in the base64 of URLs.")},
    "PAY-CHG-43": {
        "base64-of-code-if-company": in_response(CHARGES, "data.pix", with_code_as_image)
            .says("The qrCode is base64 of the code itself, not of an image").when(OF_COMPANY).seen_in("PAY-CUS-03"),
        "cut-off": in_response(CHARGES, "data.pix.qrCode", lambda text: text[:40])
            .says("The qrCode ends in the middle of the image."),
    },
    "PAY-CHG-44": {"same-code-always": setting(
            "The image of every charge shows the same code.",
            qr_image=lambda rules, _emv: qr.png_base64(rules.code("0" * 16, 100)))},
    "PAY-CHG-50": {"currency-twice": setting("The code gives the currency twice.", code=currency_twice)},
    "PAY-CHG-51": {"format-02": in_code("00", "02")},
    "PAY-CHG-52": {"first-zeros-lost": code_text(
            "The checksum of the code loses its zeros in front.", lambda text: text[:-4] + text[-4:].lstrip("0"))
            .seen_in("PAY-IDEM-07")},
    "PAY-CHG-53": {"no-account": in_code("26", GONE)},
    "PAY-CHG-54": {"no-category": in_code("52", GONE)},
    "PAY-CHG-55": {"dollars": in_code("53", "840")},
    "PAY-CHG-56": {"cents-as-reais": setting(
            "The code asks for a hundred times the amount.", code_amount=lambda _, cents: f"{cents}.00")},
    "PAY-CHG-57": {"another-country": in_code("58", "US")},
    "PAY-CHG-58": {
        "no-name": in_code("59", GONE),
        "city-of-16-characters": in_code("60", "C" * 16),
    },
    "PAY-CHG-59": {"no-label": in_code("62", GONE)},
    "PAY-CHG-60": {"initiation-13": in_code("01", "13")},
    "PAY-CHG-81": {"one-code-per-amount": changes_arguments(
            "All charges of an amount have one code.", code=lambda _, _token, cents: (f"{cents:025d}", cents))},
    "PAY-CHG-82": {"white-in-query": in_response("get_charge", "data.pix.qrCode", png(Image.new("L", (200, 200), 255)))
            .says("The image in the query of a charge is white.").also("PAY-CHG-72")},
}  # fmt: skip


@mutant("PAY-CHG-79/image-kept-per-amount", "PAY-CHG-44", seen_in=("PAY-CUS-03",))
class ImageKeptPerAmount(PaymentsRules):
    """The image of a charge is kept for all later charges of the amount."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        charge = super().new_charge(access, read)
        kept: dict[int, str] = self.__dict__.setdefault("images", {})
        return charge | {"qr_code": kept.setdefault(charge["amount"], charge["qr_code"])}


@mutant("PAY-CHG-81/company-has-an-earlier-code")
class CompanyHasAnEarlierCode(PaymentsRules):
    """A charge for a cnpj has the code of the first charge with its amount."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        charge = super().new_charge(access, read)
        first: Row = self.__dict__.setdefault("first_charges", {}).setdefault(charge["amount"], charge)
        codes = {"emv": first["emv"], "qr_code": first["qr_code"]}
        return charge | (codes if read["customer"]["documentType"] == "cnpj" else {})
