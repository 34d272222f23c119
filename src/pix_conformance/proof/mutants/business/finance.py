"""Mutants of BUS-FIN: balance and ledger."""

import uuid
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.fields import LARGE, REAL
from pix_conformance.proof.mutants.operators.business.responses import ChangesAnswers, in_answers, later
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row

SHAPES: dict[str, tuple[str, str, Any]] = {
    # what it is called, member, what it breaks, another value
    "merchant_id": ("Merchant", "BUS-FIN-02", 7),
    "currency": ("Currency", "BUS-FIN-03", "USD"),
    "available_cents": ("Available", "BUS-FIN-04", None),
    "transactions": ("Transactions", "BUS-FIN-07", lambda rows: {"items": rows}),
    "transactions.*.id": ("PostingId", "BUS-FIN-09", 7),
    "transactions.*.event_type": ("EventType", "BUS-FIN-10", lambda name: {"name": name}),
    "transactions.*.description": ("PostingDescription", "BUS-FIN-11", None),
    "transactions.*.created_at": ("PostedAt", "BUS-FIN-12", 1_795_255_380),
    "transactions.*.entries": ("Entries", "BUS-FIN-13", lambda rows: {"first": rows[0]}),
    "transactions.*.entries.*.account_code": ("AccountCode", "BUS-FIN-14", 1000),
    "transactions.*.entries.*.direction": ("Direction", "BUS-FIN-15", str.upper),
    "transactions.*.entries.*.amount_cents": ("EntryAmount", "BUS-FIN-16", None),
}


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusFinanceInAnArray": (
            "The balance answer is an array of accounts.",
            "BUS-FIN-01",
            in_answers("get_finance", "", lambda one: [one]),
        ),
        "BusCurrencyInSmallLetters": (
            "The currency is written brl.", "BUS-FIN-03", in_answers("get_finance", "currency", "brl"),
        ),
        "BusAvailableFloat": (
            "The available balance has a fraction of a cent.",
            "BUS-FIN-04 BUS-GEN-01",
            in_answers("get_finance", "available_cents", lambda cents: cents + 0.5),
        ),
        "BusAvailableNull": (
            "The available balance is null.", "BUS-FIN-04", in_answers("get_finance", "available_cents", None),
        ),
        "BusReserveText": (
            "The reserve is a text.", "BUS-FIN-05 BUS-GEN-01", in_answers("get_finance", "reserve_cents", str),
        ),
        "BusReserveFraction": (
            "The reserve has a fraction.", "BUS-FIN-05 BUS-GEN-01", in_answers("get_finance", "reserve_cents", 0.5),
        ),
        "BusTransactionsNull": (
            "The transactions are null.", "BUS-FIN-07", in_answers("get_finance", "transactions", None),
        ),
        "BusEntriesText": (
            "The entries of a posting are told in sentences.",
            "BUS-FIN-13",
            in_answers("get_finance", "transactions.*.entries", lambda rows: [str(row) for row in rows]),
        ),
        "BusDirectionOfOneLetter": (
            "The direction is D or C.",
            "BUS-FIN-15",
            in_answers("get_finance", "transactions.*.entries.*.direction", lambda word: word[0].upper()),
        ),
        "BusDirectionInAndOut": (
            "The direction of a credit is in.",
            "BUS-FIN-15",
            in_answers("get_finance", "transactions.*.entries.*.direction", lambda w: "in" if w == CREDIT else w),
        ),
        "BusEntryInReais": (
            "The amount of an entry is in reais, with a fraction.",
            "BUS-FIN-16 BUS-GEN-01",
            in_answers("get_finance", "transactions.*.entries.*.amount_cents", lambda cents: cents / 100),
        ),
        "BusPostedYesterday": (
            "The created_at of a posting is told in words.",
            "BUS-FIN-18",
            in_answers("get_finance", "transactions.*.created_at", "a moment ago"),
        ),
        "BusPostedWhenever": (
            "The created_at of a posting is an empty string.",
            "BUS-FIN-18",
            in_answers("get_finance", "transactions.*.created_at", ""),
        ),
        "BusPostedOnAWeekday": (
            "The created_at of a posting is a weekday and a time of day.",
            "BUS-FIN-18",
            in_answers("get_finance", "transactions.*.created_at", "Friday 03:04:05"),
        ),
        "BusPostedInLocalTime": (
            "The created_at of a posting is the time of Brasilia, with the Z of UTC.",
            "BUS-FIN-26",
            in_answers("get_finance", "transactions.*.created_at", lambda text: later(text, hours=-3)),
        ),
    })
)  # fmt: skip


class BusFinanceForbidden(BusinessRules):
    """The balance is refused with 403."""

    group = "schema"
    breaks = ("BUS-FIN-01",)

    async def get_finance(self, call: Call) -> Answer:
        """Refuse it."""
        del call
        return Answer(403, {"detail": "not available on your plan"})


class BusFinanceUnderAnotherPath(BusinessRules):
    """The balance is served beside the other routes, at /v1/finance."""

    group = "schema"
    breaks = ("BUS-FIN-01", "BUS-VER-01")
    routes = (*BusinessRules.routes[:-1], ("GET", "/v1/finance", "get_finance"))


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        f"Bus{label}{kind}": (f"The {where} {words}.", ids, in_answers("get_finance", where, change))
        for where, (label, ids, wrong) in SHAPES.items()
        for kind, words, change in (
            ("MissingInFinance", "is missing in the balance answer", GONE),
            ("WrongInFinance", "of the balance answer is of a wrong kind", wrong),
        )
    })
)  # fmt: skip


class BusFinanceEmpty(BusinessRules):
    """The balance answer is an empty object."""

    group = "schema"
    breaks = ("BUS-FIN-02", "BUS-FIN-03", "BUS-FIN-04", "BUS-FIN-07", "BUS-FIN-01")

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Show nothing."""
        del access
        return {}


globals().update(
    family(__name__, "limits", BusinessRules, {
        "BusLedgerTo51": ("The ledger shows 51 postings.", "BUS-FIN-08", {"postings_limit": 51}),
        "BusLedgerEndless": ("The ledger shows all postings.", "BUS-FIN-08", {"postings_limit": -1}),
        "BusLedgerTo49": ("The ledger shows 49 postings.", "BUS-FIN-22", {"postings_limit": 49}),
        "BusLedgerToTen": ("The ledger shows 10 postings.", "BUS-FIN-22", {"postings_limit": 10}),
    })
)  # fmt: skip


class Books(BusinessRules):
    """Books a payment with other entries: a function of the amount gives debit and credit."""

    entries: ClassVar[Any]

    def post(self, access: Access, event_type: str, description: str, *entries: tuple[str, str, int]) -> None:
        """Change the amounts."""
        debit, credit = self.entries(entries[0][2])
        changed = [("psp_clearing", DEBIT, debit), ("merchant_available", CREDIT, credit)]
        super().post(access, event_type, description, *changed)


globals().update(
    family(__name__, "state", Books, {
        "BusFeeUnbooked": (
            "A fee is taken from the credit of a payment and booked nowhere.",
            "BUS-FIN-17",
            {"entries": staticmethod(lambda cents: (cents, cents - max(1, cents // 100)))},
        ),
        "BusOneSidedBooks": (
            "A payment is booked as a credit without a debit.",
            "BUS-FIN-17",
            {"entries": staticmethod(lambda cents: (0, cents))},
        ),
        "BusBooksHundredfold": (
            "A payment is booked at a hundred times its amount.",
            "BUS-FIN-19",
            {"entries": staticmethod(lambda cents: (cents * 100, cents * 100))},
        ),
        "BusBooksThroughFloat": (
            "The amount goes through binary reais and is cut off before it is booked.",
            "BUS-FIN-19",
            {"entries": staticmethod(lambda cents: (int(cents * 0.01 * 100), int(cents * 0.01 * 100)))},
        ),
        "BusBooksReais": (
            "A payment is booked in whole reais.",
            "BUS-FIN-19",
            {"entries": staticmethod(lambda cents: (cents // 100, cents // 100))},
        ),
    })
)  # fmt: skip


class BusPaymentUnbooked(BusinessRules):
    """A payment leaves no posting: the right answer without a record."""

    group = "state"
    breaks = ("BUS-FIN-19",)

    def capture(self, charge: Row) -> None:
        """Book nothing."""


class BusPaymentBookedEmpty(BusinessRules):
    """A payment leaves a posting without entries: a record without an effect."""

    group = "state"
    breaks = ("BUS-FIN-19",)

    def post(self, access: Access, event_type: str, description: str, *entries: tuple[str, str, int]) -> None:
        """Leave the entries out."""
        del entries
        super().post(access, event_type, description)


class BusPaymentBookedElsewhere(BusinessRules):
    """A payment is booked for the other account."""

    group = "isolation"
    breaks = ("BUS-FIN-19", "BUS-ISO-07")

    def post(self, access: Access, event_type: str, description: str, *entries: tuple[str, str, int]) -> None:
        """Swap the accounts."""
        other = "merchant-b" if access.account == "merchant-a" else "merchant-a"
        super().post(Access(other, access.environment), event_type, description, *entries)


class BusLargeEntriesInWholeReais(BusinessRules):
    """Entries of ten thousand reais and more are rounded to whole reais."""

    group = "schema"
    breaks = ("BUS-FIN-19",)

    def entry_view(self, entry: Row) -> dict[str, Any]:
        """Round them."""
        view, amount = super().entry_view(entry), entry["amount"]
        return view | ({"amount_cents": amount // REAL * REAL} if amount >= LARGE else {})


class BusEntriesOf32Bits(BusinessRules):
    """Entries have 32 bits: what is more wraps."""

    group = "schema"
    breaks = ("BUS-FIN-19",)

    def entry_view(self, entry: Row) -> dict[str, Any]:
        """Cut it."""
        return super().entry_view(entry) | {"amount_cents": entry["amount"] % 2**32}


class BusLedgerOldest50(BusinessRules):
    """Of more than 50 postings the ledger shows the first ones."""

    breaks = ("BUS-FIN-22",)
    group = "limits"

    def postings(self, access: Access, limit: int) -> list[Row]:
        """Cut at the wrong end."""
        return super().postings(access, -1)[::-1][:limit]


class BusPostingIdEachTime(BusinessRules):
    """A posting has another id in each answer."""

    group = "schema"
    breaks = ("BUS-FIN-24",)

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Make one."""
        return super().posting_view(posting) | {"id": str(uuid.uuid4())}


class BusPostingIdIsItsPlace(BusinessRules):
    """The id of a posting is its place in the ledger, counted from the newest."""

    group = "schema"
    breaks = ("BUS-FIN-24",)
    seen_in = ("BUS-LIST-09",)

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Count them."""
        view = super().finance_view(access)
        return view | {"transactions": [one | {"id": str(at)} for at, one in enumerate(view["transactions"])]}


class BusPostingTimeIsNow(BusinessRules):
    """The created_at of a posting is the time of the query."""

    group = "schema"
    breaks = ("BUS-FIN-24",)
    seen_in = ("BUS-CHG-44",)

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Look at the clock."""
        return super().posting_view(posting) | {"created_at": self.moment(self.clock.now())}


class BusBalanceOfLedger(BusinessRules):
    """The balance is the sum of the postings that the ledger shows."""

    group = "state"
    breaks = ("BUS-FIN-25",)

    def available(self, access: Access) -> int:
        """Add them up."""
        entries = [entry for row in self.postings(access, self.postings_limit) for entry in row["entries"]]
        own = [one for one in entries if one["account_code"] == "merchant_available"]
        return sum(one["amount"] if one["direction"] == CREDIT else -one["amount"] for one in own)
