"""The table of pairs: it has every pair of operations, and a run sends all that are not left out."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from pix_conformance.model.exchange import Exchange, key_of
from pix_conformance.model.operations import Effect, by_name, of
from pix_conformance.model.pairs import Meeting, Pair, Visible, effects_of, pairs
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.recording.bundle.reader import read
from tests.support.broken_runs import broken_run

SLOW = ("PAY-GEN-10/slow", "BUS-GEN-05/slow")
"""Servers that take so long for a response that all requests which are sent at once overlap."""


@pytest.fixture(scope="module")
def simultaneous(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Exchange, Exchange]]:
    """Each two requests of the tests of simultaneous requests that were being answered at the same time."""
    directory = tmp_path_factory.mktemp("run") / "out"
    done = broken_run(directory, "-m", "concurrent and not deferred", "--no-waiting", by=SLOW)
    exchanges = sorted(read(done.directory).exchanges, key=lambda exchange: exchange.started)
    return list(overlapping(exchanges))


def overlapping(exchanges: list[Exchange]) -> Iterator[tuple[Exchange, Exchange]]:
    """Yield each two exchanges of one API, of which one began before the other had ended."""
    for place, first in enumerate(exchanges):
        for second in exchanges[place + 1 :]:
            if second.started >= first.ended:
                break
            if first.operation and second.operation and first.api == second.api:
                yield first, second


def meeting_of(first: Exchange, second: Exchange) -> set[Meeting]:
    """Return what two requests are about."""
    roles = {first.role, second.role}
    if Role.LIVE_MERCHANT in roles:
        return {Meeting.TWO_ENVIRONMENTS} if len(roles) > 1 else set()
    if len(roles) > 1:
        return {Meeting.TWO_ACCOUNTS}
    rows = [by_name(exchange.api)[str(exchange.operation)] for exchange in (first, second)]
    if any(row.effect is Effect.LISTS or row.shows_balance for row in rows):
        return {Meeting.ONE_OBJECT, Meeting.TWO_OBJECTS}
    if all(row.id_parameter for row in rows) and rows[0].kind == rows[1].kind:
        return {Meeting.ONE_OBJECT if id_in(first) == id_in(second) else Meeting.TWO_OBJECTS}
    keys = {key_of(first.request), key_of(second.request)}
    return {Meeting.ONE_OBJECT if len(keys) == 1 and keys != {""} else Meeting.TWO_OBJECTS}


def id_in(exchange: Exchange) -> str:
    """Return the id in the path of a request."""
    row = by_name(exchange.api)[str(exchange.operation)]
    place = row.path.split("/").index(f"{{{row.id_parameter}}}")
    return urlsplit(exchange.request.url).path.split("/")[place]


def test_the_table_has_every_pair_of_which_one_changes_something() -> None:
    for api in Api:
        table = [(pair.first.name, pair.second.name, pair.meeting) for pair in pairs(api)]
        assert len(table) == len(set(table))
        changing = [row for row in of(api) if not row.reads]
        for row in changing:
            met = {name for first, second, _ in table if row.name in (first, second) for name in (first, second)}
            assert met == {other.name for other in of(api)}
        assert {(row.name, row.name, Meeting.TWO_ACCOUNTS) for row in of(api)} <= set(table)


def test_what_is_left_out_has_its_reason_in_words() -> None:
    reasons = {pair.left_out for api in Api for pair in pairs(api)}
    assert "" in reasons
    assert all(len(reason.split()) > 4 for reason in reasons - {""})
    assert not any(pair.left_out for api in Api for pair in pairs(api) if pair.meeting is Meeting.TWO_ACCOUNTS)


def test_every_change_is_looked_at_beyond_its_answer() -> None:
    blind = [row.name for api in Api for row in of(api) if not row.reads and effects_of(row) <= {Visible.ANSWER}]
    assert blind == []


@pytest.mark.parametrize("api", Api)
def test_a_run_sends_every_pair_at_the_same_time(api: Api, simultaneous: list[tuple[Exchange, Exchange]]) -> None:
    sent = {
        (frozenset({first.operation, second.operation}), meeting)
        for first, second in simultaneous
        if first.api == api
        for meeting in meeting_of(first, second)
    }
    assert [in_words(pair) for pair in pairs(api) if not pair.left_out and key(pair) not in sent] == []


def key(pair: Pair) -> tuple[frozenset[str | None], Meeting]:
    return frozenset({pair.first.name, pair.second.name}), pair.meeting


def in_words(pair: Pair) -> str:
    return f"{pair.first.name} and {pair.second.name}, {pair.meeting}"
