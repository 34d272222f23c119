"""Facts: appended, never changed; the way through a journal leaves each of them as it was."""

import json
from collections.abc import Iterable
from contextlib import closing
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.delivery import Delivery, SignatureCheck
from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.vocabulary import Api, Observation, Outcome, Role
from pix_conformance.model.why import Why
from pix_conformance.recording.facts import (
    LISTS,
    Begun,
    Concluded,
    Ended,
    Expected,
    Fact,
    Facts,
    FailedWalk,
    Late,
    NoEvents,
    Notice,
    Removed,
    Shown,
    Succeeded,
    Undocumented,
    Unusable,
)
from pix_conformance.recording.journal import Journal, read_facts
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.report_directory import ReportDirectoryError
from tests.support.exchanges import exchange

KEY = (("idempotency-key", "k-1"), ("authorization", "<Bearer $PIX_API_KEY>"))
MATCHERS = ({"matcher": "status", "codes": [200, 201]}, {"matcher": "field", "path": "id", "expected": None})
HEADING = {"id": "r-1", "started": 1.5, "only": ["PAY-BAL-01"], "selected": {"PAY-BAL-01": ["a", "b"]}, "accounts": {}}
SENT = exchange(
    {"id": "é \ud800"},
    201,
    b"\xff\xfe",
    ("POST", "http://t/x", KEY),
    group="g",
    is_foreign=True,
    by_integration=True,
    test="a",
)
REQUEST = replace(SENT.request, credential="Bearer $PIX_API_KEY", formula='"Bearer $A"', login=5)
WHOLE: list[Fact] = [
    replace(SENT, request=REQUEST),
    exchange(status=0, api=Api.BUSINESS, role=Role.LIVE_MERCHANT, operation=None, fault="ReadTimeout", id=2),
    Delivery(
        *(7, "/hook", "PUT", 1_000.25, (("X-A", "é"),), b"\xff{}", 200, "slow", 1.5, "payments"),
        masked="a secret",
        sender="127.0.0.1",
        signature=SignatureCheck("v1 differs", shows_secret=True),
        is_recorded=True,
    ),
    Expected(
        number=3,
        requirements=("PAY-BAL-01", "PAY-BAL-02"),
        test="a",
        evidence="exchange 1",
        matchers=MATCHERS,
        mismatches=("status is 200, not 409",),
        control="payments.create_charge",
        curl="curl 'x'",
        again=1,
    ),
    FailedWalk(expected=3, steps=(1, 2)),
    Ended(
        test="a",
        requirements=("PAY-BAL-01",),
        seconds=0.25,
        outcome=Outcome.ERROR,
        reason="KeyError",
        why=Why.PRECONDITION,
        is_failure=True,
        is_generated=True,
        source_line="suites/x.py:1",
        trace="Traceback\n",
    ),
    Observation("PAY-GEN-10", "it is an object", {"keys": [["a", 1], []]}, ("exchange 1", "exchange 2")),
    Observation("PAY-GEN-10", "they are", [["a", 1], []], ()),
    Shown(requirement="PAY-GEN-01", operation="payments.x", evidence="exchange 1", test="a", problem="no", curl="curl"),
    Undocumented(requirement="PAY-GEN-10", field="get_balance: data.x", evidence="exchange 1"),
    Created(Api.BUSINESS, Role.OTHER_MERCHANT, "charge", "c-1", 1, "canceled", "order 1", is_id_shared=True),
    Removed(Api.PAYMENTS, "w-1"),
    Succeeded(Api.BUSINESS, "get_finance", Role.LIVE_MERCHANT),
    Unusable(Api.PAYMENTS, "it was refused"),
    NoEvents(api=Api.PAYMENTS, outcome=Outcome.INCONCLUSIVE, reason="none came", why=Why.NO_RECEIVER),
    Late(Api.BUSINESS, 7, 12.5, 10.0),
    Notice("a notice"),
    Begun(HEADING),
    Concluded(capabilities=("funds",), missing=("splits",), turns=((1.5, 60.0), (2.5, 3.0)), seconds=2.5, status=2),
]
BARE: list[Fact] = [
    exchange(b"", test=None),
    Delivery(8, "/", "POST", 1_000.0, (), b""),
    Expected(number=4, requirements=(), test=None, evidence=""),
    FailedWalk(expected=3, steps=()),
    Ended(test="a", requirements=()),
    Observation("PAY-GEN-10", ""),
    Shown(requirement="PAY-GEN-01", operation="payments.x", evidence="exchange 1"),
    Undocumented(requirement="PAY-GEN-10"),
    Created(Api.PAYMENTS, Role.MERCHANT, "charge", "", 0),
    NoEvents(api=Api.PAYMENTS, outcome=Outcome.NOT_APPLICABLE, reason=""),
    Begun({}),
    Concluded(),
]


def written(path: Path, facts: Iterable[Fact]) -> Facts:
    """Write facts through a journal, and return what was written."""
    with closing(Journal(path, str)) as journal:
        appended = Facts(write=journal.write)
        for fact in facts:
            appended.add(fact)
    return appended


def lists(facts: Facts) -> dict[str, list[Any]]:
    return {name: getattr(facts, name) for name in LISTS.values()}


@pytest.mark.parametrize("facts", [WHOLE, BARE], ids=["all-fields", "required-fields"])
def test_every_kind_of_fact_comes_back_from_a_journal_as_it_was(facts: list[Fact], tmp_path: Path) -> None:
    appended = written(tmp_path / "journal.jsonl", facts)
    assert lists(read_facts([tmp_path / "journal.jsonl"])) == lists(appended)


def test_each_field_of_each_kind_is_asked_with_another_value_than_its_default() -> None:
    assert {type(fact) for fact in WHOLE} == set(LISTS)
    asked = {(type(fact), item.name) for fact in WHOLE for item in fields(fact) if _differs(fact, item)}
    free = {(kind, item.name) for kind in LISTS for item in fields(kind) if item.default is not MISSING and item.init}
    assert {(kind, name) for kind, name in free - asked if name != "current_test"} == set()


def _differs(fact: Fact, item: Any) -> bool:
    return bool(getattr(fact, item.name) != item.default)


@pytest.mark.parametrize("kind", [Created, Ended, Late, NoEvents, Removed, Succeeded, Unusable])
def test_values_of_enumerations_come_back_as_members(kind: type[Any], tmp_path: Path) -> None:
    """They are compared by identity."""
    written(tmp_path / "journal.jsonl", WHOLE)
    (fact,) = read_facts([tmp_path / "journal.jsonl"]).of(kind)
    (before,) = (fact for fact in WHOLE if isinstance(fact, kind))
    types = {item.name: type(getattr(fact, item.name)) for item in fields(fact)}
    assert types == {item.name: type(getattr(before, item.name)) for item in fields(before)}


def test_a_line_that_cannot_be_read_is_left_out_and_the_others_are_read(tmp_path: Path) -> None:
    """A process that was killed may leave a part of a line; a later release may write other kinds."""
    path = tmp_path / "journal.jsonl"
    written(path, [Notice("a"), Notice("b")])
    wrong = [{"unknown": {}}, {"notices": 7}, {"notices": {}}, {"ended": {"test": "a", "outcome": "unheard of"}}]
    more = [{"notices": {"words": "c", "of a later release": 1}}]
    with path.open("ab") as file:
        file.write("".join(f"{json.dumps(row)}\n" for row in wrong + more).encode())
        file.write(b'{"notices": {"words": "\xff\xfe\n{"notices": {"wo')
    facts = read_facts([path])
    assert [notice.words for notice in facts.notices] == ["a", "b", "c"]
    assert facts.ended == []


def test_the_facts_of_several_journals_follow_each_other(tmp_path: Path) -> None:
    paths = [tmp_path / f"journal-{number}.jsonl" for number in (1, 2)]
    for path in paths:
        written(path, [Notice(path.name), Succeeded(Api.PAYMENTS, path.stem, Role.MERCHANT)])
    facts = read_facts([*paths, tmp_path / "absent.jsonl"])
    assert [notice.words for notice in facts.notices] == ["journal-1.jsonl", "journal-2.jsonl"]
    assert facts.operations == {"payments.journal-1", "payments.journal-2"}


def test_a_delivery_is_the_one_that_was_written_last(tmp_path: Path) -> None:
    """It is written when it comes, so that a run that is killed has it, and again with how it ended."""
    with closing(Journal(tmp_path / "journal.jsonl", str)) as journal:
        recorder = Recorder(Facts(write=journal.write))
        came = Delivery(1, "/hook", "POST", 1_000.0, (), b"{}", 500)
        recorder.record_delivery(came)
        assert read_facts([journal.path]).deliveries == [came]
        recorder.record_delivery(Delivery(1, "/hook", "POST", 1_000.0, (), b"", 200, "closed", 0.5))
        recorder.take_deliveries()
    ended = Delivery(1, "/hook", "POST", 1_000.0, (), b"{}", 200, "closed", 0.5)
    assert recorder.facts.deliveries == read_facts([journal.path]).deliveries == [ended]


def test_a_full_disk_ends_the_journal_and_not_the_run() -> None:
    with closing(Journal(Path("/dev/full"), str)) as journal:
        facts = Facts(write=journal.write)
        facts.note("a")
        facts.note("b")
        with pytest.raises(ReportDirectoryError, match="another run writes to"):
            Journal(journal.path, str)
    assert [notice.words for notice in facts.notices] == ["a", "b"]


def test_no_two_expectations_of_a_process_have_one_number() -> None:
    facts = Facts()
    numbers = [facts.expect(requirements=(), test=None, evidence="").number for _ in range(3)]
    assert numbers == [expected.number for expected in facts.expected] == [1, 2, 3]


def test_what_responses_show_is_written_once_for_an_operation_and_their_problems_a_few_times() -> None:
    recorder = Recorder()
    for number in range(20):
        recorder.record(exchange({"success": True}, operation="get_balance", id=2 * number))
        recorder.record(exchange({"error": "INTERNAL"}, 500, operation="get_balance", id=2 * number + 1))
    shown = [fact for fact in recorder.facts.shown if fact.requirement == "PAY-ERR-12"]
    assert [(fact.evidence, fact.problem is None) for fact in shown if not fact.problem] == [("exchange 0", True)]
    assert [fact.evidence for fact in shown if fact.problem] == [f"exchange {number}" for number in (1, 3, 5, 7, 9)]


def test_a_secret_of_a_response_is_masked_in_what_is_kept_of_it() -> None:
    recorder = Recorder()
    recorder.record(exchange({"token": "very-secret-token"}, operation="get_balance"))
    recorder.facts.note(recorder.redact("the token is very-secret-token"))
    exchanges: list[Exchange] = recorder.facts.exchanges
    assert b"very-secret-token" not in exchanges[0].body
    assert recorder.facts.notices == [Notice("the token is ***")]
