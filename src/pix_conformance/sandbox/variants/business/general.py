"""Conforming variants where BUS-AUTH, BUS-ENV, BUS-GEN, BUS-ERR and BUS-IDEM are silent: routes and idempotency."""

import json
import re
import uuid
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import Operation
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *


def neighbors(rules: Any) -> None:
    keys = rules.state.accounts.keys
    keys.update(merchant=f"{keys['merchant']}1", other_merchant=f"{keys['merchant']}0")


def twins(rules: Any) -> None:
    keys = rules.state.accounts.keys
    keys["live_merchant"] = "ak_live_" + keys["merchant"].removeprefix("ak_test_")


def refuse_production(rules: Any, call: Call) -> None:
    row = rules.store.find("business_charge", id=call.params["id"], account=call.access.account)
    if row and row["environment"] == "production":
        raise Refusal("forbidden", "payment simulation is not available in production")


PAYOUTS = ("v1", "business", "payouts")


def number_response(rules: Any, answer: Answer, *_: Any) -> Answer:
    if answer.status not in range(200, 300) or not isinstance(answer.body, dict):
        return answer
    rules.__dict__["served"] = number = rules.__dict__.get("served", 0) + 1
    return Answer(answer.status, {**answer.body, "request_number": number}, answer.headers)


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
    "BUS-AUTH-07/keys-differ-in-last-character": starts(
        "The keys of two accounts differ in their last character: only the prefix is stated.", neighbors),
    "BUS-AUTH-07/keys-differ-in-prefix": starts(
        "The keys of both environments differ in their prefix only: no more is stated.", twins),
    "BUS-AUTH-14/any-scheme": changes_refusal(
        "A key is accepted under any scheme: its refusal under another is not stated.",
        authorize=lambda rules, _, call: rules.find_key(call.headers.get("authorization", "").rpartition(" ")[2]))
        .also("BUS-AUTH-17"),
    "BUS-AUTH-15/scheme-as-written": acts_before(
        "Only Bearer with a capital is a scheme: its case is not stated.", authorize=refuse_other_scheme),
    "BUS-AUTH-16/used-key-first": overrides("A used key is refused before an invalid body: no order is stated.",
        create_charge=refuse_used_key).also("BUS-IDEM-20"),
    "BUS-AUTH-16/unknown-id-before-environment": acts_before(
        "Payment of an unknown charge in production returns 404: no order is stated.",
        pay_charge=lambda rules, call: rules.owned(call)).also("BUS-PAY-29"),
    "BUS-AUTH-16/key-last": changes_refusal(
        "An invalid body or unknown id is refused before a wrong key: no order is stated.",
        authorize=look_before_credential),
    "BUS-ENV-07/keys-of-all-accounts": keys_of_all_accounts(
        "A key of another account or environment conflicts: whose keys are meant is not stated.").also("BUS-ISO-09"),
    "BUS-ENV-12/refused-for-environment-of-charge": acts_before(
        "A payment of the account's own production charge with a sandbox key returns 403: a payment in production "
        "does.", pay_charge=refuse_production),
    "BUS-GEN-01/amounts-are-floats": changes_result("Amounts are written as 1050.0, an integer of JSON Schema.",
        charge_view=lambda _rules, view, _call, charge: view | {"amount_cents": float(charge["amount"])})
        .also("BUS-GEN-05"),
    **listed_under("BUS-GEN-02", FORMS, "BUS-GEN-05"),
    "BUS-GEN-04/limited-until-date": RATE_UNTIL_DATE,
    "BUS-GEN-04/limited-with-retry-after": RATE_LIMITED.also("BUS-GEN-05"),
    "BUS-GEN-04/refused-by-gateway": changes_result(
        "A gateway limits the rate, its 429 has another body: no limit is shown.",
        error_body=lambda _, body, refusal: {"message": "slow down"} if refusal.kind == "limited" else body)
        .with_settings(calls_per_second=40),
    "BUS-GEN-04/rate-in-headers": setting("Each response names a rate limit: rate limits are not shown.",
        extra_headers={"x-ratelimit-limit": "600", "x-ratelimit-remaining": "599"}),
    **listed_under("BUS-GEN-05", RESPONSES),
    "BUS-GEN-05/responses-numbered": changes_result(
        "Each response of success has a number: no sentence excludes further fields.", respond=number_response),
    "BUS-GEN-05/ids-named-tokens": changes_result(
        "A charge has its ids once more, under names of secrets: no sentence excludes further fields.",
        charge_view=lambda _rules, view, _call, charge: {
            **view, "checkout_token": charge["id"], "payment_token": charge["end_to_end_id"]}),
    "BUS-GEN-06/unknown-path-before-key": ROUTES_FIRST,
    "BUS-GEN-06/unknown-method-is-unknown-path": UNKNOWN_METHOD,
    **listed_under("BUS-GEN-06", PROXIES, "BUS-GEN-16"),
    "BUS-GEN-08/payouts-forbidden": changes_result(
        "The reserved path of payouts returns 403: its response is not stated.", find_route=lambda _, refusal, call: (
            Refusal("forbidden", "payouts are not available") if call.path == PAYOUTS else refusal)),
    "BUS-VER-02/deprecation-headers": setting(
        "Each response has Deprecation and Sunset: the change notice is not shown.",
        extra_headers={"deprecation": "@1798761600", "sunset": "Fri, 31 Dec 2027 23:59:59 GMT"}),
    **listed_under("BUS-ERR-04", MESSAGES, "BUS-GEN-05"),
    "BUS-ERR-05/problem-details": changes_result(
        "Errors have the media type of problem details: only their JSON body is stated (RFC 9457).",
        headers=lambda _rules, headers, _call, answer: headers | (
            {"content-type": "application/problem+json"} if answer.status >= 400 else {})).also("BUS-GEN-05"),
    "BUS-IDEM-09/replay-is-current": changes_result(
        "A replay shows the charge as it is now: that can be the original response.", replay=as_it_is_now),
    "BUS-IDEM-10/compares-bytes": setting("Bodies are compared as bytes: which bodies are the same is not stated.",
        fingerprint=lambda _rules, call, _body: (call.body or b"").decode("latin-1")),
    "BUS-IDEM-11/refused-request-uses-key": changes_refusal(
        "A refused creation uses up its key: that a key is free then is not stated.", create_charge=use_key),
    **listed_under("BUS-IDEM-11", NETWORK),
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
