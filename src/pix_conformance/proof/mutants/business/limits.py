"""Limits that lie elsewhere than the document puts them, on either side."""

from typing import Any

from pix_conformance.proof.mutants.business.tables import ReadsOtherwise, reading
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.store import Row

CONSTANTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "BusAmountFromTwo": ("The least amount is 2 cents.", "BUS-CHG-06", {"minimum_charge": 2}),
    "BusAmountFromOneReal": ("The least amount is one real.", "BUS-CHG-06", {"minimum_charge": 100}),
    "BusAmountFromZero": ("An amount of 0 is accepted.", "BUS-CHG-04", {"minimum_charge": 0}),
    "BusAmountAnyInteger": (
        "No amount is too low.",
        "BUS-CHG-04 BUS-CHG-05",
        {"minimum_charge": -(10**12), "code_amount": lambda *_: "0.00"},
    ),
    "BusDescriptionTo299": ("A description of 300 is refused.", "BUS-CHG-15 BUS-CHG-17", {"description_limit": 299}),
    "BusDescriptionTo301": ("A description of 301 is accepted.", "BUS-CHG-16", {"description_limit": 301}),
    "BusDescriptionTo255": ("A description ends at 255.", "BUS-CHG-15 BUS-CHG-17", {"description_limit": 255}),
    "BusDescriptionEndless": ("A description has no limit.", "BUS-CHG-16", {"description_limit": 1 << 20}),
    "BusRefTo119": ("An external_ref of 120 is refused.", "BUS-CHG-20 BUS-CHG-22", {"external_ref_limit": 119}),
    "BusRefTo121": ("An external_ref of 121 is accepted.", "BUS-CHG-21", {"external_ref_limit": 121}),
    "BusRefTo64": ("An external_ref ends at 64.", "BUS-CHG-20 BUS-CHG-22", {"external_ref_limit": 64}),
    "BusRefTo300": ("An external_ref may be as long as a description.", "BUS-CHG-21", {"external_ref_limit": 300}),
    "BusExpiryFrom61": ("An expiry of 60 seconds is refused.", "BUS-CHG-30", {"shortest_expiry": 61}),
    "BusExpiryFrom59": ("An expiry of 59 seconds is accepted.", "BUS-CHG-31", {"shortest_expiry": 59}),
    "BusExpiryFromOne": ("Any expiry above zero is accepted.", "BUS-CHG-31", {"shortest_expiry": 1}),
    "BusExpiryFromFiveMinutes": ("The shortest expiry is 300.", "BUS-CHG-30", {"shortest_expiry": 300}),
    "BusExpiryTo86399": ("An expiry of a whole day is refused.", "BUS-CHG-32", {"longest_expiry": 86_399}),
    "BusExpiryTo86401": ("An expiry of 86401 seconds is accepted.", "BUS-CHG-33", {"longest_expiry": 86_401}),
    "BusExpiryToAnHour": ("The longest expiry is an hour.", "BUS-CHG-32", {"longest_expiry": 3600}),
    "BusExpiryToAWeek": ("The longest expiry is a week.", "BUS-CHG-33", {"longest_expiry": 604_800}),
    "BusDefaultHalfHour": ("A charge lives half an hour by default.", "BUS-CHG-34", {"default_expiry": 1800}),
    "BusDefaultDay": ("A charge lives a day by default.", "BUS-CHG-34", {"default_expiry": 86_400}),
    "BusDefaultTenSecondsMore": ("A charge lives 3610 seconds by default.", "BUS-CHG-34", {"default_expiry": 3610}),
    "BusListTo201": ("The list holds up to 201 charges.", "BUS-LIST-09", {"list_limit": 201}),
    "BusListEndless": ("The list holds all charges.", "BUS-LIST-09", {"list_limit": -1}),
    "BusListTo199": ("The list holds 199 charges.", "BUS-LIST-15", {"list_limit": 199}),
    "BusListTo100": ("The list holds 100 charges.", "BUS-LIST-15", {"list_limit": 100}),
    "BusLedgerTo51": ("The ledger shows 51 postings.", "BUS-FIN-08", {"postings_limit": 51}),
    "BusLedgerEndless": ("The ledger shows all postings.", "BUS-FIN-08", {"postings_limit": -1}),
    "BusLedgerTo49": ("The ledger shows 49 postings.", "BUS-FIN-22", {"postings_limit": 49}),
    "BusLedgerToTen": ("The ledger shows 10 postings.", "BUS-FIN-22", {"postings_limit": 10}),
}  # fmt: skip


def longer_than(limit: int) -> Any:
    """Make a judge of texts beyond a limit."""
    return lambda value: isinstance(value, str) and len(value) > limit


def number(judge: Any) -> Any:
    """Make a judge of whole numbers."""
    return lambda value: type(value) is int and judge(value)


globals().update(
    family(__name__, "limits", BusinessRules, CONSTANTS),
    **family(__name__, "limits", ReadsOtherwise, {
        "BusLongDescriptionIsCut": (
            "A description that is too long is cut instead of refused.",
            "BUS-CHG-16",
            reading("description", longer_than(300), lambda text: text[:300]),
        ),
        "BusLongRefIsCut": (
            "An external_ref that is too long is cut instead of refused.",
            "BUS-CHG-21",
            reading("external_ref", longer_than(120), lambda text: text[:120]),
        ),
        "BusShortExpiryIsRaised": (
            "An expiry that is too short is raised to 60 seconds.",
            "BUS-CHG-31",
            reading("expires_in_seconds", number(lambda seconds: seconds < 60), 60),  # noqa: PLR2004 - the limit
        ),
        "BusLongExpiryIsLowered": (
            "An expiry that is too long is lowered to a day.",
            "BUS-CHG-33",
            reading("expires_in_seconds", number(lambda seconds: seconds > 86_400), 86_400),  # noqa: PLR2004 - likewise
        ),
        "BusNegativeExpiryIsDefault": (
            "An expiry of zero or less means the default.",
            "BUS-CHG-31",
            reading("expires_in_seconds", number(lambda seconds: seconds <= 0), None),
        ),
    }),
)  # fmt: skip


class BusDescriptionInBytes(BusinessRules):
    """The limit of the description counts bytes of UTF-8."""

    breaks = ("BUS-CHG-17",)

    def judge_description(self, value: str) -> str | None:
        """Count them."""
        return super().judge_description("x" * len(value.encode()))


class BusRefInBytes(BusinessRules):
    """The limit of the external_ref counts bytes of UTF-8."""

    breaks = ("BUS-CHG-22",)

    def judge_external_ref(self, value: str) -> str | None:
        """Count them."""
        return super().judge_external_ref("x" * len(value.encode()))


class BusAccentsCountTwice(BusinessRules):
    """The description is decomposed before it is counted."""

    breaks = ("BUS-CHG-17",)

    def judge_description(self, value: str) -> str | None:
        """Count an accent as a letter."""
        return super().judge_description(value + "".join(one for one in value if "\u00c0" <= one <= "\u024f"))


class BusListOldest200(BusinessRules):
    """Of more than 200 charges the list holds the oldest, the newest of them first."""

    breaks = ("BUS-LIST-10",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Cut at the wrong end."""
        wanted = {} if status is None else {"status": status}
        where = {"account": access.account, "environment": access.environment}
        return self.store.rows("business_charge", "seq", self.list_limit, **where, **wanted)[::-1]


class BusFilteredListEndless(BusinessRules):
    """A list with a filter holds all charges of the status."""

    breaks = ("BUS-LIST-09",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Forget the limit."""
        if status is None:
            return super().listed(access, status)
        where = {"account": access.account, "environment": access.environment, "status": status}
        return self.store.rows("business_charge", self.list_order(), **where)


class BusLedgerOldest50(BusinessRules):
    """Of more than 50 postings the ledger shows the first ones."""

    breaks = ("BUS-FIN-22",)

    def postings(self, access: Access, limit: int) -> list[Row]:
        """Cut at the wrong end."""
        return super().postings(access, -1)[::-1][:limit]
