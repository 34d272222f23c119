"""Conforming variants where PAY-ERR is silent: error responses."""

from typing import Any

from pix_conformance.proof.difference import changes_result, variant
from pix_conformance.proof.variants.common.messages import MESSAGES
from pix_conformance.proof.variants.common.orders import has_used_key, look_before_credential
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules

VARIANTS = {
    "PAY-ERR-13": {slug: one.also("PAY-GEN-10") for slug, one in MESSAGES.items()},
    "PAY-ERR-15": {"success-and-details": changes_result(
            "Error bodies also have success and details: no sentence excludes further fields (payments.md, line 365).",
            error_body=lambda _rules, body, _refusal: {**body, "success": False, "details": []})},
}  # fmt: skip


@variant("PAY-ERR-14/used-key-first")
class UsedKeyFirst(PaymentsRules):
    """A used key is refused before an invalid body: the order of refusals is not stated (payments.md, line 257)."""

    async def create_transfer(self, call: Call) -> Answer:
        used = has_used_key(self, call)
        try:
            return await super().create_transfer(call)
        except Refusal as refusal:
            raise (self.key_conflict() if used and refusal.kind == "invalid" else refusal) from None


@variant("PAY-ERR-14/token-last")
class TokenLast(PaymentsRules):
    """An invalid body or unknown id is refused before the token: no order is stated (payments.md, lines 369-371)."""

    def authorize(self, call: Call) -> Access:
        try:
            return super().authorize(call)
        except Refusal:
            look_before_credential(self, call)
            raise


@variant("PAY-ERR-16/all-fields-named")
class NamesAllFields(PaymentsRules):
    """The message names all invalid fields: whether it names one or all is not stated (payments.md, line 369)."""

    def read_object(self, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> dict[str, Any]:
        read, faults = {}, []
        for field in fields:
            try:
                read[field.name] = self.read_field(holder, field, where)
            except Refusal as refusal:
                faults.append(refusal.message)
        if faults:
            raise Refusal("invalid", "; ".join(faults))
        return read
