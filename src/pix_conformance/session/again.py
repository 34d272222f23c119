"""`--again`: the tests of what failed in an earlier report, and what they need of it."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import TEST_TREE
from pix_conformance.model.settings import Settings
from pix_conformance.model.vocabulary import UsageError
from pix_conformance.recording.report_directory import FAILED_EXAMPLES
from pix_conformance.session.earlier_report import EarlierReport, read_earlier
from pix_conformance.session.selection import tests_that_ask
from pix_conformance.session.workers.worker import given_to_worker


def earlier_report(config: pytest.Config, settings: Settings) -> EarlierReport | None:
    """Read the report that --again names; None without the option.

    Raises UsageError if there is none, if nothing failed in it, or if it is of a service and no address is given.
    """
    if settings.tests.again is None:
        return None
    report = read_earlier(Path(given_to_worker(config).get("earlier", settings.tests.again)), settings.tests.only)
    if settings.target.embedded and not report.bundle.embedded:
        raise UsageError(f"--again: that report is of {report.bundle.base_url}: give this address, or another")
    return report


def keep_failed_examples(config: pytest.Config, settings: Settings) -> None:
    """Copy the generated inputs that failed beside the new report, so that they are tried first."""
    if (
        settings.tests.again is None
        or given_to_worker(config)
        or settings.tests.again.resolve() == settings.report_dir.resolve()
    ):
        return
    if (failed := settings.tests.again / FAILED_EXAMPLES).is_dir():
        shutil.copytree(failed, settings.report_dir / FAILED_EXAMPLES, dirs_exist_ok=True)


def tests_again(items: list[pytest.Item], report: EarlierReport) -> frozenset[str]:
    """Return the node ids of the tests that found the failures of a report, or sent what showed them.

    If a test is not there any more, all tests of its requirement run.
    """
    known = {item.nodeid: item for item in items}
    chosen: set[str] = set()
    for name, failure in report.failures.items():
        tests = set(failure.tests)
        for test in failure.asked_by & known.keys():
            if known[test].get_closest_marker("whole_run"):
                tests |= report.senders(test)
        if (not tests or tests - known.keys()) and name in catalogue():
            tests |= {item.nodeid for item in tests_that_ask(items, catalogue()[name])}
        chosen |= tests & known.keys()
    return frozenset(chosen)


def missing_tests(items: Sequence[pytest.Item], report: EarlierReport) -> tuple[str, ...]:
    """Return the tests of the failures that the suite does not have any more, by node id.

    A test of a file that was not collected, because the command names others, is not missing.
    """
    known, files = {item.nodeid for item in items}, {item.nodeid.partition("::")[0] for item in items}
    missing = {test for failure in report.failures.values() for test in failure.tests - known}
    return tuple(sorted(test for test in missing if (file := test.partition("::")[0]) in files or _is_gone(file)))


def _is_gone(file: str) -> bool:
    return not (TEST_TREE / file).is_file()
