"""The attempts to deliver one event: how many there are, their pauses, and what they carry (BUS-RETRY)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why

MOST, CAP_S, TIMEOUT_S = 8, 300.0, 10.0
"""Attempts, the longest pause, and how long one call waits for its response (BUS-RETRY-02, -04 and -05)."""
ACCEPTED = 200
UNANSWERED_S = 14.0
"""How long the receiver leaves a call without a response, beyond the 10 s."""
TOLERANCE_S = 3.0
LEAST_NEXT, LEAST_FACTOR, MOST_FACTOR = 4 / 3, 1.5, 3.0
"""What still counts as doubling, with room for queueing and a fifth of jitter, which weigh less the further on."""
NOISE_S, NOISE_FACTOR, LONG_S = 0.5, 3.0, 2.0
"""A short pause may seem longer by that much, or by that factor; from LONG_S on one pause is proof enough."""
LATE_S, MANY, SURE_FACTOR, TOO_MUCH_FACTOR = 2.5, 5, 1.6, 2.5
"""A busy machine may hold one pause of three back by so much, and two where it made so many.

Three pauses in a row that grow by a factor below the one, or above the other, are no jitter of a fifth.
"""
FEW, SHORT_S = 3, 0.5
"""So many pauses of at least that length do not all seem too long by chance."""
NOT_BY_CHANCE = 3
"""Attempts that are no repetition by chance."""
COMPARED, FEWEST_PART = 3, 20
"""What an event usually takes is known from so many; no more than one of the other number comes sooner."""
Pauses = Sequence[float | None]
"""Seconds between neighbouring attempts; None where they cannot be known."""


@relation("the call is given up after 10 s without a response")
def given_up_in_time(call: Delivery, *, relayed: bool) -> Problem:
    """Expect the sender to hang up after 10 s; Unknown where a relay before the receiver (`relayed`) hides it."""
    left = call.left_s
    if left is not None and abs(left - TIMEOUT_S) <= TOLERANCE_S:
        return None
    if relayed:
        return Unknown(
            Why.NOT_SHOWN, "unseen: a relay stands before the receiver, and may hold or cut connections itself"
        )
    if left is None:
        return f"the call was still waiting for its response after {UNANSWERED_S:.0f} s"
    return f"the call was given up after {left:.1f} s"


@relation("the event is attempted again")
def attempted_again(_first: Delivery, attempts: Sequence[Delivery], copies: int, watched: str) -> str | None:
    """Expect more deliveries than an event that is accepted has (`copies`); `watched` says how long that was looked."""
    return None if len(attempts) > copies else f"no second attempt came {watched}"


@relation("the event is attempted at most 8 times")
def not_attempted_too_often(_last: Delivery, attempts: Sequence[Delivery], copies: int, *, ended: bool) -> Problem:
    """Expect at most 8 attempts, each of so many copies; Unknown while fewer came and more may (not `ended`)."""
    if len(attempts) > MOST * copies:
        return f"the event was attempted {len(attempts)} times"
    if not ended:
        return Unknown(Why.NOT_SHOWN, f"unseen: {len(attempts)} attempts came within the time (see --event-deadline)")
    return None


@relation("no pause between two attempts is longer than 300 s")
def no_pause_beyond_the_longest(_last: Delivery, pauses: Pauses, late: float | None, *, ended: bool) -> Problem:
    """Expect no pause beyond the cap; `late` is one that was seen by the clock. Unknown while one may follow."""
    if late is not None:
        return f"a pause is longer than {CAP_S:.0f} s"
    known = [pause for pause in pauses if pause is not None]
    longest = max(known, default=0.0)
    if longest > CAP_S + TOLERANCE_S * 10:
        return f"a pause of {longest:.0f} s"
    if not ended:
        seen = f"the longest pause within the time was {longest:.1f} s" if known else describe_attempts(pauses)
        return Unknown(Why.NOT_SHOWN, f"unseen: {seen}")
    return None


@relation("each pause between attempts is twice the one before")
def pauses_double(_last: Delivery, pauses: Pauses, copies: int = 1, late_s: float = LATE_S) -> Problem:
    """Expect the pauses to double; Unknown if attempts come in copies, or too few pauses were seen.

    A ratio takes two; one more where each may have been held back by other calls, for `late_s` seconds at most.
    """
    known = [(number, pause) for number, pause in enumerate(pauses) if pause is not None]
    if copies > 1:
        return Unknown(
            Why.NOT_SHOWN, "the target sends every event more than once, so its attempts cannot be distinguished"
        )
    if len(known) < (FEW if late_s > LATE_S else FEW - 1):
        return Unknown(Why.NOT_SHOWN, f"unseen: {describe_attempts(pauses)}")
    wrong = _wrong_growth(known)
    held_back = wrong and any(_wrong_growth(left) is None and _grows(left) for left in _without_late(known, late_s))
    return None if wrong is None or held_back else f"{wrong}: {', '.join(describe_pauses(pauses))} s"


@relation("every attempt has the same {paths}")
def same_in_each_attempt(_last: Delivery, attempts: Sequence[Delivery], *paths: str) -> str | None:
    """Expect these fields to be the same in all attempts at an event."""
    names = [
        path for path in paths if any(at(attempt.json, path) != at(attempts[0].json, path) for attempt in attempts)
    ]
    return f"{' and '.join(names)} differ between attempts" if names else None


@relation("the response ends the attempts as 200 does, after which an event comes {most} times at most")
def ends_the_attempts(_event: Delivery, deliveries: Sequence[Delivery], most: int) -> str | None:
    """Expect fewer than three deliveries, where every event that is answered 200 comes once."""
    over_and_over = len(deliveries) >= NOT_BY_CHANCE and most == 1
    return f"it came {len(deliveries)} times, any answered 200 once" if over_and_over else None


def most_repetitions(deliveries: Iterable[Delivery]) -> int:
    """Return how often any event came at most that was answered 200 at once; 0 if there was none."""
    came: dict[object, list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        if event_of(delivery, Api.BUSINESS):
            came[str(at(delivery.json, "id")), event_of(delivery, Api.BUSINESS)].append(delivery)
    accepted = [
        group
        for group in came.values()
        if all(delivery.answered == ACCEPTED and not delivery.fault for delivery in group)
    ]
    return max(map(len, accepted), default=0)


def held_back_periods(answered: Mapping[str, float], deliveries: Iterable[Delivery]) -> list[tuple[float, float]]:
    """Return when the first events of charges, created at these times by their refs, waited behind others to be sent.

    Where many wait, an attempt that is due waits too. What nearly every event takes is no waiting behind others.
    """
    came: dict[str, float] = {}
    for delivery in deliveries:
        came.setdefault(str(at(delivery.json, "data.external_ref")), delivery.received)
    spans = [(moment, came[ref]) for ref, moment in answered.items() if ref in came]
    delays = sorted(ends - begun for begun, ends in spans)
    usual = max(0.0, delays[len(delays) // FEWEST_PART]) if len(delays) >= COMPARED else 0.0
    return [(begun + usual, ends) for begun, ends in spans if ends - begun - usual > LATE_S]


def describe_attempts(pauses: Pauses) -> str:
    """Say how many attempts came, and why too few of the pauses between them are known."""
    if not pauses:
        return "no second attempt came within the time (see --event-deadline)"
    came = f"{len(pauses) + 1} attempts came within the time"
    if None not in pauses:
        return f"{came} (see --event-deadline)"
    return f"{came}, some of them when other events waited to be sent, or the target's clock was turned"


def describe_pauses(pauses: Pauses) -> list[str]:
    """Write pauses in seconds; one in which the target's clock was turned is not known."""
    return ["?" if pause is None else f"{pause:.2f}" for pause in pauses]


def _without_late(known: Sequence[tuple[int, float]], late_s: float) -> list[list[tuple[int, float]]]:
    """Return the pauses without such as may have been held back; there are as many ways as pauses, or their pairs."""
    most = 0 if len(known) < FEW else 1 if len(known) < MANY else 2
    return [
        [pair for pair in known if pair not in late]
        for count in range(1, most + 1)
        for late in combinations(known, count)
        if all(_may_be_late(pair, [other for other in known if other not in late], late_s) for pair in late)
    ]


def _may_be_late(pause: tuple[int, float], others: Sequence[tuple[int, float]], late_s: float) -> bool:
    """Whether a pause is a little longer than the next one, or for want of one the last one, leads to expect."""
    number, seconds = pause
    place, known = next((pair for pair in others if pair[0] > number), others[-1])
    return NOISE_S < seconds - known * 2.0 ** (number - place) <= late_s


def _grows(known: Sequence[tuple[int, float]]) -> bool:
    """Whether pauses surely grow by factors, from the first to the last, and not by sums."""
    (begin, first), (end, last) = known[0], known[-1]
    return last >= first * SURE_FACTOR ** (end - begin)


def _wrong_growth(known: Sequence[tuple[int, float]]) -> str | None:
    slow = [
        pause for place, (number, pause) in enumerate(known) if _is_followed_too_soon(number, pause, known[place + 1 :])
    ]
    if len(slow) > 1 or any(pause >= LONG_S for pause in slow):
        return "the pauses do not double"
    next_to = [(pause, after) for (number, pause), (later, after) in pairwise(known) if later == number + 1]
    if sum(pause >= SHORT_S and after < SURE_FACTOR * pause < CAP_S for pause, after in next_to) >= FEW:
        return "the pauses grow by less than doubling"
    steep = sum(pause >= SHORT_S and after > TOO_MUCH_FACTOR * pause for pause, after in next_to) >= FEW
    if steep or any(after - NOISE_S > MOST_FACTOR * pause for pause, after in next_to):
        return "the pauses grow by more than doubling"
    return None


def _is_followed_too_soon(number: int, pause: float, later: Sequence[tuple[int, float]]) -> bool:
    """Whether a later pause is too short even if this one only seemed as long as it did."""
    least = max(pause - NOISE_S, pause / NOISE_FACTOR)
    growth = {place: LEAST_NEXT if place == number + 1 else LEAST_FACTOR ** (place - number) for place, _ in later}
    return any(pause < min(CAP_S - NOISE_S, least * growth[place]) for place, pause in later)
