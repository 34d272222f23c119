"""Mutants of BUS-IDEM, idempotency of charge creation."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_result, mutant
from pix_conformance.proof.mutants.guards import IN_PRODUCTION, in_status
from pix_conformance.proof.mutants.operators.idempotency import (
    Act,
    fingerprint,
    forget_key,
    id_in,
    key_read,
    on_conflict,
    on_replay,
    same_body,
)
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

GROUP = "idempotency"
OPEN_S = 0.3
"""Seconds for which a request is being served: others come meanwhile."""


def first_charge(rules: Any, earlier: Row) -> Row:
    return dict(rules.store.find("business_charge", id=id_in(earlier)))


def forget(rules: Any, _: Call, earlier: Row) -> None:
    rules.store.delete("idempotency", scope=earlier["scope"], key=earlier["key"])


def copy_first(rules: Any, _: Call, earlier: Row) -> None:
    copied = {name: value for name, value in first_charge(rules, earlier).items() if name != "seq"}
    rules.store.insert("business_charge", copied | {"id": rules.new_charge_id()})


def create_another(rules: Any, call: Call, _: Row) -> None:
    rules.store.insert("business_charge", rules.new_charge(call.access, rules.read_charge(rules.json_body(call))))


def change_first(changes: Callable[[Any, dict[str, Any]], Row]) -> Act:
    """Change columns of the first charge: a function of the rules and of the body that is sent now."""

    def change(rules: Any, call: Call, earlier: Row) -> None:
        if columns := changes(rules, rules.json_body(call)):
            rules.store.update("business_charge", columns, id=id_in(earlier))

    return change


def refuse_in(status: str) -> Act:
    def refuse(rules: Any, _: Call, earlier: Row) -> None:
        if first_charge(rules, earlier)["status"] == status:
            raise Refusal("state", f"charge is {status}")

    return refuse


def replayed(sentence: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Difference:
    """Change the body of a replay."""
    return changes_result(sentence, replay=lambda _, right, *_given: Answer(right.status, change(right.body)))


def replay_if_invalid(rules: Any, right: Answer, call: Call, refusal: Refusal) -> Answer:
    key = rules.idempotency_key(call) if (call.operation, refusal.kind) == ("create_charge", "invalid") else None
    first = rules.earlier(call, key) if key else None
    return rules.replay(call, first) if first else right


def require_key(key: str | None, _: Call) -> str:
    if key is None:
        raise Refusal("invalid", "Idempotency-Key is required")
    return key


MUTANTS = {
    "BUS-IDEM-01": {
        "additional-field": replayed("A replay has a field that says so.", lambda body: body | {"again": True}),
        "replay-of-paid-refused": on_replay(
            "A replay is refused with 409 once its charge is paid.", refuse_in("paid")),
        "replay-of-canceled-refused": on_replay(
            "A replay is refused with 409 once its charge is canceled.", refuse_in("canceled")),
    },
    "BUS-IDEM-02": {"replay-returns-200": changes_result(
            "A replay returns 200, though the creation returned 201.",
            replay=lambda _, right, *_given: Answer(200, right.body))},
    "BUS-IDEM-03": {
        "forgotten-once-expired": forget_key("business_charge", when=in_status("expired")),
        "forgotten-after-conflict": on_conflict(
            "A key is forgotten once it was refused because of another body.", forget),
        "ignored-without-external-ref": key_read(
            "The idempotency key of a charge without external_ref is not read.",
            lambda key, call: key if "external_ref" in json.loads(call.body or b"{}") else None),
        "ignored-in-production": key_read("The idempotency key is not read.", lambda _key, _call: None)
            .when(IN_PRODUCTION),
        "replay-creates-silently": on_replay("A replay returns the first charge, and creates another.", copy_first),
    },
    "BUS-IDEM-04": {
        "ignores-email": fingerprint(without="customer_email"),
        "ignores-expiry": fingerprint(without="expires_in_seconds"),
        "ignores-case-of-external-ref": fingerprint(external_ref=str.lower)
            .says("A key used again with an external_ref that differs in capitals only is a replay."),
        "compares-first-200": same_body(
            lambda first, second: {name: str(value)[:200] for name, value in first.items()}
            == {name: str(value)[:200] for name, value in second.items()})
            .says("A key used again with texts that differ after 200 characters is a replay."),
        "compares-values": same_body(
            lambda first, second: sorted(map(str, first.values())) == sorted(map(str, second.values())))
            .says("A key used again with the same values in other fields is a replay."),
        "missing-field-matches": same_body(lambda first, second: second.items() <= first.items())
            .says("A key used again with a body that lacks a field is a replay."),
        "invalid-body-matches": changes_result(
            "A key used again with an invalid body is a replay.", refused=replay_if_invalid),
    },
    "BUS-IDEM-05": {"conflict-cancels": on_conflict(
            "A key used with another body is refused, and the first charge is canceled.",
            change_first(lambda _rules, _body: {"status": "canceled"}))},
    "BUS-IDEM-06": {"body-stands-for-missing-key": key_read(
            "Creations without a key have their body for a key.", lambda key, call: key or (call.body or b"").hex())},
    "BUS-IDEM-08": {"replay-sends-event": on_replay(
            "A replay sends the created event again, with an id of its own.",
            lambda rules, _, earlier: rules.emit("business.pix.created", first_charge(rules, earlier)))},
    "BUS-IDEM-09": {"shows-present-status": on_replay(
            "A replay shows the charge as it is now.",
            lambda rules, call, earlier: Answer(
                earlier["status"], rules.charge_view(call, first_charge(rules, earlier))))},
}  # fmt: skip


@mutant("BUS-IDEM-04/refused-once-only")
class RefusedOnceOnly(BusinessRules):
    """A key used with another body is refused the first time; the same body again is answered as a replay."""

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        conflicts, one = self.__dict__.setdefault("conflicts", set()), (earlier["key"], fingerprint)
        if one in conflicts:
            return self.replay(call, earlier)
        if not self.is_same_body(earlier["fingerprint"], fingerprint):
            conflicts.add(one)
        return super().repeated(call, earlier, fingerprint)


@mutant("BUS-IDEM-04/simultaneous-bodies-match", group="concurrency")
class SimultaneousBodiesMatch(BusinessRules):
    """Simultaneous requests with one new key and different bodies are answered as replays of one."""

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        key = self.idempotency_key(call)
        used = key is not None and self.earlier(call, key) is not None
        await asyncio.sleep(0.02)
        first = None if key is None or used else self.earlier(call, key)
        return self.replay(call, first) if first else await super().execute_once(call, body, effect)


@mutant("BUS-IDEM-06/missing-key-matches-body")
class MissingKeyMatchesBody(BusinessRules):
    """A creation without a key is answered as a replay of one that had a key and the same body."""

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        same = {"scope": self.idempotency_scope(call), "fingerprint": self.fingerprint(call, body)}
        earlier = self.store.find("idempotency", **same) if self.idempotency_key(call) is None else None
        return self.replay(call, earlier) if earlier else await super().execute_once(call, body, effect)


@mutant("BUS-IDEM-07/key-kept-after-effect", group="concurrency")
class KeyKeptAfterEffect(BusinessRules):
    """Simultaneous requests with one key create a charge each: the key is kept after the effect."""

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        key = self.idempotency_key(call)
        if key is None or self.earlier(call, key):
            return await super().execute_once(call, body, effect)
        await asyncio.sleep(OPEN_S)
        with self.store.transaction():
            answer = effect()
            self.remember(call, key, self.fingerprint(call, body), answer)
        return answer


@mutant("BUS-IDEM-07/key-kept-after-effect-and-first-returned", group="concurrency")
class KeyKeptAfterEffectAndFirstReturned(KeyKeptAfterEffect):
    """Simultaneous requests with one key create a charge each, but all return the first."""

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        answer = await super().execute_once(call, body, effect)
        key = f"{self.idempotency_key(call)} first"
        if first := self.earlier(call, key):
            return self.replay(call, first)
        self.remember(call, key, "", answer)
        return answer
