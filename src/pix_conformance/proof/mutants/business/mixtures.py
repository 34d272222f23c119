"""Rules that one thing breaks when it comes with another: a field with a field, a filter with an order."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.listing import Lists, choosing
from pix_conformance.proof.mutants.business.tables import ReadsOtherwise
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row


class BodySetsColumns(BusinessRules):
    """A creation takes over members that are the service's to give."""

    columns: ClassVar[tuple[str, ...]] = ()

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Keep the body in sight."""
        self.__dict__["asked"] = body if isinstance(body, dict) else {}
        return super().read_charge(body)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Take over what was sent."""
        sent = self.__dict__["asked"]
        taken = {name: sent[name] for name in self.columns if isinstance(sent.get(name), str)}
        return super().new_charge(access, read) | taken


class BusCancelTakesBalance(BusinessRules):
    """A cancel lowers the balance by the amount that was never paid, and posts nothing."""

    group = "state"
    breaks = ("BUS-STATE-04",)

    async def cancel_charge(self, call: Call) -> Answer:
        """Give it away."""
        answer = await super().cancel_charge(call)
        key = {"book": self.book(call.access), "account_code": "merchant_available"}
        held = self.balance_of(call.access, "merchant_available")
        self.store.put("balance", key | {"amount": held - self.owned(call)["amount"]})
        return answer


class BusEmptyListMissing(BusinessRules):
    """A list in which no charge would be is answered with 404."""

    group = "state"
    breaks = ("BUS-LIST-02", "BUS-LIST-01")

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Miss them."""
        if not charges:
            raise Refusal("missing", "there is no such charge")
        return super().list_view(call, charges)


class BusLedgerAfterLimit(BusinessRules):
    """A ledger shows what is the caller's among the last 50 postings of all accounts."""

    group = "isolation"
    breaks = ("BUS-ISO-07",)

    def postings(self, access: Access, limit: int) -> list[Row]:
        """Choose among those."""
        found = self.store.rows("posting", "seq DESC", limit)
        own = [row for row in found if row["book"] == self.book(access)]
        return [row | {"entries": self.store.rows("entry", posting=row["id"])} for row in own]


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
    family(__name__, "validation", ReadsOtherwise, {
        "BusPlayersChargeLivesAnHour": (
            "A charge with an e-mail lives an hour, whatever was asked for.",
            "BUS-CHG-35, seen in BUS-EXP-01",
            {"change": staticmethod(lambda body: _without_life(body) if _is_a_players(body) else body)},
        ),
        "BusDescribedChargeUnlabelled": (
            "A charge with a description and an e-mail loses its label.",
            "BUS-CHG-58 BUS-CHG-19 BUS-CHG-21 BUS-EVT-13",
            {"change": staticmethod(lambda body: _without_label(body) if _is_told(body) else body)},
        ),
    }),
    **family(__name__, "state", BodySetsColumns, {
        "BusBodySetsStatus": (
            "A creation that names a status makes the charge of that status.", "BUS-STATE-01", {"columns": ("status",)},
        ),
    }),
    **family(__name__, "state", Lists, {
        "BusExpiredListOldestFirst": (
            "A list of the expired begins with the oldest.",
            "BUS-LIST-08, seen in BUS-EXP-01",
            choosing(lambda rows, status: rows[::-1] if status == "expired" else rows),
        ),
    }),
)  # fmt: skip


def _without_life(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "expires_in_seconds"}


def _is_a_players(body: dict[str, Any]) -> bool:
    life = body.get("expires_in_seconds")
    return "customer_email" in body and type(life) is int and life in range(60, 86_401)


def _without_label(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "external_ref"}


def _is_told(body: dict[str, Any]) -> bool:
    return "customer_email" in body and "description" in body
