"""What a request causes at the receiver: `sends`, `sends_no_event` and `sends_no_second`, on a scripted receiver."""

import json
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from pix_conformance.checks.matchers import read
from pix_conformance.harness.events import await_event, sends, sends_no_event, sends_no_second
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.harness.webhook_channel import ReceiverState, WebhookChannel
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.recording.recorder import Recorder
from tests.support.conclusions import mismatch

DEADLINE_S = 0.05


class ReceiverOf:
    """A receiver that has a list of deliveries, and never waits."""

    handshake_failures: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    url = "https://127.0.0.1:1"

    def __init__(self, deliveries: list[Delivery]) -> None:
        self._deliveries = deliveries
        self.log = self

    def wait_for(self, wanted: Any, seconds: float, count: int = 1) -> list[Delivery]:
        del seconds, count
        return list(filter(wanted, self._deliveries))


@dataclass
class FakeWebhook:
    """An address of that receiver."""

    came: list[Delivery]
    place: str = "a webhook"
    channel: WebhookChannel = field(init=False)

    def __post_init__(self) -> None:
        settings = Settings(Target("here", "http://localhost:1"), event_deadline=DEADLINE_S)
        receiver: Any = ReceiverOf(self.came)
        self.channel = WebhookChannel(Api.PAYMENTS, ReceiverState(receiver, settings, Recorder(), Waits()))
        self.channel.expect_event_after(PAYMENT)

    def took(self, delivery: Delivery) -> bool:
        return delivery.path == "/webhook"

    def deliveries(self) -> list[Delivery]:
        return list(filter(self.took, self.came))


class Charge:
    """The charge of the id c-1."""

    def may_be_subject_of(self, delivery: Delivery) -> bool:
        return self.is_named_in(delivery)

    def is_named_in(self, delivery: Delivery) -> bool:
        return bool(delivery.json["transaction"]["id"] == "c-1")


NOW = time.time()
PAYMENT = Exchange(
    1, Api.PAYMENTS, Role.MERCHANT, "pay_charge", None, NOW, 1.0, Request("POST", "/", ()), Response(200, (), b"{}", 2)
)


def delivery(number: int, name: str = "transaction_paid", *, late_s: float = 0.5, event_id: str = "e-1") -> Delivery:
    body = json.dumps({"id": event_id, "event": name, "transaction": {"id": "c-1"}}).encode()
    return Delivery(number, "/webhook", "POST", NOW + late_s, (), body, api=Api.PAYMENTS)


def test_an_event_that_came_before_its_cause_was_not_sent_by_it() -> None:
    webhook = FakeWebhook([delivery(1, late_s=-1)])
    relation = sends("transaction_paid", to=webhook, about=Charge()).after(PAYMENT)
    assert mismatch(relation, PAYMENT) == f"no transaction_paid came to a webhook within {webhook.channel.deadline:g} s"
    with pytest.raises(Inconclusive, match="no transaction_paid came to a webhook \\(exchange 1\\)"):
        await_event("transaction_paid", to=webhook, about=Charge(), cause=PAYMENT)


def test_a_recorded_relation_to_deliveries_gives_the_same_verdict_again() -> None:
    came = delivery(7)
    relation = sends_no_event(to=FakeWebhook([came]), about=Charge()).after(PAYMENT)
    again = read(json.loads(json.dumps(relation.to_dict())), {"delivery 7": came}.__getitem__)
    assert mismatch(again, PAYMENT) == "a transaction_paid came to a webhook (delivery 7)"


def test_an_event_that_is_sent_again_is_no_second_event() -> None:
    same, other = [delivery(1), delivery(2)], [delivery(1), delivery(2, event_id="e-2")]
    for came, problem in ((same, None), (other, "a second transaction_paid came, with another id (delivery 2)")):
        relation = sends_no_second("transaction_paid", to=FakeWebhook(came), about=Charge()).after(PAYMENT)
        assert mismatch(relation, PAYMENT) == problem
