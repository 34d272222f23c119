"""Mutants of PAY-IDEM: a key used again with another body."""

import asyncio
import json
import unicodedata
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.payments.ownership import KeysOfTime
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

OPEN_S = 0.05
COLUMN_OF_TEXT = 100


class ComparesPlainLetters(PaymentsRules):
    """A key's body is compared without the accents of its description."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def fingerprint(self, call: Call, body: Any) -> str:
        """Leave them out."""
        letters = unicodedata.normalize("NFD", body.get("description") or "").encode("ascii", "ignore").decode()
        return super().fingerprint(call, body | {"description": letters})


class ForgetsField(PaymentsRules):
    """Compares bodies without one field."""

    forgotten = ""

    def fingerprint(self, call: Call, body: Any) -> str:
        """Leave it out."""
        seen = {name: value for name, value in body.items() if name != self.forgotten}
        return super().fingerprint(call, seen)


globals().update(
    family(__name__, "idempotency", ForgetsField, {
        "KeyForgetsAmount": ("A key used again with another amount is a replay.", "PAY-IDEM-02",
            {"forgotten": "amount"}),
        "KeyForgetsPixKey": ("A key used again with another pixKey is a replay.", "PAY-IDEM-02",
            {"forgotten": "pixKey"}),
        "KeyForgetsDescription": ("A key used again with another description is a replay.", "PAY-IDEM-02",
            {"forgotten": "description"}),
        "KeyForgetsPostback": ("A key used again with another postbackUrl is a replay.", "PAY-IDEM-02",
            {"forgotten": "postbackUrl"}),
    })
)  # fmt: skip


def _answer(status: int, code: str = "IDEMPOTENCY_CONFLICT") -> Any:
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


globals().update(
    family(__name__, "idempotency", RefusesOtherwise, {
        "KeyConflictBadRequest": ("A key used with another body is refused with 400.", "PAY-IDEM-02",
            refusing("key_conflict", "every", _answer(400, "INVALID_REQUEST"))),
        "KeyConflictUnprocessable": ("A key used with another body is refused with 422.", "PAY-IDEM-02",
            refusing("key_conflict", "every", _answer(422))),
        "KeyConflictWithSuccess": ("A key used with another body gets a 200 that says success: false.", "PAY-IDEM-02",
            refusing("key_conflict", "every", lambda r: Answer(200, {"success": False, "message": r.message}))),
        "KeyConflictOfOtherCode": ("A key used with another body is refused with the code CONFLICT.", "PAY-IDEM-03",
            refusing("key_conflict", "every", _answer(409, "CONFLICT"))),
        "KeyConflictInSmallLetters": ("The code of a conflict is written in small letters.", "PAY-IDEM-03",
            refusing("key_conflict", "every", _answer(409, "idempotency_conflict"))),
    })
)  # fmt: skip


class KeyReplaysAnything(PaymentsRules):
    """A key used again with another body is answered with the first transfer."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def is_same_body(self, first: str, second: str) -> bool:
        """Compare nothing."""
        del first, second
        return True


class KeyConflictCreatesSilently(PaymentsRules):
    """A key used with another body creates a second transfer."""

    breaks = ("PAY-IDEM-02", "PAY-IDEM-04")
    group = "idempotency"

    def idempotency_scope(self, call: Call) -> str:
        """Let the body be part of the key."""
        return f"{super().idempotency_scope(call)}/{json.dumps(json.loads(call.body or b'0'), sort_keys=True)}"


class ConflictForgottenAfterCompletion(KeysOfTime):
    """Once its transfer is completed, a key makes another one of another body."""

    group = "idempotency"
    breaks = ("PAY-IDEM-02",)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Look at the transfer first."""
        transfer = self.meant(earlier)
        done = transfer is not None and transfer["status"] == "completed"
        if done and not self.is_same_body(earlier["fingerprint"], fingerprint):
            return self.open_transfer(call, self.read_transfer(self.json_body(call)))
        return super().repeated(call, earlier, fingerprint)


class ComparesShortDescriptions(PaymentsRules):
    """A key's body is compared by the beginning of its description."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def fingerprint(self, call: Call, body: Any) -> str:
        """Cut it."""
        return super().fingerprint(call, body | {"description": (body.get("description") or "")[:COLUMN_OF_TEXT]})


def _part_of(less: str, more: str) -> bool:
    return all(one in more for one in less.strip("{}").split(", "))


class ComparesGivenFields(PaymentsRules):
    """A key's body is compared by the fields of the second request: one that it leaves out is not missed."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def fingerprint(self, call: Call, body: Any) -> str:
        """Take a body that only lacks fields for the one that is known."""
        key = self.idempotency_key(call) or ""
        known = self.earlier(call, key)
        whole = super().fingerprint(call, body)
        return known["fingerprint"] if known and _part_of(whole, known["fingerprint"]) else whole


class ComparesWithoutCapitals(PaymentsRules):
    """A key's body is compared without regard to capitals."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def is_same_body(self, first: str, second: str) -> bool:
        """Write both in small letters."""
        return first.lower() == second.lower()


class ConflictsWhenHigher(PaymentsRules):
    """A key used again conflicts if the amount is higher, not if it is lower."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"
    lowest: ClassVar[dict[str, Any]] = {}

    def fingerprint(self, call: Call, body: Any) -> str:
        """Take a lower amount for the one that is known."""
        known = self.lowest.setdefault(self.idempotency_key(call) or "", body)
        lower = isinstance(known, dict) and body | {"amount": 0} == known | {"amount": 0}
        return super().fingerprint(call, known if lower and body["amount"] < known["amount"] else body)


class KeyConflictCreates(PaymentsRules):
    """A key used with another body is refused, and its transfer created all the same."""

    breaks = ("PAY-IDEM-04",)
    group = "idempotency"

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Act, then refuse."""
        try:
            return await super().execute_once(call, body, effect)
        except Refusal:
            with self.store.transaction():
                effect()
            raise


class OtherBodyWhileOpenCreates(PaymentsRules):
    """Another body with a key whose first request is still being served creates its own transfer."""

    group = "idempotency"
    breaks = ("PAY-IDEM-04",)

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Keep what is being served by key, without a look at it when the body is another."""
        key, mine = self.idempotency_key(call), self.fingerprint(call, body)
        being_served = self.__dict__.setdefault("being_served", {})
        if key and being_served.setdefault(key, mine) != mine and self.earlier(call, key) is None:
            return effect()
        await asyncio.sleep(OPEN_S if key and self.earlier(call, key) is None else 0)
        return await super().execute_once(call, body, effect)


class KeyConflictDebits(PaymentsRules):
    """A transfer that is refused for its key is paid for all the same."""

    breaks = ("PAY-IDEM-17",)
    group = "idempotency"

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Take its amount where the refusal cannot undo it."""
        if refusal.kind == "key_conflict":
            amount = self.json_body(call)["amount"]
            self.post(call.access, "transfer.refused", "", ("pix", DEBIT, amount), ("in_flight", CREDIT, amount))
        return super().refused(call, refusal)


class KeyConflictOverwrites(PaymentsRules):
    """A key used with another body is refused, and the first transfer takes the new amount."""

    breaks = ("PAY-IDEM-18",)
    group = "idempotency"

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Change what stands."""
        if earlier["fingerprint"] != fingerprint:
            first = json.loads(earlier["body"])["data"]["id"]
            changes = {"amount": json.loads(call.body or b"{}").get("amount", 1)}
            self.store.update("transfer", changes, id=first)
            return Answer(409, self.error_body(self.key_conflict()))
        return super().repeated(call, earlier, fingerprint)
