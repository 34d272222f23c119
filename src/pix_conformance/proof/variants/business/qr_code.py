"""Conforming variants where BUS-QR is silent: the code of a charge."""

from typing import Any

from pix_conformance.proof.difference import setting, variant
from pix_conformance.reference import brcode
from pix_conformance.reference.business import BusinessRules

VARIANTS = {
    "BUS-QR-14": {"amount-zero": setting(
            "The code has the amount 0 and a GUI in capitals: the payer's app asks for the amount "
            "(business.md, line 39; EMVCo, section 4.6.1).",
            code_gui="BR.GOV.BCB.PIX", code_amount=lambda _rules, _cents: "0")},
}  # fmt: skip


@variant("BUS-QR-10/greatest-lengths", "BUS-QR-12")
class GreatestLengths(BusinessRules):
    """Texts of the code have their greatest lengths, optional objects are absent (business.md, line 39)."""

    code_name, code_city, code_txid = "N" * 25, "C" * 15, "L" * 25

    def code_objects(self, token: str, cents: int) -> dict[str, str]:
        return {tag: one for tag, one in super().code_objects(token, cents).items() if tag not in {"01", "54"}}


@variant("BUS-QR-14/further-objects")
class FurtherObjects(BusinessRules):
    """The code has further templates, a postal code and a second language (business.md, line 39; EMVCo, table 3.7)."""

    def code_objects(self, token: str, cents: int) -> dict[str, Any]:
        words = {"00": "PT", "01": "Loja", "02": "Brasilia"}
        other = {"00": "com.example.other", "01": "abc"}
        more = {"52": "5999", "61": "70000000", "62": brcode.tlv("05", token[:25]), "64": brcode.template(words)}
        found = super().code_objects(token, cents) | more | {"27": brcode.template(other)}
        return dict(sorted(found.items()))

    def code(self, token: str, cents: int) -> str:
        text = super().code(token, cents)
        return text[:-4] + text[-4:].lower()
