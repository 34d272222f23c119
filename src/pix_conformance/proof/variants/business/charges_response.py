"""Conforming variants where BUS-CHG is silent: a charge in responses."""

from __future__ import annotations

import secrets
import uuid
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from pix_conformance.proof.variants.common.ids import by_its_number
from pix_conformance.proof.variants.common.mixing import mixed
from pix_conformance.proof.variants.common.responses import FindsIdsInAnyCase
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row


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


class LongIds(BusinessRules):
    """How long an id is, is not said: 240 signs."""

    def new_charge_id(self) -> str:
        """Have as many."""
        return secrets.token_urlsafe(180)


class TinyIds(BusinessRules):
    """How long an id is, is not said: eight digits of sixteen."""

    def new_charge_id(self) -> str:
        """Have as few."""
        return secrets.token_hex(4)


class BusinessCountsInEachEnvironment(BusinessRules):
    """Sandbox and production keep their data apart (business.md, line 12): each counts its charges from one."""

    def __init__(self, world: ServerState) -> None:
        """Count nothing yet."""
        self.counted: Counter[str] = Counter()
        super().__init__(world)

    def book_of(self, access: Access) -> str:
        """Name what counts by itself."""
        return access.environment

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give the next number."""
        self.counted[self.book_of(access)] += 1
        return super().new_charge(access, read) | {"id": self.kept(access, str(self.counted[self.book_of(access)]))}

    def kept(self, access: Access, number: str) -> str:
        """Name a charge among all of them."""
        return f"{self.book_of(access)}/{number}"

    def owned(self, call: Call) -> Row:
        """Look among those that the caller's book holds."""
        shown, call.params["id"] = call.params["id"], self.kept(call.access, call.params["id"])
        try:
            return super().owned(call)
        finally:
            call.params["id"] = shown

    def knows_charge(self, number: str) -> bool:
        """Look in each book."""
        return any(super(BusinessCountsInEachEnvironment, self).knows_charge(f"{one}/{number}") for one in self.counted)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().charge_view(call, by_its_number(charge))


class BusinessCountsInEachAccount(BusinessCountsInEachEnvironment):
    """That no two accounts have a charge of one id is not said: each counts from one."""

    def book_of(self, access: Access) -> str:
        """Name account and environment."""
        return access.book


class BusinessPadsItsNumbers(BusinessCountsInEachAccount):
    """The form of an id is not said: a number of twenty digits, which each account counts from one."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Fill the number up with zeros."""
        charge = super().new_charge(access, read)
        return charge | {"id": self.kept(access, f"chg_{by_its_number(charge)['id']:0>20}")}


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


class BasicMoments(BusinessRules):
    """ISO 8601 has a basic format."""

    def moment(self, epoch: float) -> str:
        """Leave out hyphens and colons."""
        return datetime.fromtimestamp(epoch, UTC).strftime("%Y%m%dT%H%M%SZ")


class Ticks(BusinessRules):
    """ISO 8601 limits no decimals: seven."""

    def moment(self, epoch: float) -> str:
        """Count ticks."""
        return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f0+00:00")


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


class RenewsCodes(BusinessRules):
    """That a charge keeps its first code is not stated: each query makes one with a new location."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Make a code for this answer."""
        view = super().charge_view(call, charge)
        new = self.code(uuid.uuid4().hex, charge["amount"])
        return view | ({"qr_code": new} if call.operation == "get_charge" else {})


class NamesNoZone(BusinessRules):
    """The timestamps are said to be in UTC; a designator is not asked for (business.md, lines 42-43)."""

    def moment(self, epoch: float) -> str:
        """Leave the Z out."""
        return super().moment(epoch).removesuffix("Z")


VARIANTS = [
    mixed(__name__, "business-case-of-ids", ("BUS-CHG-45",), none=FindsIdsInAnyCase),
    Variant("business-ids", ("BUS-CHG-45",), {"cuid": CountsIds, "odd": OddIds}),
    Variant("business-length-of-ids", ("BUS-CHG-45",), {"long": LongIds, "tiny": TinyIds}),
    Variant(
        "business-counters",
        ("BUS-CHG-45", "BUS-CHG-63"),
        {
            "environment": BusinessCountsInEachEnvironment,
            "account": BusinessCountsInEachAccount,
            "padded": BusinessPadsItsNumbers,
        },
    ),
    Variant("business-moments", ("BUS-CHG-54",), {"offset": WritesOffset, "seconds": WritesSeconds}),
    Variant("business-writing-of-moments", ("BUS-CHG-54",), {"basic": BasicMoments, "ticks": Ticks}),
    Variant("business-optional", ("BUS-CHG-60",), {"absent": LeavesOut, "empty": ShowsEmpty}),
    Variant("business-e2e", ("BUS-CHG-61",), {"early": KnowsEndToEndEarly}),
    Variant("business-renewed-codes", ("BUS-CHG-69", "BUS-CHG-66"), {"each-query": RenewsCodes}),
    Variant("business-designators", ("BUS-CHG-71", "BUS-EVT-21"), {"none": NamesNoZone}),
]
