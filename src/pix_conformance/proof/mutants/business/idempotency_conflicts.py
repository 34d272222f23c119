"""Mutants of BUS-IDEM: a key used again with another body."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.fields import FIELD_LABELS
from pix_conformance.proof.mutants.operators.business.refusals import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.operators.business.states import WINDOW_S
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

PRODUCTION_WINDOW_S = 0.02


class Compares(BusinessRules):
    """Compares something else than the body."""

    looks: ClassVar[Any]

    def fingerprint(self, call: Call, body: Any) -> str:
        """Take what it looks at."""
        return super().fingerprint(call, self.looks(body))


def in_small_letters(body: Any) -> Any:
    """Lower every text of a body."""
    return {name: value.lower() if isinstance(value, str) else value for name, value in body.items()}


globals().update(
    family(__name__, "idempotency", Compares, {
        **{
            f"BusKeyIgnores{label}": (
                f"A body that differs in {name} alone counts as the same.",
                "BUS-IDEM-04",
                {"looks": staticmethod(lambda body, name=name: {one: body[one] for one in body if one != name})},
            )
            for name, label in FIELD_LABELS.items()
        },
        "BusKeyComparesNames": (
            "Bodies with the same fields count as the same, whatever is in them.",
            "BUS-IDEM-04",
            {"looks": staticmethod(sorted)},
        ),
        "BusKeyComparesLengths": (
            "Bodies of one length count as the same.",
            "BUS-IDEM-04",
            {"looks": staticmethod(lambda body: len(json.dumps(body, default=str)))},
        ),
        "BusKeyComparesValues": (
            "Bodies of the same values count as the same, whichever fields have them.",
            "BUS-IDEM-04",
            {"looks": staticmethod(lambda body: sorted(map(str, body.values())))},
        ),
        "BusKeyComparesBeginnings": (
            "Bodies count as the same whose texts begin with the same 200 signs.",
            "BUS-IDEM-04",
            {"looks": staticmethod(lambda body: {name: str(value)[:200] for name, value in body.items()})},
        ),
        "BusKeyIgnoresCase": (
            "Bodies that differ in capitals alone count as the same.",
            "BUS-IDEM-04",
            {"looks": staticmethod(in_small_letters)},
        ),
        "BusKeyIgnoresCaseOfLabel": (
            "Bodies whose external_ref differs in capitals alone count as the same.",
            "BUS-IDEM-04",
            {"looks": staticmethod(lambda body: body | {"external_ref": str(body.get("external_ref")).lower()})},
        ),
        "BusKeyComparesNothing": (
            "Every body counts as the same.", "BUS-IDEM-04", {"looks": staticmethod(lambda _: None)},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "idempotency", RefusesOtherwise, {
        f"BusKeyConflictIs{status}": (
            f"A key with another body is refused with {status}.",
            "BUS-IDEM-04",
            refusing("key_conflict", "create_charge", status),
        )
        for status in (400, 422)
    })
)  # fmt: skip


class BusKeyPerBody(BusinessRules):
    """The key is bound to its body: with another body it makes another charge."""

    breaks = ("BUS-IDEM-04", "BUS-IDEM-05")
    group = "idempotency"

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Add the body to the key."""
        call.params["body"] = self.fingerprint(call, body)
        return await super().execute_once(call, body, effect)

    def idempotency_key(self, call: Call) -> str | None:
        """Give the key with it."""
        key = super().idempotency_key(call)
        return key and f"{key}/{call.params.get('body')}"


class BusInvalidBodyReplays(BusinessRules):
    """A used key answers with its charge before the body is read, also to an invalid one."""

    group = "idempotency"
    breaks = ("BUS-IDEM-04",)

    async def create_charge(self, call: Call) -> Answer:
        """Forgive what is invalid."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            key = self.idempotency_key(call)
            first = self.earlier(call, key) if key is not None and refusal.kind == "invalid" else None
            if first is None:
                raise
            return self.replay(call, first)


class BusLiveConflictReplays(BusinessRules):
    """In production a key with another body is answered with its first charge."""

    group = "idempotency"
    breaks = ("BUS-IDEM-04",)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Compare in the sandbox."""
        if not call.access.is_sandbox:
            return self.replay(call, earlier)
        return super().repeated(call, earlier, fingerprint)


class BusSimultaneousConflictReplays(BusinessRules):
    """Of different bodies sent under one new key at once each is answered with the charge of the first."""

    group = "concurrency"
    breaks = ("BUS-IDEM-04",)

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Compare bodies where the key was used when the call came."""
        key = self.idempotency_key(call)
        used = key is not None and self.earlier(call, key) is not None
        await asyncio.sleep(PRODUCTION_WINDOW_S)
        first = None if key is None or used else self.earlier(call, key)
        if first is not None:
            return Answer(first["status"], json.loads(first["body"]))
        return await super().execute_once(call, body, effect)


class BusKeyComparesWhatIsGiven(BusinessRules):
    """A body counts as the same if all that is in it was in the first one, which may have had more."""

    group = "idempotency"
    breaks = ("BUS-IDEM-04",)

    def is_same_body(self, first: str, second: str) -> bool:
        """Look for what the second has."""
        return bool(json.loads(second).items() <= json.loads(first).items())


class BusConflictOnlyOnce(BusinessRules):
    """A key with another body is refused with 409 the first time; the same again is answered with the first charge."""

    group = "idempotency"
    breaks = ("BUS-IDEM-04",)

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Remember what was refused."""
        key = self.idempotency_key(call) or ""
        refused = self.earlier(call, f"{key} refused")
        earlier = self.earlier(call, key)
        if refused and earlier and refused["fingerprint"] == self.fingerprint(call, body):
            return self.replay(call, earlier)
        try:
            return await super().execute_once(call, body, effect)
        except Refusal:
            self.remember(call, f"{key} refused", self.fingerprint(call, body), Answer(409, {}))
            raise


class BusKeyRacesByBody(BusinessRules):
    """One key with different bodies at one moment makes a charge of each."""

    group = "concurrency"
    breaks = ("BUS-IDEM-05",)

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Lock the key together with its body."""
        key = self.idempotency_key(call)
        if key is None or self.earlier(call, key):
            return await super().execute_once(call, body, effect)
        call.params["body"] = self.fingerprint(call, body)
        await asyncio.sleep(WINDOW_S)
        earlier = self.earlier(call, key)
        if earlier and earlier["fingerprint"] == call.params["body"]:
            return self.replay(call, earlier)
        with self.store.transaction():
            answer = effect()
            self.remember(call, key, call.params["body"], answer)
        return answer


class BusConflictMakesAnother(BusinessRules):
    """A key with another body is refused with 409, and yet makes a charge."""

    breaks = ("BUS-IDEM-05",)
    group = "idempotency"

    async def create_charge(self, call: Call) -> Answer:
        """Make it behind the refusal."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            if refusal.kind == "key_conflict":
                read = self.read_charge(self.json_body(call))
                self.store.insert("business_charge", self.new_charge(call.access, read))
            raise


class BusConflictChangesFirst(BusinessRules):
    """A key with another body is refused with 409, and gives the first charge the new amount and description."""

    breaks = ("BUS-IDEM-05",)
    group = "idempotency"

    async def create_charge(self, call: Call) -> Answer:
        """Write them behind the refusal."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            if refusal.kind == "key_conflict":
                self.overwrite(call)
            raise

    def overwrite(self, call: Call) -> None:
        """Give the first charge what was sent last."""
        read = self.read_charge(self.json_body(call))
        earlier = self.earlier(call, self.idempotency_key(call) or "")
        first = json.loads(earlier["body"])["id"] if earlier else ""
        changes = {"amount": read["amount_cents"], "description": read["description"]}
        self.store.update("business_charge", changes, id=first)


class BusConflictCancelsFirst(BusinessRules):
    """A key with another body is refused with 409, and cancels the first charge."""

    breaks = ("BUS-IDEM-05",)
    group = "idempotency"

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Remember which one it was."""
        call.params["first"] = json.loads(earlier["body"])["id"]
        return super().repeated(call, earlier, fingerprint)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Cancel it."""
        if refusal.kind == "key_conflict":
            self.store.update("business_charge", {"status": "canceled"}, id=call.params["first"])
        return super().refused(call, refusal)


class TakesOver(BusinessRules):
    """Refuses a creation for its key, and yet changes the first one's charge."""

    def taken_over(self, body: Any) -> Row:
        """What of the refused body the charge gets."""
        raise NotImplementedError

    async def execute_once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Change it after the refusal, which undoes what comes before."""
        try:
            return await super().execute_once(call, body, effect)
        except Refusal:
            earlier = self.earlier(call, self.idempotency_key(call) or "")
            if earlier and (changes := self.taken_over(body)):
                self.store.update("business_charge", changes, id=json.loads(earlier["body"])["id"])
            raise


class BusConflictProlongs(TakesOver):
    """A creation refused for its key changes when the first one's charge expires."""

    group = "idempotency"
    breaks = ("BUS-IDEM-05",)

    def taken_over(self, body: Any) -> Row:
        """Let it live as long as the other would."""
        return {"expires_at": self.clock.now() + body.get("expires_in_seconds", self.default_expiry)}


class BusConflictChangesEmail(TakesOver):
    """A key with another body is refused with 409, and gives the first charge the new e-mail."""

    group = "idempotency"
    breaks = ("BUS-IDEM-05",)

    def taken_over(self, body: Any) -> Row:
        """The e-mail, if there is one."""
        return {name: body[name] for name in ("customer_email",) if name in body}
