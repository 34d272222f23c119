"""Conforming variants where BUS-IDEM is silent: idempotency."""

import json
import re
import uuid
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import Operation
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

REMEMBERED_S = 50


def random_uuid(_rules: Any, key: str | None, _: Call) -> None:
    lower = key is None or re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", key)
    if key is not None and not (lower and uuid.UUID(key).version == 4):
        raise Refusal("invalid", "Idempotency-Key must be a random UUID")


def any_uuid(_rules: Any, key: str | None, _: Call) -> str | None:
    try:
        return key and str(uuid.UUID(key))
    except ValueError:
        raise Refusal("invalid", "Idempotency-Key must be a UUID") from None


def refuse_empty(rules: Any, call: Call) -> None:
    if call.headers.get(rules.idempotency_header) == "":
        raise Refusal("invalid", "Idempotency-Key must not be empty")


def as_it_is_now(rules: Any, answer: Answer, call: Call, _: Row) -> Answer:
    charge = rules.store.find("business_charge", id=answer.body.get("id"))
    return Answer(answer.status, rules.charge_view(call, charge), answer.headers) if charge else answer


def forget_old(rules: Any, record: Row | None, *_: Any) -> Row | None:
    charge = record and rules.store.find("business_charge", id=json.loads(record["body"]).get("id"))
    return None if charge and rules.clock.now() - charge["created_at"] > REMEMBERED_S else record


async def do_once(rules: Any, right: Operation, call: Call) -> Answer:
    key, mine = rules.idempotency_key(call), rules.fingerprint(call, call.path)
    if key and (record := rules.earlier(call, key)):
        first: Answer = rules.repeated(call, record, mine)
        return first
    answer = await right(call)
    if key:
        rules.remember(call, key, mine, answer)
    return answer


VARIANTS = {
    "BUS-IDEM-09/replay-is-current": changes_result(
        "A replay shows the charge as it is now: that can be the original response.", replay=as_it_is_now),
    "BUS-IDEM-10/compares-bytes": setting("Bodies are compared as bytes: which bodies are the same is not stated.",
        fingerprint=lambda _rules, call, _body: (call.body or b"").decode("latin-1")),
    "BUS-IDEM-11/refused-request-uses-key": changes_refusal(
        "A refused creation uses up its key: that a key is free then is not stated.", create_charge=use_key),
    "BUS-IDEM-12/conflicts-meanwhile": CONFLICTS_MEANWHILE,
    "BUS-IDEM-12/random-uuids-only": acts_after(
        "A key is a random UUID in lower case: which keys are accepted is not stated.", idempotency_key=random_uuid),
    "BUS-IDEM-12/uuids-only": changes_result(
        "A key is a UUID: which keys are accepted is not stated.", idempotency_key=any_uuid),
    "BUS-IDEM-12/empty-refused": acts_before("An empty key is refused: which keys are accepted is not stated.",
        idempotency_key=refuse_empty),
    "BUS-IDEM-13/transitions-have-keys": overrides(
        "A key on cancel or pay returns the first response again, as on creation.",
        cancel_charge=do_once, pay_charge=do_once),
    "BUS-IDEM-14/forgotten-in-a-minute": changes_result(
        "A key is forgotten after 50 s: how long it counts is not stated.", earlier=forget_old),
}  # fmt: skip
