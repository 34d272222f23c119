"""Mutants of PAY-IDEM, idempotency of transfers."""

import asyncio
import unicodedata
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "idempotency"
OPEN_S = 0.05
"""Seconds for which a request is being served: others come meanwhile."""


def without_accents(text: str) -> str:
    return unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode()


def body_text(call: Call) -> str:
    return (call.body or b"").decode()


def first_transfer(rules: Any, earlier: Row) -> Row:
    return dict(rules.store.find("transfer", id=id_in(earlier)))


def create_another(rules: Any, call: Call, _: Row) -> Answer:
    answer: Answer = rules.open_transfer(call, rules.read_transfer(rules.json_body(call)))
    return answer


def create_silently(rules: Any, call: Call, earlier: Row) -> None:
    create_another(rules, call, earlier)


def create_another_once_completed(rules: Any, call: Call, earlier: Row) -> Answer | None:
    done = first_transfer(rules, earlier)["status"] == "completed"
    return create_another(rules, call, earlier) if done else None


def debit(rules: Any, call: Call, _: Row) -> None:
    amount = rules.json_body(call)["amount"]
    rules.post(call.access, "transfer.refused", "", ("pix", DEBIT, amount), ("in_flight", CREDIT, amount))


def report_completion(rules: Any, _: Call, earlier: Row) -> None:
    transfer = rules.store.find("transfer", id=id_in(earlier))
    if transfer["status"] == "completed":
        emit(rules, "transfer_completed", transfer)


def values_of(body: Row) -> str:
    return "".join(str(body.get(name) or "") for name in ("pixKey", "amount", "description", "postbackUrl"))


def keep_sixteen(rules: Any, right: Callable[..., None], call: Call, *given: Any) -> None:
    """Forget all keys of an account but the last sixteen."""
    right(call, *given)
    scope = rules.idempotency_scope(call)
    for row in rules.store.rows("idempotency", "rowid DESC", scope=scope)[16:]:
        rules.store.delete("idempotency", scope=scope, key=row["key"])


async def look_up_first(rules: Any, right: Any, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
    """Look the key up, wait a moment, and then create what was unknown."""
    key = rules.idempotency_key(call)
    is_known = not key or rules.earlier(call, key)
    await take_moment()
    if is_known:
        answer: Answer = await right(call, body, effect)
        return answer
    with rules.store.transaction():
        answer = effect()
        rules.remember(call, key, rules.fingerprint(call, body), answer)
    return answer


MUTANTS = {
    "PAY-IDEM-01/header-ignored": key_read("The idempotency key is not read.", lambda _key, _call: None)
        .also("PAY-IDEM-02", "PAY-IDEM-04", "PAY-IDEM-10", "PAY-IDEM-11", "PAY-IDEM-16"),
    "PAY-IDEM-01/sixteen-keys": overrides("Of an account the last sixteen keys are known.", remember=keep_sixteen),
    "PAY-IDEM-01/forgotten-after-3-s": forget_key("transfer", when=older_than(3)),
    "PAY-IDEM-01/replay-creates-silently": on_replay(
        "A replay returns the first transfer, and creates another.", create_silently),
    "PAY-IDEM-02/ignores-amount": fingerprint(without="amount"),
    "PAY-IDEM-02/ignores-pix-key": fingerprint(without="pixKey"),
    "PAY-IDEM-02/ignores-postback-url": fingerprint(without="postbackUrl"),
    "PAY-IDEM-02/values-compared-as-one-text": same_body(lambda first, second: values_of(first) == values_of(second))
        .says("A key used again with a body whose values, one behind the other, are the same text is a replay."),
    "PAY-IDEM-02/ignores-accents": fingerprint(description=without_accents)
        .says("A key used again with other accents in the description is a replay."),
    "PAY-IDEM-02/compares-beginning": fingerprint(description=lambda text: text[:100])
        .says("A key used again with a description that differs after 100 characters is a replay."),
    "PAY-IDEM-02/ignores-case": same_body(lambda first, second: str(first).lower() == str(second).lower())
        .says("A key used again with another body, which differs in capitals only, is a replay."),
    "PAY-IDEM-02/missing-field-matches": same_body(lambda first, second: second.items() <= first.items())
        .says("A key used again with a body that lacks a field is a replay."),
    "PAY-IDEM-02/lower-amount-matches": same_body(
        lambda first, second: second["amount"] < first["amount"] and second | {"amount": first["amount"]} == first)
        .says("A key used again with a lower amount is a replay."),
    "PAY-IDEM-02/any-body-matches": same_body(lambda _first, _second: True),
    "PAY-IDEM-02/other-body-creates-once-completed": on_conflict(
        "Once its transfer is completed, a key creates another one of another body.", create_another_once_completed),
    "PAY-IDEM-02/refused-with-400": refused("key_conflict", status=400, code="INVALID_REQUEST"),
    "PAY-IDEM-02/last-of-simultaneous-bodies-kept": key_taken_over("transfer").seen_in("PAY-IDEM-20"),
    "PAY-IDEM-03/code-is-conflict": refused("key_conflict", code="CONFLICT"),
    "PAY-IDEM-07/body-stands-for-missing-key": key_read(
        "Requests without a key have their body for a key.", lambda key, call: key or body_text(call)),
    "PAY-IDEM-09/body-stands-for-key": key_read(
        "The same body with another key is a replay.", lambda key, call: body_text(call) if key else None),
    "PAY-IDEM-09/last-character-lost": key_read(
        "The last character of a key is lost.", lambda key, _: key and key[:-1]),
    "PAY-IDEM-09/last-12-characters-count": key_read(
        "Only the last twelve characters of a key count.", lambda key, _: key and key[-12:]),
    "PAY-IDEM-10/key-kept-after-effect": key_kept_after_effect("transfer", OPEN_S),
    "PAY-IDEM-10/key-kept-3-ms-after-effect": key_kept_after_effect("transfer", 0.003),
    "PAY-IDEM-10/once-per-token": overrides("Simultaneous requests with one key and different tokens are all executed.",
        create_transfer=in_turn_of_token, execute_once=look_up_first).of("concurrency"),
    "PAY-IDEM-10/key-unknown-in-progress": key_unknown_in_progress("transfer"),
    "PAY-IDEM-11/forgotten-after-completion": forget_key("transfer", when=in_status("completed")),
    "PAY-EVT-34/replay-reports-completion": on_replay(
        "A replay of a transfer that is completed sends transfer_completed again, with another id.",
        report_completion).of("events"),
    "PAY-IDEM-16/replay-debits": on_replay("A replay takes the amount once more.", debit),
    "PAY-IDEM-16/replay-of-earlier-debits": on_replay(
        "A replay takes the amount once more, if another transfer was created since.",
        lambda rules, _, earlier: rules.store.rows("transfer", "seq DESC", 1)[0]["id"] != id_in(earlier)
        and rules.book_transfer(first_transfer(rules, earlier))),
    "PAY-IDEM-17/conflict-debits": on_conflict(
        "A transfer that is refused for its key is paid for all the same.", debit),
    "PAY-IDEM-18/conflict-changes-amount": on_conflict(
        "A key used with another body is refused, and the first transfer takes the new amount.",
        lambda rules, call, earlier: rules.store.update(
            "transfer", {"amount": rules.json_body(call).get("amount", 1)}, id=id_in(earlier)))
        .also("PAY-EVT-68", "PAY-TRF-64"),
    "PAY-IDEM-19/replay-refused-with-400": on_replay("A replay is refused with 400, as if its body were wrong.",
        lambda rules, call, _: rules.refused(call, rules.invalid("x-idempotency-key", "was used before"))),
}  # fmt: skip


@mutant("PAY-IDEM-01/last-10-keys-known")
class LastTenKeysKnown(PaymentsRules):
    """Only the last ten keys are remembered."""

    def earlier(self, call: Call, key: str) -> Row | None:
        record, latest = super().earlier(call, key), self.__dict__.setdefault("latest_keys", [])
        latest += [] if record else [key]
        return record if key in latest[-10:] else None


@mutant("PAY-IDEM-20/other-body-created-while-first-is-open")
class OtherBodyCreatedWhileOpen(PaymentsRules):
    """Another body with a key whose first request is still being served creates its own transfer."""

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        key, mine = self.idempotency_key(call), self.fingerprint(call, body)
        being_served = self.__dict__.setdefault("being_served", {})
        if key and being_served.setdefault(key, mine) != mine and self.earlier(call, key) is None:
            return effect()
        await asyncio.sleep(OPEN_S if key and self.earlier(call, key) is None else 0)
        return await super().execute_once(call, body, effect)
