"""Lists that leave charges out, hold too many, or have them in another order."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.store import Row

STATUSES = {
    "pending": "BUS-LIST-03",
    "paid": "BUS-LIST-04",
    "expired": "BUS-LIST-05",
    "canceled": "BUS-LIST-06",
}


class Lists(BusinessRules):
    """Filters or orders otherwise."""

    asked: ClassVar[Any] = staticmethod(lambda status: status)
    chosen: ClassVar[Any] = staticmethod(lambda rows, _status: rows)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Change what was asked for, then what was found."""
        rows: list[Row] = self.chosen(super().listed(access, self.asked(status)), status)
        return rows


def asking(change: Any) -> dict[str, Any]:
    """Members of a class that asks for another status."""
    return {"asked": staticmethod(change)}


def choosing(change: Any) -> dict[str, Any]:
    """Members of a class that shows others than were found."""
    return {"chosen": staticmethod(change)}


globals().update(
    family(__name__, "state", Lists, {
        "BusListEmpty": ("The list is always empty.", "BUS-LIST-01", choosing(lambda _rows, _status: [])),
        "BusListWithoutNewest": (
            "The list comes from a cache that lacks the newest charge.",
            "BUS-LIST-01 BUS-LIST-07 BUS-LIST-10",
            choosing(lambda rows, status: rows[1:] if status is None else rows),
        ),
        "BusFilterIgnored": ("The list ignores the filter.", "BUS-LIST-02", asking(lambda _: None)),
        **{
            f"BusFilterIgnores{status.capitalize()}": (
                f"The list ignores a filter of {status}.",
                "BUS-LIST-02",
                asking(lambda asked, status=status: None if asked == status else asked),
            )
            for status in STATUSES
        },
        **{
            f"BusFilterOf{status.capitalize()}Empty": (
                f"A list of the {status} is empty.",
                ids,
                choosing(lambda rows, asked, status=status: [] if asked == status else rows),
            )
            for status, ids in STATUSES.items()
        },
        "BusFilterOfPaidHasPending": (
            "A list of the paid holds the pending too.",
            "BUS-LIST-02",
            asking(lambda status: None if status == "paid" else status),
        ),
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
        "BusListByAmount": (
            "The list goes from the highest amount to the lowest.",
            "BUS-LIST-08",
            choosing(lambda rows, _: sorted(rows, key=lambda row: -row["amount"])),
        ),
        "BusListByStatus": (
            "The list is sorted by status, and then newest first.",
            "BUS-LIST-08",
            choosing(lambda rows, _: sorted(rows, key=lambda row: str(row["status"]))),
        ),
        "BusListReversed": (
            "The newest 200 are listed, the oldest of them first.",
            "BUS-LIST-08",
            choosing(lambda rows, _: rows[::-1]),
        ),
        "BusFilteredListReversed": (
            "A list with a filter has the oldest first.",
            "BUS-LIST-08",
            choosing(lambda rows, status: rows[::-1] if status else rows),
        ),
    }),
    **family(__name__, "state", BusinessRules, {
        "BusListByExpiry": (
            "The list goes by expires_at, the latest first.",
            "BUS-LIST-08",
            {"list_order": lambda _: "expires_at DESC, seq DESC"},
        ),
        "BusListById": ("The list goes by id.", "BUS-LIST-08", {"list_order": lambda _: "id"}),
        "BusListOldestFirst": (
            "The list goes from the oldest to the newest, and ends with the 200th.",
            "BUS-LIST-08 BUS-LIST-10 BUS-LIST-01 BUS-LIST-03 BUS-LIST-07",
            {"list_order": lambda _: "seq"},
        ),
    }),
)  # fmt: skip


class BusListStale(BusinessRules):
    """The list shows every charge as it was created: pending, also in a list of the paid."""

    group = "state"
    breaks = ("BUS-LIST-02",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the first status."""
        view = super().charge_view(call, charge)
        return view | {"status": "pending"} if call.operation == "list_charges" else view
