"""Freedoms of the business charge API at points that the document leaves open, one requirement or two each."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row

PAYOUTS = ("v1", "business", "payouts")
SUCCESS = range(200, 300)


class TellsItsRate(BusinessRules):
    """Request rate limits are not shown (business.md, line 196): every answer tells one."""

    extra_headers: ClassVar[dict[str, str]] = {"x-ratelimit-limit": "600", "x-ratelimit-remaining": "599"}


class RefusedByTheGateway(BusinessRules):
    """What stands before the service limits the rate and answers in its own form."""

    calls_per_second = 40

    def error_body(self, refusal: Refusal) -> Any:
        """Have another body for this refusal."""
        return {"message": "slow down"} if refusal.kind == "limited" else super().error_body(refusal)


class CountsRequests(BusinessRules):
    """An answer may carry more than the table, and something else each time."""

    served = 0

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Number every success."""
        answer = super().respond(call, answer)
        if answer.status not in SUCCESS or not isinstance(answer.body, dict):
            return answer
        self.served += 1
        return Answer(answer.status, {**answer.body, "request_number": self.served}, answer.headers)


class CallsIdsTokens(BusinessRules):
    """An answer may carry more than the table: the ids once more, under names that secrets have."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Say them twice."""
        tokens = {"checkout_token": charge["id"], "payment_token": charge["end_to_end_id"]}
        return {**super().charge_view(call, charge), **tokens}


class KnowsNoMethods(BusinessRules):
    """How a method is refused that a path does not have is not shown: as an unknown path."""

    def no_route(self, methods: list[str]) -> Refusal:
        """Find nothing."""
        return super().no_route([]) if methods else super().no_route(methods)


class ReservesPayouts(BusinessRules):
    """How the reserved path refuses is not shown (business.md, line 13)."""

    def find_route(self, call: Call) -> Refusal | None:
        """Forbid it."""
        reserved = Refusal("forbidden", "payouts are not available")
        return reserved if call.path == PAYOUTS else super().find_route(call)


class WantsBearerAsWritten(BusinessRules):
    """Whether the scheme has a case is not shown."""

    def authorize(self, call: Call) -> Access:
        """Insist on the capital."""
        if not call.headers.get("authorization", "").startswith("Bearer "):
            raise self.unauthorized("API key is missing, invalid or revoked")
        return super().authorize(call)


class LooksBeforeItAsks(BusinessRules):
    """Which of two errors wins is not shown: the other one than the key."""

    def authorize(self, call: Call) -> Access:
        """Refuse for the body or the id first."""
        try:
            return super().authorize(call)
        except Refusal:
            if call.operation == "create_charge":
                self.read_charge(self.json_body(call))
            if call.operation == "get_charge" and not self.knows_charge(call.params["id"]):
                raise self.not_found(call) from None
            raise


class TakesAnyAmount(BusinessRules):
    """The highest amount is not stated: as much as is asked for."""

    largest_integer = 2**62


class TakesAThousand(BusinessRules):
    """The highest amount is not stated: a service has a limit of 1,000.00."""

    def judge_amount(self, value: int) -> str | None:
        """Refuse more."""
        return "must be at most 100000" if value > 100_000 else super().judge_amount(value)  # noqa: PLR2004  # its limit


class RefusesStrangers(BusinessRules):
    """Whether a request may carry further members is not shown."""

    def read_body(self, value: Any, fields: tuple[Field, ...]) -> dict[str, Any]:
        """Refuse what the table does not have."""
        unknown = set(value) - {one.name for one in fields} if isinstance(value, dict) else None
        if unknown:
            raise self.invalid(min(unknown), "is not a field of a charge")
        return super().read_body(value, fields)


class TakesTheLastOfTwo(BusinessRules):
    """What a member means that stands twice is not shown."""

    refuses_duplicate_keys = False


class TakesAnyMediaType(BusinessRules):
    """How another media type is answered is not shown."""

    checks_content_type = False


class RefusesEmptyTexts(BusinessRules):
    """Whether optional strings may be empty is not shown."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse empty ones."""
        return "must not be empty" if value == "" else super().complaint(key, value, field)


class RefusesBodies(BusinessRules):
    """Cancel and pay have no body; what becomes of one that is sent is not shown."""

    def owned(self, call: Call) -> Row:
        """Refuse it once the charge is known."""
        row = super().owned(call)
        if call.operation in {"cancel_charge", "pay_charge"} and call.body not in {b"", b"{}"}:
            raise Refusal("invalid", "body must be empty")
        return row


class ComparesBytes(BusinessRules):
    """Whether a body written otherwise is the same body is not shown."""

    def fingerprint(self, call: Call, body: Any) -> str:  # noqa: ARG002  # what it says does not matter
        """Compare what was sent."""
        return (call.body or b"").decode("latin-1")


class SpendsKeysOnRefusals(BusinessRules):
    """Whether a refused creation spends its key is not shown."""

    async def create_charge(self, call: Call) -> Answer:
        """Remember the refusal."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            key = self.idempotency_key(call) if refusal.kind == "invalid" else None
            if key and self.earlier(call, key) is None:
                self.remember(call, key, "an invalid body", self.refused(call, refusal))
            raise


class WantsUuids(BusinessRules):
    """Which keys are accepted is not shown: a service may insist on UUIDs."""

    def idempotency_key(self, call: Call) -> str | None:
        """Refuse what is none."""
        key = super().idempotency_key(call)
        try:
            return key and str(UUID(key))
        except ValueError:
            raise Refusal("invalid", "Idempotency-Key must be a UUID") from None


class RefusesEmptyKeys(BusinessRules):
    """Which keys are accepted is not shown: an empty one is a mistake."""

    def idempotency_key(self, call: Call) -> str | None:
        """Tell an empty header from none."""
        if call.headers.get(self.idempotency_header) == "":
            raise Refusal("invalid", "Idempotency-Key must not be empty")
        return super().idempotency_key(call)


class ReplaysTransitions(BusinessRules):
    """Whether a key means anything on cancel and pay is not shown: its first answer comes again."""

    async def cancel_charge(self, call: Call) -> Answer:
        """Cancel once for each key."""
        return self._earlier(call) or self._kept(call, await super().cancel_charge(call))

    async def pay_charge(self, call: Call) -> Answer:
        """Pay once for each key."""
        return self._earlier(call) or self._kept(call, await super().pay_charge(call))

    def _earlier(self, call: Call) -> Answer | None:
        key = self.idempotency_key(call)
        found = self.earlier(call, key) if key else None
        return self.repeated(call, found, self.fingerprint(call, call.path)) if found else None

    def _kept(self, call: Call, answer: Answer) -> Answer:
        if key := self.idempotency_key(call):
            self.remember(call, key, self.fingerprint(call, call.path), answer)
        return answer


class KnowsKeysOfAll(BusinessRules):
    """What a key means in another environment or account is not shown: taken there, it is refused here."""

    def idempotency_scope(self, call: Call) -> str:
        """Look among the keys of all."""
        return call.operation

    def remember(self, call: Call, key: str, fingerprint: str, answer: Answer) -> None:
        """Keep whose key it is."""
        super().remember(call, key, f"{call.access.book} {fingerprint}", answer)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Hand out nothing of another."""
        book, _, remembered = earlier["fingerprint"].partition(" ")
        if book != call.access.book:
            raise self.key_conflict()
        return super().repeated(call, earlier | {"fingerprint": remembered}, fingerprint)


class AnnouncesItsEnd(BusinessRules):
    """The change notice is not shown (business.md, line 201)."""

    extra_headers: ClassVar[dict[str, str]] = {"deprecation": "@1798761600", "sunset": "Fri, 31 Dec 2027 23:59:59 GMT"}


class TwinKeys(BusinessRules):
    """What follows the prefix of a key is not said: the same in both environments."""

    def __init__(self, world: World) -> None:
        """Give the production key the sandbox key's ending."""
        super().__init__(world)
        world.accounts.keys["live_merchant"] = "ak_live_" + world.accounts.keys["merchant"].removeprefix("ak_test_")


FREEDOMS = [
    Freedom("business-key-endings", ("BUS-AUTH-07",), {"one-ending": TwinKeys}),
    Freedom("business-rate-answers", ("BUS-GEN-04",), {"told": TellsItsRate, "gateway": RefusedByTheGateway}),
    Freedom("business-numbers", ("BUS-GEN-05",), {"requests": CountsRequests, "tokens": CallsIdsTokens}),
    Freedom("business-methods", ("BUS-GEN-06",), {"unknown": KnowsNoMethods}),
    Freedom("business-payouts", ("BUS-GEN-08",), {"forbidden": ReservesPayouts}),
    Freedom("business-scheme", ("BUS-AUTH-15",), {"exact": WantsBearerAsWritten}),
    Freedom("business-first-error", ("BUS-AUTH-16",), {"other": LooksBeforeItAsks}),
    Freedom("business-highest", ("BUS-CHG-12",), {"any": TakesAnyAmount, "thousand": TakesAThousand}),
    Freedom("business-strangers", ("BUS-CHG-37",), {"refused": RefusesStrangers}),
    Freedom("business-twice", ("BUS-CHG-38",), {"last": TakesTheLastOfTwo}),
    Freedom("business-media", ("BUS-CHG-42",), {"any": TakesAnyMediaType}),
    Freedom("business-empty", ("BUS-CHG-39",), {"refused": RefusesEmptyTexts}),
    Freedom("business-no-body", ("BUS-CAN-09", "BUS-PAY-04"), {"refused": RefusesBodies}),
    Freedom("business-same-body", ("BUS-IDEM-10",), {"bytes": ComparesBytes}),
    Freedom("business-spent-keys", ("BUS-IDEM-11",), {"refused": SpendsKeysOnRefusals}),
    Freedom("business-keys", ("BUS-IDEM-12",), {"uuid": WantsUuids, "not-empty": RefusesEmptyKeys}),
    Freedom("business-transition-keys", ("BUS-IDEM-13",), {"replayed": ReplaysTransitions}),
    Freedom("business-key-scope", ("BUS-ENV-07", "BUS-ISO-09"), {"service": KnowsKeysOfAll}),
    Freedom("business-end", ("BUS-VER-02",), {"announced": AnnouncesItsEnd}),
]
