"""Freedoms of delivery, of both APIs: when, how often, in what order and in what clothes events come."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any
from zlib import crc32

from pix_conformance.proof.variants.business_habits import LabelsByItself
from pix_conformance.proof.variants.payments_habits import InFourLines
from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import Letter
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row

LANES = 4


class PaymentsSlowEvents(PaymentsRules):
    """No document says how soon an event comes."""

    event_delay_seconds = 3.0


class BusinessSlowEvents(BusinessRules):
    """No document says how soon an event comes."""

    event_delay_seconds = 3.0


class PaymentsDoubledEvents(PaymentsRules):
    """The same event may be sent again (payments.md, line 360)."""

    event_copies = 2


class BusinessDoubledEvents(BusinessRules):
    """The same event id may arrive more than once (business.md, line 168)."""

    event_copies = 2


class BusinessSomeDoubledEvents(BusinessRules):
    """The same event id may arrive more than once, and not of every event (business.md, line 168)."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Send some twice, the copy after a while."""
        super().send_event(url, payload)
        if random.random() < 0.4:  # noqa: S311, PLR2004  # by chance, not a secret
            asyncio.get_running_loop().call_later(0.7, super().send_event, url, payload)


class PaymentsShuffledEvents(PaymentsRules):
    """No order of events is promised."""

    def event_delay(self) -> float:
        """Wait at random."""
        return random.random() * 0.8  # noqa: S311  # jitter, not a secret


class BusinessShuffledEvents(BusinessRules):
    """No order of events is promised."""

    def event_delay(self) -> float:
        """Wait at random."""
        return random.random() * 0.8  # noqa: S311  # jitter, not a secret


class PaymentsPrettyEvents(PaymentsRules):
    """The signature is over the raw body, whatever its blanks."""

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Indent, escape, end with a newline."""
        return (json.dumps(payload, indent=2, ensure_ascii=True) + "\n").encode()


class BusinessPrettyEvents(BusinessRules):
    """The signature is over the raw body, whatever its blanks."""

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Indent, escape, end with a newline."""
        return (json.dumps(payload, indent=2, ensure_ascii=True) + "\n").encode()


class PaymentsMilliseconds(PaymentsRules):
    """The unit of the signed timestamp is not shown (payments.md, line 338)."""

    def event_timestamp(self) -> str:
        """Count milliseconds."""
        return str(int(self.clock.now() * 1000))


class PaymentsNullWhileUnknown(PaymentsRules):
    """What stands for an endToEndId that does not exist yet is not shown: null."""

    def absent_in_event(self, name: str) -> Any:
        """Say null for the id."""
        return None if name == "endToEndId" else super().absent_in_event(name)


class BusinessNullWhileUnknown(BusinessRules):
    """What stands for data that does not exist yet is not shown: null."""

    def absent_in_event(self, name: str) -> Any:  # noqa: ARG002  # alike for all
        """Say null."""
        return None


class BusinessAbsentWhileUnknown(BusinessRules):
    """What stands for data that does not exist yet is not shown: nothing at all."""

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Leave out what is unknown."""
        return {k: v for k, v in super().event_data(event, row).items() if v not in (None, "")}


class BusinessLabelsById(BusinessRules):
    """What stands for the label of a charge without one is not shown: its id."""

    def event_data(self, event: str, row: Row) -> dict[str, Any]:
        """Put the id there."""
        return super().event_data(event, row) | {"external_ref": row["external_ref"] or row["id"]}


class PaymentsExtraFields(PaymentsRules):
    """A payload may carry more than the documented fields."""

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Add a version and a moment."""
        return {**super().event_payload(event, kind, row), "version": 2, "sentAt": self.moment(self.clock.now())}


class BusinessExtraFields(BusinessRules):
    """A payload may carry more than the documented fields."""

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Add a version and the charge's id."""
        return {**super().event_payload(event, row), "version": 2, "charge_id": row["id"]}


class PaymentsPaidPostbackOnly(PaymentsRules):
    """The postbackUrl of a charge is told of the payment; of its creation the two sentences disagree."""

    def posts_back(self, event: str, row: Row) -> bool:
        """Tell of payment and completion only."""
        return event in {"transaction_paid", "transfer_completed"} and super().posts_back(event, row)


class PaymentsNoRetries(PaymentsRules):
    """That an event is sent again after a failure is a possibility, no promise (payments.md, line 360)."""

    event_attempts = 1


class PaymentsInTurn(PaymentsRules):
    """How events are sent is not shown: one after the other, each again and again until it is taken."""

    event_first_retry_seconds = 5.0

    def __init__(self, world: World) -> None:
        """Have one line only."""
        super().__init__(world)
        self._turn = asyncio.Lock()

    def send_letter(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Take turns for each event."""
        self.world.mail.begin(self._in_turn(self.letter(url, payload, hook)))

    async def _in_turn(self, letter: Letter) -> None:
        async with self._turn:
            await self.world.mail.deliver(letter)


class BusinessJitteredRetries(BusinessRules):
    """Exponential backoff commonly has jitter."""

    def retry_seconds(self, failures: int) -> float:
        """Vary by a fifth, up to the cap."""
        return min(300.0, super().retry_seconds(failures) * (0.8 + random.random() * 0.4))  # noqa: S311  # jitter


class BusinessUnhurriedRetries(BusinessRules):
    """How long the first pause is, is not stated."""

    event_first_retry_seconds = 1.0


class BusinessPatientRetries(BusinessRules):
    """How long the first pause is, is not stated."""

    event_first_retry_seconds = 30.0


class BusinessOneAtATime(BusinessRules):
    """How many calls are under way at once is not stated: one, and the next when it was answered or given up."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Take turns for each attempt."""
        turn = self.__dict__.setdefault("turn", asyncio.Lock())
        self.world.mail.begin(self._attempts(turn, url, payload))

    async def _attempts(self, turn: asyncio.Lock, url: str, payload: dict[str, Any]) -> None:
        letter = self.letter(url, payload)
        for attempt in range(1, letter.attempts + 1):
            await letter.pause(attempt)
            async with turn:
                if await self.world.mail.attempt(letter, attempt):
                    return


class BusinessInBatches(BusinessRules):
    """When events are sent is not stated: each second those that are due, and no more until all are answered."""

    event_first_retry_seconds = 2.0

    def __init__(self, world: World) -> None:
        """Have nothing to send yet."""
        super().__init__(world)
        self._due: list[tuple[float, int, Letter]] = []
        self._works = False

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Leave it to the worker."""
        if not self._works:
            self._works = True
            self.world.mail.begin(self._work())
        self._due.append((0.0, 1, self.letter(url, payload)))

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            batch = [one for one in self._due if one[0] <= self.clock.now()][:20]
            self._due = [one for one in self._due if one not in batch]
            await asyncio.gather(*(self._attempt(*one[1:]) for one in batch))

    async def _attempt(self, number: int, letter: Letter) -> None:
        if not await self.world.mail.attempt(letter, number) and number < letter.attempts:
            self._due.append((self.clock.now() + self.retry_seconds(number), number + 1, letter))


class BusinessInLanes(BusinessRules):
    """How events are sent is not stated: in four lines, each event again and again before the next of its line."""

    def send_event(self, url: str, payload: dict[str, Any]) -> None:
        """Choose a line by the label."""
        lanes = self.__dict__.setdefault("lanes", [asyncio.Lock() for _ in range(LANES)])
        chosen = lanes[crc32(str(payload["data"].get("external_ref")).encode()) % LANES]
        self.world.mail.begin(self._in_turn(chosen, self.letter(url, payload)))

    async def _in_turn(self, lane: asyncio.Lock, letter: Letter) -> None:
        async with lane:
            await self.world.mail.deliver(letter)


class BusinessBalanceEvent(BusinessRules):
    """That there are no further events is not said: one tells of the balance."""

    def emit(self, event: str, row: Row) -> None:
        """Follow each payment by one more."""
        super().emit(event, row)
        if event == "business.pix.paid":
            super().emit("business.balance.updated", row)


class BusinessExpiryEvent(BusinessRules):
    """Each state change sends an event, though none is listed for expiry."""

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Tell of an expiry as well."""
        claimed = super().claim_charge(charge, changes)
        if claimed and changes.get("status") == "expired":
            with self.store.transaction():
                self.emit("business.pix.expired", charge | changes)
        return claimed


FREEDOMS = [
    Freedom(
        "payments-delivery",
        ("PAY-EVT-20", "PAY-EVT-23"),
        {
            "slow": PaymentsSlowEvents,
            "doubled": PaymentsDoubledEvents,
            "shuffled": PaymentsShuffledEvents,
            "in-turn": PaymentsInTurn,
            "in-lanes": InFourLines,
        },
    ),
    Freedom(
        "business-delivery",
        ("BUS-RETRY-10",),
        {
            "slow": BusinessSlowEvents,
            "doubled": BusinessDoubledEvents,
            "some-doubled": BusinessSomeDoubledEvents,
            "shuffled": BusinessShuffledEvents,
            "in-turn": BusinessOneAtATime,
            "in-batches": BusinessInBatches,
            "in-lanes": BusinessInLanes,
        },
    ),
    Freedom("payments-event-body", ("PAY-SIG-06",), {"pretty": PaymentsPrettyEvents}),
    Freedom("business-event-body", ("BUS-SIG-03",), {"pretty": BusinessPrettyEvents}),
    Freedom("payments-event-clock", ("PAY-SIG-06",), {"milliseconds": PaymentsMilliseconds}),
    Freedom("payments-event-unknown", ("PAY-EVT-52", "PAY-EVT-91"), {"null": PaymentsNullWhileUnknown}),
    Freedom(
        "business-event-unknown",
        ("BUS-EVT-15", "BUS-EVT-16"),
        {
            "null": BusinessNullWhileUnknown,
            "absent": BusinessAbsentWhileUnknown,
            "id": BusinessLabelsById,
            "own": LabelsByItself,
        },
    ),
    Freedom("payments-event-fields", ("PAY-EVT-58",), {"extra": PaymentsExtraFields}),
    Freedom("business-event-fields", ("BUS-EVT-22",), {"extra": BusinessExtraFields}),
    Freedom("payments-postbacks", ("PAY-EVT-14", "PAY-EVT-16"), {"paid": PaymentsPaidPostbackOnly}),
    Freedom("payments-retries", ("PAY-EVT-20",), {"none": PaymentsNoRetries}),
    Freedom("business-retries", ("BUS-RETRY-10",), {"jittered": BusinessJitteredRetries}),
    Freedom(
        "business-first-pause",
        ("BUS-RETRY-10",),
        {"second": BusinessUnhurriedRetries, "half-a-minute": BusinessPatientRetries},
    ),
    Freedom("business-expiry-event", ("BUS-EVT-17",), {"sent": BusinessExpiryEvent}),
    Freedom("business-further-events", ("BUS-EVT-17",), {"balance": BusinessBalanceEvent}),
]
