"""The output: a block for each failed requirement, the outcome of tests that raise, and no secret anywhere."""

import base64
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis.errors import FlakyFailure

from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable, RequirementFailed
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.reference.process import Running
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.session.command_line import UV, started_as
from pix_conformance.session.outcome_of_test import record_test_end
from pix_conformance.session.terminal import unknown
from tests.support.broken_runs import broken_run
from tests.support.judged_facts import result

ID = "PAY-IDEM-02"


def test_a_failed_requirement_has_one_block_in_words_of_the_api(failed_run: Finished) -> None:
    """`tests/test_sample_output.py` holds the other lines."""
    assert failed_run.output.count(f"FAIL {ID} (must): POST /api/v1/pix/out/pixkey") == 1
    assert failed_run.exit == 1
    for line in (
        r"  document   payments.md, Idempotency of transfers, lines \d+",
        r"  cases      \d+ of \d+ failed",
        r"  again      .*python -m pytest --base-url http://\S+ --only PAY-IDEM-02",
        r"  script     reproduce/PAY-IDEM-02.sh, beside the page .*",
    ):
        assert re.search(f"^{line}", failed_run.output, re.MULTILINE), line


def test_nothing_of_the_suite_s_source_is_shown(failed_run: Finished) -> None:
    words = ("def test_", "pix_conformance.harness.clients", "FAILED", "Generated html report", "Traceback", "plugins:")
    assert [word for word in (*words, " failed in") if word in failed_run.output] == []
    assert failed_run.output.rstrip().splitlines()[-1] == (failed_run.directory / "index.html").as_uri()


def test_a_file_that_cannot_be_collected_is_named_with_its_error(tmp_path: Path) -> None:
    (tmp_path / "test_broken.py").write_text("undefined_name\n", encoding="utf-8")
    files = "suites/payments/test_qr_code.py", f"{tmp_path}/test_broken.py"
    done = run_suite(tmp_path / "out", "-c", "pytest.toml", *files)
    assert "a file of tests cannot be collected:" in done.output
    assert "test_broken.py:1: in <module>" in done.output
    assert "NameError: name 'undefined_name' is not defined" in done.output
    assert done.exit == 3


def test_the_source_is_shown_with_vv(broken_server: Running, tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", ID, "-vv", **variables(broken_server.credentials))
    assert "def test_" in done.output


def test_the_page_has_the_command_that_started_the_run(failed_run: Finished) -> None:
    page = (failed_run.directory / "index.html").read_text(encoding="utf-8")
    assert f"python -m pytest --base-url {failed_run.results['target']['base_url']} --only {ID}" in page


@pytest.mark.parametrize(
    ("words", "environment", "command"),
    [
        (["/x/bin/pytest"], {}, "pytest"),
        (["/x/bin/pytest", "--only", "A"], {UV: "1"}, "uv run pytest"),
        (["/x/pix-conformance", "--base-url", "http://h"], {}, "pix-conformance --base-url http://h"),
        (["/x/pix-conformance", "--target=a b.toml", "--plan"], {}, "pix-conformance --target 'a b.toml'"),
        (["/x/pytest/__main__.py", "-q", "--no-waiting", "suites"], {}, "python -m pytest --no-waiting"),
        (["/x/bin/pytest", "--report-dir", "--level", "--level", "should"], {}, "pytest --level should"),
    ],
)
def test_the_command_is_the_one_that_was_typed(words: list[str], environment: dict[str, str], command: str) -> None:
    assert started_as(words, environment) == command


def test_inconclusive_requirements_are_grouped_by_reason() -> None:
    rows: Any = [_inconclusive(f"PAY-BAL-0{number}", "rate-limited; more") for number in range(1, 5)]
    rows.append(_inconclusive("PAY-GEN-01", "no answer"))
    assert unknown(rows) == [
        "inconclusive (PAY-BAL-01, PAY-BAL-02, PAY-BAL-03 and 1 more): rate-limited",
        "inconclusive (PAY-GEN-01): no answer",
    ]


def _inconclusive(name: str, reason: str) -> SimpleNamespace:
    return SimpleNamespace(requirement=SimpleNamespace(id=name), outcome=Outcome.INCONCLUSIVE, reason=reason)


JWT = re.compile(rb"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+")


def forms(secret: str) -> set[bytes]:
    plain = secret.encode()
    return {
        plain,
        quote(secret, safe="").encode(),
        base64.b64encode(plain).rstrip(b"="),
        base64.urlsafe_b64encode(plain).rstrip(b"="),
    }


def test_no_file_of_the_bundle_and_no_line_of_the_terminal_contains_a_secret(server: Running, tmp_path: Path) -> None:
    given = variables(server.credentials)
    secrets = [value for name, value in given.items() if name.endswith(("SECRET", "API_KEY"))]
    done = run_suite(tmp_path / "out", "--no-waiting", "--event-deadline", "2", "--tb=long", "--quick", **given)
    texts = {path.name: path.read_bytes() for path in done.directory.rglob("*") if path.is_file()}
    leaks = [
        (name, secret[:4])
        for name, text in (texts | {"terminal": done.output.encode()}).items()
        for secret in secrets
        for form in forms(secret)
        if form in text
    ]
    tokens = [name for name, text in (texts | {"terminal": done.output.encode()}).items() if JWT.search(text)]

    assert len(secrets) >= 6
    assert texts
    assert (leaks, tokens) == ([], [])


@pytest.mark.parametrize(
    ("raised", "outcome"),
    [
        (RequirementFailed("it is paid"), Outcome.INCONCLUSIVE),
        (Inconclusive("nothing came"), Outcome.INCONCLUSIVE),
        (NotApplicable("no receiver"), Outcome.NOT_APPLICABLE),
        (KeyError("id"), Outcome.ERROR),
        (FlakyFailure("it came once", [RequirementFailed("it is paid")]), Outcome.INCONCLUSIVE),
        (FlakyFailure("it came once", [KeyError("id")]), Outcome.ERROR),
    ],
    ids=["mismatch", "inconclusive", "not-applicable", "bug", "mismatch-once", "bug-once"],
)
def test_an_exception_before_a_judgement_has_its_outcome(raised: Exception, outcome: Outcome) -> None:
    """A failure of another requirement leaves this one inconclusive, also in a flaky test."""

    def end() -> None:
        raise raised

    test = CurrentTest()
    record_test_end(test, "test_it", ("BUS-CAN-01",), pytest.CallInfo.from_call(end, "call"))
    assert result(test.facts, "BUS-CAN-01").outcome is outcome


@pytest.mark.parametrize(("is_generated", "outcome"), [(False, Outcome.ERROR), (True, Outcome.INCONCLUSIVE)])
def test_a_test_without_a_judgement_is_an_error_and_a_generated_one_inconclusive(
    *, is_generated: bool, outcome: Outcome
) -> None:
    test = CurrentTest()
    call = pytest.CallInfo.from_call(lambda: None, "call")
    record_test_end(test, "test_it", ("BUS-CAN-01",), call, is_generated=is_generated)
    assert result(test.facts, "BUS-CAN-01").outcome is outcome


def test_an_error_of_the_suite_has_its_place_and_its_trace_wherever_it_is_shown(tmp_path: Path) -> None:
    done = broken_run(tmp_path, "--only", "PAY-IDEM-09", SUITE_FAULTS="test_another_key")
    error = next(entry for entry in read(tmp_path).entries if entry.id == "PAY-IDEM-09").error
    assert done.exit == 3
    assert error is not None
    assert error.source_line.startswith("tests/support/altered_run.py:")
    assert error.trace.splitlines()[-1] == "KeyError: 'a fault of the suite'"
    for text in (done.output, (tmp_path / "index.html").read_text("utf-8")):
        assert error.source_line in text
        assert 'raise KeyError("a fault of the suite")' in unescape(text)
