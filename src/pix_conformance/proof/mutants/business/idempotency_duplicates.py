"""Mutants of BUS-IDEM: how many charges repeated creations make."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.states import WINDOW_S
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row


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

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Forget the first one after the refusal."""
        try:
            return await super().execute_once(call, body, effect)
        except Refusal:
            self.store.delete("idempotency", scope=self.idempotency_scope(call), key=self.idempotency_key(call))
            raise


class BusUnlabelledKeyIgnored(BusinessRules):
    """The key of a creation without external_ref means nothing."""

    group = "idempotency"
    breaks = ("BUS-IDEM-03",)

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Make it each time."""
        if isinstance(body, dict) and "external_ref" not in body:
            with self.store.transaction():
                return effect()
        return await super().execute_once(call, body, effect)


class BusReplayMakesAnother(BusinessRules):
    """A repetition is answered with the first charge, and makes a second one."""

    breaks = ("BUS-IDEM-03",)
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Write it again under a new id."""
        first = self.store.find("business_charge", id=json.loads(earlier["body"])["id"])
        if first:
            again = {name: value for name, value in first.items() if name != "seq"}
            self.store.insert("business_charge", again | {"id": self.new_charge_id()})
        return super().replay(call, earlier)


class BusLiveKeysIgnored(BusinessRules):
    """In production an idempotency key means nothing."""

    group = "idempotency"
    breaks = ("BUS-IDEM-03",)

    def idempotency_key(self, call: Call) -> str | None:
        """Read it in the sandbox."""
        return super().idempotency_key(call) if call.access.is_sandbox else None


class BusKeyForgottenOnceExpired(BusinessRules):
    """The key of a charge is free again once it has expired."""

    group = "idempotency"
    breaks = ("BUS-IDEM-03",)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Forget the key with the expiry."""
        if changes["status"] == "expired":
            for kept in self.store.rows("idempotency"):
                if charge["id"] in kept["body"]:
                    self.store.delete("idempotency", scope=kept["scope"], key=kept["key"])
        return super().claim_charge(charge, changes)


class BusKeyRequired(BusinessRules):
    """A creation without a key is refused."""

    breaks = ("BUS-IDEM-06",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Insist on one."""
        key = super().idempotency_key(call)
        if key is None:
            raise Refusal("invalid", "Idempotency-Key is required")
        return key


class BusNoKeyIsAKey(BusinessRules):
    """All creations without a key share the empty key."""

    breaks = ("BUS-IDEM-06",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Take nothing for a key."""
        return super().idempotency_key(call) or ""


class BusNoKeyIsTheBody(BusinessRules):
    """Without a key the body is taken as one: the same request makes one charge."""

    breaks = ("BUS-IDEM-06",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Hash the body."""
        return super().idempotency_key(call) or (call.body or b"").hex()


class BusKeylessRepeatsKeyed(BusinessRules):
    """A creation without a key is taken for a repetition of one that had a key and the same body."""

    group = "idempotency"
    breaks = ("BUS-IDEM-06",)

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Look for the body."""
        same = {"scope": self.idempotency_scope(call), "fingerprint": self.fingerprint(call, body)}
        earlier = self.store.find("idempotency", **same)
        if earlier and self.idempotency_key(call) is None:
            return self.replay(call, earlier)
        return await super().execute_once(call, body, effect)


class BusKeyRaces(BusinessRules):
    """Creations with one key at one moment make a charge each."""

    group = "concurrency"
    breaks = ("BUS-IDEM-07",)

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Look, wait, act."""
        key = self.idempotency_key(call)
        if key is None or self.earlier(call, key):
            return await super().execute_once(call, body, effect)
        await asyncio.sleep(WINDOW_S)
        with self.store.transaction():
            answer = effect()
            self.remember(call, key, self.fingerprint(call, body), answer)
        return answer


class BusKeyRacesSilently(BusKeyRaces):
    """Creations with one key at one moment make a charge each, but are all answered with the first."""

    group = "concurrency"
    breaks = ("BUS-IDEM-07",)

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Act, and then answer what was remembered first."""
        answer = await super().execute_once(call, body, effect)
        key = f"{call.headers.get(self.idempotency_header)}/first"
        first = self.earlier(call, key)
        if first:
            return self.replay(call, first)
        self.remember(call, key, "", answer)
        return answer
