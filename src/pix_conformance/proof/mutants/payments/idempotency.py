"""Keys of transfers that do not keep their promise."""

import json
import unicodedata
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.mutants.payments.tables import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


def _answer(status: int, code: str = "IDEMPOTENCY_CONFLICT") -> Any:
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


class ForgetsField(PaymentsRules):
    """Compares bodies without one field."""

    forgotten = ""

    def fingerprint(self, call: Call, body: Any) -> str:
        """Leave it out."""
        seen = {name: value for name, value in body.items() if name != self.forgotten}
        return super().fingerprint(call, seen)


class ComparesPlainLetters(PaymentsRules):
    """A key's body is compared without the accents of its description."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def fingerprint(self, call: Call, body: Any) -> str:
        """Leave them out."""
        letters = unicodedata.normalize("NFD", body.get("description") or "").encode("ascii", "ignore").decode()
        return super().fingerprint(call, body | {"description": letters})


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
    }),
    **family(__name__, "idempotency", RefusesOtherwise, {
        "KeyConflictBadRequest": ("A key used with another body is refused with 400.", "PAY-IDEM-02",
            refusing("key_conflict", "every", _answer(400, "INVALID_REQUEST"))),
        "KeyConflictUnprocessable": ("A key used with another body is refused with 422.", "PAY-IDEM-02",
            refusing("key_conflict", "every", _answer(422))),
        "KeyConflictOfOtherCode": ("A key used with another body is refused with the code CONFLICT.", "PAY-IDEM-03",
            refusing("key_conflict", "every", _answer(409, "CONFLICT"))),
        "KeyConflictInSmallLetters": ("The code of a conflict is written in small letters.", "PAY-IDEM-03",
            refusing("key_conflict", "every", _answer(409, "idempotency_conflict"))),
        "KeyConflictWithSuccess": ("A key used with another body gets a 200 that says success: false.", "PAY-IDEM-02",
            refusing("key_conflict", "every", lambda r: Answer(200, {"success": False, "message": r.message}))),
    }),
)  # fmt: skip


class KeyIgnored(PaymentsRules):
    """The key is not looked at."""

    breaks = ("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-04", "PAY-IDEM-10", "PAY-IDEM-11")

    def idempotency_key(self, call: Call) -> str | None:
        """Read none."""
        del call
        return None


class KeyOfAnotherHeader(PaymentsRules):
    """The key is read from Idempotency-Key, not from x-idempotency-key."""

    breaks = ("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-04", "PAY-IDEM-10", "PAY-IDEM-11")
    idempotency_header = "idempotency-key"


class KeyReplaysAnything(PaymentsRules):
    """A key used again with another body is answered with the first transfer."""

    breaks = ("PAY-IDEM-02",)

    def is_same_body(self, first: str, second: str) -> bool:
        """Compare nothing."""
        del first, second
        return True


class KeyConflictCreates(PaymentsRules):
    """A key used with another body is refused, and its transfer created all the same."""

    breaks = ("PAY-IDEM-04",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Act, then refuse."""
        try:
            return await super().once(call, body, effect)
        except Refusal:
            with self.store.transaction():
                effect()
            raise


class KeyConflictCreatesSilently(PaymentsRules):
    """A key used with another body creates a second transfer."""

    breaks = ("PAY-IDEM-02", "PAY-IDEM-04")

    def idempotency_scope(self, call: Call) -> str:
        """Let the body be part of the key."""
        return f"{super().idempotency_scope(call)}/{json.dumps(json.loads(call.body or b'0'), sort_keys=True)}"


class KeyConflictOverwrites(PaymentsRules):
    """A key used with another body is refused, and the first transfer takes the new amount."""

    breaks = ("PAY-IDEM-18",)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Change what stands."""
        if earlier["fingerprint"] != fingerprint:
            first = json.loads(earlier["body"])["data"]["id"]
            changes = {"amount": json.loads(call.body or b"{}").get("amount", 1)}
            self.store.update("transfer", changes, id=first)
            return Answer(409, self.error_body(self.key_conflict()))
        return super().repeated(call, earlier, fingerprint)


class ReplayRefusedAsInvalid(PaymentsRules):
    """A replay is refused with 400, as if its body were wrong."""

    breaks = ("PAY-IDEM-19",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Refuse it."""
        del call, earlier
        raise self.invalid("x-idempotency-key", "was used before")


class KeyForgottenAfterCompletion(PaymentsRules):
    """A key is forgotten when its transfer is completed."""

    breaks = ("PAY-IDEM-11",)

    def earlier(self, call: Call, key: str) -> Row | None:
        """Look at the transfer too."""
        found = super().earlier(call, key)
        first = self.store.find("transfer", id=json.loads(found["body"])["data"]["id"]) if found else None
        return None if first and first["status"] == "completed" else found


class KeyForgottenAfterUse(PaymentsRules):
    """A key is forgotten after its first repeat."""

    breaks = ("PAY-IDEM-01", "PAY-IDEM-02", "PAY-IDEM-10")

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Forget it."""
        self.store.delete("idempotency", scope=earlier["scope"], key=earlier["key"])
        return super().replay(call, earlier)


class ReplayOfAnotherId(PaymentsRules):
    """A replay is answered with a new id, and that transfer exists."""

    breaks = ("PAY-IDEM-01", "PAY-IDEM-10", "PAY-IDEM-11")

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Create again what was remembered."""
        del earlier
        return self.open_transfer(call, self.read_transfer(self.json_body(call)))


class MissingKeyIsOneKey(PaymentsRules):
    """Calls without the header share one key: the empty one."""

    breaks = ("PAY-IDEM-07",)

    def idempotency_key(self, call: Call) -> str | None:
        """Read an empty key, and let the body be part of it."""
        return super().idempotency_key(call) or "none"

    def is_same_body(self, first: str, second: str) -> bool:
        """Compare nothing, so that the first is answered."""
        del first, second
        return True


class MissingKeyIsBody(PaymentsRules):
    """Calls without the header have their body for a key."""

    breaks = ("PAY-IDEM-07",)

    def idempotency_key(self, call: Call) -> str | None:
        """Take the body for it."""
        return super().idempotency_key(call) or (call.body or b"").decode()


class BodyIsKey(PaymentsRules):
    """The same body with another key is taken for a repeat."""

    breaks = ("PAY-IDEM-09",)

    def idempotency_key(self, call: Call) -> str | None:
        """Let the body be the key, where there is one."""
        return (call.body or b"").decode() if super().idempotency_key(call) else None


class ReplayMovesMoney(PaymentsRules):
    """A replay is answered with the original, and another transfer created unseen."""

    breaks = ("PAY-IDEM-01",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Act again, and answer as before."""
        self.open_transfer(call, self.read_transfer(self.json_body(call)))
        return super().replay(call, earlier)


class KeySharedByAccounts(PaymentsRules):
    """Keys are shared by all accounts, and a repeat shows the transfer of another."""

    breaks = ("PAY-ISO-03",)

    def idempotency_scope(self, call: Call) -> str:
        """Leave the account out."""
        return call.operation
