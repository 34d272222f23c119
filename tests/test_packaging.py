"""The installed package: the wheel in an empty directory."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pix_conformance.model.paths import PYTEST_SETTINGS, without_settings
from pix_conformance.proof.suite_run import ROOT
from pix_conformance.report.explain import EXAMPLES
from tools.version import NUMBER

TREE = "pix_conformance/testtree/"
BUILT_FROM = ("src", "specs", "suites", "fixtures", "tools", "pyproject.toml", "README.md", "LICENSE", ".gitignore")
EXAMPLE = {"PAY-IDEM-02": {"right": {"sent": ["POST /"], "got": ["HTTP 409"]}}}
FOLDERS = {"src": "", **{name: f"{TREE}{name}/" for name in ("specs", "suites", "fixtures")}}
SCRIPT = "import sys; from pix_conformance.cli import {0}; sys.exit({0}())"


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


def called(site: Path, directory: Path, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Call a console script of the unpacked wheel from another directory."""
    command, environment = (
        [sys.executable, "-P", "-c", SCRIPT.format(script), *words],
        without_settings(PYTHONPATH=str(site)),
    )
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # our own script


def test_the_wheel_runs_from_an_empty_folder_and_reports_there(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")  # settings of another project
    done = called(wheel, tmp_path, "conformance", "-vv", "--only", "PAY-BAL-01")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"rootdir: {wheel}" in done.stdout
    assert (tmp_path / "reports/latest/index.html").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pytest.ini", "reports"]


def test_the_wheel_has_its_version_its_tests_and_what_was_measured(wheel: Path, tmp_path: Path) -> None:
    explained = called(wheel, tmp_path, "report", "explain", "PAY-IDEM-02").stdout
    assert "a key reused with another body conflicts" in explained
    assert "< HTTP 409" in explained
    assert called(wheel, tmp_path, "conformance", "--version").stdout.startswith(f"pix-conformance {NUMBER}, ")
    assert "\nopenapi: 3.1.0\n" in called(wheel, tmp_path, "sandbox", "--openapi", "business").stdout


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
