"""The terminal output of a run: the target, the failures in words of HTTP, and the path of the report."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

import pytest

from pix_conformance.model.documents import UNSET, Documents
from pix_conformance.model.printable import clip, for_terminal
from pix_conformance.model.settings import Generation, Settings
from pix_conformance.model.vocabulary import Level, Outcome, Party
from pix_conformance.model.why import is_of_selection
from pix_conformance.report.differences import masked
from pix_conformance.session.state import Session
from pix_conformance.verdicts.exit_status import LONGEST_REASON
from pix_conformance.verdicts.judge import RequirementResult

LONGEST_LINE = 6_000
MOST_REASONS, MOST_IDS = 12, 3
PYTHON = 2
"""The verbosity (-vv) from which on pytest also shows its header, summary and the source of failed tests."""
SILENT = -2


class Terminal:
    """A pytest plugin that replaces pytest's header and summary, unless -vv is given."""

    def __init__(self, config: pytest.Config, state: Session) -> None:
        """Switch off pytest's own header, summary and tracebacks, unless -vv is given."""
        self._config, self._state = config, state
        self._own = config.get_verbosity() < PYTHON
        if self._own:
            config.option.no_header = config.option.no_summary = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        """Print the lines that name the target and the seed."""
        self._write([opening(self._state.settings), seed(self._state.settings.generation), *self._state.warnings])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Print why a file of tests cannot be collected: pytest does so in its summary, which is switched off."""
        if report.failed and self._own:
            self._write(["", "a file of tests cannot be collected:", *report.longreprtext.splitlines()])

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        """Print failures, the verdict, and last the path of the report."""
        verbosity = self._config.option.verbose
        if self._own:
            self._config.option.verbose = SILENT  # pytest's count of tests would contradict the count of requirements
        try:
            yield
        finally:
            self._config.option.verbose = verbosity
        state = self._state
        if state.draft is None or not state.summary.headline:
            return
        results, headline = state.summary.results, state.summary.headline
        self._write(
            [
                *state.summary.blocks,
                *missing_documents(results, state.settings.documents),
                *waived(results),
                *unknown(
                    [result for result in results if clip(result.reason, LONGEST_REASON) not in state.summary.headline]
                ),
                *(not_tested(results) if state.settings.party is Party.INTEGRATION else ()),
                *state.summary.notices,
                *state.draft.problems,
            ]
        )
        self._write([headline], bold=True)
        if (page := state.draft.directory / "index.html").is_file():
            self._write([page.resolve().as_uri()])

    def _write(self, lines: list[str], *, bold: bool = False) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        for line in lines if reporter else ():
            reporter.write_line(for_terminal(self._state.current_test.redact(line), LONGEST_LINE), bold=bold)


def missing_documents(results: Sequence[RequirementResult], documents: Documents) -> list[str]:
    """Return the line that says how to have the cited lines of the documents shown."""
    failed = any(result.outcome in {Outcome.FAIL, Outcome.WARN} for result in results)
    return [UNSET] if failed and not documents.lines and not documents.outdated else []


def waived(results: Sequence[RequirementResult]) -> list[str]:
    """Return the failed requirements that do not count, grouped by reason."""
    reasons = _grouped((result.reason[:200], result) for result in results if result.outcome is Outcome.WAIVED)
    return [f"{_named(ids)} {reason}" for reason, ids in reasons]


def unknown(results: Sequence[RequirementResult]) -> list[str]:
    """Return the requirements without a verdict, grouped by reason."""
    unsure = ((result.reason.split("; ")[0], result) for result in results if result.outcome is Outcome.INCONCLUSIVE)
    reasons = _grouped(unsure, key=masked)
    by_number = sorted(reasons, key=lambda pair: -len(pair[1]))[:MOST_REASONS]
    return [f"inconclusive ({_named(ids)}): {clip(reason, LONGEST_REASON)}" for reason, ids in by_number]


def not_tested(results: Sequence[RequirementResult]) -> list[str]:
    """Return the musts of an integration that were selected and had nothing to judge, grouped by reason."""
    musts = (
        (result.reason.split("; ")[0], result)
        for result in results
        if result.requirement.level is Level.MUST and not result.requirement.unobservable
        if result.outcome is Outcome.NOT_APPLICABLE and not is_of_selection(result.why)
    )
    reasons = _grouped(musts, key=masked)[:MOST_REASONS]
    return [f"not tested ({', '.join(ids)}): {clip(reason, LONGEST_REASON)}" for reason, ids in reasons]


def _grouped(
    results: Iterable[tuple[str, RequirementResult]], key: Callable[[str], str] = str
) -> list[tuple[str, list[str]]]:
    """Return the first of the reasons that have the same key, with the ids of their requirements, for each key."""
    by_reason: dict[str, tuple[str, list[str]]] = {}
    for reason, result in results:
        by_reason.setdefault(key(reason), (reason, []))[1].append(result.requirement.id)
    return list(by_reason.values())


def _named(ids: list[str]) -> str:
    more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return ", ".join(ids[:MOST_IDS]) + more


def opening(settings: Settings) -> str:
    """Return the first line of a run, which names the target. Nothing is sent before it is printed."""
    name, target = f"pix-conformance {version('pix-conformance')}", settings.target
    if settings.party is Party.INTEGRATION:
        return f"{name}: {target.name} is tested against our sandbox ({', '.join(target.apis)})"
    if target.embedded:
        return f"{name}: no target given: the EMBEDDED REFERENCE is tested; this says nothing about other servers"
    address = "" if target.name == target.base_url else f" at {target.base_url}"
    return f"{name}: {target.name}{address} ({', '.join(target.apis)})"


def seed(generation: Generation) -> str:
    """Return the line that says how to have the same generated requests again."""
    return f"generated requests: {generation.examples} examples, --seed {generation.seed}"


def fewer_examples(count: int, seconds: float) -> str:
    """Return the line that says why a run has fewer generated inputs than the first line said."""
    return f"generated requests: {count} examples only, as a request takes {seconds * 1_000:.0f} ms (see --examples)"
