"""Deferred tests: first parts at the start, others at an age; none fails a right server, however long the run takes."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.harness.clock import Clock
from pix_conformance.harness.deferred import AT_THE_END, Body, DeferredTests, deferred
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.model.vocabulary import Interrupted
from pix_conformance.recording.bundle.reader import read
from tests.support.broken_runs import broken_run

CONFTEST = """
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.session.turns import run_deferred_parts


def before(test, tests):
    yield [tests[0]] if test.name == "test_on_turn" else []


DEFERRED = SimpleNamespace(before=before, running_early_parts=nullcontext)
OURS = SimpleNamespace(deferred=DEFERRED, current_test=CurrentTest(), run=None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    run_deferred_parts(item, OURS)
"""


@dataclass
class FakeSession:
    """The tests of a run in their order, the clock that they turn, and which part of which test ran at which age."""

    tests: list[pytest.Function] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    deferred: DeferredTests = field(default_factory=DeferredTests)
    clock: Clock = field(default_factory=lambda: Clock(lambda _: None, waits=None, on_turn=lambda: None))
    on_turn: str = ""
    """The test whose part runs."""

    def add(self, name: str, body: Body, after: float, **when: Any) -> None:
        """Add a deferred test."""
        item: Any = SimpleNamespace(nodeid=name, obj=deferred(after, **when)(body), funcargs={})
        item.get_closest_marker = lambda _: SimpleNamespace(args=(after,))
        self.tests.append(cast("pytest.Function", item))

    def begin(self) -> None:
        """Run the first parts, before an ordinary test."""
        self.run_early_parts(cast("pytest.Function", SimpleNamespace(nodeid="", get_closest_marker=lambda _: None)))

    def note(self, part: str) -> None:
        """Note that a part of the test on turn runs now."""
        self.steps.append(f"{self.on_turn}: {part} at {self.clock.turned:.0f} s")

    def two_parts(self) -> Iterator[None]:
        """Arrange, judge."""
        self.note("arranged")
        yield
        self.note("judged")

    def three_parts(self) -> Iterator[None]:
        """Arrange, query, judge."""
        self.note("arranged")
        yield
        self.note("queried")
        yield
        self.note("judged")

    def run_early_parts(self, test: pytest.Function) -> None:
        """Run the parts that are due before a test, each as its own test."""
        for due in self.deferred.before(test, self.tests):
            with self.deferred.running_early_parts():
                for item in due:
                    self._run(cast("pytest.Function", item))

    def run(self) -> None:
        """Run all tests."""
        for test in self.tests:
            self.run_early_parts(test)
            self._run(test)

    def _run(self, test: pytest.Function) -> None:
        self.on_turn = test.nodeid
        assert self.deferred.run_part(test, self.clock)


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


def test_a_part_between_two_yields_runs_as_its_own_test_before_the_first_test_of_its_age(session: FakeSession) -> None:
    session.add("young", session.two_parts, 25)
    session.add("token", session.two_parts, 55)
    session.add("charge", session.three_parts, 64, between=50)
    session.run()
    assert session.steps[3:] == [
        "young: judged at 25 s",
        "charge: queried at 50 s",
        "token: judged at 55 s",
        "charge: judged at 64 s",
    ]


def test_timely_tests_are_arranged_first_and_of_the_others_those_with_the_highest_age(session: FakeSession) -> None:
    session.add("seconds", session.two_parts, 3)
    session.add("token", session.two_parts, 55, timely=True)
    session.add("minute", session.two_parts, 62)
    session.add("charge", session.three_parts, 64, between=50, timely=True)
    session.add("end", session.two_parts, AT_THE_END)
    session.begin()
    assert [step.partition(":")[0] for step in session.steps] == ["charge", "token", "minute", "seconds", "end"]


def test_a_test_whose_first_part_could_not_be_set_up_runs_all_parts_on_its_turn(session: FakeSession) -> None:
    session.add("charge", session.three_parts, 64, between=50)
    session.on_turn = "charge"
    session.deferred.run_part(session.tests[0], session.clock)
    assert session.steps == ["charge: arranged at 0 s", "charge: queried at 50 s", "charge: judged at 64 s"]


def test_the_last_part_of_a_timely_test_is_due_shortly_before_its_age(session: FakeSession) -> None:
    session.add("token", session.two_parts, 55, timely=True)
    session.add("charge", session.two_parts, 60, timely=True)
    session.add("patient", session.two_parts, 20)
    session.begin()
    session.deferred.due_within = 2
    batches = []
    for seconds in (50, 4, 1, 3):
        session.clock.skip(seconds)
        batches.append([test.nodeid for test in session.deferred.due(session.tests)])
    assert batches == [[], ["token"], ["token"], ["token", "charge"]]


def test_the_part_between_of_a_timely_test_runs_when_it_is_due_and_its_last_part_later(session: FakeSession) -> None:
    session.add("charge", session.three_parts, 64, between=50, timely=True)
    session.begin()
    session.deferred.due_within = 2
    session.clock.skip(49)
    session.begin()
    assert session.deferred.due(session.tests) == []
    session.clock.skip(13)
    assert session.deferred.due(session.tests) == session.tests
    assert session.steps == ["charge: arranged at 0 s", "charge: queried at 50 s"]


def test_a_part_of_a_timely_test_is_near_until_it_is_judged(session: FakeSession) -> None:
    session.add("charge", session.two_parts, 20, timely=True)
    session.begin()
    session.deferred.near_within = 6
    near = []
    for seconds in (13, 2, 4):
        session.clock.skip(seconds)
        near.append(session.deferred.is_near())
    session.run()
    assert [*near, session.deferred.is_near()] == [False, True, True, False]


@pytest.mark.parametrize("seconds", [100, 900])
def test_a_late_run_arranges_all_timely_tests_again_and_no_other(session: FakeSession, seconds: float) -> None:
    session.add("token", session.two_parts, 55, timely=True)
    session.add("patient", session.two_parts, 62)
    session.add("charge", session.three_parts, 64, between=50, timely=True)
    session.begin()
    session.clock.skip(seconds)
    session.steps.clear()
    session.run()
    assert session.steps == [
        f"charge: arranged at {seconds} s",
        f"token: arranged at {seconds} s",
        f"charge: queried at {seconds + 50} s",
        f"token: judged at {seconds + 55} s",
        f"patient: judged at {seconds + 55} s",
        f"charge: judged at {seconds + 64} s",
    ]


def test_timely_tests_that_are_late_are_arranged_again_before_an_ordinary_test_once(session: FakeSession) -> None:
    session.add("token", session.two_parts, 55, timely=True)
    session.deferred.due_within = 2
    session.begin()
    for _ in range(3):
        session.clock.skip(100)
        session.begin()
    assert session.steps == ["token: arranged at 0 s", "token: arranged at 100 s"]
    session.run()
    assert session.steps[2:] == ["token: arranged at 300 s", "token: judged at 355 s"]


def _failing(number: int, why: BaseException) -> Callable[[], Iterator[None]]:
    """Return a test of three parts, of which that one, counted from 1, raises."""

    def body() -> Iterator[None]:
        for part in (1, 2):
            if part == number:
                raise why
            yield
        if number == 3:
            raise why

    return body


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_timely_test_is_arranged_again_unless_an_earlier_one_was_judged_in_time(
    session: FakeSession, *, is_refused: bool
) -> None:
    first = _failing(1, Inconclusive("it was refused")) if is_refused else session.two_parts
    session.add("token", first, 55, timely=True)
    session.add("charge", session.two_parts, 62, timely=True)
    session.begin()
    with suppress(Inconclusive):
        session.deferred.run_part(session.tests[0], session.clock)
    session.clock.skip(100)
    session.steps.clear()
    session.run_early_parts(session.tests[1])
    session.deferred.run_part(session.tests[1], session.clock)
    late = ["charge: arranged at 100 s", "charge: judged at 162 s"]
    assert session.steps == (late if is_refused else ["charge: judged at 155 s"])


@pytest.mark.parametrize("part", [1, 2, 3])
@pytest.mark.parametrize("why", [Inconclusive("it was refused"), AssertionError("a fault of the suite")])
def test_what_a_part_raises_is_raised_on_the_turn_of_its_test(session: FakeSession, part: int, why: Exception) -> None:
    session.add("token", session.two_parts, 55)
    session.add("charge", _failing(part, why), 64, between=50)
    session.begin()
    session.deferred.run_part(session.tests[0], session.clock)
    with pytest.raises(type(why), match=str(why)):
        session.deferred.run_part(session.tests[1], session.clock)


@pytest.mark.parametrize("part", [1, 2])
def test_an_interruption_in_an_early_part_ends_the_run_at_once(session: FakeSession, part: int) -> None:
    session.add("token", session.two_parts, 55)
    session.add("charge", _failing(part, Interrupted("Ctrl-C")), 64, between=50)
    with pytest.raises(Interrupted):
        session.run()
    assert "token: judged at 55 s" not in session.steps


def test_a_second_yield_is_a_fault_of_a_test_without_an_age_for_it(session: FakeSession) -> None:
    session.add("charge", session.three_parts, 0)
    with pytest.raises(RuntimeError, match="one yield"):
        session.run()


@pytest.mark.parametrize(("seconds", "words"), [("54", ["--no-waiting"]), ("100", [])])
def test_no_deferred_test_fails_a_right_server_in_a_run_of_that_length(
    tmp_path: Path, seconds: str, words: list[str]
) -> None:
    """Late tests are arranged again if the run may wait, and each part is judged for its own test."""
    marked = ("suites", "--deselect", "suites/business/test_retries.py", "-m", "deferred")
    done = broken_run(tmp_path, *marked, *words, ELAPSED_S=seconds)
    assert done.exit in {0, 6}, done.output
    assert done.with_outcome("fail") + done.with_outcome("warn") + done.with_outcome("error") == []
    queried = "test_a_query_before_expires_at_does_not_make_a_charge_live_longer"
    judged = {entry.id for entry in read(tmp_path).entries if any(queried in str(row.test) for row in entry.judgements)}
    assert judged == {"BUS-EXP-01", "BUS-EXP-03"} or words


def test_an_early_part_runs_while_the_module_of_another_test_is_set_up(tmp_path: Path) -> None:
    part = f"def test_part():\n    with open({str(tmp_path / 'parts')!r}, 'a') as file:\n        file.write('.')\n"
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_a.py").write_text(part)
    (tmp_path / "test_b.py").write_text("def test_before():\n    pass\n\n\ndef test_on_turn():\n    pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603  # this Python

    assert done.returncode == 0, done.stdout
    assert (tmp_path / "parts").read_text() == ".."
