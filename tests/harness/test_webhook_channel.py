"""Whether deliveries reach the receiver: decided once, by any one delivery, and explained in one line."""

import json
import re
import ssl
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.checks.matchers import read
from pix_conformance.harness.events import (
    await_event,
    sends,
    sends_no_event,
    sends_no_second,
    wait_quiet_period,
)
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.receiver_reach import Arrivals, ReceiverReach
from pix_conformance.harness.webhook_channel import WebhookChannel, webhook_channels
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.reception import ReceiverSettings
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Outcome, Secret
from pix_conformance.receiver import ListeningPort, Receiver
from pix_conformance.recording.facts import Concluded, Ended, Facts
from pix_conformance.recording.owners import OwnDeliveries
from pix_conformance.recording.recorder import Recorder
from pix_conformance.verdicts.evidence import SAID_UNSEEN
from pix_conformance.verdicts.messages import notices_of_events
from tests.support.conclusions import mismatch
from tests.support.exchanges import exchange
from tests.support.judged_facts import result

SECRETS = {Api.BUSINESS: Secret("s3cret-of-it")}
HERE = Settings(
    Target("here", "http://127.0.0.1:1", webhook_secrets=SECRETS), receiver=ReceiverSettings(event_deadline=0.3)
)
OF_EVENTS = "PAY-EVT-32"
"""A requirement that every event shows, and no test asks."""
SILENCE = "no event of the payments API came within 0.3 s, so a missing event proves nothing"
AFAR = replace(
    HERE,
    target=replace(HERE.target, base_url="https://pix.example.com"),
    receiver=replace(HERE.receiver, listen="192.0.2.7:8443"),
)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


def channel_at(
    receiver: Receiver | None, settings: Settings, api: Api = Api.PAYMENTS, arrivals: Arrivals | None = None
) -> WebhookChannel:
    own = OwnDeliveries(Recorder())
    return webhook_channels(ReceiverReach(receiver, settings.reception, own, arrivals or Arrivals()), Waits())[api]


def reach(
    receiver: Receiver | None, settings: Settings, api: Api = Api.PAYMENTS, arrivals: Arrivals | None = None
) -> WebhookChannel:
    channel = channel_at(receiver, settings, api, arrivals)
    channel.expect_event_after(exchange(status=0, api=api, started=time.time()))
    return channel


def facts_of(channel: WebhookChannel) -> Facts:
    return channel.own.recorder.facts


def post(receiver: Receiver, url: str, body: bytes = b"{}") -> None:
    trusting = ssl.create_default_context(cadata=(receiver.port.certificate or b"").decode())
    urllib.request.urlopen(urllib.request.Request(url, body), context=trusting).close()  # noqa: S310  # our receiver


def test_any_one_delivery_proves_it(receiver: Receiver) -> None:
    post(receiver, receiver.new_path(api="payments").url)
    channel = reach(receiver, AFAR)
    channel.require_reachable()
    assert not channel.no_delivery_seen
    assert channel.unavailable_reason() is None


@pytest.mark.parametrize(
    ("api", "has_receiver", "words"),
    [
        (Api.PAYMENTS, True, r"only this machine.*--receiver-url"),
        (Api.BUSINESS, True, r"https://127.0.0.1:\d+/business"),
        (Api.PAYMENTS, False, "--receiver-listen"),
    ],
)
def test_a_remote_target_cannot_reach_a_loopback_address_or_none(
    receiver: Receiver, api: Api, words: str, *, has_receiver: bool
) -> None:
    with pytest.raises(Inconclusive, match=words):
        reach(receiver if has_receiver else None, AFAR, api).require_reachable()


def test_the_embedded_reference_is_at_fault_itself(receiver: Receiver) -> None:
    channel = reach(receiver, replace(HERE, target=replace(HERE.target, embedded=True)))
    channel.require_reachable()
    assert channel.no_delivery_seen
    assert channel.unavailable_reason() == SILENCE
    with pytest.raises(Inconclusive, match="a missing event proves nothing"):
        wait_quiet_period(channel)


def test_a_target_that_sent_other_events_is_at_fault_itself(receiver: Receiver) -> None:
    """Its payments webhooks have addresses of the suite's own; its business endpoint may be another one."""
    post(receiver, receiver.new_path(api="business").url)
    reach(receiver, HERE).require_reachable()


def test_a_target_with_another_business_endpoint_may_be_right(receiver: Receiver) -> None:
    post(receiver, receiver.new_path(api="payments").url)
    with pytest.raises(Inconclusive, match=f"to {receiver.url}/business within .*: is this the endpoint"):
        reach(receiver, HERE, Api.BUSINESS).require_reachable()


def test_a_target_on_this_machine_may_be_in_a_container(receiver: Receiver) -> None:
    """If nothing at all came, both APIs have the same reason, which says what to try."""
    told = []
    for api in Api:
        with pytest.raises(Inconclusive) as raised:
            reach(receiver, HERE, api).require_reachable()
        told.append(str(raised.value))
    assert told[0] == told[1]
    assert f"no webhook came to {receiver.url}, nor of the business API to {receiver.url}/business," in told[0]
    assert f"try: curl -i -k {receiver.url}/" in told[0]


def test_a_late_event_takes_back_that_none_came(receiver: Receiver) -> None:
    channel = reach(receiver, HERE)
    facts = facts_of(channel)
    with pytest.raises(Inconclusive) as raised:
        channel.require_reachable()
    outcome, why = Outcome.INCONCLUSIVE, raised.value.why
    ids = ("PAY-EVT-10",)
    facts.add(Ended(test="a test", requirements=ids, outcome=outcome, reason=str(raised.value), why=why))
    channel.look_again()
    facts.add(Concluded(capabilities=("receiver",)))
    assert result(facts, "PAY-EVT-10").reason == result(facts, OF_EVENTS).reason == str(raised.value)
    post(receiver, receiver.new_path(api="payments").url)

    channel.require_reachable()
    assert not channel.no_delivery_seen
    assert channel.timing.deadline > HERE.receiver.event_deadline
    channel.look_again()
    late = r"1 webhook of the payments API came late, after the 0.3 s of --event-deadline: up to \d.\d s"
    assert re.fullmatch(late, result(facts, "PAY-EVT-10").reason)
    notices = list(notices_of_events(facts))
    assert [re.fullmatch(f"{late} after the request", line) is not None for line in notices] == [True]
    assert result(facts, OF_EVENTS).reason == SAID_UNSEEN


def test_a_webhook_of_another_worker_shows_that_events_arrive(receiver: Receiver, tmp_path: Path) -> None:
    """A missing event is the target's fault then, and no fact says that none could be seen."""
    with Receiver() as silent:
        early, late = (reach(silent, HERE, arrivals=Arrivals(tmp_path)) for _ in range(2))
        with pytest.raises(Inconclusive):
            early.require_reachable()
        post(receiver, receiver.new_path(api="payments").url)
        reach(receiver, HERE, arrivals=Arrivals(tmp_path)).require_reachable()
        for channel in (early, late):
            channel.require_reachable()
            assert not channel.no_delivery_seen
            channel.look_again()
            assert facts_of(channel).no_events == []


def test_a_failed_handshake_is_named_for_a_local_target_too(receiver: Receiver) -> None:
    url = receiver.new_path(api="payments").url
    with pytest.raises(OSError, match="certificate"):
        urllib.request.urlopen(url, b"{}").close()  # noqa: S310  # our receiver
    with pytest.raises(Inconclusive, match=r"TLS handshake failed.*--receiver-tls"):
        reach(receiver, HERE).require_reachable()


def test_the_public_address_is_probed() -> None:
    with Receiver(ListeningPort(public_url="https://127.0.0.1:9")) as receiver:
        channel = reach(receiver, replace(HERE, receiver=replace(HERE.receiver, url="https://127.0.0.1:9")))
        with pytest.raises(Inconclusive, match="does not reach the receiver"):
            channel.require_reachable()


def test_the_answer_is_the_same_each_time_and_waited_for_once(receiver: Receiver) -> None:
    channel = reach(receiver, AFAR)
    with pytest.raises(Inconclusive):
        channel.require_reachable()
    begun = time.monotonic()
    with pytest.raises(Inconclusive):
        channel.require_reachable()
    assert channel.wait_for(lambda _: True, time.time()) == []
    assert time.monotonic() - begun < 0.1
    channel.look_again()
    assert len(list(notices_of_events(facts_of(channel)))) == 1


def test_business_events_without_a_secret_are_not_applicable(receiver: Receiver) -> None:
    channel = reach(receiver, replace(AFAR, target=replace(AFAR.target, webhook_secrets={})), Api.BUSINESS)
    with pytest.raises(NotApplicable, match="PIX_BUSINESS_WEBHOOK_SECRET"):
        channel.require_reachable()
    channel.look_again()
    assert [(fact.api, fact.outcome) for fact in facts_of(channel).no_events] == [
        (Api.BUSINESS, Outcome.NOT_APPLICABLE)
    ]
    assert not list(notices_of_events(facts_of(channel)))


@pytest.mark.parametrize(
    ("slowest", "window", "deadline"),
    [(0, 1, 10), (0.1, None, 10), (3, 7, None), (6, None, 13), (20, 10, None), (25, None, 30)],
)
def test_a_target_with_slow_events_has_a_longer_quiet_period_and_deadline(
    slowest: float, window: float | None, deadline: float | None
) -> None:
    channel = reach(None, replace(HERE, receiver=ReceiverSettings(event_deadline=10)))
    channel.timing.slowest = slowest
    assert window in {None, channel.timing.quiet_seconds}
    assert deadline in {None, channel.timing.deadline}


def test_a_sender_that_the_receiver_delays_has_a_longer_deadline(receiver: Receiver) -> None:
    channel = reach(receiver, HERE)
    receiver.busy_until = time.time() + 0.5
    begun = time.monotonic()
    assert channel.wait_for(lambda _: True, time.time()) == []
    assert time.monotonic() - begun > 0.7


DEADLINE_S = 0.05


class ReceiverOf:
    """A receiver that has a list of deliveries, and never waits."""

    handshake_failures: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    url = "https://127.0.0.1:1"
    busy_until = 0.0

    def __init__(self, deliveries: list[Delivery]) -> None:
        self._deliveries = deliveries
        self.log = self

    def deliveries(self) -> list[Delivery]:
        return self._deliveries

    def wait_for(self, wanted: Any, seconds: float, count: int = 1, since: float = 0.0) -> list[Delivery]:
        del seconds, count
        return [delivery for delivery in self._deliveries if delivery.received >= since and wanted(delivery)]


@dataclass
class FakeWebhook:
    """An address of that receiver."""

    came: list[Delivery]
    in_words: str = "a webhook"
    channel: WebhookChannel = field(init=False)

    def __post_init__(self) -> None:
        settings = Settings(Target("here", "http://localhost:1"), receiver=ReceiverSettings(event_deadline=DEADLINE_S))
        receiver: Any = ReceiverOf(self.came)
        self.channel = channel_at(receiver, settings)
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
PAYMENT = exchange({}, operation="pay_charge", started=NOW)


def delivery(number: int, name: str = "transaction_paid", *, late_s: float = 0.5, event_id: str = "e-1") -> Delivery:
    body = json.dumps({"id": event_id, "event": name, "transaction": {"id": "c-1"}}).encode()
    return Delivery(number, "/webhook", "POST", NOW + late_s, (), body, api=Api.PAYMENTS)


def test_an_event_that_came_before_its_cause_was_not_sent_by_it() -> None:
    webhook = FakeWebhook([delivery(1, late_s=-1)])
    relation = sends("transaction_paid", to=webhook, about=Charge()).after(PAYMENT)
    assert (
        mismatch(relation, PAYMENT)
        == f"no transaction_paid came to a webhook within {webhook.channel.timing.deadline:g} s"
    )
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
