"""Conforming variants where BUS-LIST is silent: the list of charges."""

from __future__ import annotations

import random
from typing import Any

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row

LISTED_S = 0.8
INVALID = 422
FAILED = 500


class ListsLater(BusinessRules):
    """How soon a new charge is listed is not stated (business.md, line 110): after a moment."""

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Leave out the newest ones."""
        shown_until = self.clock.now() - LISTED_S
        return super().list_view(call, [one for one in charges if one["created_at"] <= shown_until])


class StampsApart(BusinessRules):
    """Charges made at one moment have no order of their own: the clocks of several machines are a little apart."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Take the time of one of them."""
        charge, apart = super().new_charge(access, read), random.random() * 0.3  # noqa: S311  # skew
        return charge | {name: charge[name] - apart for name in ("created_at", "expires_at")}


class ListsBriefly(BusinessRules):
    """The table of fields is headed as that of creation and query: rows of a list are shorter."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show what one chooses by."""
        view = super().charge_view(call, charge)
        brief = ("id", "status", "amount_cents") if call.operation == "list_charges" else view
        return {name: view[name] for name in brief}


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


class ListsBesides(BusinessRules):
    """The envelope of the list is not shown (business.md, line 110): other arrays of objects stand before it."""

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Put accounts and counts before."""
        accounts = [{"id": "acc_1", "status": "active"}]
        counts = [{"status": one, "count": len(charges)} for one in self.list_statuses]
        return {"accounts": accounts, "counts": counts, "items": super().list_view(call, charges), "next": None}


class ListsNull(BusinessRules):
    """The envelope of the list is not shown (business.md, line 110): null where it holds no charge."""

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Hold an array, or nothing."""
        return {"charges": super().list_view(call, charges) or None, "count": len(charges)}


class IgnoresFilter(BusinessRules):
    """How a status outside the four is answered is not shown."""

    def list_filter(self, call: Call) -> str | None:
        """Ignore an unknown status."""
        sent = call.query.get("status") or [""]
        return sent[-1] if sent[-1] in self.list_statuses else None


class ListsFifty(BusinessRules):
    """Up to 200 records may be fewer (business.md, line 110)."""

    list_limit = 50


class FiltersTheNewest(BusinessRules):
    """Up to 200 records may be fewer (business.md, line 110): those of the newest 200 that have the status."""

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Choose among what a list of all shows."""
        return [one for one in super().listed(access, None) if status in {None, one["status"]}]


class FailsOnUnknownFilter(BusinessRules):
    """How a status outside the four is answered is not shown, and no sentence excludes a server error."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail where the filter is refused."""
        if call.operation == "list_charges" and answer.status == INVALID:
            answer.status = FAILED
        return super().respond(call, answer)


VARIANTS = [
    Variant("business-listing", ("BUS-LIST-01", "BUS-LIST-10"), {"later": ListsLater}),
    Variant("business-clocks", ("BUS-LIST-08", "BUS-LIST-10"), {"apart": StampsApart}),
    Variant("business-rows", ("BUS-LIST-11",), {"brief": ListsBriefly}),
    Variant("business-envelope", ("BUS-LIST-12",), {"data": WrapsList, "deep": WrapsListDeep}),
    Variant("business-other-arrays", ("BUS-LIST-12",), {"beside": ListsBesides, "null": ListsNull}),
    Variant("business-unknown-filter", ("BUS-LIST-13",), {"ignored": IgnoresFilter}),
    Variant("business-list-size", ("BUS-LIST-15",), {"fifty": ListsFifty}),
    Variant("business-filter", ("BUS-LIST-15",), {"of-newest": FiltersTheNewest}),
    Variant("business-failing-filter", ("BUS-LIST-16",), {"500": FailsOnUnknownFilter}),
]
