"""What several answers say together: winners of a race, ids that must differ, statuses that must not go back."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from pix_conformance.checks.clocks import off_clock
from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.history import looks_sequential, visible_id
from pix_conformance.checks.matchers import value
from pix_conformance.checks.passive_rules import server_error
from pix_conformance.checks.relation import relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING, shown
from pix_conformance.model.undecided import is_refusal, is_undecided
from pix_conformance.model.why import Why
from pix_conformance.oracles import end_to_end_id
from pix_conformance.oracles.timestamp import parse_date_time

SKEW_S = 300.0
"""By how much the clocks of target and suite may differ."""
AN_HOUR_S = 3_600.0
BITS_OF_A_FLOAT = 24
"""Binary digits of a floating-point number of 32 bits."""
ROUNDING = timedelta(seconds=2)
"""How far two answers about one moment may be apart."""
CONFLICT = 409
_ALONE = Unknown(Why.NOT_SHOWN, "there is no other message to compare it with")
NEXT = 5
"""How many ids further an account that counts its own may be at the next transfer that a run asks it for."""


@relation("exactly one of the requests is accepted ({answers})")
def shows_one_was_accepted(_query: Exchange, answers: Sequence[Exchange]) -> Problem:
    """Expect one of several equal requests to be accepted; Unknown if too few were decided."""
    accepted = [answer for answer in answers if answer.ok]
    undecided = [answer for answer in answers if is_undecided(answer)]
    if undecided and len(accepted) < 2:  # noqa: PLR2004  # two are too many, even if the others were refused
        return Unknown(
            Why.PRECONDITION, f"{len(undecided)} of {len(answers)} were not decided ({undecided[0].evidence})"
        )
    words = f"{len(accepted)} of {len(answers)} were accepted (answers: {statuses_of(answers)})"
    return None if len(accepted) == 1 else words


@relation("the requests that are accepted answer one data.endToEndId ({answers})")
def shows_one_end_to_end_id(_query: Exchange, answers: Sequence[Exchange]) -> Problem:
    """Expect those of several equal requests that are accepted to name one payment; Unknown if none was."""
    accepted = [answer.at("data.endToEndId") for answer in answers if answer.ok]
    if not accepted:
        return Unknown(Why.PRECONDITION, f"none of the requests was accepted (answers: {statuses_of(answers)})")
    ends = {id_ for id_ in accepted if isinstance(id_, str)}
    if not ends:
        return Unknown(
            Why.PRECONDITION, f"none of the accepted requests shows a data.endToEndId ({answers[0].evidence})"
        )
    return f"{len(accepted)} of {len(answers)} were accepted, with {len(ends)} endToEndIds" if len(ends) > 1 else None


def shown_in(answer: Exchange | Delivery, path: str) -> object:
    """Return what a message shows at a path; Undecided if it shows nothing there, which other rules judge."""
    content = value(answer, path)
    if content is MISSING or content is None:
        raise Undecided(Why.PRECONDITION, f"no {path} in {answer.evidence}")
    return content


def statuses_of(answers: Sequence[Exchange]) -> str:
    """List the statuses of several responses."""
    return ", ".join(str(answer.status) for answer in answers)


def created_ids(answers: Sequence[Exchange]) -> set[str]:
    """Return the ids of what the accepted ones of several creations made."""
    ids = (visible_id(answer.at("data.id")) for answer in answers if answer.ok)
    return {id_ for id_ in ids if id_}


@relation("each of the creations has another data.id ({answers})")
def has_an_id_of_its_own(_first: Exchange, answers: Sequence[Exchange]) -> Problem:
    """Expect as many ids as there are accepted creations; Unknown if fewer than two were accepted."""
    shown_ids = [str(shown_in(answer, "data.id")) for answer in answers if answer.ok]
    if len(shown_ids) < 2:  # noqa: PLR2004  # one has no other to differ from
        return Unknown(Why.PRECONDITION, f"not two of the creations were accepted (answers: {statuses_of(answers)})")
    ids = set(shown_ids)
    return f"{len(shown_ids)} creations have {len(ids)} ids" if len(ids) < len(shown_ids) else None


@relation("{names} are as in {before}")
def unchanged_since(after: Exchange, before: Exchange, *names: str) -> str | None:
    """Expect these members of `data` to be the same in two answers."""
    pairs = {name: (before.at(f"data.{name}"), after.at(f"data.{name}")) for name in names}
    differing = [f"{name} was {shown(old)} and is {shown(new)}" for name, (old, new) in pairs.items() if old != new]
    return "; ".join(differing) or None


@relation("{path} is an end-to-end id of the time {moment}")
def is_an_end_to_end_id(answer: Exchange, path: str, moment: float) -> Problem:
    """Expect a field to have the format of the instant payment system: E, ISPB, UTC minute, eleven characters.

    The minute may differ by an hour from the time of the payment (epoch seconds): a zone of Brazil differs by more.
    """
    text = value(answer, path)
    if wrong := end_to_end_id.mismatches(text):
        return "; ".join(f"{path} {mismatch}" for mismatch in wrong)
    minute = end_to_end_id.minute_of(str(text))
    apart = minute.timestamp() - moment if minute else 0.0
    return off_clock(f"the UTC minute in {path}", apart, answer, AN_HOUR_S)


@relation("payments of one amount raise a balance of {cents} cents by one amount: {rises}")
def is_raised_by_one_amount(_last: Exchange, cents: int, rises: Sequence[int], parts: Sequence[int]) -> Problem:
    """Expect equal rises of a balance that a floating-point number of 32 bits would round.

    Rises that differ by a few cents are wrong where they are near the parts of the payment (in cents) that may be
    credited, or where each balance is one that such a number holds: else a fee of each may be rounded. Equal rises are
    wrong that are a little more than the payment.
    """
    unit = 2 ** max(1, cents.bit_length() - BITS_OF_A_FLOAT)
    if min(rises) <= 0 or max(rises) - min(rises) > unit + 1:
        return Unknown(Why.NOT_SHOWN, f"unseen: payments of one amount moved the balance at once by {rises} cents")
    if len(set(rises)) == 1:
        is_more = 0 < rises[0] - max(parts) <= unit + 1
        return f"payments of {max(parts)} cents raised the balance by {rises[0]} cents each" if is_more else None
    near = all(min(abs(rise - part) for part in parts) <= unit + 1 for rise in rises)
    if near or all(number % unit == 0 for number in (cents, *rises)):
        return f"{len(rises)} payments of one amount raised the balance by {rises} cents"
    return Unknown(Why.NOT_SHOWN, f"payments of one amount raised the balance by {rises} cents: a fee may be rounded")


@relation("{path} is that of no other message ({others}), and no two of them have the same")
def has_its_own(message: Exchange | Delivery, path: str, others: Sequence[Exchange | Delivery]) -> Problem:
    """Compare a field of several messages, each with each; Unknown if there is one alone."""
    if not others:
        return _ALONE
    evidence: dict[str, list[str]] = {}
    for other in (*others, message):
        evidence.setdefault(str(shown_in(other, path)), []).append(other.evidence)
    twice = next((text for text, names in evidence.items() if len(names) > 1), None)
    return None if twice is None else f"{' and '.join(evidence[twice])} have the {path} {twice}"


@relation("is not sent again")
def is_not_sent_again(_event: Delivery, deliveries: Sequence[Delivery]) -> str | None:
    """Expect one delivery of an event that was accepted, among those at one address."""
    return f"it came {len(deliveries)} times" if len(deliveries) > 1 else None


@relation("data.id is another one than in {first}")
def has_another_id_than(answer: Exchange, first: Exchange) -> str | None:
    """Expect two creations to have different ids; Undecided if one of them has no id."""
    ids = shown_in(answer, "data.id"), shown_in(first, "data.id")
    return f"both have the id {shown(ids[0])}" if str(ids[0]) == str(ids[1]) else None


@relation("{path} is not that of another message ({others})")
def differs_in(message: Exchange | Delivery, path: str, others: Sequence[Exchange | Delivery]) -> Problem:
    """Expect a field to differ from that of other messages; the sentence does not repeat it: it may be a secret.

    Unknown if there is no other one.
    """
    if not others:
        return _ALONE
    same = [other.evidence for other in others if value(other, path) == shown_in(message, path)]
    return f"{path} is that of {same[0]}" if same else None


@relation("the answer is no server error")
def is_no_server_error(answer: Exchange) -> str | None:
    """Expect a status below 500."""
    return server_error(answer)


@relation("the answer is a success or 409")
def answers_as_replay(again: Exchange) -> str | None:
    """Expect a repeated request to be accepted or refused with 409 (PAY-IDEM-19)."""
    right = again.ok or again.status == CONFLICT
    return None if right else f"status is {again.status}, neither that of the first answer nor 409"


@relation("the answer is the transfer of {first} or a refusal")
def creates_no_second_transfer(again: Exchange, first: Exchange) -> str | None:
    """Expect a repeated request to be answered with the id of the first transfer, or with a refusal."""
    if is_refusal(again.status) and not is_undecided(again):
        return None
    if not again.ok:
        return f"status is {again.status}, neither that of the first answer nor 409"
    id_, wanted = shown_in(again, "data.id"), shown_in(first, "data.id")
    return None if id_ == wanted else f"data.id is {shown(id_)}, not {shown(wanted)}"


@relation("the answer shows no transfer of another account ({theirs})")
def shows_no_transfer_of_another_account(answer: Exchange, theirs: Exchange, earlier: Exchange | None) -> str | None:
    """Expect an answer without the id of the other account's transfer.

    `earlier` is a transfer that this account made just before: where each account counts its own transfers, the next
    ids may be equal by chance.
    """
    own = earlier and 0 < _number(answer) - _number(earlier) <= NEXT
    same = theirs.ok and answer.ok and shown_in(theirs, "data.id") == shown_in(answer, "data.id")
    return "the answer has the id of the other account's transfer" if same and not own else None


@relation("the answer shows no charge of another account ({theirs})")
def shows_no_charge_of_another_account(answer: Exchange, theirs: Exchange) -> str | None:
    """Expect an answer with an id that the other account's charge has not.

    Where each account counts its own charges, equal ids with two codes are two charges.
    """
    number = shown_in(answer, "id")
    is_one = not looks_sequential(str(number)) or answer.at("qr_code") == theirs.at("qr_code")
    return f"id is {shown(number)}, that of {theirs.evidence}" if number == shown_in(theirs, "id") and is_one else None


def _number(exchange: Exchange) -> int:
    return int("".join(filter(str.isdecimal, str(exchange.at("data.id")))) or 0)


@relation("no query after the first that shows {status} shows another status ({queries})")
def status_is_kept(query: Exchange, status: str, queries: Sequence[Exchange], since: float) -> str | None:
    """Expect queries that began when the status was known, at `since` (epoch seconds) or before, to show it too."""
    del query
    known = min([since, *(query.ended for query in queries if query.at("data.status") == status)])
    late = [query for query in queries if query.ok and query.started > known and query.at("data.status") != status]
    return f"a later query shows {shown(late[0].at('data.status'))} ({late[0].evidence})" if late else None


def moment(answer: Exchange, name: str) -> datetime:
    """Return a timestamp of `data`; Undecided if it tells no moment, which PAY-GEN-05 and its field judge."""
    try:
        return parse_date_time(stamp := answer.at(f"data.{name}"))
    except ValueError as reason:
        why = Why.NOT_SHOWN if stamp is None or stamp is MISSING else Why.PRECONDITION
        raise Undecided(why, f"{name}: {reason} ({answer.evidence})") from None


def timestamp_changed(before: object, after: object) -> str | None:
    """Say that a timestamp is another than before, by more than rounding."""
    if before == after:
        return None
    with suppress(ValueError):
        if abs(parse_date_time(after) - parse_date_time(before)) <= ROUNDING:
            return None
    return f"it was {shown(before)} and is {shown(after)}"


@relation("data.{name} is the time of the request")
def is_dated(query: Exchange, name: str, seconds: float) -> Problem:
    """Expect a timestamp of `data` at a time in epoch seconds of the target's clock, as far as clocks may differ."""
    return off_clock(f"data.{name}", moment(query, name).timestamp() - seconds, query, SKEW_S)


@relation("data.{name} is at least {seconds} s after data.{earlier}")
def is_dated_after(query: Exchange, name: str, earlier: str, seconds: float) -> str | None:
    """Expect one timestamp of `data` to be so much later than another one, or as much as timestamps may be rounded."""
    apart = moment(query, name) - moment(query, earlier)
    if apart >= timedelta(seconds=seconds) - ROUNDING:
        return None
    return f"data.{name} is {apart.total_seconds():.0f} s after data.{earlier}, not {seconds:.0f} s"


@relation("data.createdAt is as in {before}")
def has_created_at_of(after: Exchange, before: Exchange) -> str | None:
    """Expect createdAt to be the same in two answers, as far as timestamps may be rounded."""
    return timestamp_changed(before.at("data.createdAt"), after.at("data.createdAt"))


@relation("data.{name} is no timestamp yet")
def has_no_timestamp(query: Exchange, name: str) -> str | None:
    """Expect a field of `data` to be null, empty or not there."""
    stamp = query.at(f"data.{name}")
    return f"data.{name} is {stamp!r}" if stamp and isinstance(stamp, str) else None


@relation("the status is no 2xx")
def does_not_succeed(answer: Exchange) -> str | None:
    """Expect a refusal, an unknown path or any other status than a success."""
    return f"status is {answer.status}" if answer.ok else None
