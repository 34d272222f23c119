"""Races: look, wait, act. Each is right as long as requests come one after another."""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row

WINDOW_S = 0.3


class Races(BusinessRules):
    """Waits between look and act; `claims` may let a charge be claimed that has changed meanwhile."""

    claims: ClassVar[Any] = staticmethod(lambda _rules, _charge, _changes: False)

    async def pause(self, call: Call, place: str) -> None:
        """Leave a window open."""
        await super().pause(call, place)
        if place in {"pay", "cancel"}:
            await asyncio.sleep(WINDOW_S)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Claim what has changed, if the race is lost this way."""
        return super().claim_charge(charge, changes) or self.claims(self, charge, changes)


def overwriting(*statuses: str) -> dict[str, Any]:
    """Members of a class that writes these statuses over whatever there is."""

    def claims(rules: Any, charge: Row, changes: Row) -> bool:
        wanted = changes["status"] in statuses
        return wanted and rules.store.update("business_charge", changes, id=charge["id"]) == 1

    return {"claims": staticmethod(claims)}


def pretending(rules: Any, charge: Row, changes: Row) -> bool:
    """Claim a payment that came second, and leave the charge as the first one wrote it."""
    now = rules.store.find("business_charge", id=charge["id"])
    return bool(now and now["status"] == changes["status"] == "paid")


globals().update(
    family(__name__, "concurrency", Races, {
        "BusPaysOverAll": (
            "A payment writes over whatever came at the same moment, a payment or a cancel.",
            "BUS-STATE-06 BUS-STATE-07",
            overwriting("paid"),
        ),
        "BusBooksEachPayment": (
            "Payments at one moment all succeed with one e2e_id, and each is booked and announced.",
            "BUS-STATE-06",
            {"claims": staticmethod(pretending)},
        ),
        "BusCancelOverwrites": (
            "A cancel at the moment of a payment succeeds too, and takes the payment back.",
            "BUS-STATE-07",
            overwriting("canceled"),
        ),
    })
)  # fmt: skip


class BusAnnouncesEachPayment(Races):
    """Payments at one moment are booked once, but each is announced by an event."""

    group = "concurrency"
    breaks = ("BUS-STATE-06",)
    claims = staticmethod(pretending)

    def capture(self, charge: Row) -> None:
        """Book the first only."""
        if not self.store.find("posting", description=f"PIX charge {charge['id']}"):
            super().capture(charge)


class BusLastPaymentNames(Races):
    """Payments at one moment are booked and announced once, but the last one changes the e2e_id."""

    group = "concurrency"
    breaks = ("BUS-STATE-06",)
    claims = staticmethod(overwriting("paid")["claims"].__func__)

    def capture(self, charge: Row) -> None:
        """Book the first only."""
        if not self.store.find("posting", description=f"PIX charge {charge['id']}"):
            super().capture(charge)

    def emit(self, event: str, row: Row) -> None:
        """Announce the first only."""
        first = not self.store.find("idempotency", scope=event, key=row["id"])
        self.store.put("idempotency", {"scope": event, "key": row["id"]})
        if first:
            super().emit(event, row)


class BusKeyRaces(BusinessRules):
    """Creations with one key at one moment make a charge each."""

    group = "concurrency"
    breaks = ("BUS-IDEM-07",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Look, wait, act."""
        key = self.idempotency_key(call)
        if key is None or self.earlier(call, key):
            return await super().once(call, body, effect)
        await asyncio.sleep(WINDOW_S)
        with self.store.transaction():
            answer = effect()
            self.remember(call, key, self.fingerprint(call, body), answer)
        return answer


class BusKeyRacesSilently(BusKeyRaces):
    """Creations with one key at one moment make a charge each, but are all answered with the first."""

    group = "concurrency"
    breaks = ("BUS-IDEM-07",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Act, and then answer what was remembered first."""
        answer = await super().once(call, body, effect)
        key = f"{call.headers.get(self.idempotency_header)}/first"
        first = self.earlier(call, key)
        if first:
            return self.replay(call, first)
        self.remember(call, key, "", answer)
        return answer


class BusKeyRacesByBody(BusinessRules):
    """One key with different bodies at one moment makes a charge of each."""

    group = "concurrency"
    breaks = ("BUS-IDEM-05",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Lock the key together with its body."""
        key = self.idempotency_key(call)
        if key is None or self.earlier(call, key):
            return await super().once(call, body, effect)
        call.params["body"] = self.fingerprint(call, body)
        await asyncio.sleep(WINDOW_S)
        earlier = self.earlier(call, key)
        if earlier and earlier["fingerprint"] == call.params["body"]:
            return self.replay(call, earlier)
        with self.store.transaction():
            answer = effect()
            self.remember(call, key, call.params["body"], answer)
        return answer
