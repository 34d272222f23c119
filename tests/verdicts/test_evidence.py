"""The verdicts of a run by its facts: what all processes wrote counts, however it is divided among them."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

import pytest

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.editions import requirements_of_edition
from pix_conformance.model.exchange import Created
from pix_conformance.model.openapi import description
from pix_conformance.model.vocabulary import Api, Observation, Outcome, Role
from pix_conformance.model.why import Why
from pix_conformance.recording.facts import (
    LISTS,
    Concluded,
    Ended,
    Expected,
    Fact,
    Facts,
    FailedWalk,
    Late,
    NoEvents,
    Shown,
    Succeeded,
    Undocumented,
    Unusable,
)
from pix_conformance.verdicts.evidence import Selection, judge_run
from pix_conformance.verdicts.judge import RequirementResult
from tests.support.exchanges import exchange
from tests.support.judged_facts import result

ASKED, OTHER, SHOULD, GENERATED, OPEN = "PAY-BAL-01", "PAY-BAL-02", "PAY-CLI-04", "BUS-CHG-56", "PAY-CHG-20"
ANY_RESPONSE, ANY_EVENT, FIELDS = "PAY-GEN-01", "PAY-EVT-32", "PAY-GEN-10"
WORKED, DIFFERS = Succeeded(Api.PAYMENTS, "create_charge", Role.MERCHANT), ("it differs",)


def facts_of(*facts: Fact) -> Facts:
    """Return the facts of one process."""
    process = Facts()
    for fact in facts:
        process.add(fact)
    return process


def all_of(*processes: Facts) -> Facts:
    """Return the facts of a run with these processes."""
    facts = Facts()
    for process in processes:
        facts.extend(process)
    return facts


def asked(
    number: int, *mismatches: str, test: str = "t", of: str = ASKED, evidence: str = "exchange 1", **more: Any
) -> Expected:
    """Return what a test expected; with what was wrong, if anything was."""
    return Expected(number=number, requirements=(of,), test=test, evidence=evidence, mismatches=mismatches, **more)


def ended(outcome: Outcome | None = None, reason: str = "", *, test: str = "t", of: str = ASKED, **more: Any) -> Ended:
    """Return how a test ended."""
    return Ended(test=test, requirements=(of,), outcome=outcome, reason=reason, **more)


PASS: list[Fact] = [asked(1), ended()]
FAIL: list[Fact] = [asked(2, *DIFFERS, test="u"), ended(test="u", is_failure=True)]
SILENT: list[Fact] = [ended(Outcome.INCONCLUSIVE, "no answer", test="v")]
BROKEN: list[Fact] = [ended(Outcome.ERROR, "KeyError", test="v", source_line="suites/x.py:1")]
UNSET: list[Fact] = [ended(Outcome.NOT_APPLICABLE, "PIX_API_KEY is not set", test="v")]
REFUSED: list[Fact] = [
    Unusable(Api.PAYMENTS, "the login was refused"),
    ended(Outcome.INCONCLUSIVE, "refused", test="v"),
]


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (PASS, FAIL, Outcome.FAIL),
        (PASS, SILENT, Outcome.INCONCLUSIVE),
        (FAIL, SILENT, Outcome.FAIL),
        (BROKEN, PASS, Outcome.ERROR),
        (UNSET, PASS, Outcome.PASS),
        ([], PASS, Outcome.PASS),
        ([], SILENT, Outcome.INCONCLUSIVE),
        (REFUSED, [WORKED, *PASS], Outcome.INCONCLUSIVE),
    ],
)
def test_the_strongest_outcome_is_that_of_all(first: list[Fact], second: list[Fact], outcome: Outcome) -> None:
    processes = [facts_of(*first), facts_of(*second)]
    assert result(all_of(*processes), ASKED).outcome is outcome
    assert result(all_of(*reversed(processes)), ASKED).outcome is outcome


def test_a_should_that_was_broken_once_warns_also_if_another_test_could_not_tell() -> None:
    broken: list[Fact] = [asked(1, *DIFFERS, of=SHOULD), ended(of=SHOULD, is_failure=True)]
    silent = ended(Outcome.INCONCLUSIVE, "no answer", test="v", of=SHOULD)
    assert result(facts_of(*broken, silent), SHOULD).outcome is Outcome.WARN


def test_a_credential_that_one_worker_could_not_use_is_no_reason_if_another_could() -> None:
    refused = facts_of(Unusable(Api.PAYMENTS, "the login was refused"))
    judged = result(refused, ASKED)
    assert (judged.outcome, judged.why, judged.reason) == (
        Outcome.INCONCLUSIVE,
        Why.UNUSABLE,
        "the login was refused",
    )
    assert result(all_of(refused, facts_of(WORKED, *PASS)), ASKED).outcome is Outcome.PASS


def test_a_refusal_counts_if_its_operation_worked_for_another_worker() -> None:
    refusal = facts_of(asked(1, control="payments.create_charge"), ended())
    assert result(refusal, ASKED).outcome is Outcome.INCONCLUSIVE
    assert result(all_of(refusal, facts_of(WORKED)), ASKED).outcome is Outcome.PASS


def test_what_a_worker_had_seen_counts_though_it_left_no_report() -> None:
    tests = {ASKED: {"t", "u"}, OTHER: {"u"}}
    selection = Selection(tests, tests, lost={"u"})
    passed = result(facts_of(*PASS), ASKED, selection)
    left = "not selected: its worker left no report"
    assert (passed.outcome, passed.not_asked) == (Outcome.PASS, (f"{left} before 1 of its 2 tests",))
    lost = [result(facts_of(*PASS), name, selection) for name in (OTHER, ANY_RESPONSE)]
    assert {(row.outcome, row.why, row.reason) for row in lost} == {(Outcome.NOT_APPLICABLE, Why.LOST_WORKER, left)}
    assert result(facts_of(*PASS, *FAIL), ASKED, selection).outcome is Outcome.FAIL


def test_of_a_test_that_asked_nothing_the_suite_is_at_fault() -> None:
    judged = result(facts_of(ended(test="suites/x.py::t[1]")), ASKED)
    assert (judged.outcome, judged.reason) == (Outcome.ERROR, "error of the suite: nothing was judged")
    assert judged.verdicts[0].source_line == "suites/x.py::t"
    generated = result(facts_of(ended(is_generated=True)), ASKED)
    assert (generated.outcome, generated.why) == (Outcome.INCONCLUSIVE, Why.NOT_SHOWN)


def test_a_test_that_failed_before_it_asked_leaves_the_requirement_open() -> None:
    failed = facts_of(asked(1, *DIFFERS, of=OTHER), Ended(test="t", requirements=(ASKED, OTHER), is_failure=True))
    judged = result(failed, ASKED)
    assert (judged.outcome, judged.why) == (Outcome.INCONCLUSIVE, Why.NOT_REACHED)
    assert result(failed, OTHER).outcome is Outcome.FAIL


def test_what_was_expected_of_an_event_is_decided_by_all_that_came_until_the_end() -> None:
    before: list[Fact] = [asked(7, "no transaction_paid came"), ended(is_failure=True)]
    assert result(facts_of(*before), ASKED).outcome is Outcome.FAIL
    late = facts_of(*before, asked(8, again=7), Late(Api.PAYMENTS, 1, 12.0, 10.0))
    assert result(late, ASKED).outcome is Outcome.PASS
    wrong = result(facts_of(*before, asked(8, "another one came", again=7)), ASKED)
    assert (wrong.outcome, wrong.reason) == (Outcome.FAIL, "another one came")


def test_of_a_walk_the_steps_of_its_last_failure_are_kept() -> None:
    numbers = range(1, 4)
    failures = [asked(number, *DIFFERS, evidence=f"exchange {number}") for number in numbers]
    judged = result(facts_of(*failures, FailedWalk(expected=3, steps=(2, 3)), ended(is_failure=True)), ASKED)
    assert [(row.evidence, row.steps, row.smallest_of) for row in judged.judgements] == [("exchange 3", (2, 3), 3)]


def test_fields_that_are_not_documented_are_one_observation_of_all_processes() -> None:
    workers = [
        facts_of(Undocumented(requirement=FIELDS), Undocumented(requirement=FIELDS, field=f"get_balance: {name}"))
        for name in ("b", "a", "b")
    ]
    judged = result(all_of(*workers), FIELDS)
    words = "fields beyond the documented: get_balance: a, get_balance: b"
    assert (judged.outcome, [observation.words for observation in judged.observations]) == (Outcome.OBSERVED, [words])


def test_an_open_point_is_never_judged() -> None:
    seen = Observation(OPEN, "it is refused", {"status": 400}, ("exchange 1",))
    judged = result(facts_of(seen, ended(of=OPEN)), OPEN)
    assert (judged.outcome, judged.observations) == (Outcome.OBSERVED, (seen,))


EVENT: dict[str, Any] = description(Api.PAYMENTS)["webhooks"]["transaction_paid"]["post"]["requestBody"]["content"]
BODY = json.dumps(EVENT["application/json"]["example"])
CHARGE = str(json.loads(BODY)["transaction"]["id"])
DELIVERIES = [
    Delivery(number, "/", "POST", 1e9, (("Content-Type", media),), BODY.encode(), 200, api=Api.PAYMENTS)
    for number, media in ((1, "application/json"), (2, "text/plain"))
]
BY_TEST: dict[str, list[Fact]] = {
    "t": [exchange(id=1, test="t"), asked(1), asked(2, of=OTHER, control="payments.create_charge"), ended()],
    "u": [exchange(id=2, test="u"), asked(3, *DIFFERS, test="u", evidence="exchange 2"), ended(test="u")],
    "g": [
        *(asked(10 + number, f"{number} is wrong", test="g", of=GENERATED) for number in range(4)),
        ended(test="g", of=GENERATED, is_generated=True, is_failure=True),
    ],
    "v": [*SILENT, Observation(OPEN, "it is refused", None, ("exchange 1",)), ended(test="v", of=OPEN)],
    "e": [asked(20, "no event", test="e", of="PAY-EVT-10"), asked(21, test="e", of="PAY-EVT-10", again=20)],
}
"""The facts of tests, each of which runs in one process."""
ALONE: list[Fact] = [
    WORKED,
    Shown(requirement=ANY_RESPONSE, operation="payments.create_charge", evidence="exchange 1"),
    Shown(requirement=ANY_RESPONSE, operation="payments.get_balance", evidence="exchange 2", problem="no JSON"),
    Undocumented(requirement=FIELDS, field="get_balance: b", evidence="exchange 1"),
    Undocumented(requirement=FIELDS, field="get_balance: a", evidence="exchange 2"),
    Created(Api.PAYMENTS, Role.MERCHANT, "charge", CHARGE, 1),
    *DELIVERIES,
    Unusable(Api.BUSINESS, "PIX_API_KEY was refused"),
    NoEvents(api=Api.BUSINESS, outcome=Outcome.INCONCLUSIVE, reason="no webhook came", why=Why.NO_RECEIVER),
    Concluded(capabilities=("receiver",), turns=((5e8, 60.0),)),
]
"""Facts that any process may have written."""


def divided(count: int, dice: random.Random) -> Facts:
    """Return these facts as so many processes wrote them, one after the other."""
    processes: dict[int, list[Fact]] = defaultdict(list)
    groups: Sequence[list[Fact]] = [*BY_TEST.values(), *([fact] for fact in ALONE)]
    for group in groups:
        processes[dice.randrange(count)] += group
    order = dice.sample(sorted(processes), len(processes))
    return all_of(*(facts_of(*processes[number]) for number in order))


def essence(row: RequirementResult) -> Hashable:
    """Return what a result says, but for the order of what stands behind it, and which message shows that it passes."""
    judgements = Counter((item.test, item.evidence, item.mismatches, item.smallest_of) for item in row.judgements)
    words = frozenset(row.reason.split("; "))
    observed = frozenset((item.words, frozenset(item.evidence)) for item in row.observations)
    messages = frozenset(() if row.outcome is Outcome.PASS else row.evidence)
    behind = messages, frozenset(row.tests), frozenset(judgements.items()), observed
    return row.requirement.id, row.outcome, row.why, words, row.judged_on, behind


def test_no_verdict_depends_on_how_the_facts_are_divided_among_processes() -> None:
    assert {type(fact) for facts in (*BY_TEST.values(), ALONE) for fact in facts} <= set(LISTS)
    dice, names = random.Random(1), requirements_of_edition("").values()  # noqa: S311  # divisions, not secrets
    tests = {ASKED: {"t", "u", "v"}, OTHER: {"t"}, GENERATED: {"g"}, OPEN: {"v"}, "PAY-EVT-10": {"e"}}
    runs = [
        [essence(row) for row in judge_run(divided(count, dice), Selection(tests, tests), names, {}).results]
        for count in (1, 1, 2, 2, 3, 3, 4, 8)
    ]
    assert all(run == runs[0] for run in runs)
    outcomes = {row.requirement.id: row.outcome for row in judge_run(divided(1, dice), Selection(), names, {}).results}
    told = {name: outcomes[name] for name in (ASKED, OTHER, OPEN, ANY_RESPONSE, ANY_EVENT, FIELDS, "PAY-EVT-10")}
    assert told == {
        ASKED: Outcome.FAIL,
        OTHER: Outcome.PASS,
        OPEN: Outcome.OBSERVED,
        ANY_RESPONSE: Outcome.FAIL,
        ANY_EVENT: Outcome.FAIL,
        FIELDS: Outcome.OBSERVED,
        "PAY-EVT-10": Outcome.PASS,
    }
