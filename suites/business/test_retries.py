"""Redelivery: what follows a refusal, a silence and an acceptance (business.md, lines 164-168 and 194)."""

import pytest

from fixtures.business import retries as judge
from fixtures.business.event_scenario import ACCEPTING_STATUSES, REFUSING_STATUSES
from fixtures.business.events import ACCEPTED, BusinessEvents
from fixtures.business.retries import Attempts, Retries
from pix_conformance.checks.business.event_history import CANCELED, CREATED, PAID
from pix_conformance.checks.matchers import computed
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import Observer, expect, inconclusive, not_applicable
from pix_conformance.harness.requirement import requirement
from pix_conformance.harness.run import Run
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.vocabulary import Api

MANY = 3
"""Attempts that are no repetition by chance."""
LAST = 330
"""After everything that ages: the embedded reference's clock is turned far for this."""


@pytest.fixture(scope="session")
def retries(business_events: BusinessEvents, run: Run) -> Retries:
    """Return the watch over two events, planted when the run began."""
    target = run.target
    return Retries(business_events, run.clock, waiting=target.waiting, deadline=target.event_deadline)


@pytest.fixture(scope="session")
def silent(retries: Retries) -> list[Delivery]:
    """Return the attempts at the event that was left without an answer."""
    return retries.unanswered()


@pytest.fixture(scope="session")
def refused(retries: Retries, silent: list[Delivery]) -> Attempts:
    """Return the attempts at the event that is always answered 500, which are watched after the silence."""
    del silent
    attempts = retries.refused()
    if not attempts.seen:
        raise inconclusive("not tested: the event to be refused never came")
    return attempts


@deferred(LAST)
@requirement("BUS-RETRY-05")
def test_a_call_without_an_answer_is_given_up(silent: list[Delivery], run: Run) -> None:
    """After 10 seconds."""
    relayed = run.receiver is None or run.receiver.url != run.receiver.listening_url
    expect(silent[0], computed("it is given up after 10 s", judge.timeout_problem(silent[0], relayed=relayed)))


@deferred(LAST)
@requirement("BUS-RETRY-01")
def test_a_refused_delivery_is_attempted_again(refused: Attempts, retries: Retries) -> None:
    """The endpoint answered 500."""
    again = len(refused.seen) > retries.usual_copies
    if not again and not refused.ended:
        raise inconclusive("no second attempt came while it was watched; the first pause may be 300 s long")
    problem = None if again else "no second attempt came in more than 300 s"
    expect(refused.seen[0], computed("it is attempted again", problem))


@deferred(LAST)
@requirement("BUS-RETRY-01")
@pytest.mark.parametrize(
    ("event", "status"), [(PAID, 500), (CANCELED, 500), *((CREATED, one) for one in REFUSING_STATUSES)]
)
def test_a_refused_delivery_of_another_event_is_attempted_again(
    business_events: BusinessEvents, refused: Attempts, retries: Retries, event: str, status: int
) -> None:
    """As that of a creation was, which is refused each time; others were refused by other answers than 2xx."""
    attempts = business_events.attempts_after_refusal(event, status)
    if attempts[0].answered == ACCEPTED or retries.copies > 1:
        raise not_applicable("it was not refused, or comes more than once anyway")
    soon = retries.turnable or retries.outlasts(next(iter(refused.pauses), None))
    if len(attempts) == 1 and not (soon and len(refused.seen) > 1):
        raise not_applicable("no second attempt came within the time")
    problem = None if len(attempts) > 1 else f"no second attempt came after {status}, as it did of a creation after 500"
    expect(attempts[0], computed("it is attempted again", problem))


@deferred(LAST)
@requirement("BUS-RETRY-02")
def test_an_event_is_attempted_eight_times_at_most(refused: Attempts) -> None:
    """Each was answered 500."""
    expect(refused.seen[-1], computed("at most 8 attempts", judge.too_many_attempts(refused)))


@deferred(LAST)
@requirement("BUS-RETRY-03")
def test_each_pause_is_twice_the_one_before(refused: Attempts) -> None:
    """As far as the pauses were seen."""
    expect(refused.seen[-1], computed("pauses double", judge.doubling_problem(refused)))


@deferred(LAST)
@requirement("BUS-RETRY-04")
def test_no_pause_is_longer_than_five_minutes(refused: Attempts) -> None:
    """Up to the last attempt."""
    expect(refused.seen[-1], computed("no pause beyond 300 s", judge.too_long_pause(refused)))


@deferred(LAST)
@requirement("BUS-RETRY-06")
def test_a_call_given_up_is_attempted_again(retries: Retries, silent: list[Delivery]) -> None:
    """Silence is a failure as well."""
    if silent[0].left_s is None:
        raise inconclusive("the call was not seen to be given up")
    attempts = retries.after_silence()
    pause = next(iter(retries.refused().pauses), None)
    if len(attempts) == 1 and not retries.turnable and not retries.outlasts(pause):
        raise inconclusive("no second attempt came while it was watched; the first pause may be 300 s long")
    watched = (
        "in more than 300 s" if retries.turnable else f"while it was watched, as after a refusal in {pause or 0:.1f} s"
    )
    problem = None if len(attempts) > 1 else f"no second attempt came {watched}"
    expect(silent[0], computed("it is attempted again", problem))


@deferred(LAST)
@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(("id",), marks=requirement("BUS-RETRY-07"), id="id"),
        pytest.param(("type", "data"), marks=requirement("BUS-RETRY-09"), id="content"),
        pytest.param(("type",), marks=requirement("BUS-EVT-06"), id="type"),
        pytest.param(("data.amount_cents",), marks=requirement("BUS-EVT-12"), id="amount"),
        pytest.param(("data.external_ref",), marks=requirement("BUS-EVT-13"), id="label"),
    ],
)
@pytest.mark.parametrize("event", ["created", "paid"])
def test_every_attempt_carries_the_same(
    business_events: BusinessEvents, refused: Attempts, paths: tuple[str, ...], event: str
) -> None:
    """The receiver knows the event again."""
    attempts = refused.seen if event == "created" else business_events.attempts_after_refusal()
    if len(attempts) == 1:
        raise not_applicable("unseen: no second attempt came within the time")
    expect(attempts[-1], computed("attempts are the same event", judge.changed_fields(attempts, *paths)))


@deferred(LAST)
@requirement("BUS-EVT-14")
def test_every_attempt_at_a_payment_names_it(business_events: BusinessEvents, refused: Attempts) -> None:
    """The receiver may credit by the e2e_id of whichever attempt it takes."""
    del refused
    attempts = [one for one in business_events.attempts_after_refusal() if event_of(one, Api.BUSINESS) == PAID]
    if len(attempts) == 1:
        raise not_applicable("unseen: no second attempt came within the time")
    expect(attempts[-1], computed("attempts are of the same payment", judge.changed_fields(attempts, "data.e2e_id")))


@deferred(LAST)
@requirement("BUS-RETRY-08")
@pytest.mark.parametrize("status", [200, *ACCEPTING_STATUSES])
def test_an_accepted_event_is_not_sent_again(business_events: BusinessEvents, status: int) -> None:
    """Any 2xx accepts it."""
    business_events.channel.wait_quiet_period()
    found = business_events.accepted(status)
    problem = f"it came {len(found)} times" if len(found) > 1 else None
    expect(found[0], computed(f"an event answered {status} is not sent again", problem))


@deferred(LAST)
@requirement("BUS-RETRY-13")
@pytest.mark.parametrize("status", ACCEPTING_STATUSES)
def test_an_accepted_event_is_not_attempted_over_and_over(business_events: BusinessEvents, status: int) -> None:
    """Three attempts, where an event that is answered 200 comes once, are no repetition by chance."""
    business_events.channel.wait_quiet_period()
    found, most = business_events.accepted(status), max(business_events.repetitions())
    problem = f"it came {len(found)} times, any answered 200 once" if len(found) >= MANY and most == 1 else None
    expect(found[0], computed(f"{status} ends the attempts", problem))


@deferred(LAST)
@requirement("BUS-RETRY-10")
def test_how_long_the_first_pause_is(refused: Attempts, observe: Observer) -> None:
    """Between the first two attempts."""
    if not refused.pauses or refused.pauses[0] is None:
        raise not_applicable("unseen: no second attempt came within the time")
    words = ", ".join(judge.describe_pauses(refused.pauses))
    observe("BUS-RETRY-10", f"pauses: {words} s", list(refused.pauses), *refused.seen[:2])
