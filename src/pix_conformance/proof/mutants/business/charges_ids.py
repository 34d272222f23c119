"""Mutants of BUS-CHG: the id of a charge, and its query by that."""

import asyncio
import hashlib
import json
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.ids import ChokesOnIds, choking_on, is_huge, is_long
from pix_conformance.proof.mutants.operators.business.lists import Lists, choosing
from pix_conformance.proof.mutants.operators.business.refusals import MissingIs, missing
from pix_conformance.proof.mutants.operators.business.responses import SUCCESS, ChangesAnswers, in_answers
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row

KEPT = 200
SHORTEST = 12
SHORT_WINDOW_S = 0.05


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
        "BusLongKeyCut": (
            "Only the first 64 characters of a key count.",
            "BUS-CHG-44",
            {"take": staticmethod(lambda key: key[:64])},
        ),
    })
)  # fmt: skip


def _one_per_label(rows: list[Row], _: str | None) -> list[Row]:
    first: dict[Any, str] = {}
    for row in rows:
        first.setdefault(row["external_ref"], row["id"])
    return [row for row in rows if row["external_ref"] is None or first[row["external_ref"]] == row["id"]]


globals().update(
    family(__name__, "state", Lists, {
        "BusListOnePerLabel": (
            "Of the charges of one label a list holds the newest.", "BUS-CHG-44", choosing(_one_per_label),
        ),
    })
)  # fmt: skip


class BusRefIdentifies(BusinessRules):
    """A creation with an external_ref that is known gives the charge that has it."""

    breaks = ("BUS-CHG-44",)
    group = "idempotency"

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Look for it first."""
        ref = read["external_ref"]
        owner = {"account": call.access.account, "environment": call.access.environment}
        known = self.store.find("business_charge", external_ref=ref, **owner) if ref else None
        return Answer(201, self.charge_view(call, known)) if known else super().open_charge(call, read)


class BusRefIsUnique(BusinessRules):
    """A creation with an external_ref that is known is refused with 409."""

    breaks = ("BUS-CHG-44",)
    group = "idempotency"

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Look for it first."""
        owner = {"account": call.access.account, "environment": call.access.environment}
        if read["external_ref"] and self.store.find("business_charge", external_ref=read["external_ref"], **owner):
            raise Refusal("state", "external_ref is taken")
        return super().open_charge(call, read)


class BusPendingRefIsUnique(BusinessRules):
    """A creation with the external_ref of a pending charge replaces that charge."""

    breaks = ("BUS-CHG-44", "BUS-CHG-63", "BUS-EVT-19", "BUS-IDEM-06")
    group = "idempotency"

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give it the id of the one that it replaces."""
        row = super().new_charge(access, read)
        owner = {"account": access.account, "environment": access.environment, "status": "pending"}
        ref = read["external_ref"]
        known = self.store.find("business_charge", external_ref=ref, **owner) if ref else None
        if known:
            self.store.delete("business_charge", id=known["id"])
        return row | {"id": known["id"]} if known else row


class Drags(BusinessRules):
    """Has a change of one charge change the pending ones of its label too."""

    into: ClassVar[str] = ""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Look for the label instead of the id."""
        done = super().claim_charge(charge, changes)
        if done and changes["status"] == self.into and charge["external_ref"] is not None:
            same = {name: charge[name] for name in ("external_ref", "account", "environment")}
            self.store.update("business_charge", changes, status="pending", **same)
        return done


globals().update(
    family(__name__, "state", Drags, {
        "BusLabelPaysAll": (
            "A payment makes all pending charges of the label paid.", "BUS-CHG-44", {"into": "paid"},
        ),
        "BusLabelCancelsAll": (
            "A cancel makes all pending charges of the label canceled.", "BUS-CHG-44", {"into": "canceled"},
        ),
    })
)  # fmt: skip


class BusIdOfContent(BusinessRules):
    """The id of a charge is a hash of what was asked for: the same request gives the same id."""

    group = "schema"
    breaks = ("BUS-CHG-63", "BUS-IDEM-06", "BUS-CHG-44", "BUS-EVT-19")

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Derive the id."""
        text = json.dumps([access.book, read])
        return super().new_charge(access, read) | {"id": hashlib.sha256(text.encode()).hexdigest()}

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Let the new one replace the old."""
        self.store.delete("business_charge", id=self.new_charge(call.access, read)["id"])
        return super().open_charge(call, read)


class BusIdRaces(BusinessRules):
    """The id of a charge is the number of those before it: of several made at one moment the last is kept."""

    group = "concurrency"
    breaks = ("BUS-CHG-63",)
    number = 0

    async def create_charge(self, call: Call) -> Answer:
        """Count, and leave a window open."""
        call.params = {"number": str(len(self.store.rows("business_charge")))}
        await asyncio.sleep(SHORT_WINDOW_S)
        return await super().create_charge(call)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Write over what has the number."""
        self.number = int(call.params["number"])
        self.store.delete("business_charge", id=self.new_charge_id())
        return super().open_charge(call, read)

    def new_charge_id(self) -> str:
        """Take the number."""
        return f"chg_{self.number}"


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusQueryOfOthersId": (
            "A query answers another id than it was asked for.",
            "BUS-CHG-64",
            in_answers("get_charge", "id", lambda text: text[:-1] + ("0" if text[-1] != "0" else "1")),
        ),
    })
)  # fmt: skip


class BusQueryFindsNothing(BusinessRules):
    """The query finds no charge, as if it looked in another table."""

    group = "schema"
    breaks = ("BUS-CHG-64",)

    async def get_charge(self, call: Call) -> Answer:
        """Report it as missing."""
        raise self.not_found(call)


class BusQueryAnswersNewest(BusinessRules):
    """The query answers the newest charge of the account, whichever was asked for."""

    group = "schema"
    breaks = ("BUS-CHG-64",)

    async def get_charge(self, call: Call) -> Answer:
        """Look for the account only."""
        self.owned(call)
        newest = self.listed(call.access, None)[0]
        return Answer(SUCCESS, self.charge_view(call, self.seen(call, newest)))


class BusOldForgotten(BusinessRules):
    """Of an account the newest 200 charges are kept."""

    group = "limits"
    breaks = ("BUS-CHG-64", "BUS-LIST-15")

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Delete what is older."""
        answer = super().open_charge(call, read)
        where = {"account": call.access.account, "environment": call.access.environment}
        for row in self.store.rows("business_charge", self.list_order(), -1, **where)[KEPT:]:
            self.store.delete("business_charge", id=row["id"])
        return answer


class BusKeylessUnstored(BusinessRules):
    """A creation without a key is answered, and not kept."""

    group = "schema"
    breaks = ("BUS-CHG-64", "BUS-LIST-01", "BUS-PAY-01", "BUS-CAN-01")

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Drop it."""
        answer = super().open_charge(call, read)
        if self.idempotency_key(call) is None:
            self.store.delete("business_charge", id=answer.body["id"])
        return answer


globals().update(
    family(__name__, "isolation", MissingIs, {
        "BusQueryOfUnknownIs403": (
            "The operation get_charge answers 403 for a charge that is unknown.",
            "BUS-CHG-65",
            missing("get_charge", 403, foreign=False),
        ),
        "BusQueryOfUnknownIs400": (
            "A query answers 400 for an unknown id.", "BUS-CHG-65", missing("get_charge", 400, foreign=False),
        ),
    })
)  # fmt: skip


class BusIdBeginningFound(BusinessRules):
    """A charge is found by the beginning of its id."""

    group = "state"
    breaks = ("BUS-CHG-70",)

    def owned(self, call: Call) -> Row:
        """Compare so much of it."""
        beginning = call.params["id"]
        where = {"account": call.access.account, "environment": call.access.environment}
        for row in self.store.rows("business_charge", **where) if len(beginning) > SHORTEST else ():
            if row["id"].startswith(beginning):
                return row
        return super().owned(call)


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "BusLongIdBreaks": ("A query by an id of more than 100 characters ends in a 500.",
            "BUS-CHG-85 BUS-CHG-70 BUS-GEN-03", choking_on("get_charge", is_long)),
        "BusHugeNumberBreaks": ("A query by a number beyond 64 bits ends in a 500.",
            "BUS-CHG-85 BUS-CHG-70 BUS-GEN-03", choking_on("get_charge", is_huge)),
        "BusLongIdUnprocessable": ("A query by an id of more than 100 characters is refused with 422.",
            "BUS-CHG-85", choking_on("get_charge", is_long, Answer(422, {"detail": "id is too long"}))),
    })
)  # fmt: skip
