"""Mutants of BUS-IDEM: the response to a repeated creation."""

import json
from typing import Any, ClassVar

from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row


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


class BusKeyForgottenOnceRepeated(BusinessRules):
    """The key of a charge is free again once its creation was repeated."""

    group = "idempotency"
    breaks = ("BUS-IDEM-01", "BUS-IDEM-03")

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Repeat it, and forget it."""
        self.store.delete("idempotency", scope=earlier["scope"], key=earlier["key"])
        return super().replay(call, earlier)


class Replays(BusinessRules):
    """Changes the answer to a repetition."""

    change: ClassVar[Any]

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Change it."""
        answer: Answer = self.change(super().replay(call, earlier))
        return answer


def replaying(change: Any) -> dict[str, Any]:
    """Members of a class that changes the body of a repeated answer."""
    return {"change": staticmethod(lambda answer: Answer(answer.status, change(answer.body)))}


globals().update(
    family(__name__, "idempotency", Replays, {
        "BusReplayWithoutCode": (
            "A repetition is answered without the code.",
            "BUS-IDEM-01",
            replaying(lambda body: {name: body[name] for name in body if name != "qr_code"}),
        ),
        "BusReplayOfIdOnly": (
            "A repetition is answered with the id alone.",
            "BUS-IDEM-01 BUS-CHG-46 BUS-CHG-47 BUS-CHG-51 BUS-CHG-53 BUS-CHG-54 BUS-CHG-55",
            replaying(lambda body: {"id": body["id"]}),
        ),
        "BusReplayMarked": (
            "A repetition is marked by a member more.", "BUS-IDEM-01", replaying(lambda body: body | {"again": True}),
        ),
        "BusReplayOtherId": (
            "A repetition is answered with an id that names nothing.",
            "BUS-IDEM-01 BUS-IDEM-03",
            replaying(lambda body: body | {"id": body["id"][:-6] + "abcdef"}),
        ),
        "BusReplayIs409": (
            "A repetition is refused with 409.",
            "BUS-IDEM-01 BUS-IDEM-02",
            {"change": staticmethod(lambda _: Answer(409, {"detail": "key was used"}))},
        ),
        "BusReplayIs200": (
            "A repetition is answered with 200, where the creation was with 201.",
            "BUS-IDEM-02",
            {"change": staticmethod(lambda answer: Answer(200, answer.body))},
        ),
    })
)  # fmt: skip


class BusKeyIgnored(BusinessRules):
    """The key means nothing: each creation makes a charge."""

    breaks = ("BUS-IDEM-01", "BUS-IDEM-03", "BUS-IDEM-04", "BUS-IDEM-05", "BUS-IDEM-07", "BUS-IDEM-08")
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Find none."""
        del call
        return None


class BusKeyUnderOtherName(BusinessRules):
    """The key is looked for in X-Idempotency-Key."""

    breaks = ("BUS-IDEM-01", "BUS-IDEM-03", "BUS-IDEM-04", "BUS-IDEM-05", "BUS-IDEM-07", "BUS-IDEM-08")
    group = "idempotency"
    idempotency_header = "x-idempotency-key"


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


class BusReplayAnnounced(BusinessRules):
    """A repetition sends the created event again, with an id of its own."""

    breaks = ("BUS-IDEM-08",)
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Send it."""
        charge = self.store.find("business_charge", id=json.loads(earlier["body"])["id"])
        if charge:
            self.emit("business.pix.created", charge)
        return super().replay(call, earlier)


class BusReplayOfThePresent(BusinessRules):
    """A repetition shows the charge as it now is, and not as the first answer did."""

    group = "idempotency"
    breaks = ("BUS-IDEM-09",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Show what has become of it."""
        answer = super().replay(call, earlier)
        charge = self.store.find("business_charge", id=answer.body["id"])
        return Answer(answer.status, self.charge_view(call, charge)) if charge else answer
