"""Balances and ledgers of a wrong shape, and payments that are booked wrongly or not at all."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.tables import ChangesAnswers, in_answers
from pix_conformance.proof.mutants.tabled import GONE, family
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
        f"Bus{label}{kind}": (f"The {where} {words}.", ids, in_answers("get_finance", where, change))
        for where, (label, ids, wrong) in SHAPES.items()
        for kind, words, change in (
            ("MissingInFinance", "is missing in the balance answer", GONE),
            ("WrongInFinance", "of the balance answer is of a wrong kind", wrong),
        )
    }),
    **family(__name__, "schema", ChangesAnswers, {
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
        "BusFinanceInAnArray": (
            "The balance answer is an array of accounts.",
            "BUS-FIN-01",
            in_answers("get_finance", "", lambda one: [one]),
        ),
        "BusFinanceBalanceInText": (
            "A posting carries its running balance_cents as a string.",
            "BUS-GEN-01",
            in_answers("get_finance", "transactions.*", lambda row: row | {"balance_cents": "1050"}),
        ),
    }),
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


class BusFinanceEmpty(BusinessRules):
    """The balance answer is an empty object."""

    group = "schema"
    breaks = ("BUS-FIN-02", "BUS-FIN-03", "BUS-FIN-04", "BUS-FIN-07", "BUS-FIN-01")

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Show nothing."""
        del access
        return {}


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


class BusRoutesWithoutBusiness(BusinessRules):
    """All routes are served under /v1, without /business."""

    group = "schema"
    breaks = ("BUS-VER-01", "BUS-CHG-01", "BUS-FIN-01", "BUS-LIST-01", "BUS-LIST-02")
    routes = tuple((method, path.replace("/business", ""), name) for method, path, name in BusinessRules.routes)


class BusBalanceOfLedger(BusinessRules):
    """The balance is the sum of the postings that the ledger shows."""

    group = "state"
    breaks = ("BUS-FIN-25",)

    def available(self, access: Access) -> int:
        """Add them up."""
        entries = [entry for row in self.postings(access, self.postings_limit) for entry in row["entries"]]
        own = [one for one in entries if one["account_code"] == "merchant_available"]
        return sum(one["amount"] if one["direction"] == CREDIT else -one["amount"] for one in own)
