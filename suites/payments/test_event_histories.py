"""All events of the run, held against all that was done to what they are about (payments.md, lines 314-352)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.payments.account import LAST
from fixtures.payments.event_subjects import Subjects
from fixtures.payments.events import PaymentsEvents
from pix_conformance.checks.matchers import computed
from pix_conformance.checks.payments.event_history import Found, Histories
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import case, requirement
from pix_conformance.harness.run import Run
from pix_conformance.model.vocabulary import Role

pytestmark = pytest.mark.looks_back


@pytest.fixture(scope="module")
def histories(payments_events: PaymentsEvents) -> Histories:
    """Return what is known of the run's charges and transfers once every event that may come has come."""
    payments_events.channel.wait_quiet_period()
    return Histories(payments_events.run.ledger.exchanges, payments_events.deliveries_with_event)


def hold(story: PaymentsEvents, question: str, found: Found) -> None:
    """Hold the delivery that is wrong, or else the payment of the story, to the question."""
    subject, problem = found or (story.payment, None)
    expect(replace(subject, run=story.run.ledger), computed(question, problem))


@deferred(LAST)
@pytest.mark.parametrize(
    "event",
    [
        case("PAY-EVT-01", "transaction_created", id="transaction_created"),
        case("PAY-EVT-02", "transaction_paid", id="transaction_paid"),
        case("PAY-EVT-03", "transfer_created", id="transfer_created"),
        case("PAY-EVT-04", "transfer_completed", id="transfer_completed"),
        case("PAY-EVT-05", "transfer_updated", id="transfer_updated"),
    ],
)
def test_every_change_has_its_event(payments_events: PaymentsEvents, histories: Histories, event: str) -> None:
    """Of each charge and transfer, whatever else was sent with it, and also when it is done once more."""
    there = payments_events.webhook_all_events
    lost = histories.unheard(event, there.path.deliveries(), there.record.ended)
    lasting = lost if lost and not payments_events.is_event_delivered_on_repeat(event, lost) else None
    subject = lasting.cause if lasting else there.record
    expect(subject, computed("each change is announced", lasting and lasting.problem))


@deferred(LAST)
@requirement("PAY-EVT-18")
def test_no_refused_payment_is_announced(payments_events: PaymentsEvents, histories: Histories) -> None:
    """Whyever it was refused, and whoever asked for it."""
    hold(payments_events, "what was refused is not announced", histories.groundless())


@deferred(LAST)
@pytest.mark.parametrize(
    "kind", [case("PAY-EVT-48", "transaction", id="transaction"), case("PAY-EVT-68", "transfer", id="transfer")]
)
def test_every_event_has_the_amount_that_was_asked_for(
    payments_events: PaymentsEvents, histories: Histories, kind: str
) -> None:
    """However small or large."""
    hold(payments_events, "its amount is the one asked for", histories.misstated(kind))


@deferred(LAST)
@pytest.mark.parametrize(
    "kind", [case("PAY-EVT-49", "transaction", id="transaction"), case("PAY-EVT-69", "transfer", id="transfer")]
)
def test_no_event_says_what_came_to_nothing_of_what_did_not(
    payments_events: PaymentsEvents, histories: Histories, kind: str
) -> None:
    """A query long afterwards shows another status."""
    hold(payments_events, "its status is one that it has had", histories.undone(kind))


@deferred(LAST)
@pytest.mark.parametrize(
    "event",
    [
        case("PAY-EVT-54", "transaction_paid", id="transaction_paid"),
        case("PAY-EVT-73", "transfer_completed", id="transfer_completed"),
    ],
)
def test_every_event_of_an_end_has_its_end_to_end_id(
    payments_events: PaymentsEvents, histories: Histories, event: str
) -> None:
    """As the answer said that ended it."""
    hold(payments_events, "its endToEndId is the answer's", histories.misnamed(event))


@deferred(LAST)
@requirement("PAY-ISO-08")
def test_no_webhook_hears_of_another_account(payments_events: PaymentsEvents, histories: Histories) -> None:
    """Of none of its charges and transfers."""
    mine, (theirs, _) = payments_events.webhook_all_events, payments_events.foreign_webhook_and_charge
    hold(payments_events, "nothing of theirs comes", histories.foreign(mine.path.deliveries(), Role.MERCHANT))
    hold(payments_events, "nothing of ours comes", histories.foreign(theirs.path.deliveries(), Role.OTHER_MERCHANT))


@deferred(LAST)
@requirement("PAY-EVT-94")
def test_every_event_is_about_something_that_exists(payments_events: PaymentsEvents, run: Run) -> None:
    """The charge or transfer of an event can be queried, whoever created it; twenty that this run did not are."""
    payments_events.channel.wait_quiet_period()
    subject, problem = Subjects(payments_events, run).missing()
    expect(subject, computed("the charge or transfer of the event can be queried", problem))
