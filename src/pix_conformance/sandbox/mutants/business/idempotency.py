"""Mutants of BUS-IDEM, idempotency of charge creation."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "idempotency"


def first_charge(rules: Any, earlier: Row) -> Row:
    return dict(rules.store.find("business_charge", id=id_in(earlier)))


def copy_first(rules: Any, _: Call, earlier: Row) -> None:
    copied = {name: value for name, value in first_charge(rules, earlier).items() if name != "seq"}
    rules.store.insert("business_charge", copied | {"id": rules.new_charge_id(), "created_at": rules.clock.now()})


def refuse_in(status: str) -> Act:
    def refuse(rules: Any, _: Call, earlier: Row) -> None:
        if first_charge(rules, earlier)["status"] == status:
            raise Refusal("state", f"charge is {status}")

    return refuse


def replay_if_invalid(rules: Any, right: Answer, call: Call, refusal: Refusal) -> Answer:
    key = rules.idempotency_key(call) if (call.operation, refusal.kind) == ("create_charge", "invalid") else None
    first = rules.earlier(call, key) if key else None
    return rules.replay(call, first) if first else right


def refuse_once(rules: Any, right: Callable[..., Answer], call: Call, earlier: Row, mine: str) -> Answer:
    conflicts = rules.__dict__.setdefault("conflicts", set())
    if (earlier["key"], mine) in conflicts:
        again: Answer = rules.replay(call, earlier)
        return again
    if not rules.is_same_body(earlier["fingerprint"], mine):
        conflicts.add((earlier["key"], mine))
    return right(call, earlier, mine)


async def replay_if_new(rules: Any, right: Any, call: Call, body: Any, effect: Any) -> Any:
    key = rules.idempotency_key(call)
    used = key is not None and rules.earlier(call, key) is not None
    await asyncio.sleep(0.02)
    first = None if key is None or used else rules.earlier(call, key)
    return rules.replay(call, first) if first else await right(call, body, effect)


async def replay_if_keyless(rules: Any, right: Any, call: Call, body: Any, effect: Any) -> Any:
    same = {"scope": rules.idempotency_scope(call), "fingerprint": rules.fingerprint(call, body)}
    earlier = rules.store.find("idempotency", **same) if rules.idempotency_key(call) is None else None
    return rules.replay(call, earlier) if earlier else await right(call, body, effect)


def require_key(rules: Any, call: Call) -> None:
    if rules.idempotency_key(call) is None:
        raise Refusal("invalid", "Idempotency-Key is required")


def prolong_first(rules: Any, _call: Call, earlier: Row) -> None:
    charge = rules.store.find("business_charge", id=id_in(earlier))
    life = charge["expires_at"] - charge["created_at"]
    rules.store.update("business_charge", {"expires_at": rules.clock.now() + life}, id=charge["id"], status="pending")


MUTANTS = {
    "BUS-IDEM-01/additional-field": changes_result("A replay has a field that says so.",
        replay=lambda _, right, *_given: Answer(right.status, right.body | {"again": True})),
    "BUS-IDEM-01/replay-of-paid-refused": on_replay(
        "A replay is refused with 409 once its charge is paid.", refuse_in("paid")),
    "BUS-IDEM-01/replay-of-canceled-refused": on_replay(
        "A replay is refused with 409 once its charge is canceled.", refuse_in("canceled")),
    "BUS-IDEM-01/last-of-simultaneous-bodies-kept": key_taken_over("charge").seen_in("BUS-IDEM-17"),
    "BUS-IDEM-02/replay-returns-200": changes_result("A replay returns 200, though the creation returned 201.",
        replay=lambda _, right, *_given: Answer(200, right.body)),
    "BUS-IDEM-03/forgotten-once-paid": forget_key("business_charge", when=in_status("paid")),
    "BUS-IDEM-03/forgotten-after-conflict": on_conflict(
        "A key is forgotten once it was refused because of another body.", forget),
    "BUS-IDEM-03/ignored-without-external-ref": key_read(
        "The idempotency key of a charge without external_ref is not read.",
        lambda key, call: key if "external_ref" in json.loads(call.body or b"{}") else None),
    "BUS-IDEM-03/ignored-in-production": key_read("The idempotency key is not read.", lambda _key, _call: None)
        .when(IN_PRODUCTION),
    "BUS-IDEM-03/replay-creates-silently": on_replay("A replay returns the first charge, and creates another.",
        copy_first).also("BUS-IDEM-07"),
    "BUS-IDEM-03/replay-prolongs": on_replay("A replay returns the first charge, and prolongs its life.",
        prolong_first),
    "BUS-IDEM-04/ignores-email": fingerprint(without="customer_email"),
    "BUS-IDEM-04/ignores-expiry": fingerprint(without="expires_in_seconds"),
    "BUS-IDEM-04/ignores-case-of-external-ref": fingerprint(external_ref=str.lower)
        .says("A key used again with an external_ref that differs in capitals only is a replay."),
    "BUS-IDEM-04/compares-first-200": same_body(
        lambda first, second: {name: str(value)[:200] for name, value in first.items()}
        == {name: str(value)[:200] for name, value in second.items()})
        .says("A key used again with texts that differ after 200 characters is a replay."),
    "BUS-IDEM-04/compares-values": same_body(
        lambda first, second: sorted(map(str, first.values())) == sorted(map(str, second.values())))
        .says("A key used again with the same values in other fields is a replay."),
    "BUS-IDEM-04/missing-field-matches": same_body(lambda first, second: second.items() <= first.items())
        .says("A key used again with a body that lacks a field is a replay."),
    "BUS-IDEM-04/refused-once-only": overrides(
        "A key used with another body is refused the first time; the same body again is answered as a replay.",
        repeated=refuse_once),
    "BUS-IDEM-05/refused-and-created": leaves_charge(
        "A key used with another body is refused, and leaves a charge.", "key_conflict"),
    "BUS-IDEM-15/conflict-cancels": on_conflict(
        "A key used with another body is refused, and the first charge is canceled.",
        lambda rules, _, earlier: rules.store.update("business_charge", {"status": "canceled"}, id=id_in(earlier))),
    "BUS-IDEM-06/key-required": acts_before("A creation without a key is refused.", create_charge=require_key),
    "BUS-IDEM-16/body-stands-for-missing-key": key_read(
        "Creations without a key have their body for a key.", lambda key, call: key or (call.body or b"").hex()),
    "BUS-IDEM-16/missing-key-matches-body": overrides(
        "A creation without a key is answered as a replay of one that had a key and the same body.",
        execute_once=replay_if_keyless),
    "BUS-IDEM-07/key-kept-after-effect": key_kept_after_effect("charge", 0.3).also("BUS-IDEM-18"),
    "BUS-IDEM-07/key-kept-after-effect-and-first-returned": key_kept_after_effect("charge", 0.3, first_returned=True)
        .also("BUS-IDEM-18"),
    "BUS-IDEM-07/key-kept-3-ms-after-effect": key_kept_after_effect("charge", 0.003).also("BUS-IDEM-18"),
    "BUS-IDEM-07/key-unknown-in-progress": key_unknown_in_progress("charge"),
    "BUS-IDEM-08/replay-sends-event": on_replay("A replay sends the created event again, with an id of its own.",
        lambda rules, _, earlier: rules.emit("business.pix.created", first_charge(rules, earlier))).also("BUS-EVT-28"),
    "BUS-IDEM-17/simultaneous-bodies-match": overrides(
        "Simultaneous requests with one new key and different bodies are answered as replays of one.",
        execute_once=replay_if_new).of("concurrency"),
    "BUS-IDEM-19/invalid-body-matches": changes_result(
        "A key used again with an invalid body is a replay.", refused=replay_if_invalid),
    "BUS-IDEM-09/shows-present-status": on_replay("A replay shows the charge as it is now.",
        lambda rules, call, earlier: Answer(earlier["status"], rules.charge_view(call, first_charge(rules, earlier)))),
}  # fmt: skip
