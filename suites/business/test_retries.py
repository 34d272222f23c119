"""Attempts to deliver an event that was refused, left unanswered or accepted.

The events are caused when the run starts, and the attempts judged when all other tests are done: that gives them as
much time as the run takes, and the embedded reference's clock is turned far for the rest.
"""

from collections.abc import Callable, Iterator

import pytest

from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

pytestmark = pytest.mark.watches(LONGEST_WATCH_S)
DIFFERENT_SECONDS_S = 2.0
"""Seconds after which an attempt that is signed again has another t."""
LONGEST_FIRST_PAUSE = "no second attempt came while it was watched; the first pause may be 300 s long"


@deferred(AT_THE_END)
@requirement("BUS-RETRY-05")
def test_a_call_without_a_response_is_given_up_in_time(retry_watch: RetryWatch, run: Run) -> Iterator[None]:
    """The sender closes the connection of a webhook call to which the receiver does not respond within 10 seconds."""
    yield
    relayed = run.receiving.receiver is None or run.receiving.receiver.url != run.receiving.receiver.listening_url
    expect(retry_watch.unanswered[0], given_up_in_time(relayed=relayed))


@deferred(AT_THE_END)
@requirement("BUS-RETRY-01")
def test_an_event_that_is_answered_with_500_is_attempted_again(retry_watch: RetryWatch) -> Iterator[None]:
    """A created event to which the receiver responds with 500 each time is sent more than once."""
    yield
    attempts, copies = retry_watch.refused, retry_watch.usual_copies
    if len(attempts.seen) <= copies and attempts.seen and not attempts.ended:
        raise Inconclusive(LONGEST_FIRST_PAUSE)
    expect(attempts.first, attempted_again(attempts.seen, copies, "in more than 300 s"))


@deferred(AT_THE_END)
@requirement("BUS-RETRY-01")
@pytest.mark.parametrize("event", [PAID, CANCELED])
def test_a_paid_or_canceled_event_that_is_answered_with_500_is_attempted_again(
    refused_events: RefusedEvents, retry_watch: RetryWatch, event: str
) -> Iterator[None]:
    """A paid or canceled event to which the receiver responds with 500 once is sent again, as a created event is."""
    yield
    charge = refused_events.paid if event == PAID else refused_events.canceled
    expect_second_attempt(retry_watch, charge.value, event)


@deferred(AT_THE_END)
@requirement("BUS-RETRY-01")
def test_an_event_that_is_answered_with_503_is_attempted_again(
    refused_events: RefusedEvents, retry_watch: RetryWatch
) -> Iterator[None]:
    """A created event to which the receiver responds with 503 once is sent again, as after 500."""
    yield
    expect_second_attempt(retry_watch, refused_events.refused_once.value[503], CREATED)


@deferred(AT_THE_END)
@requirement("BUS-RETRY-14")
@pytest.mark.parametrize("status", DOUBTFUL_STATUSES)
def test_whether_an_event_that_is_answered_with_another_status_is_attempted_again_is_noted(
    refused_events: RefusedEvents, retry_watch: RetryWatch, status: int, observe: Observer
) -> Iterator[None]:
    """A created event to which the receiver responds with 302, 404 or 429 once may be sent again or not."""
    yield
    attempts = decided_attempts(retry_watch, refused_events.refused_once.value[status], CREATED)
    again = "again" if len(attempts) > 1 else "not again"
    observe("BUS-RETRY-14", f"after {status} an event is sent {again}", again, *attempts[:2])


def expect_second_attempt(retry_watch: RetryWatch, charge: ReportedCharge, event: str) -> None:
    """Expect an event that was refused once to be sent again; asked if the one that is always answered 500 was."""
    attempts = decided_attempts(retry_watch, charge, event)
    words = f"after {attempts[0].answered}, as it did of a creation after 500"
    expect(attempts[0], attempted_again(attempts, 1, words))


def decided_attempts(retry_watch: RetryWatch, charge: ReportedCharge, event: str) -> list[Delivery]:
    """Return the attempts at an event that was refused once; NotApplicable while a second one may still come."""
    refused = retry_watch.refused
    attempts = attempts_after_refusal(retry_watch.endpoint, charge, event)
    if attempts[0].answered == ACCEPTED or retry_watch.copies > 1:
        raise NotApplicable("it was not refused, or comes more than once anyway")
    soon = retry_watch.turnable or retry_watch.outlasts(next(iter(refused.pauses), None))
    if len(attempts) == 1 and not (soon and len(refused.seen) > 1):
        raise NotApplicable("no second attempt came within the time")
    return attempts


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    "relation",
    [
        case("BUS-RETRY-02", lambda a: not_attempted_too_often(a.seen, a.copies, ended=a.ended), id="number"),
        case("BUS-RETRY-03", lambda a: pauses_double(a.pauses, a.copies, a.late_s), id="doubled"),
        case("BUS-RETRY-04", lambda a: no_pause_beyond_the_longest(a.pauses, a.late, ended=a.ended), id="longest"),
    ],
)
def test_the_attempts_at_an_event_are_few_and_their_pauses_double(
    retry_watch: RetryWatch, relation: Callable[..., Relation]
) -> Iterator[None]:
    """An event answered with 500 is attempted 8 times at most; its pauses double, and none is longer than 300 s."""
    yield
    attempts = retry_watch.refused
    expect(attempts.last, relation(attempts))


@deferred(AT_THE_END)
@requirement("BUS-RETRY-06")
def test_a_call_that_was_given_up_is_attempted_again(retry_watch: RetryWatch) -> Iterator[None]:
    """An event to which the receiver did not respond is sent again, as after a refusal."""
    yield
    first = retry_watch.unanswered[0]
    if first.left_s is None:
        raise Inconclusive("the call was not seen to be given up")
    attempts = retry_watch.after_silence()
    pause = next(iter(retry_watch.refused.pauses), None)
    if len(attempts) == 1 and not retry_watch.turnable and not retry_watch.outlasts(pause):
        raise Inconclusive(LONGEST_FIRST_PAUSE)
    while_watched = f"while it was watched, as after a refusal in {pause or 0:.1f} s"
    watched = "in more than 300 s" if retry_watch.turnable else while_watched
    expect(first, attempted_again(attempts, 1, watched))


@deferred(AT_THE_END)
@requirement("BUS-RETRY-09")
def test_an_attempt_after_a_change_has_the_data_of_before(
    refused_events: RefusedEvents, retry_watch: RetryWatch
) -> Iterator[None]:
    """A created event that was answered 500, and that is sent again once the charge is paid, carries the same data."""
    yield
    _ = retry_watch.refused.first
    attempts = attempts_after_refusal(retry_watch.endpoint, refused_events.paid_meanwhile.value, CREATED)
    if len(attempts) == 1:
        raise NotApplicable("unseen: no second attempt came within the time")
    expect(attempts[-1], same_in_each_attempt(attempts, "type", "data"))


SAME_FIELDS = [
    case("BUS-RETRY-07", ("id",), id="id"),
    case("BUS-RETRY-09", ("type", "data"), id="type-and-data"),
    case("BUS-EVT-06", ("type",), id="type"),
    case("BUS-EVT-12", ("data.amount_cents",), id="amount_cents"),
    case("BUS-EVT-13", ("data.external_ref",), id="external_ref"),
]


@deferred(AT_THE_END)
@pytest.mark.parametrize("event", [CREATED, PAID])
@pytest.mark.parametrize("paths", SAME_FIELDS)
def test_every_attempt_at_an_event_is_the_same_event(
    refused_events: RefusedEvents, retry_watch: RetryWatch, paths: tuple[str, ...], event: str
) -> Iterator[None]:
    """Every attempt at a created or a paid event carries the same id, type and data: a receiver can recognize it."""
    yield
    _, attempts = retry_watch.refused.first, retry_watch.refused.seen
    if event == PAID:
        attempts = attempts_after_refusal(retry_watch.endpoint, refused_events.paid.value, PAID)
    if len(attempts) == 1:
        raise NotApplicable("unseen: no second attempt came within the time")
    expect(attempts[-1], same_in_each_attempt(attempts, *paths))


@deferred(AT_THE_END)
@requirement("BUS-EVT-14")
def test_every_attempt_at_a_paid_event_has_the_same_e2e_id(
    refused_events: RefusedEvents, retry_watch: RetryWatch
) -> Iterator[None]:
    """Every attempt at a paid event carries the same data.e2e_id: the receiver may credit by that of any attempt."""
    yield
    _ = retry_watch.refused.first
    deliveries = attempts_after_refusal(retry_watch.endpoint, refused_events.paid.value, PAID)
    attempts = [delivery for delivery in deliveries if event_of(delivery, Api.BUSINESS) == PAID]
    if len(attempts) == 1:
        raise NotApplicable("unseen: no second attempt came within the time")
    expect(attempts[-1], same_in_each_attempt(attempts, "data.e2e_id"))


@deferred(AT_THE_END)
@requirement("BUS-RETRY-08")
def test_an_event_that_is_answered_with_200_is_not_sent_again(business_events: BusinessEvents) -> Iterator[None]:
    """A created event to which the receiver responds with 200 comes once."""
    yield
    endpoint, creation = business_events.endpoint, business_events.creation_without_key.value
    wait_quiet_period(endpoint.channel)
    expect(creation.event_at(endpoint), is_not_sent_again(endpoint.deliveries_about(creation.about, CREATED)))


@deferred(AT_THE_END)
@pytest.mark.parametrize("status", ACCEPTING_STATUSES)
@pytest.mark.parametrize(
    "relation",
    [
        case("BUS-RETRY-08", lambda came, _: is_not_sent_again(came), id="once"),
        case("BUS-RETRY-13", ends_the_attempts, id="not-over-and-over"),
    ],
)
def test_an_event_that_is_answered_with_another_2xx_is_not_sent_again(
    webhook_endpoint: WebhookEndpoint, refused_events: RefusedEvents, status: int, relation: Callable[..., Relation]
) -> Iterator[None]:
    """A created event to which the receiver responds with 201, 202, 204 or 299 comes once, and not three times.

    Three deliveries are no repetition by chance, where every event that is answered 200 comes once.
    """
    charge = refused_events.accepted.value[status]
    yield
    wait_quiet_period(webhook_endpoint.channel)
    event = await_event(CREATED, to=webhook_endpoint, about=charge, cause=charge.created)
    most = most_repetitions(webhook_endpoint.deliveries())
    expect(event, relation(webhook_endpoint.deliveries_about(charge, CREATED), most))


@deferred(AT_THE_END)
@requirement("BUS-SIG-08")
def test_the_time_in_the_signature_of_a_repeated_attempt_is_noted(
    retry_watch: RetryWatch, observe: Observer
) -> Iterator[None]:
    """The t of X-Service-Signature in the first and the last attempt at an event that is refused is noted."""
    yield
    first, last = retry_watch.refused.first, retry_watch.refused.last
    if last.received - first.received < DIFFERENT_SECONDS_S:
        raise NotApplicable("unseen: no two attempts came in different seconds")
    times = [signature.parse(attempt.header(PROFILES[Api.BUSINESS].signature_header)).t for attempt in (first, last)]
    same = "that of the first attempt" if times[0] == times[1] else "another one"
    observe("BUS-SIG-08", f"the t of a repeated attempt is {same}", same, first, last)


@deferred(AT_THE_END)
@requirement("BUS-RETRY-10")
def test_the_first_pause_is_noted(retry_watch: RetryWatch, observe: Observer) -> Iterator[None]:
    """The pauses between the attempts at an event that is always answered 500 are noted, the first above all."""
    yield
    attempts = retry_watch.refused
    if not attempts.pauses or attempts.pauses[0] is None:
        raise NotApplicable(f"unseen: {describe_attempts(attempts.pauses)}")
    words = ", ".join(describe_pauses(attempts.pauses))
    observe("BUS-RETRY-10", f"pauses: {words} s", list(attempts.pauses), *attempts.seen[:2])
