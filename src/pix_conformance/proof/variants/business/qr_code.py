"""Conforming variants where BUS-QR is silent: the code of a charge."""

from __future__ import annotations

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference import brcode
from pix_conformance.reference.business import BusinessRules


class WritesToTheLimits(BusinessRules):
    """A code may be as full as the manual lets it be, and leave out what is optional (business.md, line 39)."""

    code_name, code_city, code_txid = "N" * 25, "C" * 15, "L" * 25

    def code_objects(self, token: str, cents: int) -> dict[str, str]:
        """Leave out the point of initiation and the amount."""
        return {tag: one for tag, one in super().code_objects(token, cents).items() if tag not in {"01", "54"}}


class UsesStaticCode(BusinessRules):
    """A code may carry no amount, lower-case checksum digits and another order of objects (EMVCo 4.6.1)."""

    code_gui = "BR.GOV.BCB.PIX"

    def code_amount(self, cents: int) -> str:  # the payer's app asks for the amount
        """Say zero: the amount is to be fetched."""
        return "0"


class FullCodes(BusinessRules):
    """A code may hold further templates, a postal code and another language (EMVCo MPM, table 3.7)."""

    def code_objects(self, token: str, cents: int) -> dict[str, str]:
        """Fill them in, the checksum in small letters."""
        words = {"00": "PT", "01": "Loja", "02": "Brasilia"}
        other = {"00": "com.example.other", "01": "abc"}
        more = {"52": "5999", "61": "70000000", "62": brcode.tlv("05", token[:25]), "64": brcode.template(words)}
        found = super().code_objects(token, cents) | more | {"27": brcode.template(other)}
        return dict(sorted(found.items()))

    def code(self, token: str, cents: int) -> str:
        """Write the checksum."""
        text = super().code(token, cents)
        return text[:-4] + text[-4:].lower()


VARIANTS = [
    Variant("business-code-limits", ("BUS-QR-10", "BUS-QR-12"), {"longest": WritesToTheLimits}),
    Variant("business-code", ("BUS-QR-14",), {"plain": UsesStaticCode}),
    Variant("business-further-objects", ("BUS-QR-14",), {"full": FullCodes}),
]
