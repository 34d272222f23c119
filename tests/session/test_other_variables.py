"""Variables of other tools, and errors that nothing else caught: a sentence and a status, never 1 and never a trace."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import UsageError
from pix_conformance.proof.suite_run import ROOT, Finished, run_suite
from pix_conformance.session.load import process
from pix_conformance.session.other_tools import check_python, words_of
from tests.test_command_lines import called

READ = re.compile(
    r"""environ(?:\.get|\.setdefault|\.pop)?[\[(]\s*["'](\w+)["']|getenv\(\s*["'](\w+)["']|"""
    r"""["'](\w+)["'] (?:not )?in os\.environ"""
)
TABLE: dict[str, dict[str, list[Any]]] = tomllib.loads(
    (ROOT / "tests" / "support" / "variables.toml").read_text(encoding="utf-8")
)
NAMED = {(package, name): row for package, rows in TABLE.items() for name, row in rows.items()}
AS_EVER = {name: row[0] for (_, name), row in NAMED.items() if row[1] == "as ever"}
WRONG = {place: row for place, row in NAMED.items() if row[1] == 4}
ONE = ("--only", "BUS-FIN-01")


def sources(package: str) -> Iterator[Path]:
    spec = importlib.util.find_spec(package)
    assert spec
    assert spec.origin
    origin = Path(spec.origin)
    yield from origin.parent.rglob("*.py") if origin.name == "__init__.py" else [origin]


@pytest.mark.parametrize("package", TABLE)
def test_the_table_has_every_variable_that_a_package_reads(package: str) -> None:
    read = {name for path in sources(package) for names in READ.findall(path.read_text("utf-8")) for name in names}
    assert {name for name in read if name and not name.startswith(process.OF_OTHERS)} <= TABLE[package].keys()


def test_a_run_with_all_of_these_wrong_runs_as_ever(tmp_path: Path) -> None:
    run = run_suite(tmp_path, *ONE, "--timeout=60", **AS_EVER)
    assert (run.exit, "the 1 selected requirement passes" in run.output) == (0, True), run.output


@pytest.mark.parametrize(("package", "name"), WRONG)
def test_a_wrong_variable_is_named(package: str, name: str, tmp_path: Path) -> None:
    value, status, words = NAMED[package, name]
    given = {"SSL_CERT_FILE": "", name: value}  # which comes before SSL_CERT_DIR
    runs = [run_suite(tmp_path / "out", *ONE, "--report-dir=out", **given)]
    done = called("conformance", *ONE, "--report-dir=out", cwd=tmp_path, **given)
    runs.append(Finished(done.returncode, done.stdout + done.stderr, tmp_path / "out"))
    for run in runs:
        assert (run.exit, words in run.output, "Traceback" in run.output) == (status, True, False), run.output
        assert not run.directory.exists()


def test_the_users_of_a_run_under_load_get_no_variable_of_locust(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("LOCUST_USERS", "LOCUST_LOGLEVEL", "GEVENT_LOOP", "OTEL_TRACES_EXPORTER")
    for name in names:
        monkeypatch.setenv(name, "nope")
    monkeypatch.setenv("SSL_CERT_FILE", "ca.pem")
    given = process._environment(Target("t", "http://h"))  # noqa: SLF001  # what Locust gets
    assert not given.keys() & set(names)
    assert given["SSL_CERT_FILE"] == str(Path("ca.pem").absolute())  # Locust runs in another directory


def test_python_without_asserts_runs_as_ever_and_without_docstrings_is_named(tmp_path: Path) -> None:
    assert run_suite(tmp_path, *ONE, PYTHONOPTIMIZE="1").exit == 0
    with pytest.raises(UsageError, match="PYTHONOPTIMIZE=2"):
        check_python(2)


def test_an_open_quote_in_pytest_addopts_is_named() -> None:
    with pytest.raises(UsageError, match="with an open quote: close it"):
        words_of({"PYTEST_ADDOPTS": "-k 'a"})


@pytest.mark.parametrize("words", [["doctor"], []])
def test_the_doctor_and_a_run_name_the_file_of_authorities(words: list[str], tmp_path: Path) -> None:
    settings = {"PIX_BASE_URL": "https://127.0.0.1:9", "PIX_API_KEY": "ak_test_1", "SSL_CERT_FILE": "/nonexistent"}
    done = called("conformance", *words, cwd=tmp_path, **settings)
    assert (done.returncode, "SSL_CERT_FILE is /nonexistent, which" in done.stdout + done.stderr) == (4, True)


FAILING = {
    "at the start": "def pytest_load_initial_conftests(): raise ValueError('ak_test_secret')",
    "while it is configured": "def pytest_configure(): raise ValueError('ak_test_secret')",
    "while it runs": "def pytest_runtestloop(): raise ValueError('ak_test_secret')",
    "at the end": "def pytest_sessionfinish(): raise ValueError('ak_test_secret')",
}


def with_plugin(place: Path, source: str, *words: str, **more: str) -> Finished:
    """Run the suites with a plugin of this source."""
    (place / "failing_plugin.py").write_text(source, encoding="utf-8")
    return run_suite(place / "out", *ONE, *words, PYTEST_PLUGINS="failing_plugin", PYTHONPATH=str(place), **more)


@pytest.mark.parametrize("when", FAILING)
def test_an_internal_error_is_a_sentence_with_a_file_and_status_3(when: str, tmp_path: Path) -> None:
    run = with_plugin(tmp_path, FAILING[when])
    sentence = re.search(r"an error of the suite itself, .*: ValueError: \*\*\*; its trace is in (\S+)", run.output)
    assert (run.exit, "INTERNALERROR" in run.output, "Traceback" in run.output) == (3, False, False), run.output
    assert sentence
    trace = Path(sentence[1]).read_text(encoding="utf-8")
    assert ("Traceback" in trace, "ak_test_secret" in trace) == (True, False)
    if when == "while it runs":
        assert run.results["run"]["exit"] == 3


def test_a_test_that_takes_too_long_ends_the_run_with_a_report_and_status_3(tmp_path: Path) -> None:
    """Its thread never comes back, so that another one writes the report."""
    stuck = "import pytest\n@pytest.fixture(autouse=True)\ndef stuck():\n    import time\n    time.sleep(60)"
    run = with_plugin(tmp_path, stuck, "--timeout=1")
    assert (run.exit, run.results["run"]["exit"]) == (3, 3), run.output
    assert "ran longer than its limit of 1 s; its trace is in" in run.output


def test_brackets_in_the_path_of_the_suites_are_no_parameters(tmp_path: Path) -> None:
    place = tmp_path / "a[x]"
    place.mkdir()
    for name in ("suites", "fixtures", "specs", "src"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    code = "from pix_conformance.cli import conformance; raise SystemExit(conformance())"
    script = f"import sys; sys.path[:0] = [{str(place / 'src')!r}, {str(place)!r}]; {code}"
    words = [sys.executable, "-P", "-c", script, *ONE, "--report-dir", str(tmp_path / "out")]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603  # our own suite
    assert done.returncode == 0, done.stdout + done.stderr
