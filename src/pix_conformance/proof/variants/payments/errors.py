"""Conforming variants where PAY-ERR is silent: error responses."""

from typing import Any

from pix_conformance.proof.difference import changes_refusal, changes_result, overrides
from pix_conformance.proof.variants.common.checks import look_before_credential, refuse_used_key
from pix_conformance.proof.variants.common.messages import MESSAGES
from pix_conformance.reference.call import Refusal
from pix_conformance.reference.fields import Field


def name_all_fields(rules: Any, _right: Any, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> Any:
    read, faults = {}, []
    for field in fields:
        try:
            read[field.name] = rules.read_field(holder, field, where)
        except Refusal as refusal:
            faults.append(refusal.message)
    if faults:
        raise Refusal("invalid", "; ".join(faults))
    return read


VARIANTS = {
    "PAY-ERR-13": {slug: one.also("PAY-GEN-10") for slug, one in MESSAGES.items()},
    "PAY-ERR-14": {
        "used-key-first": overrides(
            "A used key is refused before an invalid body: the order of refusals is not stated "
            "(payments.md, line 257).", create_transfer=refuse_used_key),
        "token-last": changes_refusal(
            "An invalid body or unknown id is refused before the token: no order is stated "
            "(payments.md, lines 369-371).", authorize=look_before_credential),
    },
    "PAY-ERR-15": {"success-and-details": changes_result(
            "Error bodies also have success and details: no sentence excludes further fields (payments.md, line 365).",
            error_body=lambda _rules, body, _refusal: {**body, "success": False, "details": []})},
    "PAY-ERR-16": {"all-fields-named": overrides(
            "The message names all invalid fields: whether it names one or all is not stated (payments.md, line 369).",
            read_object=name_all_fields)},
}  # fmt: skip
