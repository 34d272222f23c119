"""Idempotency keys that are right at first, and wrong later, elsewhere, or for a body that says less."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.aftermath import ConfusesKeys
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row


class RefusesOnce(BusinessRules):
    """Refuses a repetition once its charge is in a state."""

    state: ClassVar[str] = ""

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Look at the charge."""
        row = self.store.find("business_charge", id=json.loads(earlier["body"])["id"])
        if row and row["status"] == self.state:
            raise Refusal("state", f"charge is {self.state}")
        return super().replay(call, earlier)


globals().update(
    family(__name__, "idempotency", RefusesOnce, {
        "BusRepeatRefusedOncePaid": (
            "A creation repeated once its charge is paid is refused with 409.", "BUS-IDEM-01", {"state": "paid"},
        ),
        "BusRepeatRefusedOnceCanceled": (
            "A creation repeated once its charge is canceled is refused with 409.",
            "BUS-IDEM-01",
            {"state": "canceled"},
        ),
        "BusRepeatRefusedOnceExpired": (
            "A creation repeated once its charge is expired is refused with 409.", "BUS-IDEM-01", {"state": "expired"},
        ),
    }),
    **family(__name__, "idempotency", ConfusesKeys, {
        "BusLongKeyCut": (
            "Only the first 64 characters of a key count.",
            "BUS-CHG-44",
            {"take": staticmethod(lambda key: key[:64])},
        ),
    })
)  # fmt: skip


class BusRepeatDatedAnew(BusinessRules):
    """A repetition is answered with the charge as if it were made now; moments are written in whole seconds."""

    group = "idempotency"
    breaks = ("BUS-IDEM-01",)

    def moment(self, epoch: float) -> str:
        """Cut it off."""
        return super().moment(int(epoch))

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Date it."""
        answer, now = super().replay(call, earlier), self.clock.now()
        ends = now + self.read_charge(self.json_body(call))["expires_in_seconds"]
        answer.body |= {"created_at": self.moment(now), "expires_at": self.moment(ends)}
        return answer


class BusKeyComparesWhatIsGiven(BusinessRules):
    """A body counts as the same if all that is in it was in the first one, which may have had more."""

    group = "idempotency"
    breaks = ("BUS-IDEM-04",)

    def is_same_body(self, first: str, second: str) -> bool:
        """Look for what the second has."""
        return bool(json.loads(second).items() <= json.loads(first).items())


class BusKeylessRepeatsKeyed(BusinessRules):
    """A creation without a key is taken for a repetition of one that had a key and the same body."""

    group = "idempotency"
    breaks = ("BUS-IDEM-06",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Look for the body."""
        same = {"scope": self.idempotency_scope(call), "fingerprint": self.fingerprint(call, body)}
        earlier = self.store.find("idempotency", **same)
        if earlier and self.idempotency_key(call) is None:
            return self.replay(call, earlier)
        return await super().once(call, body, effect)


class BusConflictOnlyOnce(BusinessRules):
    """A key with another body is refused with 409 the first time; the same again is answered with the first charge."""

    group = "idempotency"
    breaks = ("BUS-IDEM-04",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Remember what was refused."""
        key = self.idempotency_key(call) or ""
        refused = self.earlier(call, f"{key} refused")
        earlier = self.earlier(call, key)
        if refused and earlier and refused["fingerprint"] == self.fingerprint(call, body):
            return self.replay(call, earlier)
        try:
            return await super().once(call, body, effect)
        except Refusal:
            self.remember(call, f"{key} refused", self.fingerprint(call, body), Answer(409, {}))
            raise


class TakesOver(BusinessRules):
    """Refuses a creation for its key, and yet changes the first one's charge."""

    def taken_over(self, body: Any) -> Row:
        """What of the refused body the charge gets."""
        raise NotImplementedError

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Change it after the refusal, which undoes what comes before."""
        try:
            return await super().once(call, body, effect)
        except Refusal:
            earlier = self.earlier(call, self.idempotency_key(call) or "")
            if earlier and (changes := self.taken_over(body)):
                self.store.update("business_charge", changes, id=json.loads(earlier["body"])["id"])
            raise


class BusConflictProlongs(TakesOver):
    """A creation refused for its key changes when the first one's charge expires."""

    group = "idempotency"
    breaks = ("BUS-IDEM-05",)

    def taken_over(self, body: Any) -> Row:
        """Let it live as long as the other would."""
        return {"expires_at": self.clock.now() + body.get("expires_in_seconds", self.default_expiry)}


class BusConflictChangesEmail(TakesOver):
    """A key with another body is refused with 409, and gives the first charge the new e-mail."""

    group = "idempotency"
    breaks = ("BUS-IDEM-05",)

    def taken_over(self, body: Any) -> Row:
        """The e-mail, if there is one."""
        return {name: body[name] for name in ("customer_email",) if name in body}


class BusKeysOfBothEnvironments(BusinessRules):
    """Idempotency keys are common to sandbox and production: in one the charge of the other is handed out."""

    group = "isolation"
    breaks = ("BUS-ENV-02",)

    def idempotency_scope(self, call: Call) -> str:
        """Leave the environment out."""
        return f"{call.operation}/{call.access.account}"
