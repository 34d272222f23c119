"""Conforming variants where PAY-IDEM is silent: idempotency."""

import json
import uuid
from typing import Any

from pix_conformance.proof.difference import changes_arguments, changes_result, setting, variant
from pix_conformance.proof.variants.common.checks import checks_arguments
from pix_conformance.proof.variants.common.idempotency import CONFLICTS_MEANWHILE
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


def require_key(rules: Any, call: Call) -> None:
    if rules.idempotency_key(call) is None:
        raise rules.invalid("x-idempotency-key", "is required")


def require_uuid(rules: Any, call: Call) -> None:
    try:
        uuid.UUID(rules.idempotency_key(call) or str(uuid.uuid4()))
    except ValueError:
        raise rules.invalid("x-idempotency-key", "must be a UUID") from None


def forget_old(rules: Any, found: Row | None, *_: Any) -> Row | None:
    made = found and rules.store.find("transfer", id=json.loads(found["body"]).get("data", {}).get("id"))
    return None if made and rules.clock.now() - made["created_at"] > 50 else found


def conflict(rules: Any, *_: Any) -> Answer:
    raise rules.key_conflict()


VARIANTS = {
    "PAY-IDEM-05": {
        "conflicts-meanwhile": CONFLICTS_MEANWHILE,
        "replay-conflicts": setting(
            "A replay is refused with 409, which the creation route lists for a used key (payments.md, line 302).",
            replay=conflict),
    },
    "PAY-IDEM-06": {
        "key-required": checks_arguments(
            "A transfer without a key is refused: the header is called required (payments.md, line 254).",
            create_transfer=require_key).also("PAY-IDEM-08"),
        "key-is-uuid": checks_arguments(
            "A key that is no UUID is refused: the key is called a UUID (payments.md, line 254).",
            create_transfer=require_uuid).also("PAY-IDEM-08"),
    },
    "PAY-IDEM-12": {
        "compares-texts": setting(
            "Bodies are compared as bytes: which bodies are the same is not stated (payments.md, line 299).",
            fingerprint=lambda _rules, call, _body: (call.body or b"").hex()),
        "compares-with-defaults": changes_arguments(
            "Bodies are compared with their defaults: which bodies are the same is not stated (payments.md, line 299).",
            fingerprint=lambda rules, call, body: (call, {"currency": rules.default_currency, **body})),
    },
    "PAY-IDEM-15": {"forgotten-after-50-s": changes_result(
            "A key is forgotten after 50 s: how long it counts is not stated (payments.md, lines 298-299).",
            earlier=forget_old)},
}  # fmt: skip


@variant("PAY-IDEM-05/replay-is-current")
class ReplaysCurrent(PaymentsRules):
    """A replay shows the transfer as it is now: only that none is created is stated (payments.md, line 298)."""

    def replay(self, call: Call, earlier: Row) -> Answer:
        answer = super().replay(call, earlier)
        transfer = self.store.find("transfer", id=answer.body["data"]["id"])
        return Answer(answer.status, self.transfer_answer(call, transfer), answer.headers) if transfer else answer


@variant("PAY-IDEM-13/refused-request-uses-key")
class RefusedRequestUsesKey(PaymentsRules):
    """A refused body uses up its key: that a key is free then is not stated (payments.md, line 299)."""

    async def create_transfer(self, call: Call) -> Answer:
        try:
            return await super().create_transfer(call)
        except Refusal as refusal:
            key = self.idempotency_key(call)
            if refusal.kind == "invalid" and key is not None and self.earlier(call, key) is None:
                text = (call.body or b"").decode(errors="replace")
                self.remember(call, key, json.dumps(text), self.refused(call, refusal))
            raise


@variant("PAY-IDEM-14/keys-of-all-accounts")
class KeysOfAllAccounts(PaymentsRules):
    """The key of another account conflicts: that accounts have their own keys is not stated (payments.md, line 299)."""

    def idempotency_scope(self, call: Call) -> str:
        return call.operation

    def earlier(self, call: Call, key: str) -> Row | None:
        owner = self.__dict__.setdefault("_owners", {}).setdefault(key, call.access.book)
        found = super().earlier(call, key)
        if found and owner != call.access.book:
            raise self.key_conflict()
        return found
