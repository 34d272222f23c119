"""`expect` in a test of several requirements: a failure hides no other, and nothing is judged that rests on it."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from _pytest.outcomes import Skipped

from pix_conformance.checks.matchers import Matcher, field, status
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.expect import expect, judging_all, raise_failure
from pix_conformance.harness.outcomes import Inconclusive, RequirementFailed, RequirementWarned
from pix_conformance.model.exchange import Exchange, Request
from pix_conformance.model.vocabulary import Api
from tests.support.exchanges import exchange

AMOUNT, DESCRIPTION, SHOULD = "BUS-CHG-56", "BUS-CHG-57", "BUS-GEN-02"
WRONG, RIGHT = field("amount_cents", 2), field("amount_cents", 1)


@pytest.fixture
def test() -> CurrentTest:
    return CurrentTest(requirements=(AMOUNT, DESCRIPTION, SHOULD))


@pytest.fixture
def charge(test: CurrentTest) -> Exchange:
    return answered(test, 1, 200)


def answered(test: CurrentTest, number: int, code: int) -> Exchange:
    return exchange({"amount_cents": 1}, code, id=number, api=Api.BUSINESS, operation="get_charge", current_test=test)


def raised_by(test: CurrentTest, *steps: Callable[[], object]) -> BaseException:
    """Return what a test of these steps raises."""
    try:
        with judging_all(test):
            for step in steps:
                step()
    except (Exception, Skipped) as raised:  # noqa: BLE001  # each caller looks at it
        return raised
    raise AssertionError("nothing was raised")


def raising(reason: BaseException) -> Callable[[], None]:
    """Return a step that raises."""

    def step() -> None:
        raise reason

    return step


def outcomes(test: CurrentTest) -> list[tuple[str, bool]]:
    """Return each requirement that was judged, and whether it failed."""
    return [(name, bool(expected.mismatches)) for expected in test.facts.expected for name in expected.requirements]


def test_two_requirements_are_judged_though_the_first_fails(test: CurrentTest, charge: Exchange) -> None:
    first, second = (partial(expect, charge, WRONG, of=requirement) for requirement in (AMOUNT, DESCRIPTION))
    raised = raised_by(test, first, second)
    assert outcomes(test) == [(AMOUNT, True), (DESCRIPTION, True)]
    assert (AMOUNT in str(raised), DESCRIPTION in "".join(raised.__notes__)) == (True, True)
    assert test.failures is None


def test_a_must_that_fails_is_raised_before_a_should(test: CurrentTest, charge: Exchange) -> None:
    should, must = (partial(expect, charge, WRONG, of=requirement) for requirement in (SHOULD, AMOUNT))
    assert isinstance(raised_by(test, should, must), RequirementFailed)
    assert isinstance(raised_by(test, should), RequirementWarned)


@pytest.mark.parametrize("last", [KeyError("id"), Inconclusive("nothing came")], ids=["bug", "inconclusive"])
def test_what_follows_a_failure_is_not_raised_in_its_place(
    test: CurrentTest, charge: Exchange, last: BaseException
) -> None:
    wrong, right = (partial(expect, charge, matcher, of=AMOUNT) for matcher in (WRONG, RIGHT))
    assert isinstance(raised_by(test, wrong, raising(last)), RequirementFailed)
    assert raised_by(test, right, raising(last)) is last


def test_no_request_is_sent_after_a_failure(test: CurrentTest, charge: Exchange) -> None:
    """The sender of requests calls `raise_failure` first."""
    first, second = (partial(expect, charge, WRONG, of=requirement) for requirement in (AMOUNT, DESCRIPTION))
    raised_by(test, first, lambda: raise_failure(test.failures), second)
    assert outcomes(test) == [(AMOUNT, True)]
    raise_failure(test.failures)


@pytest.mark.parametrize(("matcher", "is_judged"), [(status(404), True), (RIGHT, False), (WRONG, False)])
def test_of_a_response_with_a_wrong_status_only_the_status_is_judged(
    test: CurrentTest, matcher: Matcher, *, is_judged: bool
) -> None:
    refused, other = answered(test, 2, 500), answered(test, 3, 200)
    raised_by(
        test,
        partial(expect, refused, status(200), of=AMOUNT),
        partial(expect, other, RIGHT, of=SHOULD),
        partial(expect, refused, matcher, of=DESCRIPTION),
    )
    assert outcomes(test) == [(AMOUNT, True), (SHOULD, False), *([(DESCRIPTION, True)] if is_judged else [])]


def test_a_failure_of_all_requirements_ends_the_test(test: CurrentTest, charge: Exchange) -> None:
    raised_by(test, partial(expect, charge, WRONG), partial(expect, charge, RIGHT, of=AMOUNT))
    assert outcomes(test) == [(AMOUNT, True), (DESCRIPTION, True), (SHOULD, True)]


def test_the_line_in_a_failure_has_a_new_key_and_a_new_external_ref(test: CurrentTest, charge: Exchange) -> None:
    """With the key that has been used it would be a replay."""
    key, reference = (f"{digit * 8}-0000-4000-8000-000000000000" for digit in "12")
    body = json.dumps({"external_ref": f"ref-{reference}", "amount_cents": 1}).encode()
    request = Request("POST", "http://localhost/x", (("Idempotency-Key", key),), body)
    test.facts.exchanges.append(replace(charge, request=request))
    with pytest.raises(RequirementFailed) as raised:
        expect(test.facts.exchanges[-1], WRONG)
    line = str(raised.value).rpartition("reproduce: ")[2]
    assert line.startswith("RUN=$(printf %04x $RANDOM); ")
    assert line.count("${RUN}") == len((key, reference))
    assert key not in line
    assert reference not in line
