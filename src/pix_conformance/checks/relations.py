"""What several answers say together: winners of a race, ids that must differ, statuses that must not go back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING, shown
from pix_conformance.oracles.timestamp import parse_date_time

NOT_ASKED = frozenset({None, 401, 408, 425, 429})
"""Answers, or none, that do not decide a race."""
SKEW_S = 300.0
"""By how much the clocks of target and suite may differ."""
ROUNDING = timedelta(seconds=2)
"""How far two answers about one moment may be apart."""
CONFLICT, REFUSED = 409, range(400, 500)
NEXT = 5
"""How many ids further an account that counts its own may be at the next transfer that a run asks it for."""


def accepted_count_problem(answers: Sequence[Exchange]) -> str | None:
    """Say that not exactly one of several equal requests was accepted; Inconclusive if too few were decided."""
    accepted = [one for one in answers if one.ok]
    undecided = [one for one in answers if one.status in NOT_ASKED]
    if undecided and len(accepted) < 2:  # noqa: PLR2004  # two are too many, whatever the rest would have been
        raise Inconclusive(f"{len(undecided)} of {len(answers)} were not decided ({undecided[0].evidence})")
    codes = ", ".join(str(one.status) for one in answers)
    return None if len(accepted) == 1 else f"{len(accepted)} of {len(answers)} were accepted (answers: {codes})"


def several_end_to_end_ids(answers: Sequence[Exchange]) -> str | None:
    """Say that those of several equal requests that were accepted name several payments; Inconclusive if none was."""
    accepted = [one.at("data.endToEndId") for one in answers if one.ok]
    if not accepted:
        codes = ", ".join(str(one.status) for one in answers)
        raise Inconclusive(f"none of the requests was accepted (answers: {codes})")
    ends = {one for one in accepted if isinstance(one, str)}
    return f"{len(accepted)} of {len(answers)} were accepted, with {len(ends)} endToEndIds" if len(ends) > 1 else None


def ids(answers: Sequence[Exchange]) -> set[str]:
    """Return the ids of what the accepted ones made."""
    return {str(one.at("data.id")) for one in answers if one.ok and one.at("data.id") is not MISSING}


def one_transfer(answers: Sequence[Exchange]) -> str | None:
    """Say that requests with one key made several transfers; Inconclusive if none was accepted."""
    made = ids(answers)
    if not made:
        codes = ", ".join(str(one.status) for one in answers)
        raise Inconclusive(f"none of the requests made a transfer (answers: {codes})")
    return f"one key made {len(made)} transfers: {', '.join(sorted(made))}" if len(made) > 1 else None


def replay_answer_problem(again: Exchange) -> str | None:
    """Say that a repetition is neither accepted nor refused with 409 (payments.md, lines 298 and 302)."""
    right = again.ok or again.status == CONFLICT
    return None if right else f"status is {again.status}, neither that of the first answer nor 409"


def second_transfer_problem(first: Exchange, again: Exchange) -> str | None:
    """Say that a repetition may have made a transfer: that it shows another one, or is not refused as a request."""
    if again.status in REFUSED and again.status not in NOT_ASKED:
        return None
    if not again.ok:
        return replay_answer_problem(again)
    same = again.at("data.id") == first.at("data.id")
    return None if same else f"data.id is {shown(again.at('data.id'))}, not {shown(first.at('data.id'))}"


def shows_other_transfer(first: Exchange, answer: Exchange) -> str | None:
    """Say that an answer shows another transfer than the first one."""
    found = answer.at("data.id")
    none = found in (MISSING, None, first.at("data.id"))
    return None if none else f"the answer shows the transfer {shown(found)}"


def shows_foreign_transfer(theirs: Exchange, answer: Exchange, earlier: Exchange | None) -> str | None:
    """Return a problem if the answer has the other account's transfer id; own ids may be sequential."""
    own = earlier and 0 < _number(answer) - _number(earlier) <= NEXT
    return "the answer has the id of the other account's transfer" if ids_equal(theirs, answer) and not own else None


def _number(made: Exchange) -> int:
    return int("".join(filter(str.isdecimal, str(made.at("data.id")))) or 0)


def ids_equal(one: Exchange, other: Exchange) -> str | None:
    """Say that two successes made one and the same thing."""
    both = one.ok and other.ok and one.at("data.id") == other.at("data.id")
    return f"both answers have the id {shown(one.at('data.id'))}" if both else None


def changed_fields(before: Exchange, after: Exchange, *names: str) -> str | None:
    """Say which members of `data` differ between two answers."""
    pairs = {name: (before.at(f"data.{name}"), after.at(f"data.{name}")) for name in names}
    differing = [f"{name} was {shown(old)} and is {shown(new)}" for name, (old, new) in pairs.items() if old != new]
    return "; ".join(differing) or None


def status_regressed(queries: Sequence[Exchange], last: str, since: float) -> str | None:
    """Say that a query that began after the last status was known (epoch seconds) shows another one."""
    known = min([since, *(one.ended for one in queries if one.at("data.status") == last)])
    late = [one for one in queries if one.ok and one.started > known and one.at("data.status") != last]
    return f"a later query shows {shown(late[0].at('data.status'))} ({late[0].evidence})" if late else None


def moment(answer: Exchange, name: str) -> datetime:
    """Return a timestamp of `data`; NotApplicable if it tells no moment, which PAY-GEN-05 and its field judge."""
    try:
        return parse_date_time(answer.at(f"data.{name}"))
    except ValueError as reason:
        raise NotApplicable(f"{name}: {reason} ({answer.evidence})") from None


def timestamp_changed(before: object, after: object) -> str | None:
    """Say that createdAt is another than before, by more than rounding."""
    if before == after:
        return None
    with suppress(ValueError):
        if abs(parse_date_time(after) - parse_date_time(before)) <= ROUNDING:
            return None
    return f"createdAt was {shown(before)} and is {shown(after)}"


class TargetClock(Protocol):
    """What knows the target's time."""

    def at(self, moment: float) -> float | None:
        """Return what the target's clock said at a moment of this machine; None near a turn."""


def asked_at(exchange: Exchange, clock: TargetClock) -> float:
    """Return when a request was sent, by the target's clock in epoch seconds; Inconclusive where that was turned."""
    true = clock.at(exchange.started)
    if true is None:
        raise Inconclusive(f"the clock of the target was being turned ({exchange.evidence})")
    return true


def clock_differs(stated: datetime, asked: Exchange, clock: TargetClock) -> str | None:
    """Say how far a stated moment is from that of a request, if more than clocks may differ."""
    seconds = stated.timestamp() - asked_at(asked, clock)
    return f"it is {seconds:.0f} s from the time of the request" if abs(seconds) > SKEW_S else None
