"""Conforming variants where PAY-ERR is silent: error responses."""

from __future__ import annotations

from typing import Any

from pix_conformance.proof.variants.common.responses import _of_key
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules


class PaymentsLooksForKeysFirst(PaymentsRules):
    """Which refusal wins is not shown: a used key with another body before what is wrong with it."""

    async def create_transfer(self, call: Call) -> Answer:
        """Look at the key of what is refused."""
        try:
            return await super().create_transfer(call)
        except Refusal as refusal:
            raise _of_key(self, call, refusal) from None


class LooksFirst(PaymentsRules):
    """Which of two errors comes first is not shown: the other one than the token."""

    def authorize(self, call: Call) -> Access:
        """Refuse for the body or the id first."""
        try:
            return super().authorize(call)
        except Refusal:
            if call.operation == "create_charge":
                self.read_charge(self.json_body(call))
            if call.operation == "get_charge" and not self.knows_charge(call.params["id"]):
                raise self.not_found(call) from None
            raise


class LongerErrors(PaymentsRules):
    """Error bodies may carry more than error and message."""

    def error_body(self, refusal: Refusal) -> Any:
        """Add a success flag and details."""
        return {**super().error_body(refusal), "success": False, "details": []}


class NamesAllFaults(PaymentsRules):
    """Whether one message names all the fields that are wrong is not shown."""

    def read_object(self, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> dict[str, Any]:
        """Read on after a fault."""
        read, faults = {}, []
        for field in fields:
            try:
                read[field.name] = self.read_field(holder, field, where)
            except Refusal as refusal:
                faults.append(refusal.message)
        if faults:
            raise Refusal("invalid", "; ".join(faults))
        return read


VARIANTS = [
    Variant("payments-used-keys", ("PAY-ERR-14",), {"first": PaymentsLooksForKeysFirst}),
    Variant("payments-order", ("PAY-ERR-14",), {"token-last": LooksFirst}),
    Variant("payments-errors", ("PAY-ERR-15",), {"longer": LongerErrors}),
    Variant("payments-faults", ("PAY-ERR-16",), {"all": NamesAllFaults}),
]
