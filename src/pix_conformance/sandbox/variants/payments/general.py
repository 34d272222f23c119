"""Conforming variants where PAY-GEN, PAY-VER, PAY-ERR, PAY-RATE and PAY-IDEM are silent: routes and idempotency."""

import json
import time
import uuid
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

BRASILIA = timezone(timedelta(hours=-3))


def with_floats(_rules: Any, answer: Answer, *_given: Any) -> Answer:
    data = answer.body.get("data") if isinstance(answer.body, dict) else None
    if not isinstance(data, dict):
        return answer
    named = {name: float(data[name]) for name in ("amount", "netAmount", "fees") if name in data}
    return Answer(answer.status, {**answer.body, "data": {**data, **named}}, answer.headers)


def in_portuguese(_rules: Any, answer: Answer, *_given: Any) -> Answer:
    has_message = isinstance(answer.body, dict) and answer.body.get("success") is True and "message" in answer.body
    words = {"message": "Operação realizada com sucesso"}
    return Answer(answer.status, answer.body | words, answer.headers) if has_message else answer


def name_all_fields(rules: Any, _right: Any, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> Any:
    read, faults = {}, []
    for field in fields:
        try:
            read[field.name] = rules.read_field(holder, field, where)
        except Refusal as refusal:
            faults.append(refusal.message)
    if faults:
        raise Refusal("invalid", "; ".join(faults))
    return read


WINDOW_S = 5.0
TOKENS = 8


def limit_tokens(rules: Any, call: Call) -> None:
    if call.path == ("api", "auth"):
        granted: list[float] = rules.__dict__.setdefault("granted", [])
        granted[:] = [moment for moment in granted if time.monotonic() - moment < WINDOW_S]
        if len(granted) >= TOKENS:
            raise Refusal("limited", "too many requests")
        granted.append(time.monotonic())


def limit_one_of_150(rules: Any, _call: Call) -> None:
    rules.__dict__["served"] = served = rules.__dict__.get("served", 12) + 1
    if served % 150 == 15:
        raise Refusal("limited", "too many requests")


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
    **listed_under("PAY-GEN-01", FORMS, "PAY-GEN-10", "PAY-ERR-13"),
    "PAY-GEN-02/amounts-are-floats": changes_result(
        "Amounts are written as 1050.0, an integer of JSON Schema.", respond=with_floats),
    "PAY-GEN-03/whole-floats-are-integers": setting("1050.0 is accepted as an integer, as JSON Schema does.",
        whole_floats_are_integers=True),
    "PAY-GEN-04/lenient-bodies": LENIENT_BODIES.also("PAY-GEN-09"),
    "PAY-GEN-05/utc-offset": setting("Times have microseconds and +00:00: a date-time may have any offset (RFC 3339).",
        moment=lambda _rules, epoch: datetime.fromtimestamp(epoch, UTC).isoformat()),
    "PAY-GEN-05/brasilia-offset": setting(
        "Times are those of Brasilia, in whole seconds: a date-time may have any offset (RFC 3339).",
        moment=lambda _rules, epoch: datetime.fromtimestamp(epoch, BRASILIA).isoformat(timespec="seconds")),
    "PAY-GEN-07/unknown-fields-refused": acts_before(
        "A body with a field that the document does not name is refused: nothing is stated of one.",
        read_object=refuse_unknown_fields),
    "PAY-GEN-08/null-refused": setting("null in an optional field is refused: that it counts as absent is not stated.",
        null_is_absent=False),
    "PAY-GEN-10/success-in-portuguese": changes_result(
        "The message of a success is in Portuguese: its language is not stated.", respond=in_portuguese),
    **listed_under("PAY-GEN-10", RESPONSES, "PAY-ERR-13"),
    "PAY-GEN-11/unknown-path-before-token": ROUTES_FIRST,
    "PAY-GEN-11/unknown-method-is-unknown-path": UNKNOWN_METHOD,
    **listed_under("PAY-GEN-11", PROXIES, "PAY-GEN-16"),
    "PAY-VER-03/sunset-header": changes_result("Each response has a Sunset header: the change notice is not shown.",
        headers=lambda _rules, right, *_: right | {"sunset": "Fri, 31 Dec 2038 23:59:59 GMT"}),
    **listed_under("PAY-ERR-13", MESSAGES, "PAY-GEN-10"),
    "PAY-ERR-14/used-key-first": overrides(
        "A used key is refused before an invalid body: the order of refusals is not stated.",
        create_transfer=refuse_used_key),
    "PAY-ERR-14/token-last": changes_refusal(
        "An invalid body or unknown id is refused before the token: no order is stated.",
        authorize=look_before_credential),
    "PAY-ERR-15/success-and-details": changes_result(
        "Error bodies also have success and details: no sentence excludes further fields.",
        error_body=lambda _rules, body, _refusal: {**body, "success": False, "details": []}),
    "PAY-ERR-16/all-fields-named": overrides(
        "The message names all invalid fields: whether it names one or all is not stated.",
        read_object=name_all_fields),
    "PAY-RATE-02/limited-until-date": RATE_UNTIL_DATE,
    "PAY-RATE-02/limited-with-retry-after": RATE_LIMITED,
    "PAY-RATE-02/limited-now-and-then": acts_before(
        "One request of 150 gets 429 without Retry-After: no header is stated.",
        limit_rate=limit_one_of_150).also("PAY-RATE-03"),
    "PAY-RATE-02/eight-tokens-in-5-s": acts_before(
        "More than eight tokens in five seconds are refused: numeric rate limits are not shown.",
        limit_rate=limit_tokens),
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
    **listed_under("PAY-IDEM-13", NETWORK),
    "PAY-IDEM-14/keys-of-all-accounts": keys_of_all_accounts(
        "The key of another account conflicts: that accounts have their own keys is not stated."),
    "PAY-IDEM-15/forgotten-in-a-minute": changes_result(
        "A key is forgotten after 50 s: how long it counts is not stated.", earlier=forget_old),
}  # fmt: skip
