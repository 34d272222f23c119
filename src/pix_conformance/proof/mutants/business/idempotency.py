"""Idempotency keys that are ignored, confused, or answered wrongly."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.tables import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row

FIELDS = {
    "amount_cents": "Amount",
    "description": "Description",
    "external_ref": "Ref",
    "customer_email": "Email",
    "expires_in_seconds": "Expiry",
}


class Compares(BusinessRules):
    """Compares something else than the body."""

    looks: ClassVar[Any]

    def fingerprint(self, call: Call, body: Any) -> str:
        """Take what it looks at."""
        return super().fingerprint(call, self.looks(body))


class Replays(BusinessRules):
    """Changes the answer to a repetition."""

    change: ClassVar[Any]

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Change it."""
        answer: Answer = self.change(super().replay(call, earlier))
        return answer


def replaying(change: Any) -> dict[str, Any]:
    """Members of a class that changes the body of a repeated answer."""
    return {"change": staticmethod(lambda answer: Answer(answer.status, change(answer.body)))}


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
            for name, label in FIELDS.items()
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
    }),
    **family(__name__, "idempotency", Replays, {
        "BusReplayWithoutCode": (
            "A repetition is answered without the code.",
            "BUS-IDEM-01",
            replaying(lambda body: {name: body[name] for name in body if name != "qr_code"}),
        ),
        "BusReplayOfIdOnly": (
            "A repetition is answered with the id alone.",
            "BUS-IDEM-01 BUS-CHG-46 BUS-CHG-47 BUS-CHG-51 BUS-CHG-53 BUS-CHG-54 BUS-CHG-55",
            replaying(lambda body: {"id": body["id"]}),
        ),
        "BusReplayMarked": (
            "A repetition is marked by a member more.", "BUS-IDEM-01", replaying(lambda body: body | {"again": True}),
        ),
        "BusReplayOtherId": (
            "A repetition is answered with an id that names nothing.",
            "BUS-IDEM-01 BUS-IDEM-03",
            replaying(lambda body: body | {"id": body["id"][:-6] + "abcdef"}),
        ),
        "BusReplayIs200": (
            "A repetition is answered with 200, where the creation was with 201.",
            "BUS-IDEM-02",
            {"change": staticmethod(lambda answer: Answer(200, answer.body))},
        ),
        "BusReplayIs409": (
            "A repetition is refused with 409.",
            "BUS-IDEM-01 BUS-IDEM-02",
            {"change": staticmethod(lambda _: Answer(409, {"detail": "key was used"}))},
        ),
    }),
    **family(__name__, "idempotency", RefusesOtherwise, {
        f"BusKeyConflictIs{status}": (
            f"A key with another body is refused with {status}.",
            "BUS-IDEM-04",
            refusing("key_conflict", "create_charge", status),
        )
        for status in (400, 422)
    }),
)  # fmt: skip


class BusReplayOfThePresent(BusinessRules):
    """A repetition shows the charge as it now is, and not as the first answer did."""

    group = "idempotency"
    breaks = ("BUS-IDEM-09",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Show what has become of it."""
        answer = super().replay(call, earlier)
        charge = self.store.find("business_charge", id=answer.body["id"])
        return Answer(answer.status, self.charge_view(call, charge)) if charge else answer


class BusKeyIgnored(BusinessRules):
    """The key means nothing: each creation makes a charge."""

    breaks = ("BUS-IDEM-01", "BUS-IDEM-03", "BUS-IDEM-04", "BUS-IDEM-05", "BUS-IDEM-07", "BUS-IDEM-08")

    def idempotency_key(self, call: Call) -> str | None:
        """Find none."""
        del call
        return None


class BusKeyUnderOtherName(BusinessRules):
    """The key is looked for in X-Idempotency-Key."""

    breaks = ("BUS-IDEM-01", "BUS-IDEM-03", "BUS-IDEM-04", "BUS-IDEM-05", "BUS-IDEM-07", "BUS-IDEM-08")
    idempotency_header = "x-idempotency-key"


class BusReplayMakesAnother(BusinessRules):
    """A repetition is answered with the first charge, and makes a second one."""

    breaks = ("BUS-IDEM-03",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Write it again under a new id."""
        first = self.store.find("business_charge", id=json.loads(earlier["body"])["id"])
        if first:
            again = {name: value for name, value in first.items() if name != "seq"}
            self.store.insert("business_charge", again | {"id": self.new_charge_id()})
        return super().replay(call, earlier)


class BusReplayAnnounced(BusinessRules):
    """A repetition sends the created event again, with an id of its own."""

    breaks = ("BUS-IDEM-08",)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Send it."""
        charge = self.store.find("business_charge", id=json.loads(earlier["body"])["id"])
        if charge:
            self.emit("business.pix.created", charge)
        return super().replay(call, earlier)


class BusKeyPerBody(BusinessRules):
    """The key is bound to its body: with another body it makes another charge."""

    breaks = ("BUS-IDEM-04", "BUS-IDEM-05")

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Add the body to the key."""
        call.params["body"] = self.fingerprint(call, body)
        return await super().once(call, body, effect)

    def idempotency_key(self, call: Call) -> str | None:
        """Give the key with it."""
        key = super().idempotency_key(call)
        return key and f"{key}/{call.params.get('body')}"


class BusConflictMakesAnother(BusinessRules):
    """A key with another body is refused with 409, and yet makes a charge."""

    breaks = ("BUS-IDEM-05",)

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

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Remember which one it was."""
        call.params["first"] = json.loads(earlier["body"])["id"]
        return super().repeated(call, earlier, fingerprint)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Cancel it."""
        if refusal.kind == "key_conflict":
            self.store.update("business_charge", {"status": "canceled"}, id=call.params["first"])
        return super().refused(call, refusal)


class BusKeyRequired(BusinessRules):
    """A creation without a key is refused."""

    breaks = ("BUS-IDEM-06",)

    def idempotency_key(self, call: Call) -> str | None:
        """Insist on one."""
        key = super().idempotency_key(call)
        if key is None:
            raise Refusal("invalid", "Idempotency-Key is required")
        return key


class BusNoKeyIsAKey(BusinessRules):
    """All creations without a key share the empty key."""

    breaks = ("BUS-IDEM-06",)

    def idempotency_key(self, call: Call) -> str | None:
        """Take nothing for a key."""
        return super().idempotency_key(call) or ""


class BusNoKeyIsTheBody(BusinessRules):
    """Without a key the body is taken as one: the same request makes one charge."""

    breaks = ("BUS-IDEM-06",)

    def idempotency_key(self, call: Call) -> str | None:
        """Hash the body."""
        return super().idempotency_key(call) or (call.body or b"").hex()


class BusRefIdentifies(BusinessRules):
    """A creation with an external_ref that is known gives the charge that has it."""

    breaks = ("BUS-CHG-44",)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Look for it first."""
        ref = read["external_ref"]
        owner = {"account": call.access.account, "environment": call.access.environment}
        known = self.store.find("business_charge", external_ref=ref, **owner) if ref else None
        return Answer(201, self.charge_view(call, known)) if known else super().open_charge(call, read)


class BusRefIsUnique(BusinessRules):
    """A creation with an external_ref that is known is refused with 409."""

    breaks = ("BUS-CHG-44",)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Look for it first."""
        owner = {"account": call.access.account, "environment": call.access.environment}
        if read["external_ref"] and self.store.find("business_charge", external_ref=read["external_ref"], **owner):
            raise Refusal("state", "external_ref is taken")
        return super().open_charge(call, read)


class BusPendingRefIsUnique(BusinessRules):
    """A creation with the external_ref of a pending charge replaces that charge."""

    breaks = ("BUS-CHG-44", "BUS-CHG-63", "BUS-EVT-19", "BUS-IDEM-06")

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give it the id of the one that it replaces."""
        row = super().new_charge(access, read)
        owner = {"account": access.account, "environment": access.environment, "status": "pending"}
        ref = read["external_ref"]
        known = self.store.find("business_charge", external_ref=ref, **owner) if ref else None
        if known:
            self.store.delete("business_charge", id=known["id"])
        return row | {"id": known["id"]} if known else row
