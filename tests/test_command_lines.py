"""Command lines: help, paths, other pytest plugins, the estimated duration; the wheel in an empty directory."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pix_conformance.model.paths import PYTEST_SETTINGS, without_settings
from pix_conformance.proof.suite_run import ROOT, run_suite
from pix_conformance.report.explain import EXAMPLES
from pix_conformance.session.options import SETTINGS
from pix_conformance.session.progress import Progress
from pix_conformance.session.remaining_time import Estimate
from pix_conformance.session.state import Session
from tests.session.test_usage import settled
from tools.version import NUMBER


def install_plugin(directory: Path, name: str) -> None:
    """Install a plugin with this entry point into a directory; it has the option --base-url, like pytest-base-url."""
    information = directory / "beside-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: beside\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(f"[pytest11]\n{name} = beside\n", encoding="utf-8")
    text = "def pytest_addoption(parser):\n    parser.addoption('--base-url', default=None)\n"
    (directory / "beside.py").write_text(text, encoding="utf-8")


SCRIPT = "import sys; from pix_conformance.cli import {0}; sys.exit({0}())"
MOST_LINES, MOST_COLUMNS = 80, 130


def called(script: str, *words: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    line, clean = [sys.executable, "-c", SCRIPT.format(script), *words], without_settings(**environment)
    return subprocess.run(line, cwd=cwd, env=clean, capture_output=True, text=True, check=False)  # noqa: S603  # ours


@pytest.mark.parametrize("script", ["conformance", "sandbox", "report", "receiver", "mutants", "load"])
def test_help_is_short_and_ours(script: str) -> None:
    done = called(script, "--help")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0].startswith(f"usage: pix-{script}")
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_COLUMNS
    assert "default" in done.stdout


def test_help_names_every_option_and_variable_with_its_default() -> None:
    text = " ".join(called("conformance", "--help").stdout.split())
    for setting in SETTINGS:
        assert (setting.option or setting.environment) in text
        assert setting.usual == "none" or f"(default: {setting.usual})" in text
    assert "--maxfail" in called("conformance", "--help-pytest").stdout


def test_a_suite_is_found_from_anywhere_and_the_value_of_an_option_is_none(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "w.toml").write_text("")
    words = ("--report-dir", "suites-report", "--target", "suites/w.toml", "--only", "PAY-BAL-01", "--plan")
    for path in ([], ["suites/payments/test_balance.py"]):
        done = called("conformance", *words, *path, cwd=tmp_path)
        assert (done.returncode, "1 of" in done.stdout) == (0, True), done.stdout


def test_workers_for_the_embedded_reference_are_a_usage_error(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "-n", "2", "--only", "PAY-BAL-01")
    assert done.exit == 4
    assert "need a target" in done.output
    assert "Traceback" not in done.output


def test_the_plugin_pytest_base_url_is_left_out(tmp_path: Path) -> None:
    install_plugin(tmp_path, "base_url")
    done = run_suite(tmp_path / "out", "--plan", "--only", "PAY-BAL-01", PYTHONPATH=str(tmp_path))
    assert (done.exit, "nothing was sent" in done.output) == (0, True)


def test_another_plugin_with_an_option_of_ours_is_named_in_a_sentence(tmp_path: Path) -> None:
    install_plugin(tmp_path, "beside")
    done = called("conformance", "--plan", PYTHONPATH=str(tmp_path))
    assert done.returncode == 4
    assert "another pytest plugin conflicts (argument --base-url" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", ["conformance --help", "load --help", "mutants --list", "report explain PAY-ERR-08"])
def test_the_reader_of_an_output_may_leave_before_its_end(words: str) -> None:
    script, *more = words.split()
    command = [sys.executable, "-c", SCRIPT.format(script), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603  # ours
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in seconds, which a test changes."""
    seconds = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: seconds[0])
    return seconds


def test_the_progress_says_how_long_the_rest_takes(now: list[float]) -> None:
    """By the tests that have ended, by the requests before, and never shorter than the wait beside it."""
    by_tests, by_requests = (Estimate({"a": 1.0, "b": 3.0}, requests=number) for number in (0, 100))
    with_wait = Estimate({"a": 1.0, "b": 1.0}, longest_wait=30)
    now[0] += 10
    assert by_requests.remaining(sent=4) == ""
    by_tests.end_test("a")
    assert by_tests.remaining(sent=0) == ", about 30 s left"
    assert by_requests.remaining(sent=20) == ", about 40 s left"
    with_wait.end_test("a")
    with_wait.begin_wait(50)
    rest = [with_wait.remaining(sent=0)]
    for seconds in (40, 10):
        now[0] += seconds
        rest.append(with_wait.remaining(sent=0))
    assert rest == [", about 60 s left", ", about 20 s left", ", about 10 s left"]


def test_the_first_estimate_is_that_of_the_plan_and_the_last_that_of_the_pace(now: list[float]) -> None:
    estimate = Estimate({str(number): 1.0 for number in range(100)}, planned=90.0)
    now[0] += 10  # the workers start
    first = estimate.remaining(0)
    for number in range(60):
        estimate.end_test(str(number))
    now[0] += 50
    assert (first, estimate.remaining(0)) == (", about 80 s left", ", about 40 s left")


def test_a_line_is_printed_within_a_test_that_takes_long(now: list[float]) -> None:
    """Slow responses, or a long wait: each of them lets the progress look whether 15 s have passed."""
    lines: list[str] = []
    reporter = SimpleNamespace(isatty=False, write_line=lines.append)
    plugins = SimpleNamespace(get_plugin={"terminalreporter": reporter}.get)
    state = Session(settled())
    progress = Progress(cast("Any", SimpleNamespace(pluginmanager=plugins)), state)
    progress.pytest_collection_finish(cast("Any", SimpleNamespace(items=[None, None])))
    state.current_test.begin("suites/business/test_list.py::test_many", ("BUS-LIST-02",))
    for _ in range(20):
        now[0] += 2
        state.waits.on_progress()
    assert lines == ["0/2, 0 requests: now BUS-LIST-02 business/test_list.py::test_many"] * 2


TREE = "pix_conformance/testtree/"
BUILT_FROM = ("src", "specs", "suites", "fixtures", "tools", "pyproject.toml", "README.md", "LICENSE", ".gitignore")
EXAMPLE = {"PAY-IDEM-02": {"right": {"sent": ["POST /"], "got": ["HTTP 409"]}}}
FOLDERS = {"src": "", **{name: f"{TREE}{name}/" for name in ("specs", "suites", "fixtures")}}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout in which one example was measured."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy)
    (copy / EXAMPLES.relative_to(ROOT)).write_text(json.dumps(EXAMPLE), encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def wheel(measured: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel, as an installation has it in site-packages."""
    directory = tmp_path_factory.mktemp("wheel")
    uv = shutil.which("uv")
    assert uv, "the README's commands need uv"
    subprocess.run([uv, "build", "--wheel", "--out-dir", directory, measured], check=True, capture_output=True)  # noqa: S603  # our own project
    zipfile.ZipFile(archive(directory)).extractall(directory / "site")
    return directory / "site"


def archive(directory: Path) -> Path:
    """The wheel file. Its unpacked files do not count, because running them adds bytecode."""
    return next(directory.glob("*.whl"))


def called_in(site: Path, directory: Path, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Call a console script of the unpacked wheel from another directory."""
    command = [sys.executable, "-P", "-c", SCRIPT.format(script), *words]
    environment = without_settings(PYTHONPATH=str(site))
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # our own script


def test_the_wheel_runs_from_an_empty_folder_and_reports_there(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")  # settings of another project
    done = called_in(wheel, tmp_path, "conformance", "-vv", "--only", "PAY-BAL-01")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"rootdir: {wheel}" in done.stdout
    assert (tmp_path / "reports/latest/index.html").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pytest.ini", "reports"]


def test_the_wheel_has_its_version_its_tests_and_what_was_measured(wheel: Path, tmp_path: Path) -> None:
    explained = called_in(wheel, tmp_path, "report", "explain", "PAY-IDEM-02").stdout
    assert "a key reused with another body conflicts" in explained
    assert "< HTTP 409" in explained
    assert called_in(wheel, tmp_path, "conformance", "--version").stdout.startswith(f"pix-conformance {NUMBER}, ")
    assert "\nopenapi: 3.1.0\n" in called_in(wheel, tmp_path, "sandbox", "--openapi", "business").stdout


def test_the_wheel_contains_the_package_and_the_tests_and_nothing_else(wheel: Path, measured: Path) -> None:
    files = {
        place + path.relative_to(measured / folder).as_posix()
        for folder, place in FOLDERS.items()
        for path in (measured / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(archive(wheel.parent)) as built:
        shipped = {name for name in built.namelist() if ".dist-info/" not in name}
    assert shipped == files


def test_a_checkout_has_the_settings_that_the_wheel_has() -> None:
    assert (ROOT / "pytest.toml").resolve() == PYTEST_SETTINGS.resolve()
