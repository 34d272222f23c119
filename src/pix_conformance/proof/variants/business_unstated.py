"""Freedoms of the business charge API where a standard, a sample or a habit says more than the document."""

from __future__ import annotations

import asyncio
import uuid
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row

BATCH_S, AT_ONCE = 40, 2
LARGE, LEAST_RESERVED = 100_000_000, 1_000_000
INVALID, FAILED = 422, 500
BRASILIA = timezone(timedelta(hours=-3))


class NamesNoZone(BusinessRules):
    """The timestamps are said to be in UTC; a designator is not asked for (business.md, lines 42-43)."""

    def moment(self, epoch: float) -> str:
        """Leave the Z out."""
        return super().moment(epoch).removesuffix("Z")


class PostsInBatches(BusinessRules):
    """When a payment is posted is not stated: the first ones at once, later ones every 40 seconds."""

    def capture(self, charge: Row) -> None:
        """Post now or with the next batch."""
        posted = self.__dict__.setdefault("posted", [])
        posted.append(charge["id"])
        wait = 0.0 if len(posted) <= AT_ONCE else BATCH_S - self.clock.now() % BATCH_S
        asyncio.get_running_loop().call_later(wait, super().capture, charge)


class DatesPostings(BusinessRules):
    """The form of a posting's created_at is not named (business.md, line 62): that of a Brazilian statement."""

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Write it in that form, in the time of Brasilia."""
        there = datetime.fromtimestamp(posting["created_at"], BRASILIA)
        return super().posting_view(posting) | {"created_at": there.strftime("%d/%m/%Y %H:%M:%S")}


class DatesEvents(BusinessRules):
    """The form of an event's created_at is not named (business.md, line 153): that of mails."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Write it in that form."""
        moment = datetime.fromisoformat(payload["created_at"])
        super().send_event(url, payload | {"created_at": format_datetime(moment)})


class HoldsLargePayments(BusinessRules):
    """When a payment is posted is not stated: one of a million reais and more after a review."""

    def capture(self, charge: Row) -> None:
        """Leave it to the review."""
        if charge["amount"] < LARGE:
            super().capture(charge)


class ReservesTheRest(BusinessRules):
    """What is held as reserve is not stated (business.md, line 52): all beyond ten thousand reais."""

    def available(self, access: Access) -> int:
        """Release no more."""
        return min(super().available(access), LEAST_RESERVED)

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Show the rest as reserve."""
        reserved = max(0, super().available(access) - LEAST_RESERVED)
        return super().finance_view(access) | {"reserve_cents": reserved}


class NumbersPostings(BusinessRules):
    """That a posting keeps its id is not stated: it is its place in the answer."""

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Number them."""
        view = super().finance_view(access)
        return view | {"transactions": [one | {"id": str(at)} for at, one in enumerate(view["transactions"], 1)]}


class FailsOnUnknownFilter(BusinessRules):
    """How a status outside the four is answered is not shown, and no sentence excludes a server error."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail where the filter is refused."""
        if call.operation == "list_charges" and answer.status == INVALID:
            answer.status = FAILED
        return super().respond(call, answer)


class FiltersTheNewest(BusinessRules):
    """Up to 200 records may be fewer (business.md, line 110): those of the newest 200 that have the status."""

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Choose among what a list of all shows."""
        return [one for one in super().listed(access, None) if status in {None, one["status"]}]


class TakesAnyScheme(BusinessRules):
    """That a key is taken under no other scheme is not stated (business.md, lines 136 and 140)."""

    def authorize(self, call: Call) -> Access:
        """Look at the key alone."""
        key = call.headers.get("authorization", "").rpartition(" ")[2]
        return self.find_key(key) or super().authorize(call)


class WritesToTheLimits(BusinessRules):
    """A code may be as full as the manual lets it be, and leave out what is optional (business.md, line 39)."""

    code_name, code_city, code_txid = "N" * 25, "C" * 15, "L" * 25

    def code_objects(self, token: str, cents: int) -> dict[str, str]:
        """Leave out the point of initiation and the amount."""
        return {tag: one for tag, one in super().code_objects(token, cents).items() if tag not in {"01", "54"}}


class RenewsCodes(BusinessRules):
    """That a charge keeps its first code is not stated: each query makes one with a new location."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Make a code for this answer."""
        view = super().charge_view(call, charge)
        new = self.code(uuid.uuid4().hex, charge["amount"])
        return view | ({"qr_code": new} if call.operation == "get_charge" else {})


FREEDOMS = [
    Freedom("business-designators", ("BUS-CHG-71", "BUS-EVT-21"), {"none": NamesNoZone}),
    Freedom("business-posting-moments", ("BUS-FIN-19",), {"batches": PostsInBatches, "review": HoldsLargePayments}),
    Freedom("business-posting-times", ("BUS-FIN-26",), {"statement": DatesPostings}),
    Freedom("business-event-times", ("BUS-EVT-21",), {"mail": DatesEvents}),
    Freedom("business-reserve-of-rest", ("BUS-FIN-25",), {"rest": ReservesTheRest}),
    Freedom("business-posting-ids", ("BUS-FIN-24",), {"places": NumbersPostings}),
    Freedom("business-failing-filter", ("BUS-LIST-16",), {"500": FailsOnUnknownFilter}),
    Freedom("business-filter", ("BUS-LIST-15",), {"of-newest": FiltersTheNewest}),
    Freedom("business-other-schemes", ("BUS-AUTH-14",), {"any": TakesAnyScheme}),
    Freedom("business-code-limits", ("BUS-QR-10", "BUS-QR-12"), {"longest": WritesToTheLimits}),
    Freedom("business-renewed-codes", ("BUS-CHG-69", "BUS-CHG-66"), {"each-query": RenewsCodes}),
]
