"""Installed use: the wheel from an empty folder, the GitHub action's shell, the image's recipe."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.running import ROOT

BUNDLED = "pix_conformance/_bundle/"
SCRIPT = "import sys; from pix_conformance.commands import {0}; sys.exit({0}())"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel unpacked: what an installation puts into site-packages."""
    made = tmp_path_factory.mktemp("wheel")
    uv = shutil.which("uv")
    assert uv, "the README's commands need uv"
    subprocess.run([uv, "build", "--wheel", "--out-dir", made, ROOT], check=True, capture_output=True)  # noqa: S603  # our own project
    zipfile.ZipFile(archive(made)).extractall(made / "site")
    return made / "site"


def archive(directory: Path) -> Path:
    """The wheel as it was built. Its unpacked files are no witness: running them adds bytecode beside them."""
    return next(directory.glob("*.whl"))


def called(site: Path, directory: Path, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Call a console script of the unpacked wheel from another directory."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIX_")}
    return subprocess.run(  # noqa: S603  # our own script
        [sys.executable, "-P", "-c", SCRIPT.format(script), *words],
        cwd=directory,
        env=clean | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_runs_from_an_empty_folder_and_reports_there(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")  # somebody else's settings
    done = called(wheel, tmp_path, "conformance", "--only", "PAY-BAL-01")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"rootdir: {wheel}" in done.stdout
    assert (tmp_path / "reports/out/latest/index.html").is_file()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["pytest.ini", "reports"]


def test_the_wheel_says_its_version(wheel: Path, tmp_path: Path) -> None:
    assert called(wheel, tmp_path, "conformance", "--version").stdout.startswith("pix-conformance 1.")


def test_a_usage_error_of_the_wheel_is_4(wheel: Path, tmp_path: Path) -> None:
    assert called(wheel, tmp_path, "conformance", "--base-url", "http://127.0.0.1:1").returncode == 4


def test_the_wheel_explains(wheel: Path, tmp_path: Path) -> None:
    told = called(wheel, tmp_path, "report", "explain", "PAY-IDEM-02").stdout
    assert "a key reused with another body conflicts" in told
    assert "< HTTP 409" in told


def test_the_wheel_holds_no_report_and_the_settings_of_the_checkout(wheel: Path) -> None:
    made = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "reports").rglob("*")
        if path.is_file() and not {"out", "__pycache__"} & set(path.relative_to(ROOT).parts)
    }
    with zipfile.ZipFile(archive(wheel.parent)) as built:
        bundled = {name.removeprefix(BUNDLED) for name in built.namelist() if name.startswith(BUNDLED)}
        settings = built.read(f"{BUNDLED}pyproject.toml")
    assert {name for name in bundled if name.startswith("reports/")} == made
    assert not [name for name in bundled if "__pycache__" in name or name.endswith(".pyc")]
    assert settings == (ROOT / "pyproject.toml").read_bytes()


def action() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return parsed


def test_the_action_hands_every_input_to_its_shell_as_a_variable() -> None:
    ran = next(step for step in action()["runs"]["steps"] if step.get("id") == "run")
    taken = {value for value in ran["env"].values() if "inputs." in value}
    assert taken == {f"${{{{ inputs.{name} }}}}" for name in action()["inputs"]}
    assert "${{" not in ran["run"]  # text that GitHub puts into a script could be a command


@pytest.mark.parametrize(("options", "status"), [("--only PAY-BAL-01", 0), ("--only PAY-NONE-01", 4)])
def test_the_shell_of_the_action_runs_the_suite(tmp_path: Path, options: str, status: int) -> None:
    ran = next(step for step in action()["runs"]["steps"] if step.get("id") == "run")
    given = {"OPTIONS": options, "REPORT_DIR": "out", "BASE_URL": "", "WAIVERS": "", "ACTION_PATH": str(ROOT)}
    files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    words = ["/bin/bash", "-eo", "pipefail", "-c", ran["run"]]
    done = subprocess.run(words, cwd=tmp_path, env={**given, **files, "PATH": path}, capture_output=True, check=False)  # noqa: S603  # our own action
    assert done.returncode == status, done.stderr
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"exit={status}\n"
    assert (tmp_path / "GITHUB_STEP_SUMMARY").exists() == (status == 0)


def test_the_image_installs_the_project_and_starts_its_command() -> None:
    lines = [line for line in (ROOT / "Dockerfile").read_text().splitlines() if line and not line.startswith("#")]
    assert [line.split()[0] for line in lines] == ["FROM", "COPY", "RUN", "WORKDIR", "ENTRYPOINT"]
    assert 'ENTRYPOINT ["pix-conformance"]' in lines
