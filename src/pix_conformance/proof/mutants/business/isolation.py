"""What one account sees of another, or one environment of the other."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.tables import OWNER
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row


def other_account(access: Access, owner: Access) -> bool:
    """Judge whether an object is another account's, in the same environment."""
    return access.account != owner.account and access.environment == owner.environment


def to_live(access: Access, owner: Access) -> bool:
    """Judge whether an object is the same account's in the sandbox, seen from production."""
    return access.account == owner.account and not access.is_sandbox and owner.is_sandbox


def to_sandbox(access: Access, owner: Access) -> bool:
    """Judge whether an object is the same account's in production, seen from the sandbox."""
    return to_live(owner, access)


class Leaks(BusinessRules):
    """Lets some operations see what is another's."""

    operations: ClassVar[tuple[str, ...]] = ()
    crosses: ClassVar[Any]

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """See more than one's own."""
        return super().sees(access, owner, operation) or (operation in self.operations and self.crosses(access, owner))


class MissingIs(BusinessRules):
    """Answers an id that is unknown, or another's, in another way."""

    operation: ClassVar[str] = ""
    foreign: ClassVar[bool] = False
    answer_status: ClassVar[int] = 404

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Change the status."""
        answer = super().refused(call, refusal)
        if refusal.kind == "missing" and call.operation == self.operation:
            exists = self.store.find("business_charge", id=call.params["id"]) is not None
            answer.status = self.answer_status if exists == self.foreign else answer.status
        return answer


class Trespasses(BusinessRules):
    """Reports another's charge as missing, and yet does what was asked."""

    operation: ClassVar[str] = ""
    status: ClassVar[str] = ""

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Do it."""
        if refusal.kind == "missing" and call.operation == self.operation:
            self.store.update("business_charge", {"status": self.status}, id=call.params["id"], status="pending")
        return super().refused(call, refusal)


def leaking(operations: str, crosses: Any) -> dict[str, Any]:
    """Members of a class that leaks."""
    return {"operations": tuple(operations.split()), "crosses": staticmethod(crosses)}


def missing(operation: str, status: int, *, foreign: bool) -> dict[str, Any]:
    """Members of a class that answers what is missing otherwise."""
    return {"operation": operation, "answer_status": status, "foreign": foreign}


OPERATIONS = {
    "get_charge": ("Query", "BUS-CHG-65", "BUS-ISO-01 BUS-ENV-02 BUS-ENV-03"),
    "cancel_charge": ("Cancel", "BUS-CAN-08", "BUS-ISO-02"),
    "pay_charge": ("Pay", "BUS-PAY-08", "BUS-ISO-04"),
}

globals().update(
    family(__name__, "isolation", Leaks, {
        "BusQueryOfOthers": (
            "A query shows the charge of another account.", "BUS-ISO-01", leaking("get_charge", other_account),
        ),
        "BusCancelOfOthers": (
            "A charge of another account can be canceled.",
            "BUS-ISO-02 BUS-ISO-03",
            leaking("cancel_charge", other_account),
        ),
        "BusPayOfOthers": (
            "A charge of another account can be paid.", "BUS-ISO-04 BUS-ISO-05", leaking("pay_charge", other_account),
        ),
        "BusSandboxSeenLive": (
            "The production key shows charges of the sandbox.", "BUS-ENV-02", leaking("get_charge", to_live),
        ),
        "BusLiveSeenInSandbox": (
            "The sandbox key shows charges of production.", "BUS-ENV-03", leaking("get_charge", to_sandbox),
        ),
    }),
    **family(__name__, "isolation", MissingIs, {
        f"Bus{label}Of{whose}Is{status}": (
            f"The operation {name} answers {status} for a charge that is {words}.",
            (strange if foreign else unknown),
            missing(name, status, foreign=foreign),
        )
        for name, (label, unknown, strange) in OPERATIONS.items()
        for whose, words, foreign, status in (
            ("Foreign", "another account's", True, 403),
            ("Unknown", "unknown", False, {"get_charge": 403, "cancel_charge": 409, "pay_charge": 422}[name]),
        )
    }),
    **family(__name__, "isolation", MissingIs, {
        "BusQueryOfUnknownIs400": (
            "A query answers 400 for an unknown id.", "BUS-CHG-65", missing("get_charge", 400, foreign=False),
        ),
        "BusCancelOfUnknownIs200": (
            "A cancel answers 200 for an unknown id.", "BUS-CAN-08", missing("cancel_charge", 200, foreign=False),
        ),
        "BusPayOfUnknownIs200": (
            "A payment answers 200 for an unknown id.", "BUS-PAY-08", missing("pay_charge", 200, foreign=False),
        ),
        "BusCancelOfForeignIs409": (
            "A cancel answers 409 for a charge of another account.",
            "BUS-ISO-02",
            missing("cancel_charge", 409, foreign=True),
        ),
        "BusPayOfForeignIs200": (
            "A payment answers 200 for a charge of another account, and does nothing.",
            "BUS-ISO-04",
            missing("pay_charge", 200, foreign=True),
        ),
    }),
    **family(__name__, "isolation", Trespasses, {
        "BusForeignIsCanceledThough": (
            "A cancel of another account's charge is answered with 404, and the charge is canceled.",
            "BUS-ISO-03",
            {"operation": "cancel_charge", "status": "canceled"},
        ),
        "BusForeignIsPaidThough": (
            "A payment of another account's charge is answered with 404, and the charge is paid.",
            "BUS-ISO-05",
            {"operation": "pay_charge", "status": "paid"},
        ),
    }),
)  # fmt: skip


class Lists(BusinessRules):
    """Lists the charges of more than one owner."""

    owners: ClassVar[Any]

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Take all owners that it confuses with the caller."""
        wanted = {} if status is None else {"status": status}
        rows = self.store.rows("business_charge", self.list_order(), **wanted)
        return [row for row in rows if self.owners(access, owner_of(row), status)][: self.list_limit]


class Ledgers(BusinessRules):
    """Keeps one book for more than one owner."""

    name: ClassVar[Any]

    def book(self, access: Access) -> str:
        """Name it by less than the owner."""
        return f"business/{self.name(access)}"


def listing(owners: Any) -> dict[str, Any]:
    """Members of a class that lists what is another's beside one's own."""
    return {"owners": staticmethod(lambda access, owner, status: access == owner or owners(access, owner, status))}


globals().update(
    family(__name__, "isolation", Lists, {
        "BusListOfAllAccounts": (
            "The list holds charges of every account.",
            "BUS-ISO-06",
            listing(lambda access, owner, _: other_account(access, owner)),
        ),
        "BusFilteredListOfAllAccounts": (
            "A list with a filter holds charges of every account.",
            "BUS-ISO-06",
            listing(lambda access, owner, status: bool(status) and other_account(access, owner)),
        ),
        "BusListOfBothEnvironments": (
            "The list holds the account's charges of both environments.",
            "BUS-ENV-04",
            listing(lambda access, owner, _: access.account == owner.account),
        ),
        "BusLiveListOfSandbox": (
            "The list of production holds the charges of the sandbox too.",
            "BUS-ENV-04",
            listing(lambda access, owner, _: to_live(access, owner)),
        ),
        "BusSandboxListOfLive": (
            "The list of the sandbox holds the charges of production too.",
            "BUS-ENV-04",
            listing(lambda access, owner, _: to_sandbox(access, owner)),
        ),
    }),
    **family(__name__, "isolation", Ledgers, {
        "BusLedgerOfAllAccounts": (
            "All accounts share one ledger.",
            "BUS-ISO-07",
            {"name": staticmethod(lambda access: access.environment)},
        ),
        "BusLedgerOfBothEnvironments": (
            "Sandbox and production of an account share one ledger.",
            "BUS-ENV-05",
            {"name": staticmethod(lambda access: access.account)},
        ),
    }),
)  # fmt: skip


class BusKeysShared(BusinessRules):
    """Idempotency keys are common to all accounts: another's key gives another's charge."""

    breaks = ("BUS-ISO-08",)

    def idempotency_scope(self, call: Call) -> str:
        """Leave the account out."""
        return f"{call.operation}/{call.access.environment}"


class BusLiveFinanceRefused(BusinessRules):
    """A production key is refused where the balance is read."""

    breaks = ("BUS-ENV-01",)

    def authorize(self, call: Call) -> Access:
        """Know the sandbox only on that route."""
        access = super().authorize(call)
        if call.operation == "get_finance" and not access.is_sandbox:
            raise self.unauthorized("API key is not valid here")
        return access


class BusLiveIsSandbox(BusinessRules):
    """The prefix of the key chooses nothing: production keys open the sandbox."""

    breaks = ("BUS-ENV-02", "BUS-ENV-03", "BUS-ENV-04", "BUS-ENV-05", "BUS-PAY-09", "BUS-PAY-10")

    def find_key(self, key: str) -> Access | None:
        """Open the sandbox whatever the key."""
        found = super().find_key(key)
        return found and Access(found.account, OWNER.environment)


class BusLivePays(BusinessRules):
    """The simulation works in production."""

    breaks = ("BUS-PAY-09",)

    def may_simulate(self, access: Access) -> bool:
        """Allow it everywhere."""
        del access
        return True


class ForbidsOtherwise(BusinessRules):
    """Refuses the simulation in production with another status."""

    status: ClassVar[int] = 403

    def error_status(self, refusal: Refusal) -> int:
        """Answer that refusal otherwise."""
        return self.status if refusal.kind == "forbidden" else super().error_status(refusal)


globals().update(
    family(__name__, "isolation", ForbidsOtherwise, {
        f"BusLivePayIs{status}": (
            f"The simulation is refused with {status} in production.", "BUS-PAY-09", {"status": status},
        )
        for status in (401, 404, 405, 409)
    })
)  # fmt: skip


class BusLivePaysThough(BusinessRules):
    """The simulation is refused with 403 in production, and yet the charge is paid."""

    breaks = ("BUS-PAY-10",)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Pay it."""
        if refusal.kind == "forbidden":
            self.store.update("business_charge", {"status": "paid"}, id=call.params["id"])
        return super().refused(call, refusal)
