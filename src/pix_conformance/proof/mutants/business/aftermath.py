"""What goes wrong only later, in a list or in one state, or for a rare value."""

import asyncio
import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.tables import (
    ChangesAnswers,
    KeepsOtherwise,
    ReadsOtherwise,
    in_answers,
    keeping,
    reading,
)
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row

NET, THOUSAND, CLOSE = 0.99, 1_000, 0.01


def is_fraction(value: Any) -> bool:
    """Judge whether a number has a fraction."""
    return isinstance(value, float | Decimal) and value != int(value)


globals().update(
    family(__name__, "validation", ReadsOtherwise, {
        "BusLargeFractionCut": (
            "The fraction of an amount above a thousand cents is cut off.",
            "BUS-CHG-08",
            reading("amount_cents", lambda one: is_fraction(one) and one > THOUSAND, int),
        ),
        "BusAlmostWholeAmount": (
            "An amount that is a whole number but for a hundredth passes for it.",
            "BUS-CHG-08",
            reading("amount_cents", lambda one: is_fraction(one) and abs(one - round(one)) < CLOSE, round),
        ),
        "BusReaisAsText": (
            "An amount written in reais, as a text with a point, is read as such.",
            "BUS-CHG-07",
            reading(
                "amount_cents",
                lambda one: isinstance(one, str) and "." in one,
                lambda one: int(one.replace(".", "")),
            ),
        ),
    })
)  # fmt: skip


class Counts(BusinessRules):
    """Counts other characters than those that a text has."""

    count: ClassVar[Any]

    def judge_description(self, value: str) -> str | None:
        """Judge what it counts."""
        return super().judge_description(self.count(value))

    def judge_external_ref(self, value: str) -> str | None:
        """Judge what it counts."""
        return super().judge_external_ref(self.count(value))


globals().update(
    family(__name__, "limits", Counts, {
        "BusCountsTrimmed": (
            "Blanks at the ends of a text do not count.",
            "BUS-CHG-16 BUS-CHG-21",
            {"count": staticmethod(str.strip)},
        ),
        "BusCountsAsciiOnly": (
            "Letters beyond ASCII do not count.",
            "BUS-CHG-16 BUS-CHG-21",
            {"count": staticmethod(lambda text: text.encode("ascii", "ignore").decode())},
        ),
    })
)  # fmt: skip

globals().update(
    family(__name__, "schema", KeepsOtherwise, {
        "BusRefBlanksJoined": (
            "Blanks in a row become one in the label.",
            "BUS-CHG-58",
            keeping("external_ref", lambda text: re.sub(" +", " ", text)),
        ),
        "BusRefZerosLost": (
            "A label of digits loses the zeros before them.",
            "BUS-CHG-58",
            keeping("external_ref", lambda text: text.lstrip("0") or "0" if text.isdigit() else text),
        ),
        "BusLineEndsUnified": (
            "Line breaks of two signs become one sign in the description.",
            "BUS-CHG-57",
            keeping("description", lambda text: text.replace("\r\n", "\n")),
        ),
    })
)  # fmt: skip


class ShowsDone(BusinessRules):
    """Shows one field otherwise once a charge is in a state."""

    state: ClassVar[str] = ""
    change: ClassVar[Any]

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Change the view."""
        view = super().charge_view(call, charge)
        return view | self.change(view) if charge["status"] == self.state else view


globals().update(
    family(__name__, "schema", ShowsDone, {
        "BusNetOncePaid": (
            "A paid charge shows its amount less the fee.",
            "BUS-CHG-56",
            {"state": "paid", "change": staticmethod(lambda view: {"amount_cents": int(view["amount_cents"] * NET)})},
        ),
        "BusRefLostOnCancel": (
            "A canceled charge has lost its label.",
            "BUS-CHG-58",
            {"state": "canceled", "change": staticmethod(lambda _: {"external_ref": None})},
        ),
    })
)  # fmt: skip

globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusListShowsNet": (
            "The list shows amounts less a fee.",
            "BUS-CHG-56",
            in_answers("list_charges", "*.amount_cents", lambda amount: int(amount * NET)),
        ),
        "BusListCutsRef": (
            "The list shows the first sixteen characters of a label.",
            "BUS-CHG-58",
            in_answers("list_charges", "*.external_ref", lambda text: text and text[:16]),
        ),
        "BusListForgetsRef": (
            "The list shows no label: each is null.",
            "BUS-CHG-58",
            in_answers("list_charges", "*.external_ref", lambda _: None),
        ),
    })
)  # fmt: skip


class BusExpiredStaysListed(BusinessRules):
    """A list asked for the pending holds the expired too."""

    group = "state"
    breaks = ("BUS-LIST-02",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Add them at the end."""
        more = super().listed(access, "expired") if status == "pending" else []
        return (super().listed(access, status) + more)[: self.list_limit]


class BusReadsFirstJson(BusinessRules):
    """What follows the JSON value of a body is not read."""

    group = "validation"
    breaks = ("BUS-CHG-40",)

    def json_body(self, call: Call) -> Any:
        """Cut the body after its first value."""
        try:
            text = call.body.decode() if call.body else ""
            call.body = text[: json.JSONDecoder().raw_decode(text)[1]].encode()
        except ValueError:
            pass
        return super().json_body(call)


class BusRefCancelsEarlier(BusinessRules):
    """A new charge cancels the pending ones of its label."""

    group = "state"
    breaks = ("BUS-CHG-44",)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Cancel them."""
        if read["external_ref"] is not None:
            same = {"external_ref": read["external_ref"], "account": call.access.account, "status": "pending"}
            self.store.update("business_charge", {"status": "canceled"}, **same)
        return super().open_charge(call, read)


class BusPaidRefRefused(BusinessRules):
    """A label whose charge was paid may not be used again."""

    group = "state"
    breaks = ("BUS-CHG-44",)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Look for it."""
        wanted = {"external_ref": read["external_ref"], "account": call.access.account, "status": "paid"}
        if read["external_ref"] is not None and self.store.find("business_charge", **wanted):
            raise Refusal("state", "external_ref was paid already")
        return super().open_charge(call, read)


class ConfusesKeys(BusinessRules):
    """Takes different idempotency keys for one."""

    take: ClassVar[Any]

    def idempotency_key(self, call: Call) -> str | None:
        """Change the key."""
        key = super().idempotency_key(call)
        taken: str | None = key and self.take(key)
        return taken


globals().update(
    family(__name__, "idempotency", ConfusesKeys, {
        "BusKeyCut": (
            "Only the first 32 characters of a key count.",
            "BUS-CHG-44",
            {"take": staticmethod(lambda key: key[:32])},
        ),
        "BusKeyCaseFolded": (
            "Capital and small letters of a key are the same.",
            "BUS-CHG-44",
            {"take": staticmethod(str.lower)},
        ),
    })
)  # fmt: skip


class Forgets(BusinessRules):
    """Has an event of some kinds change what is kept of the creation; the key of a charge is found by its answer."""

    on: ClassVar[str] = ""

    def emit(self, event: str, row: Row) -> None:
        """Forget the key."""
        super().emit(event, row)
        if event == self.on:
            for kept in self.store.rows("idempotency"):
                if row["id"] in kept["body"]:
                    self.store.delete("idempotency", scope=kept["scope"], key=kept["key"])


globals().update(
    family(__name__, "idempotency", Forgets, {
        "BusKeyForgottenOncePaid": (
            "The key of a charge is free again once it is paid.",
            "BUS-IDEM-03 BUS-IDEM-04",
            {"on": "business.pix.paid"},
        ),
        "BusKeyForgottenOnceCanceled": (
            "The key of a charge is free again once it is canceled.",
            "BUS-IDEM-03",
            {"on": "business.pix.canceled"},
        ),
    })
)  # fmt: skip


class BusRepeatProlongs(BusinessRules):
    """A repeated creation gives its charge a new life."""

    group = "idempotency"
    breaks = ("BUS-IDEM-03",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Let it expire later."""
        number = json.loads(earlier["body"])["id"]
        self.store.update("business_charge", {"expires_at": self.clock.now() + self.default_expiry}, id=number)
        return super().replay(call, earlier)


class BusConflictSpoilsKey(BusinessRules):
    """A creation refused for its key leaves the key to its own body."""

    group = "idempotency"
    breaks = ("BUS-IDEM-03",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Forget the first one after the refusal."""
        try:
            return await super().once(call, body, effect)
        except Refusal:
            self.store.delete("idempotency", scope=self.idempotency_scope(call), key=self.idempotency_key(call))
            raise


class BusCancelsTogether(BusinessRules):
    """Cancels at one moment all succeed."""

    group = "concurrency"
    breaks = ("BUS-CAN-05", "BUS-EVT-19")

    async def pause(self, call: Call, place: str) -> None:
        """Leave a window open."""
        await super().pause(call, place)
        await asyncio.sleep(0.2 if place == "cancel" else 0)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Claim a charge that was canceled meanwhile."""
        if super().claim_charge(charge, changes):
            return True
        now = self.store.find("business_charge", id=charge["id"])
        return bool(now and now["status"] == changes["status"] == "canceled")


class BusCreditsAgain(BusinessRules):
    """A payment that is refused, since the charge is paid, raises the balance, and posts nothing."""

    group = "state"
    breaks = ("BUS-STATE-08",)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Credit it."""
        if call.operation == "pay_charge" and refusal.kind == "state":
            row = self.owned(call)
            key = {"book": self.book(call.access), "account_code": "merchant_available"}
            held = self.balance_of(call.access, "merchant_available")
            extra = row["amount"] if row["status"] == "paid" else 0
            self.store.put("balance", key | {"amount": held + extra})
        return super().refused(call, refusal)
