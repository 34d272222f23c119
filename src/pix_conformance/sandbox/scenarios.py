"""Situations that a client must handle, which `pix-sandbox --scenario` produces."""

from dataclasses import dataclass
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

LATE_S, SHORT_LIFE_S, SLOW_ANSWER_S, SLOW_APPROVAL_S, CALLS_PER_SECOND = 10.0, 5, 1.0, 20.0, 2


class DelayedEvents(WireRules):
    """Events are sent late."""

    event_delay_seconds = LATE_S


class DoubledEvents(WireRules):
    """Each event is sent twice."""

    event_copies = 2


class PaidBeforeCancel(BusinessRules):
    """The payer pays before the cancel request."""

    async def cancel_charge(self, call: Call) -> Answer:
        """Pay a pending charge first, so that the cancel conflicts with the payment."""
        charge = self.expire_if_overdue(call, self.owned(call))
        if self.may_pay(charge) and self.may_simulate(call.access):
            await self.pay_charge(call)
        return await super().cancel_charge(call)


class SecondTransferConflicts(PaymentsRules):
    """Every second new transfer has an idempotency key that is already used."""

    opened = 0

    def open_transfer(self, call: Call, read: dict[str, Any]) -> Answer:
        """Refuse the second, the fourth and so on. A later request may use the key again."""
        self.opened += 1
        if self.opened % 2 == 0:
            raise self.key_conflict()
        return super().open_transfer(call, read)


class ShortLives(BusinessRules):
    """Charges expire soon, with every value of `expires_in_seconds`."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Shorten the lifetime of a new charge."""
        return super().new_charge(access, read | {"expires_in_seconds": SHORT_LIFE_S})


class Limited(WireRules):
    """The request rate is limited."""

    calls_per_second = CALLS_PER_SECOND


class SlowBank(WireRules):
    """Responses and the approval of transfers are slow. A transfer cannot be completed before its approval."""

    delay_seconds = SLOW_ANSWER_S
    approval_seconds = SLOW_APPROVAL_S


@dataclass(frozen=True)
class Scenario:
    """One situation: its description, and the rules of the reference that produce it."""

    meaning: str
    rules: tuple[type, ...]

    @property
    def names(self) -> list[str]:
        """The class names that the reference loads."""
        return [f"{kind.__module__}:{kind.__name__}" for kind in self.rules]


SCENARIOS = {
    "late-webhook": Scenario(
        f"each webhook is sent {LATE_S:.0f} seconds after the change that it reports", (DelayedEvents,)
    ),
    "duplicate-webhook": Scenario("each webhook is sent twice, with the same event id", (DoubledEvents,)),
    "conflict": Scenario(
        "409: a business charge is paid just before it is canceled; every second new transfer meets a used key",
        (PaidBeforeCancel, SecondTransferConflicts),
    ),
    "expiry": Scenario(
        f"business charges expire after {SHORT_LIFE_S} seconds, with every value of expires_in_seconds", (ShortLives,)
    ),
    "rate-limit": Scenario(
        f"429 with Retry-After beyond {CALLS_PER_SECOND} requests per second and credential", (Limited,)
    ),
    "slow-bank": Scenario(
        f"each response takes {SLOW_ANSWER_S:.0f} second, a transfer is pending for {SLOW_APPROVAL_S:.0f} seconds",
        (SlowBank,),
    ),
}
