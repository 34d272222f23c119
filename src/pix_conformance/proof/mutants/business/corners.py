"""Rules that hold but in one corner: for charges that carry something, for the third time, without a key."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.events import PAID
from pix_conformance.proof.mutants.business.listing import Lists, choosing
from pix_conformance.proof.mutants.business.silences import SilentOf
from pix_conformance.proof.mutants.business.tables import ReadsOtherwise, reading
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.store import Row

LONGEST_S, ONE_REAL, SHORT, MOST = 86_401, 100, 50, 200


class Forbids(BusinessRules):
    """Refuses an operation on pending charges that carry something."""

    operation: ClassVar[str] = ""
    column: ClassVar[str] = ""

    def owned(self, call: Call) -> Row:
        """Look at what it carries."""
        row = super().owned(call)
        if call.operation == self.operation and row["status"] == "pending" and row[self.column] is not None:
            raise self.not_possible(call, row)
        return row

    def not_possible(self, call: Call, charge: Row) -> Refusal:
        """Refuse for the state."""
        del call
        return Refusal("state", f"charge is {charge['status']}")


class Judges(BusinessRules):
    """Judges an e-mail address more strictly."""

    fits: ClassVar[Any]

    def judge_customer_email(self, value: str) -> str | None:
        """Ask for more."""
        return super().judge_customer_email(value) if self.fits(value) else "must be a valid e-mail"


def _twice(rows: list[Row], status: str | None) -> list[Row]:
    return [one for row in rows for one in (row, row)][:MOST] if status else rows


def _one_per_label(rows: list[Row], _: str | None) -> list[Row]:
    first: dict[Any, str] = {}
    for row in rows:
        first.setdefault(row["external_ref"], row["id"])
    return [row for row in rows if row["external_ref"] is None or first[row["external_ref"]] == row["id"]]


globals().update(
    family(__name__, "state", Forbids, {
        "BusPlayersChargeUnpayable": (
            "A charge with an e-mail cannot be paid.",
            "BUS-PAY-01, seen in BUS-CHG-56",
            {"operation": "pay_charge", "column": "customer_email"},
        ),
        "BusDescribedChargeUncancelable": (
            "A charge with a description cannot be canceled.",
            "BUS-CAN-01",
            {"operation": "cancel_charge", "column": "description"},
        ),
    }),
    **family(__name__, "state", Lists, {
        "BusFilteredListTwice": (
            "A list with a filter holds each charge twice.", "BUS-LIST-03 BUS-LIST-04 BUS-LIST-06", choosing(_twice),
        ),
        "BusListOnePerLabel": (
            "Of the charges of one label a list holds the newest.", "BUS-CHG-44", choosing(_one_per_label),
        ),
    }),
    **family(__name__, "events", SilentOf, {
        "BusSmallPaymentUnannounced": (
            "A payment of less than one real sends no event.",
            "BUS-EVT-02",
            {"event": PAID, "of": staticmethod(lambda row: row["amount"] < ONE_REAL)},
        ),
    }),
    **family(__name__, "validation", ReadsOtherwise, {
        "BusAmountEmptyTextDefaults": (
            "An amount that is an empty text is taken for one real.",
            "BUS-CHG-07",
            reading("amount_cents", lambda value: value == "", ONE_REAL),
        ),
        "BusVeryLongExpiryIsLowered": (
            "An expiry far beyond a day is lowered to a day.",
            "BUS-CHG-33",
            reading("expires_in_seconds", lambda value: type(value) is int and value > LONGEST_S, LONGEST_S - 1),
        ),
    }),
    **family(__name__, "validation", Judges, {
        "BusEmailOfSmallLetters": (
            "A customer_email with a capital letter is refused.", "BUS-CHG-25", {"fits": staticmethod(str.islower)},
        ),
        "BusEmailToFifty": (
            "A customer_email of more than 50 characters is refused.",
            "BUS-CHG-25",
            {"fits": staticmethod(lambda text: len(text) <= SHORT)},
        ),
    }),
)  # fmt: skip


class BusDescriptionOfAnotherShown(BusinessRules):
    """A charge without a description is given that of the charge before it."""

    group = "schema"
    breaks = ("BUS-CHG-57",)
    seen_in = ("BUS-CHG-35",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Keep it from one to the next."""
        row = super().new_charge(access, read)
        row["description"] = self.__dict__["last"] = row["description"] or self.__dict__.get("last")
        return row


class BusConflictEndsKey(BusinessRules):
    """Once a key was refused for another body, its own is refused too."""

    group = "idempotency"
    breaks = ("BUS-IDEM-01",)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Remember the conflict."""
        ended, one = self.__dict__.setdefault("ended", set()), (earlier["scope"], earlier["key"])
        if one in ended or not self.is_same_body(earlier["fingerprint"], fingerprint):
            ended.add(one)
            raise self.key_conflict()
        return super().repeated(call, earlier, fingerprint)


class BusUnlabelledKeyIgnored(BusinessRules):
    """The key of a creation without external_ref means nothing."""

    group = "idempotency"
    breaks = ("BUS-IDEM-03",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Make it each time."""
        if isinstance(body, dict) and "external_ref" not in body:
            with self.store.transaction():
                return effect()
        return await super().once(call, body, effect)


class BusKeyForgottenOnceRepeated(BusinessRules):
    """The key of a charge is free again once its creation was repeated."""

    group = "idempotency"
    breaks = ("BUS-IDEM-01", "BUS-IDEM-03")

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Repeat it, and forget it."""
        self.store.delete("idempotency", scope=earlier["scope"], key=earlier["key"])
        return super().replay(call, earlier)


class BusRepeatReopensExpired(BusinessRules):
    """A creation repeated once its charge has expired makes the charge pending for another hour."""

    group = "idempotency"
    breaks = ("BUS-STATE-05",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Open it again."""
        answer = super().replay(call, earlier)
        again = {"status": "pending", "expires_at": self.clock.now() + self.default_expiry}
        self.store.update("business_charge", again, id=answer.body["id"], status="expired")
        return answer


class BusKeylessUnchecked(BusinessRules):
    """A creation without an idempotency key is not held to the limits of its fields."""

    group = "validation"
    breaks = ("BUS-CHG-04", "BUS-CHG-16", "BUS-CHG-21", "BUS-CHG-31")

    async def create_charge(self, call: Call) -> Answer:
        """Note whether there is a key."""
        self.__dict__["keyless"] = self.idempotency_key(call) is None
        return await super().create_charge(call)

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Find nothing wrong."""
        return None if self.__dict__["keyless"] else super().complaint(key, value, field)
