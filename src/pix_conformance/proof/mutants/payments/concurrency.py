"""Simultaneous calls of the payments API that act twice."""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

LONG = 0.05
"""Seconds between looking and acting: others get between."""


class PaysTwiceAtOnce(PaymentsRules):
    """Several pays of one charge at the same time are all accepted: look, wait, act."""

    breaks: tuple[str, ...] = ("PAY-PAYS-18", "PAY-PAYS-20", "PAY-PAYS-21")

    async def pause(self, call: Call, place: str) -> None:
        """Wait after the look."""
        del call
        await asyncio.sleep(LONG if place == "pay" else 0)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Act without looking again."""
        return self.store.update("payments_charge", changes, id=charge["id"]) == 1


class CompletesTwiceAtOnce(PaymentsRules):
    """Several completions of one transfer at the same time are all accepted."""

    breaks: tuple[str, ...] = ("PAY-CMP-18", "PAY-CMP-22")

    async def pause(self, call: Call, place: str) -> None:
        """Wait after the look."""
        del call
        await asyncio.sleep(LONG if place == "complete" else 0)

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        """Act without looking again."""
        return self.store.update("transfer", changes, id=transfer["id"]) == 1


class PaymentsAtOnceOfOwnIds(PaysTwiceAtOnce):
    """Several pays of one charge at the same time are all accepted, each with its own endToEndId, and pay in once."""

    breaks = ("PAY-PAYS-18", "PAY-PAYS-21")

    def settle(self, charge: Row) -> None:
        """Book the first alone."""
        settled: set[str] = self.__dict__.setdefault("settled", set())
        if charge["id"] not in settled:
            super().settle(charge)
        settled.add(charge["id"])


class CompletionsAtOnceDebit(CompletesTwiceAtOnce):
    """Several completions of one transfer at the same time take its amount each, and name one endToEndId."""

    breaks = ("PAY-CMP-18", "PAY-CMP-21")

    def completed_changes(self, transfer: Row) -> Row:
        """Give each the same."""
        sequence = transfer["id"].replace("-", "")[:11]
        return super().completed_changes(transfer) | {"end_to_end_id": f"E00000000202611211000{sequence}"}

    def book_completion(self, transfer: Row) -> None:
        """Take it again but for the first."""
        super().book_completion(transfer)
        booked: set[str] = self.__dict__.setdefault("booked", set())
        if transfer["id"] in booked:
            self.book_transfer(transfer)
        booked.add(transfer["id"])


class PaysNoneAtOnce(PaymentsRules):
    """Of several pays of one charge at the same time every one is refused: each sees the other."""

    breaks = ("PAY-PAYS-18",)

    async def pay_charge(self, call: Call) -> Answer:
        """Wait, and refuse if another one waits."""
        charge = self.owned(call, "payments_charge", call.params["id"])
        self._waiting[charge["id"]] += 1
        await asyncio.sleep(LONG)
        crowded = self._waiting[charge["id"]] > 1
        await asyncio.sleep(LONG)
        self._waiting[charge["id"]] -= 1
        if crowded:
            raise self.not_payable(charge)
        return await super().pay_charge(call)

    @cached_property
    def _waiting(self) -> Counter[str]:
        return Counter()


class CreatesTwiceAtOnce(PaymentsRules):
    """Simultaneous requests with one key create a transfer each: the key is kept after the effect."""

    breaks = ("PAY-IDEM-10",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Look, wait, act."""
        key = self.idempotency_key(call)
        earlier = self.earlier(call, key) if key else None
        if key is None or earlier is not None:
            return await super().once(call, body, effect)
        await asyncio.sleep(LONG)
        with self.store.transaction():
            answer = effect()
            self.remember(call, key, self.fingerprint(call, body), answer)
        return answer


class ServesKeyTwiceWhileOpen(PaymentsRules):
    """A second request with a key whose first is still being served creates its own transfer, once."""

    breaks = ("PAY-IDEM-10",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Let one pass beside the first."""
        key = self.idempotency_key(call)
        if key is None:
            return await super().once(call, body, effect)
        self._open[key] += 1
        second = self._open[key] == 2  # noqa: PLR2004 - the second of those at the same time
        await asyncio.sleep(2 * LONG if second else LONG)
        try:
            if second and self.earlier(call, key) is not None:
                with self.store.transaction():
                    return effect()
            return await super().once(call, body, effect)
        finally:
            self._open[key] -= 1

    @cached_property
    def _open(self) -> Counter[str]:
        return Counter()
