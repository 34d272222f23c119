"""Freedoms of the business charge API in the habits of a service: envelopes, labels, ids, keys, books, histories."""

from __future__ import annotations

import asyncio
import re
import secrets
import uuid
from datetime import UTC, datetime
from typing import Any, ClassVar
from zlib import crc32

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference import brcode
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.state import ROLES, World
from pix_conformance.reference.store import Row

LIVES_S, MONTH_S, OLD = 86_400, 30 * 86_400, 260
BUSY_S, TURN_S = 0.4, 0.01
WRONG = 400


class ListsBesides(BusinessRules):
    """The envelope of the list is not shown (business.md, line 110): other arrays of objects stand before it."""

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Put accounts and counts before."""
        accounts = [{"id": "acc_1", "status": "active"}]
        counts = [{"status": one, "count": len(charges)} for one in self.list_statuses]
        return {"accounts": accounts, "counts": counts, "items": super().list_view(call, charges), "next": None}


class ListsNull(BusinessRules):
    """The envelope of the list is not shown (business.md, line 110): null where it holds no charge."""

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Hold an array, or nothing."""
        return {"charges": super().list_view(call, charges) or None, "count": len(charges)}


class PlainLabels(BusinessRules):
    """Only the length of a label is stated: of letters, digits and four signs."""

    def judge_external_ref(self, value: str) -> str | None:
        """Refuse others."""
        plain = re.fullmatch(r"[A-Za-z0-9_.:-]*", value)
        return super().judge_external_ref(value) or (None if plain else "must be plain")


class DetailsProblems(BusinessRules):
    """Of an error only the JSON body is said (business.md, line 174), and problem details are JSON too (RFC 9457)."""

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Name their media type."""
        found = super().headers(call, answer)
        return found | ({"content-type": "application/problem+json"} if answer.status >= WRONG else {})


class BasicMoments(BusinessRules):
    """ISO 8601 has a basic format."""

    def moment(self, epoch: float) -> str:
        """Leave out hyphens and colons."""
        return datetime.fromtimestamp(epoch, UTC).strftime("%Y%m%dT%H%M%SZ")


class Ticks(BusinessRules):
    """ISO 8601 limits no decimals: seven."""

    def moment(self, epoch: float) -> str:
        """Count ticks."""
        return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f0+00:00")


class HoldsReserve(BusinessRules):
    """An amount is held as risk reserve, if applicable (business.md, line 52): a fifth of each payment."""

    def capture(self, charge: Row) -> None:
        """Share it out."""
        amount = charge["amount"]
        held = amount // 5
        shares = ("merchant_available", CREDIT, amount - held), ("merchant_reserve", CREDIT, held)
        self.post(owner_of(charge), "payment.captured", "", ("1.1.01", DEBIT, amount), *shares)


class TellsOfProduction(BusinessRules):
    """One endpoint is configured for the integration (business.md, line 143): that of both environments."""

    def should_emit(self, event: str, row: Row) -> bool:
        """Tell of either."""
        return super().should_emit(event, row | {"environment": "sandbox"})


class VerifiesItsEndpoint(BusinessRules):
    """That nothing else comes to the endpoint is not said: before the first event an unsigned challenge."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Ask once."""
        if not self.__dict__.setdefault("asked", False):
            self.__dict__["asked"] = True
            super().send_event(url, {"type": "endpoint.verification", "challenge": "abc"})
        super().send_event(url, payload)

    def event_headers(self, body: bytes) -> dict[str, str]:
        """Leave the challenge unsigned."""
        found = super().event_headers(body)
        return {"Content-Type": self.event_content_type} if b'"challenge"' in body else found


class LooksForItFirst(BusinessRules):
    """Which of two refusals wins is not shown: in production an unknown charge is not found."""

    async def pay_charge(self, call: Call) -> Answer:
        """Look for it, then at the environment."""
        self.owned(call)
        return await super().pay_charge(call)


class LongIds(BusinessRules):
    """How long an id is, is not said: 240 signs."""

    def new_charge_id(self) -> str:
        """Have as many."""
        return secrets.token_urlsafe(180)


class TinyIds(BusinessRules):
    """How long an id is, is not said: eight digits of sixteen."""

    def new_charge_id(self) -> str:
        """Have as few."""
        return secrets.token_hex(4)


class FullCodes(BusinessRules):
    """A code may hold further templates, a postal code and another language (EMVCo MPM, table 3.7)."""

    def code_objects(self, token: str, cents: int) -> dict[str, str]:
        """Fill them in, the checksum in small letters."""
        words = {"00": "PT", "01": "Loja", "02": "Brasilia"}
        other = {"00": "com.example.other", "01": "abc"}
        more = {"52": "5999", "61": "70000000", "62": brcode.tlv("05", token[:25]), "64": brcode.template(words)}
        found = super().code_objects(token, cents) | more | {"27": brcode.template(other)}
        return dict(sorted(found.items()))

    def code(self, token: str, cents: int) -> str:
        """Write the checksum."""
        text = super().code(token, cents)
        return text[:-4] + text[-4:].lower()


class CountsUnits(BusinessRules):
    """In what characters are counted is not shown: UTF-16 units."""

    def complaint(self, key: str, value: Any, field: Any) -> str | None:
        """Count as JavaScript and Java do."""
        limit = {"description": self.description_limit, "external_ref": self.external_ref_limit}.get(key)
        long = limit is not None and len(value.encode("utf-16-le")) // 2 > limit
        return f"must have at most {limit} characters" if long else super().complaint(key, value, field)


class WritesFloats(BusinessRules):
    """1050.0 is an integer too, to JSON Schema."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Write the amount with a point."""
        return super().charge_view(call, charge) | {"amount_cents": float(charge["amount"])}


class CountsEvents(BusinessRules):
    """The id of an event is a string, of whatever form: a number, from one on."""

    def event_id(self, event: str, row: Row) -> str:
        """Give the next."""
        del event, row
        self.__dict__["told"] = self.__dict__.get("told", 0) + 1
        return str(self.__dict__["told"])


class StampsOfCharges(BusinessRules):
    """Of what the timestamp of an event is, is not said (business.md, line 153): of the charge."""

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Show when that was created."""
        return super().event_payload(event, row) | {"created_at": self.moment(row["created_at"])}


class LabelsByItself(BusinessRules):
    """What stands for the label of a charge without one is not shown: a reference that the service makes."""

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Make one."""
        label = row["external_ref"] or f"ref-{crc32(row['id'].encode())}"
        return super().event_data(event, row) | {"external_ref": label}


class HasHistory(BusinessRules):
    """An account may have charges and postings of before, and be in debt."""

    def __init__(self, world: World) -> None:
        """Fill the books."""
        super().__init__(world)
        owner = ROLES["merchant"]
        texts = {"description": "old", "external_ref": "old", "customer_email": None}
        for number in range(OLD):
            row = self.new_charge(owner, {"amount_cents": 100 + number, "expires_in_seconds": LIVES_S, **texts})
            status, ago = ("paid", "canceled", "expired")[number % 3], MONTH_S + OLD - number
            moments = {name: row[name] - ago for name in ("created_at", "expires_at")}
            self.store.insert("business_charge", row | moments | {"status": status})
            self.post(owner, "refund", "", ("merchant_available", DEBIT, 5000), ("psp_clearing", CREDIT, 5000))


class TakesItsTime(BusinessRules):
    """How long a transition takes is not stated: 0.4 s."""

    async def pause(self, call: Call, place: str) -> None:
        """Wait in the middle of it."""
        await asyncio.sleep(BUSY_S if place in {"pay", "cancel"} else 0)
        await super().pause(call, place)


class OneAtATime(BusinessRules):
    """How many calls are served at once is not stated: one."""

    async def serve(self, call: Call) -> Answer:
        """Take turns."""
        async with self.__dict__.setdefault("turn", asyncio.Lock()):
            await asyncio.sleep(TURN_S)
            return await super().serve(call)


class PaysNoMore(BusinessRules):
    """What an impossible pay answers is not stated: 410 once it has expired, else 403."""

    error_statuses: ClassVar[dict[str, int]] = {**BusinessRules.error_statuses, "gone": 410}

    async def pay_charge(self, call: Call) -> Answer:
        """Refuse it in two ways."""
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            if refusal.kind != "state":
                raise
            raise Refusal("gone" if "expired" in refusal.message else "forbidden", refusal.message) from None


class WantsRandomUuids(BusinessRules):
    """Which keys are accepted is not shown: random UUIDs in small letters."""

    def idempotency_key(self, call: Call) -> str | None:
        """Refuse what is none."""
        key = super().idempotency_key(call)
        random = key is None or re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", key)
        if key is not None and not (random and uuid.UUID(key).version == 4):  # noqa: PLR2004  # the random ones
            raise Refusal("invalid", "Idempotency-Key must be a random UUID")
        return key


FREEDOMS = [
    Freedom("business-other-arrays", ("BUS-LIST-12",), {"beside": ListsBesides, "null": ListsNull}),
    Freedom("business-labels", ("BUS-CHG-39",), {"plain": PlainLabels}),
    Freedom("business-problems", ("BUS-GEN-05",), {"details": DetailsProblems}),
    Freedom("business-writing-of-moments", ("BUS-CHG-54",), {"basic": BasicMoments, "ticks": Ticks}),
    Freedom("business-risk", ("BUS-FIN-19", "BUS-FIN-20"), {"reserve": HoldsReserve}),
    Freedom("business-endpoint", ("BUS-EVT-17",), {"of-both": TellsOfProduction, "verified": VerifiesItsEndpoint}),
    Freedom("business-unknown-in-production", ("BUS-AUTH-16",), {"not-found": LooksForItFirst}),
    Freedom("business-length-of-ids", ("BUS-CHG-45",), {"long": LongIds, "tiny": TinyIds}),
    Freedom("business-further-objects", ("BUS-QR-14",), {"full": FullCodes}),
    Freedom("business-characters", ("BUS-CHG-39",), {"units": CountsUnits}),
    Freedom("business-literals", ("BUS-GEN-05",), {"floats": WritesFloats}),
    Freedom("business-event-ids", ("BUS-EVT-22",), {"counted": CountsEvents}),
    Freedom("business-event-stamps", ("BUS-EVT-22",), {"of-charges": StampsOfCharges}),
    Freedom("business-history", ("BUS-FIN-21",), {"long": HasHistory}),
    Freedom("business-tempo", ("BUS-PAY-03",), {"slow-acts": TakesItsTime, "one-call": OneAtATime}),
    Freedom("business-unpayable", ("BUS-PAY-05", "BUS-PAY-06"), {"gone": PaysNoMore}),
    Freedom("business-random-keys", ("BUS-IDEM-12",), {"uuid": WantsRandomUuids}),
]
