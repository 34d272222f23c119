"""Conforming variants where PAY-IDEM is silent: idempotency."""

import json
import uuid
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *


def require_key(rules: Any, call: Call) -> None:
    if rules.idempotency_key(call) is None:
        raise rules.invalid("x-idempotency-key", "is required")


def require_uuid(rules: Any, call: Call) -> None:
    try:
        uuid.UUID(rules.idempotency_key(call) or str(uuid.uuid4()))
    except ValueError:
        raise rules.invalid("x-idempotency-key", "must be a UUID") from None


def forget_old(rules: Any, record: Row | None, *_: Any) -> Row | None:
    transfer = record and rules.store.find("transfer", id=json.loads(record["body"]).get("data", {}).get("id"))
    return None if transfer and rules.clock.now() - transfer["created_at"] > 50 else record


def conflict(rules: Any, *_: Any) -> Answer:
    raise rules.key_conflict()


def as_it_is_now(rules: Any, answer: Answer, call: Call, _: Row) -> Answer:
    transfer = rules.store.find("transfer", id=answer.body.get("data", {}).get("id"))
    return Answer(answer.status, rules.transfer_answer(call, transfer), answer.headers) if transfer else answer


VARIANTS = {
    "PAY-IDEM-05/conflicts-meanwhile": CONFLICTS_MEANWHILE,
    "PAY-IDEM-05/replay-is-current": changes_result(
        "A replay shows the transfer as it is now: only that none is created is stated.", replay=as_it_is_now),
    "PAY-IDEM-05/replay-conflicts": setting(
        "A replay is refused with 409, which the creation route lists for a used key.", replay=conflict),
    "PAY-IDEM-06/key-required": acts_before("A transfer without a key is refused: the header is called required.",
        create_transfer=require_key).also("PAY-IDEM-08"),
    "PAY-IDEM-06/key-is-uuid": acts_before("A key that is no UUID is refused: the key is called a UUID.",
        create_transfer=require_uuid).also("PAY-IDEM-08"),
    "PAY-IDEM-12/compares-texts": setting("Bodies are compared as bytes: which bodies are the same is not stated.",
        fingerprint=lambda _rules, call, _body: (call.body or b"").hex()),
    "PAY-IDEM-12/compares-with-defaults": changes_arguments(
        "Bodies are compared with their defaults: which bodies are the same is not stated.",
        fingerprint=lambda rules, call, body: (call, {"currency": rules.default_currency, **body})),
    "PAY-IDEM-13/refused-request-uses-key": changes_refusal(
        "A refused body uses up its key: that a key is free then is not stated.", create_transfer=use_key),
    "PAY-IDEM-14/keys-of-all-accounts": keys_of_all_accounts(
        "The key of another account conflicts: that accounts have their own keys is not stated."),
    "PAY-IDEM-15/forgotten-in-a-minute": changes_result(
        "A key is forgotten after 50 s: how long it counts is not stated.", earlier=forget_old),
}  # fmt: skip
