"""Mutants of BUS-LIST: order, length and entries of a list."""

from pix_conformance.proof.mutants.operators.business.lists import Lists, choosing
from pix_conformance.proof.mutants.operators.business.responses import ChangesAnswers, in_answers, instant, later
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.store import Row

SHORT = 100


globals().update(
    family(__name__, "state", Lists, {
        "BusListEmpty": ("The list is always empty.", "BUS-LIST-01", choosing(lambda _rows, _status: [])),
        "BusListWithoutNewest": (
            "The list comes from a cache that lacks the newest charge.",
            "BUS-LIST-01 BUS-LIST-07 BUS-LIST-10",
            choosing(lambda rows, status: rows[1:] if status is None else rows),
        ),
        "BusListOfLabelled": (
            "A list leaves out the charges without external_ref.",
            "BUS-LIST-01",
            choosing(lambda rows, _: [row for row in rows if row["external_ref"] is not None]),
        ),
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
        "BusExpiredListOldestFirst": (
            "A list of the expired begins with the oldest.",
            "BUS-LIST-08, seen in BUS-EXP-01",
            choosing(lambda rows, status: rows[::-1] if status == "expired" else rows),
        ),
        "BusPaidListReversed": (
            "A list of the paid has the oldest first.",
            "BUS-LIST-08",
            choosing(lambda rows, status: rows[::-1] if status == "paid" else rows),
        ),
        "BusCanceledListReversed": (
            "A list of the canceled has the oldest first.",
            "BUS-LIST-08",
            choosing(lambda rows, status: rows[::-1] if status == "canceled" else rows),
        ),
        "BusListWithoutCents": (
            "A list leaves out charges of a single cent.",
            "BUS-LIST-10",
            choosing(lambda rows, _: [row for row in rows if row["amount"] > 1]),
        ),
        "BusCanceledListOfUndescribed": (
            "A list of the canceled leaves out charges with a description.",
            "BUS-LIST-10 BUS-LIST-06, seen in BUS-CHG-57",
            choosing(lambda rows, status: [r for r in rows if status != "canceled" or r["description"] is None]),
        ),
    })
)  # fmt: skip


class BusListByWholeSeconds(BusinessRules):
    """Of the charges of one second a list shows the oldest first."""

    group = "state"
    breaks = ("BUS-LIST-08",)

    def list_order(self) -> str:
        """Compare the seconds."""
        return "CAST(created_at AS INTEGER) DESC, seq"


globals().update(
    family(__name__, "state", BusinessRules, {
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
    })
)  # fmt: skip


class BusPaidListByPayment(BusinessRules):
    """A list of the paid begins with the charge that was paid last."""

    group = "state"
    breaks = ("BUS-LIST-08",)

    def paid_changes(self, charge: Row) -> Row:
        """Note the turn."""
        self.__dict__.setdefault("turns", []).append(charge["id"])
        return super().paid_changes(charge)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Order by it."""
        rows: list[Row] = super().listed(access, status)
        turns = self.__dict__.get("turns", [])
        return sorted(rows, key=lambda row: -turns.index(row["id"])) if status == "paid" else rows


globals().update(
    family(__name__, "limits", BusinessRules, {
        "BusListTo201": ("The list holds up to 201 charges.", "BUS-LIST-09", {"list_limit": 201}),
        "BusListEndless": ("The list holds all charges.", "BUS-LIST-09", {"list_limit": -1}),
        "BusListTo199": ("The list holds 199 charges.", "BUS-LIST-15", {"list_limit": 199}),
        "BusListTo100": ("The list holds 100 charges.", "BUS-LIST-15", {"list_limit": 100}),
    })
)  # fmt: skip


class BusFilteredListEndless(BusinessRules):
    """A list with a filter holds all charges of the status."""

    breaks = ("BUS-LIST-09",)
    group = "limits"

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Forget the limit."""
        if status is None:
            return super().listed(access, status)
        where = {"account": access.account, "environment": access.environment, "status": status}
        return self.store.rows("business_charge", self.list_order(), **where)


class BusListOldest200(BusinessRules):
    """Of more than 200 charges the list holds the oldest, the newest of them first."""

    breaks = ("BUS-LIST-10",)
    group = "limits"

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Cut at the wrong end."""
        wanted = {} if status is None else {"status": status}
        where = {"account": access.account, "environment": access.environment}
        return self.store.rows("business_charge", "seq", self.list_limit, **where, **wanted)[::-1]


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusListedWithoutCode": (
            "The charges in the list have no code.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.qr_code", GONE),
        ),
        "BusListedWithoutDates": (
            "The charges in the list have no expires_at.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.expires_at", GONE),
        ),
        "BusListedDescriptionless": (
            "The charges in the list lack the three fields that are echoed.",
            "BUS-LIST-11",
            in_answers("list_charges", "*", lambda row: {
                name: value for name, value in row.items() if name not in {"description", "customer_email"}
            }),
        ),
        "BusListedEpoch": (
            "The list shows created_at as a number of seconds.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.created_at", lambda text: instant(text).timestamp()),
        ),
        "BusListCodeCut": (
            "The list shows the first 40 signs of a code.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.qr_code", lambda text: text[:40]),
        ),
        "BusListLivesLonger": (
            "The list shows an expires_at that is three hours late.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.expires_at", lambda text: later(text, hours=3)),
        ),
    })
)  # fmt: skip


class BusFilterAfterLimit(BusinessRules):
    """A filtered list holds what has the status among the newest 200 of all."""

    group = "limits"
    breaks = ("BUS-LIST-15",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Choose among those."""
        return [row for row in super().listed(access, None) if status in {None, row["status"]}]


globals().update(
    family(__name__, "limits", Lists, {
        "BusPendingListShort": (
            "A list of the pending holds a hundred charges at most.",
            "BUS-LIST-15",
            choosing(lambda rows, status: rows[:SHORT] if status == "pending" else rows),
        ),
    })
)  # fmt: skip
