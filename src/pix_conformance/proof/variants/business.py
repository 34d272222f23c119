"""Freedoms of the business charge API."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row


class CreatesWith200(BusinessRules):
    """The success status of a creation is not shown (business.md, line 99)."""

    charge_created_status = 200


class CreatesWith202(BusinessRules):
    """The success status of a creation is not shown (business.md, line 99)."""

    charge_created_status = 202


class WrapsList(BusinessRules):
    """The envelope of the list is not shown (business.md, line 110)."""

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Put the list under a name."""
        return {"data": super().list_view(call, charges), "total": len(charges)}


class WrapsListDeep(BusinessRules):
    """The envelope of the list is not shown (business.md, line 110)."""

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Put the list two levels down, beside other things."""
        return {"result": {"page": {"size": 200}, "pix_charges": super().list_view(call, charges)}, "ok": True}


class AnswersNothing(BusinessRules):
    """The bodies of cancel and pay are not shown (business.md, lines 114 and 120)."""

    def cancel_view(self, call: Call, charge: Row) -> Any:  # noqa: ARG002  # nothing is shown
        """Say that it worked."""
        return {"ok": True}

    def pay_view(self, call: Call, charge: Row) -> Any:  # noqa: ARG002  # likewise
        """Say that it worked."""
        return {"status": "accepted"}


class AnswersWith204(BusinessRules):
    """Neither bodies nor statuses of cancel and pay are shown."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Answer a success of these two without content."""
        answer = super().respond(call, answer)
        silent = call.operation in {"cancel_charge", "pay_charge"} and answer.status == 200  # noqa: PLR2004  # its own
        return Answer(204, None, answer.headers) if silent else answer

    def encode(self, call: Call, body: Any) -> bytes:
        """Write no content as nothing."""
        return b"" if body is None else super().encode(call, body)


class LeavesOut(BusinessRules):
    """How an optional field without a value is shown is not said: absent."""

    def optional(self, name: str, value: Any) -> dict[str, Any]:
        """Leave it out."""
        return {} if value is None else super().optional(name, value)


class ShowsEmpty(BusinessRules):
    """How an optional field without a value is shown is not said: the empty string."""

    def optional(self, name: str, value: Any) -> dict[str, Any]:
        """Show an empty string."""
        return super().optional(name, "" if value is None else value)


class KnowsEndToEndEarly(BusinessRules):
    """What e2e_id is before payment is not shown: known from the start."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give the id at once."""
        return super().new_charge(access, read) | {"end_to_end_id": f"E{uuid.uuid4().hex[:31]}"}

    def paid_changes(self, charge: Row) -> Row:
        """Keep it."""
        return super().paid_changes(charge) | {"end_to_end_id": charge["end_to_end_id"]}


class CountsIds(BusinessRules):
    """An id is a string, of whatever form."""

    def new_charge_id(self) -> str:
        """Look like a cuid."""
        return f"c{uuid.uuid4().hex[:24]}"


class OddIds(BusinessRules):
    """An id is a string, of whatever form."""

    def new_charge_id(self) -> str:
        """Hold characters that a path must escape."""
        return f"PIX:{uuid.uuid4().hex[:10]}~a.b=c"


class WritesOffset(BusinessRules):
    """ISO 8601 in UTC has several forms (business.md, lines 42-43)."""

    def moment(self, epoch: float) -> str:
        """Write +00:00 and microseconds."""
        return datetime.fromtimestamp(epoch, UTC).isoformat()


class WritesSeconds(BusinessRules):
    """ISO 8601 in UTC has several forms (business.md, lines 42-43)."""

    def moment(self, epoch: float) -> str:
        """Write whole seconds and Z."""
        return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class PaysAgainWith200(BusinessRules):
    """What an impossible pay answers is not stated, only that it has no effect."""

    async def pay_charge(self, call: Call) -> Answer:
        """Answer 200 with the charge as it is."""
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            if refusal.kind != "state":
                raise
            return Answer(200, self.charge_view(call, self.owned(call)))


class PaysAgainWith422(BusinessRules):
    """What an impossible pay answers is not stated, only that it has no effect."""

    async def pay_charge(self, call: Call) -> Answer:
        """Refuse it as invalid."""
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            raise (Refusal("invalid", refusal.message) if refusal.kind == "state" else refusal) from None


class DetectsOnCancel(BusinessRules):
    """Whether a cancel after expires_at detects the expiry is not stated."""

    def detects_expiry(self, operation: str) -> bool:  # noqa: ARG002  # on every operation
        """Detect it always."""
        return True


class DetectsOnQueryOnly(BusinessRules):
    """Only the first query or confirmation is said to detect expiry; a list need not."""

    def detects_expiry(self, operation: str) -> bool:
        """Detect it on a query and on pay."""
        return operation in {"get_charge", "pay_charge"}

    def expire_all(self, call: Call) -> None:
        """Leave the list as it is."""


class IgnoresFilter(BusinessRules):
    """How a status outside the four is answered is not shown."""

    def list_filter(self, call: Call) -> str | None:
        """Ignore an unknown status."""
        sent = call.query.get("status") or [""]
        return sent[-1] if sent[-1] in self.list_statuses else None


class TakesWholeFloats(BusinessRules):
    """100.0 is an integer to JSON Schema."""

    whole_floats_are_integers = True


class RefusesNull(BusinessRules):
    """Whether null stands for an absent optional field is not shown."""

    null_is_absent = False


class TakesAnyEmail(BusinessRules):
    """That customer_email is validated is only implied (business.md, line 24)."""

    def judge_customer_email(self, value: str) -> str | None:  # noqa: ARG002  # anything goes
        """Take anything."""
        return None


class ReplaysLive(BusinessRules):
    """Whether a replay shows the charge as created or as it is now is not clear-cut."""

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Show it as it is now, with the original status."""
        answer = super().replay(call, earlier)
        made = answer.body.get("id") if isinstance(answer.body, dict) else None
        charge = self.store.find("business_charge", id=made) if made else None
        return Answer(answer.status, self.charge_view(call, charge), answer.headers) if charge else answer


class TwoPostings(BusinessRules):
    """How many postings a capture makes, and of which types, is not stated."""

    def capture(self, charge: Row) -> None:
        """Settle at once besides."""
        super().capture(charge)
        owner = Access(charge["account"], charge["environment"])
        pair = ("psp_clearing", CREDIT, charge["amount"]), ("settlement", DEBIT, charge["amount"])
        self.post(owner, "settlement", "settled", *pair)


class KeepsFees(BusinessRules):
    """Whether the balance moves by the gross or the net amount is not stated."""

    def capture_fee(self, amount: int) -> int:
        """Keep three per cent."""
        return amount * 3 // 100


class NoReserve(BusinessRules):
    """The reserve is shown if it applies to the account (business.md, line 52)."""

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Leave it out."""
        view = super().finance_view(access)
        del view["reserve_cents"]
        return view


class OldestPostingFirst(BusinessRules):
    """The order of the postings is not stated."""

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Turn it round."""
        view = super().finance_view(access)
        return view | {"transactions": view["transactions"][::-1]}


class UsesStaticCode(BusinessRules):
    """A code may carry no amount, lower-case checksum digits and another order of objects (EMVCo 4.6.1)."""

    code_gui = "BR.GOV.BCB.PIX"

    def code_amount(self, cents: int) -> str:  # noqa: ARG002  # the payer's app asks for the amount
        """Say zero: the amount is to be fetched."""
        return "0"


FREEDOMS = [
    Freedom("business-create-status", ("BUS-CHG-02",), {"200": CreatesWith200, "202": CreatesWith202}),
    Freedom("business-envelope", ("BUS-LIST-12",), {"data": WrapsList, "deep": WrapsListDeep}),
    Freedom("business-transition-body", ("BUS-CAN-03", "BUS-PAY-03"), {"words": AnswersNothing, "204": AnswersWith204}),
    Freedom("business-optional", ("BUS-CHG-60",), {"absent": LeavesOut, "empty": ShowsEmpty}),
    Freedom("business-e2e", ("BUS-CHG-61",), {"early": KnowsEndToEndEarly}),
    Freedom("business-ids", ("BUS-CHG-45",), {"cuid": CountsIds, "odd": OddIds}),
    Freedom("business-moments", ("BUS-CHG-54",), {"offset": WritesOffset, "seconds": WritesSeconds}),
    Freedom(
        "business-impossible-pay",
        ("BUS-PAY-05", "BUS-PAY-06", "BUS-PAY-07"),
        {"200": PaysAgainWith200, "422": PaysAgainWith422},
    ),
    Freedom("business-expiry", ("BUS-CAN-07", "BUS-LIST-14"), {"always": DetectsOnCancel, "query": DetectsOnQueryOnly}),
    Freedom("business-unknown-filter", ("BUS-LIST-13",), {"ignored": IgnoresFilter}),
    Freedom("business-floats", ("BUS-CHG-11",), {"whole": TakesWholeFloats}),
    Freedom("business-null", ("BUS-CHG-36",), {"refused": RefusesNull}),
    Freedom("business-email", ("BUS-CHG-26",), {"any": TakesAnyEmail}),
    Freedom("business-replay", ("BUS-IDEM-09",), {"live": ReplaysLive}),
    Freedom("business-capture", ("BUS-FIN-19", "BUS-FIN-20"), {"two": TwoPostings, "fees": KeepsFees}),
    Freedom("business-reserve", ("BUS-FIN-06",), {"absent": NoReserve}),
    Freedom("business-posting-order", ("BUS-FIN-21",), {"oldest": OldestPostingFirst}),
    Freedom("business-code", ("BUS-QR-14",), {"plain": UsesStaticCode}),
]
