"""Conforming variants where BUS-QR is silent: the code of a charge."""

from typing import Any

from pix_conformance.proof.difference import changes_result, setting
from pix_conformance.reference import brcode


def with_further_objects(_rules: Any, found: dict[str, str], token: str, _: int) -> dict[str, str]:
    words = {"00": "PT", "01": "Loja", "02": "Brasilia"}
    other = {"00": "com.example.other", "01": "abc"}
    more = {"52": "5999", "61": "70000000", "62": brcode.tlv("05", token[:25]), "64": brcode.template(words)}
    return dict(sorted((found | more | {"27": brcode.template(other)}).items()))


VARIANTS = {
    "BUS-QR-10": {"greatest-lengths": changes_result(
            "Texts of the code have their greatest lengths, optional objects are absent (business.md, line 39).",
            code_objects=lambda _, found, *_given: {tag: found[tag] for tag in found if tag not in {"01", "54"}})
            .with_settings(code_name="N" * 25, code_city="C" * 15, code_txid="L" * 25).also("BUS-QR-12")},
    "BUS-QR-14": {
        "amount-zero": setting(
            "The code has the amount 0 and a GUI in capitals: the payer's app asks for the amount "
            "(business.md, line 39; EMVCo, section 4.6.1).",
            code_gui="BR.GOV.BCB.PIX", code_amount=lambda _rules, _cents: "0"),
        "further-objects": changes_result(
            "The code has further templates, a postal code and a second language "
            "(business.md, line 39; EMVCo, table 3.7).",
            code_objects=with_further_objects, code=lambda _, text, *_given: text[:-4] + text[-4:].lower()),
    },
}  # fmt: skip
