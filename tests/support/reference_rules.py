"""Rules of servers that tests of whole runs need, and no mutant or variant has."""

import asyncio
from typing import Any

from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.events import EVENT_OF_STATUS
from pix_conformance.sandbox.difference import setting
from pix_conformance.sandbox.mutants.schema import SENT_WITH

MANY = 15
ENDS = {(Api.PAYMENTS, "charge"): "unpaid_status", (Api.PAYMENTS, "transfer"): "overdrawn_status"}
"""By kind of object, the setting that names the status in which the reference ends one without a request."""
KINDS = {"transaction": "charge", "transfer": "transfer"}
"""By the first word of an event, the object that it is about."""


class DescriptionsOfTen(PaymentsRules):
    """Accepts descriptions of charges of at most ten characters."""

    charge_description_limit = 10


class LosesTrailingZero(PaymentsRules):
    """Writes 1234.50 as 1234.5, and 1234.00 as it is: only some balances show it."""

    def money_text(self, cents: int) -> str:
        """Return cents as reais."""
        text = super().money_text(cents)
        return text if text.endswith("00") else text.removesuffix("0")


class HoldsEventsOfMany(PaymentsRules):
    """A right server: no event leaves for four seconds, from the first one that 15 webhooks are to receive."""

    held_until = 0.0

    def event_delay(self) -> float:
        """Seconds until events leave."""
        if len(self.store.rows("webhook", "id")) < MANY:
            return super().event_delay()
        self.held_until = self.held_until or self.clock.now() + 4
        return max(0.0, self.held_until - self.clock.now())


class RefusesMeanwhile(PaymentsRules):
    """A right server: its bank refuses each transfer soon after the approval, during a completion."""

    transfer_incompletable = (*PaymentsRules.transfer_incompletable, "refused")

    async def pause(self, call: Call, place: str) -> None:
        """Take longer than the bank."""
        await super().pause(call, place)
        await asyncio.sleep(0.5 if place == "complete" else 0)

    async def approve(self, transfer: dict[str, Any]) -> None:
        """Let the bank refuse the transfer, completed or not."""
        await super().approve(transfer)
        await asyncio.sleep(0.3)
        self.store.update("transfer", {"status": "refused"}, id=transfer["id"], status=self.transfer_approved_status)


class CompletionRefuses(PaymentsRules):
    """A wrong server: its bank refuses exactly the completed transfers."""

    async def complete_transfer(self, call: Call) -> Answer:
        """Refuse it."""
        transfer = self.completable(call)
        self.store.update("transfer", {"status": "refused"}, id=transfer["id"])
        raise self.not_completable(transfer)


class PaymentsWithoutEvents(PaymentsRules):
    """Sends no event."""

    event_copies = 0


class BusinessWithoutEvents(BusinessRules):
    """Sends no event."""

    event_copies = 0


def sending(event: str) -> type:
    """Return rules of the payments API with the settings that make the reference send an event.

    An approval takes as long as a query needs on a busy machine to see the status before it.
    """
    return setting("", approval_seconds=0.5, **SENT_WITH.get(event, {})).rules(PaymentsRules)


def leading_to(api: Api, kind: str, status: str) -> dict[str, Any]:
    """Return the settings with which the reference brings an object to a status that no request leads to.

    They are those of its event in `SENT_WITH`, with this status, else the one of `ENDS`.
    """
    events = {(KINDS[word], name): event for (word, name), event in EVENT_OF_STATUS.items()}
    sent_with = SENT_WITH.get(events.get((kind, status), ""), {}) if api is Api.PAYMENTS else {}
    statuses = states_of(api)[kind].statuses
    settings = {name: status if value in statuses else value for name, value in sent_with.items()}
    return settings or {ENDS[api, kind]: status}


def closed(operations: str) -> type:
    """Return rules without some operations, such as `payments.get_balance+pay_charge`: each is answered 501."""
    api, _, names = operations.partition(".")
    rules: type = PaymentsRules if api == "payments" else BusinessRules
    words = {"error": "NOT_IMPLEMENTED", "message": "not implemented"} if api == "payments" else {"detail": "none"}

    async def refuse(_rules: Any, _call: Call) -> Answer:
        return Answer(501, words)

    return type("Closed", (rules,), dict.fromkeys(names.split("+"), refuse))


class PaymentsWithMark(PaymentsRules):
    """Sends a byte order mark before every body, also of events."""

    def encode(self, call: Call, body: Any) -> bytes:
        """Return the bytes of a response body."""
        return b"\xef\xbb\xbf" + super().encode(call, body)

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Return the bytes of an event."""
        return b"\xef\xbb\xbf" + super().encode_event(payload)


class BusinessWithMark(BusinessRules):
    """Sends a byte order mark before every body, also of events."""

    def encode(self, call: Call, body: Any) -> bytes:
        """Return the bytes of a response body."""
        return b"\xef\xbb\xbf" + super().encode(call, body)

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Return the bytes of an event."""
        return b"\xef\xbb\xbf" + super().encode_event(payload)
