"""Freedoms of the payments API in the habits of a provider: what it asks, limits, shows late; who else works there."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any, ClassVar
from zlib import crc32

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.outbox import Letter
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row

LIMIT, LINES = 50_000, 4
LAG_S = 0.8
LAST_LETTER = "\u00ff"


class OneRecordEach(PaymentsRules):
    """Whether an address may be registered twice is not shown: it keeps its record, with the new events."""

    async def create_webhook(self, call: Call) -> Answer:
        """Answer the record that is there."""
        read = self.read_body(self.json_body(call), self.webhook_fields)
        known = [hook["id"] for hook in self.hooks_of(call) if hook["url"] == read["url"]]
        if not known:
            return await super().create_webhook(call)
        self.store.update("webhook", {"events": json.dumps(self.subscribed(read["events"]))}, id=known[0])
        hook = self.store.find("webhook", id=known[0]) or {}
        return Answer(self.webhook_created_status, {"success": True, "data": self.webhook_view(call, hook)})


class AsksPostbacks(PaymentsRules):
    """Whether a postbackUrl is asked before it is taken is not shown: it must answer 2xx to what is no event."""

    async def create_charge(self, call: Call) -> Answer:
        """Ask it first."""
        await self._ask(call)
        return await super().create_charge(call)

    async def create_transfer(self, call: Call) -> Answer:
        """Ask it first."""
        await self._ask(call)
        return await super().create_transfer(call)

    async def _ask(self, call: Call) -> None:
        body = self.json_body(call)
        url = body.get("postbackUrl") if isinstance(body, dict) else None
        if not isinstance(url, str) or not formats.is_uri(url):
            return
        ping = b'{"type": "ping"}', {"Content-Type": "application/json", "User-Agent": self.event_user_agent}
        letter = Letter(url, self._at_once, lambda _: ping, self.is_delivered, 1, 3.0)
        loop, post = asyncio.get_running_loop(), self.world.mail._post  # noqa: SLF001  # one attempt, and its answer
        status = await loop.run_in_executor(None, post, letter, ping)
        if status is None or not self.is_delivered(status):
            raise self.invalid("postbackUrl", "must answer")

    async def _at_once(self, attempt: int) -> bool:
        return attempt == 1


class LowLimit(PaymentsRules):
    """No upper limit is stated, and none is ruled out: 500.00 for each charge and transfer."""

    def judge_charge_amount(self, value: int) -> str | None:
        """Refuse more."""
        return f"must be at most {LIMIT}" if value > LIMIT else super().judge_charge_amount(value)

    def judge_transfer_amount(self, value: int) -> str | None:
        """Refuse more."""
        return f"must be at most {LIMIT}" if value > LIMIT else super().judge_transfer_amount(value)


class FewWebhooks(PaymentsRules):
    """How many webhooks an account may have is not shown: four."""

    webhook_quota = 4


class ShowsLate(PaymentsRules):
    """How soon a query shows a payment or completion is not shown: after 0.8 s."""

    def __init__(self, world: World) -> None:
        """Have nothing to hold back."""
        super().__init__(world)
        self._before: dict[object, tuple[float, Row]] = {}

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Keep how it was."""
        return super().claim_charge(charge, changes) and self._kept("payments_charge", charge)

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        """Keep how it was before its completion."""
        claimed = super().claim_transfer(transfer, changes)
        return claimed and (changes.get("status") != "completed" or self._kept("transfer", transfer))

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Show it as it was."""
        row = super().owned(call, table, number)
        ends, before = self._before.get((table, number), (0.0, row))
        return before if call.operation in {"get_charge", "get_transfer"} and time.monotonic() < ends else row

    def _kept(self, table: str, row: Row) -> bool:
        self._before[table, row["id"]] = (time.monotonic() + LAG_S, dict(row))
        return True


class StatementLetters(PaymentsRules):
    """Of which signs a description is, is not shown: letters, digits and punctuation that a statement can print."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse others."""
        strange = key == "description" and not all(one.isprintable() and one <= LAST_LETTER for one in value)
        return "must be printable" if strange else super().complaint(key, value, field)


class QuarterMinute(PaymentsRules):
    """How long the approval takes is not shown: fifteen seconds each."""

    approval_seconds = 15.0


class SharedAccount(PaymentsRules):
    """Others may use the account as well: one of them sends as much as a replay or conflict asks, just then."""

    sends: ClassVar[tuple[int, ...]] = (167, 179)

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Answer it while the other one sends."""
        self._meanwhile(call)
        return super().replay(call, earlier)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Answer it while the other one sends."""
        if refusal.kind == "key_conflict":
            self._meanwhile(call)
        return super().refused(call, refusal)

    def _meanwhile(self, call: Call) -> None:
        amount = self.json_body(call)["amount"]
        if amount in self.sends:
            self.post(call.access, "transfer.created", "", ("pix", DEBIT, amount), ("in_flight", CREDIT, amount))


class InFourLines(PaymentsRules):
    """How events are sent is not shown: in four lines, each event again and again before the next of its line."""

    event_first_retry_seconds = 90.0

    def send_letter(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Choose a line by what the event is about."""
        lines = self.__dict__.setdefault("lines", [asyncio.Lock() for _ in range(LINES)])
        about = payload.get("transaction") or payload.get("transfer") or {}
        chosen = lines[crc32(str(about.get("id")).encode()) % LINES]
        self.world.mail.begin(self._in_line(chosen, self.letter(url, payload, hook)))

    async def _in_line(self, line: asyncio.Lock, letter: Letter) -> None:
        async with line:
            await self.world.mail.deliver(letter)


FREEDOMS = [
    Freedom("payments-registered-again", ("PAY-WH-13",), {"same-record": OneRecordEach}),
    Freedom("payments-low-limit", ("PAY-CHG-07", "PAY-TRF-27"), {"five-hundred": LowLimit}),
    Freedom("payments-few-webhooks", ("PAY-WH-13",), {"four": FewWebhooks}),
    Freedom("payments-query-lag", ("PAY-PAYS-11", "PAY-CMP-10"), {"eight-tenths": ShowsLate}),
    Freedom("payments-statement", ("PAY-CHG-15",), {"printable": StatementLetters}),
    Freedom("payments-shared-account", ("PAY-BAL-10",), {"colleague": SharedAccount}),
]
