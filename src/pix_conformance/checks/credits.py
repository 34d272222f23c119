"""What an integration has credited an order with, after the deliveries of events."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import CLOSED_BEFORE_ANSWER, NOT_AWAITED, Exchange
from pix_conformance.model.vocabulary import SUCCESS
from pix_conformance.model.why import Why


@relation("the order has {expected} cents")
def credited(  # noqa: PLR0913  # a relation records what it compares as arguments
    event: Exchange,
    expected: int,
    before: int,
    after: int,
    deliveries: Sequence[str],
    *,
    events: Sequence[Exchange] = (),
    orders: Sequence[Exchange] = (),  # noqa: ARG001  # scripts read it
    paid: Sequence[bool] = (),  # noqa: ARG001  # likewise
    mistake: str = "",
    within_s: float = 0.0,
    control: Exchange | None = None,
) -> Problem:
    """Compare what an order is credited with after its events, in cents; `before` is what it was before them.

    `events` are all deliveries of the sequence, and `orders` the requests that created the charges of the orders that
    they are about, that of this order first, of which those that are `paid` were so: scripts do it again by them.
    `mistake` says what the endpoint does wrong, if that was seen; a credit is waited for so many seconds.
    `control` is the event of a payment alone that credited another order.
    """
    if after == expected:
        return None
    answers = events if len(events) == len(deliveries) else [event]
    first = len(deliveries) - len(answers)
    last = [f"{text}{_answer(answer)}" for text, answer in zip(deliveries[first:], answers, strict=True)]
    words = ", then ".join(_counted([*deliveries[:first], *last]))
    earlier = f" ({before} before)" if before else ""
    problem = f"{after} cents{earlier}, not {expected}, after {words}"
    other = f"; the event of a payment alone does credit an order ({control.evidence})" if control and not after else ""
    return ": ".join(filter(None, [mistake, f"the order is {_credit(after, expected, within_s)}", problem])) + other


@relation("the wallet has {expected} cents more")
def raises_wallet(_event: Exchange, expected: int, before: int, after: int, events: Sequence[Exchange]) -> Problem:
    """Compare the cents of a wallet before and after the events of several payments, which are `expected` together."""
    if after - before == expected:
        return None
    rise = f"the wallet rose by {after - before} cents, from {before} to {after}"
    return (
        f"{rise}, after the events of {len(events)} payments of {expected} cents in all: was one of them overwritten?"
    )


def _credit(after: int, expected: int, within_s: float) -> str:
    """Say what is wrong with what an order is credited with."""
    if not expected:
        return "credited, and should not be"
    if not after:
        return f"not credited within {within_s:g} s (--within)" if within_s else "not credited"
    times, rest = divmod(after, expected)
    if rest:
        return "credited with another amount"
    return f"credited {'twice' if times == 2 else f'{times} times'}"  # noqa: PLR2004  # the word for two times


def _counted(texts: Sequence[str]) -> Iterator[str]:
    """Yield what was delivered, with how often it was so several times in a row."""
    for text, group in groupby(texts):
        count = len(list(group))
        yield text if count == 1 else f"{text}, {count} times"


def _answer(event: Exchange) -> str:
    """Say how a delivery was answered; nothing of one whose connection the suite has closed."""
    if event.fault == CLOSED_BEFORE_ANSWER:
        return ""
    return f" (the endpoint answered {event.status})" if event.status else " (the endpoint did not answer)"


@relation("the order is not credited")
def credits_nothing(_exchange: Exchange, after: int, words: str) -> Problem:
    """Report a credit of an order that is not paid: `after` is in cents, `words` say why the order is not paid."""
    return f"the order is credited with {after} cents, though {words}" if after else None


@relation("the answer comes within {seconds} seconds")
def answered_within(event: Exchange, seconds: float) -> Problem:
    """Compare how long the endpoint took for its answer; Unknown if the suite did not wait so long."""
    if event.fault == NOT_AWAITED:
        return Unknown(Why.NO_ANSWER, NOT_AWAITED)
    if event.response is not None and event.elapsed_ms < seconds * 1000:
        return None
    if event.response is None:
        return event.fault or "the endpoint answered nothing"
    return f"the endpoint answered after {event.elapsed_ms / 1000:.1f} s, not within {seconds:g} s"


@relation("the event is accepted with a 2xx")
def accepted(
    event: Exchange,
    deliveries: Sequence[str],
    mistake: str = "",
    *,
    earlier: Sequence[Exchange] = (),  # noqa: ARG001  # scripts read it
) -> Problem:
    """Say that an event, the last of these, was refused or not answered; Unknown if the suite did not wait for that.

    `mistake` is what the endpoint does wrong, if that was seen; `earlier` are the deliveries before.
    """
    if event.status in SUCCESS:
        return None
    if event.fault == NOT_AWAITED:
        return Unknown(Why.NO_ANSWER, NOT_AWAITED)
    answer = f"the answer is {event.status}, not a 2xx" if event.status else event.fault or "there is no answer"
    problem = f"{answer}, to the last of these events: " if len(deliveries) > 1 else f"{answer}, to "
    return ": ".join(filter(None, [mistake, problem + ", then ".join(deliveries)]))


@relation("the event is refused with a 4xx")
def refused(event: Exchange) -> Problem:
    """Say that an event was accepted, or not answered."""
    if event.status is not None and 400 <= event.status < 500:  # noqa: PLR2004  # the class 4xx
        return None
    return f"the endpoint answered {event.status or 'nothing'}, not a 4xx"
