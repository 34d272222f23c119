"""Mutants of BUS-LIST: lists of one status and of all."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.lists import Lists, choosing
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.store import Row

MOST = 200
STATUSES = {
    "pending": "BUS-LIST-03",
    "paid": "BUS-LIST-04",
    "expired": "BUS-LIST-05",
    "canceled": "BUS-LIST-06",
}


class BusExpiredStaysListed(BusinessRules):
    """A list asked for the pending holds the expired too."""

    group = "state"
    breaks = ("BUS-LIST-02",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Add them at the end."""
        more = super().listed(access, "expired") if status == "pending" else []
        return (super().listed(access, status) + more)[: self.list_limit]


class ListsStates(BusinessRules):
    """Shows another status in some lists."""

    shows: ClassVar[Any]

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Change it there."""
        view = super().charge_view(call, charge)
        if call.operation == "list_charges":
            view["status"] = self.shows(self, call, charge)
        return view


def showing(shows: Any) -> dict[str, Any]:
    """Members of a class that lists a status of its own."""
    return {"shows": staticmethod(shows)}


globals().update(
    family(__name__, "state", ListsStates, {
        "BusDoneListedAsExpired": (
            "A list shows whatever is past its expires_at as expired, also what is paid or canceled.",
            "BUS-LIST-02",
            showing(lambda rules, _, row: "expired" if rules.is_overdue(row) else row["status"]),
        ),
        "BusExpiredListedAsPending": (
            "A list without filter shows what is expired as pending.",
            "BUS-LIST-07",
            showing(lambda _, call, row: (
                "pending" if row["status"] == "expired" and not call.query.get("status") else row["status"]
            )),
        ),
    })
)  # fmt: skip


def _twice(rows: list[Row], status: str | None) -> list[Row]:
    return [one for row in rows for one in (row, row)][:MOST] if status else rows


def asking(change: Any) -> dict[str, Any]:
    """Members of a class that asks for another status."""
    return {"asked": staticmethod(change)}


globals().update(
    family(__name__, "state", Lists, {
        "BusFilterIgnored": ("The list ignores the filter.", "BUS-LIST-02", asking(lambda _: None)),
        **{
            f"BusFilterIgnores{status.capitalize()}": (
                f"The list ignores a filter of {status}.",
                "BUS-LIST-02",
                asking(lambda asked, status=status: None if asked == status else asked),
            )
            for status in STATUSES
        },
        "BusFilterOfPaidHasPending": (
            "A list of the paid holds the pending too.",
            "BUS-LIST-02",
            asking(lambda status: None if status == "paid" else status),
        ),
        "BusFilteredListTwice": (
            "A list with a filter holds each charge twice.", "BUS-LIST-03 BUS-LIST-04 BUS-LIST-06", choosing(_twice),
        ),
        **{
            f"BusFilterOf{status.capitalize()}Empty": (
                f"A list of the {status} is empty.",
                ids,
                choosing(lambda rows, asked, status=status: [] if asked == status else rows),
            )
            for status, ids in STATUSES.items()
        },
        "BusListOfPending": (
            "A list without filter holds the pending only.",
            "BUS-LIST-07",
            asking(lambda status: status or "pending"),
        ),
        **{
            f"BusListWithout{status.capitalize()}": (
                f"A list without filter leaves out what is {status}.",
                "BUS-LIST-07",
                choosing(lambda rows, asked, status=status: [row for row in rows if asked or row["status"] != status]),
            )
            for status in STATUSES
            if status != "pending"
        },
    })
)  # fmt: skip


class BusListStale(BusinessRules):
    """The list shows every charge as it was created: pending, also in a list of the paid."""

    group = "state"
    breaks = ("BUS-LIST-02",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the first status."""
        view = super().charge_view(call, charge)
        return view | {"status": "pending"} if call.operation == "list_charges" else view


class BusEmptyListMissing(BusinessRules):
    """A list in which no charge would be is answered with 404."""

    group = "state"
    breaks = ("BUS-LIST-02", "BUS-LIST-01")

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Miss them."""
        if not charges:
            raise Refusal("missing", "there is no such charge")
        return super().list_view(call, charges)


class BusLiveFilterIgnored(BusinessRules):
    """In production a list ignores its filter."""

    group = "isolation"
    breaks = ("BUS-LIST-02",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """List all."""
        return super().listed(access, status if access.is_sandbox else None)


class BusExpiryOnlyShown(BusinessRules):
    """A query shows an expiry without keeping it: list and cancel still find the charge pending."""

    group = "time"
    breaks = ("BUS-LIST-05", "BUS-CAN-06", "BUS-STATE-05", "BUS-LIST-07")

    def seen(self, call: Call, charge: Row) -> Row:
        """Change what is shown, not what is stored."""
        noticed = self.detects_expiry(call.operation) and charge["status"] == "pending" and self.is_overdue(charge)
        return charge | {"status": "expired"} if noticed else charge

    def expire_all(self, call: Call) -> None:
        """Notice nothing."""


class BusAccountAfterLimit(BusinessRules):
    """A list holds what is the caller's among the newest 200 of all accounts."""

    group = "limits"
    breaks = ("BUS-LIST-07",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Choose among those."""
        where = {} if status is None else {"status": status}
        found = self.store.rows("business_charge", self.list_order(), self.list_limit, **where)
        return [row for row in found if owner_of(row) == access]


class BusLiveListAfterLimit(BusinessRules):
    """A list holds what is of its environment among the newest 200 charges of the account in both."""

    group = "limits"
    breaks = ("BUS-LIST-07",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Choose among those."""
        where = {"account": access.account} | ({} if status is None else {"status": status})
        found = self.store.rows("business_charge", self.list_order(), self.list_limit, **where)
        return [row for row in found if owner_of(row) == access]


class BusListForgetsStatus(BusinessRules):
    """A list without filter shows every charge as pending."""

    group = "state"
    breaks = ("BUS-LIST-07",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the first status there."""
        view = super().charge_view(call, charge)
        whole = call.operation == "list_charges" and not call.query.get("status")
        return view | {"status": "pending"} if whole else view
