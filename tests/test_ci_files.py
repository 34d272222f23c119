"""Files for CI jobs of users: the action, the image, the examples, the snippets, the annotations."""

import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
import yaml

from pix_conformance.model.paths import without_settings
from pix_conformance.proof.suite_run import ROOT
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.reference.process import Running
from pix_conformance.report.ci_files import MOST, annotations, render_badge, render_junit
from pix_conformance.report.report_command import main as report_command
from pix_conformance.session.options import SETTINGS, gather
from pix_conformance.session.target_settings import settings_of
from pix_conformance.verdicts import waivers
from pix_conformance.verdicts.waivers import Waiver
from tests.support import bundles
from tests.support.clients import account
from tools.pages import TARGET_FILE

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
GATE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
DEVELOPERS_TOOLS = ("playwright", "mypy", "ruff", "openapi-spec-validator", "pytest-randomly")


ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
RUN = next(step for step in STEPS if step.get("id") == "run")


def run_shell(directory: Path, **given: str) -> subprocess.CompletedProcess[bytes]:
    """Run the shell of the action with these inputs, like GitHub."""
    defaults = {"OPTIONS": "", "REPORT_DIR": "out", "BASE_URL": "", "WAIVERS": "", "ALLOW_INCONCLUSIVE": "false"}
    defaults |= {"EMBEDDED": "false" if {"BASE_URL", "PIX_BASE_URL", "PIX_TARGET"} & given.keys() else "true"}
    files = {name: str(directory / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = {"PATH": "/usr/bin:/bin", "TOOLS": sys.prefix}
    words = ["/bin/bash", "-eo", "pipefail", "-c", RUN["run"]]
    return subprocess.run(words, cwd=directory, env=defaults | path | files | given, capture_output=True, check=False)  # noqa: S603  # our own action


def pretended(directory: Path, status: int) -> str:
    """Install programs that record their arguments and end with this status."""
    (directory / "bin").mkdir()
    (directory / "bin" / "python").symlink_to(sys.executable)
    for name in ("pix-conformance", "pix-report"):
        program = directory / "bin" / name
        program.write_text(f'#!/bin/bash\nprintf "%s\\0" "$@" >> {name}.called\nexit {status}\n')
        program.chmod(0o755)
    return str(directory)


def test_the_action_passes_every_input_to_its_shell_as_a_variable() -> None:
    in_shell = {value for value in RUN["env"].values() if "inputs." in value}
    values = {value for step in STEPS for value in step.get("with", {}).values() if "inputs." in str(value)}
    assert in_shell | values == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert not [step for step in STEPS if "${{" in step.get("run", "")]  # inserted text could be executed


@pytest.mark.parametrize(("options", "status"), [("--only PAY-BAL-01", 0), ("--only PAY-NONE-01", 4)])
def test_the_shell_of_the_action_runs_the_suite(tmp_path: Path, options: str, status: int) -> None:
    done = run_shell(tmp_path, OPTIONS=options)
    assert done.returncode == status, done.stderr
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"exit={status}\n"
    assert (tmp_path / "GITHUB_STEP_SUMMARY").exists() == (status == 0)


def test_options_may_take_several_lines_and_quotes(tmp_path: Path) -> None:
    options = "--level should\n--require 'sandbox,receiver' # why\n--target \"my target.toml\"\n-k 'a\nb' -m ''\n"
    done = run_shell(tmp_path, OPTIONS=options, EMBEDDED="false", TOOLS=pretended(tmp_path, 0))
    assert done.returncode == 0, done.stdout
    words = (tmp_path / "pix-conformance.called").read_text().split("\0")[:-1]
    own = ["--level", "should", "--require", "sandbox,receiver", "--target", "my target.toml"]
    assert words[2:] == [*own, "-k", "a\nb", "-m", ""]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"EMBEDDED": "false"}, b"::error title=no target::base-url is empty"),
        ({"EMBEDDED": "true", "BASE_URL": "http://h"}, b"embedded is true, and there is a target"),
        ({"BASE_URL": "http://h"}, b""),
        ({"PIX_BASE_URL": "http://h"}, b""),
        ({"EMBEDDED": "true"}, b""),
    ],
)
def test_the_action_needs_a_target_or_the_embedded_reference(
    given: dict[str, str], words: bytes, tmp_path: Path
) -> None:
    done = run_shell(tmp_path, TOOLS=pretended(tmp_path, 0), **given)
    assert (done.returncode, words in done.stdout) == (4 if words else 0, True), done.stdout
    assert (tmp_path / "pix-conformance.called").exists() == (not words)
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"exit={done.returncode}\n"


def test_options_with_an_open_quote_end_the_step_before_the_suite_runs(tmp_path: Path) -> None:
    assert run_shell(tmp_path, OPTIONS="--only 'PAY", TOOLS=pretended(tmp_path, 0)).returncode != 0
    assert not (tmp_path / "pix-conformance.called").exists()


@pytest.mark.parametrize(("status", "allow", "expected"), [(6, "true", 0), (6, "false", 6), (1, "true", 1)])
def test_an_input_lets_what_is_inconclusive_pass(tmp_path: Path, status: int, allow: str, expected: int) -> None:
    done = run_shell(tmp_path, ALLOW_INCONCLUSIVE=allow, TOOLS=pretended(tmp_path, status))
    assert done.returncode == expected
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"exit={status}\n"


def test_the_action_leaves_the_python_of_the_job_alone_and_names_its_artifact_by_an_input() -> None:
    python = next(step for step in STEPS if step.get("uses", "").startswith("actions/setup-python"))
    assert python["with"]["update-environment"] is False
    artifact = next(step for step in STEPS if step.get("uses", "").startswith("actions/upload-artifact"))
    assert artifact["with"]["name"] == "${{ inputs.artifact-name }}"
    assert any("uv" in step.get("run", "") and "--frozen" in step["run"] for step in STEPS if "run" in step)


def test_the_image_runs_as_a_user_without_a_shell_before_it() -> None:
    by_name = dict(line.split(maxsplit=1) for line in DOCKERFILE.splitlines() if line and not line.startswith("#"))
    assert re.fullmatch(r"[1-9]\d*(:[1-9]\d*)?", by_name["USER"])
    assert json.loads(by_name["ENTRYPOINT"]) == ["pix-conformance"]


def test_the_example_target_has_every_key_and_is_a_target(tmp_path: Path) -> None:
    text = TARGET_FILE.read_text(encoding="utf-8")
    every = tomllib.loads(re.sub(r"(?m)^# (?=\w+ = )", "", text))
    assert set(every) == {setting.key for setting in SETTINGS} - {"target"} | {"name"}
    secrets = {"PIX_CLIENT_SECRET": "secret", "PIX_API_KEY": "ak_test_1"}
    target = settings_of(gather({"target": str(TARGET_FILE), "report_dir": str(tmp_path)}, secrets)).target
    assert (target.name, target.base_url) == ("my sandbox", "https://sandbox.example.com")


NIGHT = ["/bin/sh", str(ROOT / "examples" / "nightly.sh")]


def test_the_nightly_example_holds_a_night_against_the_first_one(tmp_path: Path, server: Running) -> None:
    """Of a part of the suites it takes no baseline; with one, it is held against it."""
    words = [*NIGHT, "--only", "PAY-GEN-07,PAY-BAL-01"]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    environment = without_settings(PATH=path, PIX_RECEIVER="off", **account(server))

    def night() -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # our own script

    first = night()
    assert (first.returncode, "no baseline: this was no whole run" in first.stderr) == (0, True), first.stderr
    nights = tmp_path / "nights"
    shutil.copytree(nights / "latest", nights / "baseline")
    assumed = subprocess.run(  # noqa: S603  # our own program
        [f"{Path(sys.executable).parent}/pix-report", "assume", "nights/latest"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "PAY-GEN-07" in assumed
    (nights / "assumptions.toml").write_text(assumed)
    second = night()
    assert (second.returncode, "nothing is better or worse than in the baseline" in second.stdout) == (0, True)


@pytest.mark.parametrize(
    ("status", "known", "taken"), [(0, "", True), (1, "", False), (6, "", False), (1, "yes", True)]
)
def test_the_nightly_example_takes_no_failed_night_unasked(
    status: int,
    known: str,
    taken: bool,  # noqa: FBT001  # a column
    tmp_path: Path,
) -> None:
    pretended(tmp_path, status)
    (tmp_path / "nights" / "latest").mkdir(parents=True)
    (tmp_path / "nights" / "latest" / "results.json").write_text('{"run": {"partial": false}}')
    (tmp_path / "bin" / "pix-report").write_text("#!/bin/sh\necho assumed\n")
    environment = without_settings(PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin", KNOWN_FAILURES=known)
    done = subprocess.run(NIGHT, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # our own script
    assert (done.returncode, (tmp_path / "nights" / "assumptions.toml").exists()) == (status, taken)
    assert (tmp_path / "nights" / "baseline").exists() == taken
    assert taken or f"no baseline: this night ended with status {status}" in done.stderr


def test_the_example_of_waivers_has_every_key_and_is_read() -> None:
    file = ROOT / "examples" / "waivers.toml"
    (row,) = tomllib.loads(file.read_text(encoding="utf-8"))["waiver"]
    assert set(row) == {field.name for field in dataclasses.fields(Waiver)}
    assert list(waivers.read(file, date(2027, 1, 1))) == ["PAY-IDEM-02"]


def test_the_snippets_are_yaml_and_a_shell_reads_them() -> None:
    (github, gitlab) = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", GATE, re.DOTALL))
    steps = github["jobs"]["pix"]["steps"]
    used = [step["with"] for step in steps if "pix-conformance" in step["uses"]]
    assert [set(step) - set(ACTION["inputs"]) for step in used] == [set(), set()]
    assert len({step.get("artifact-name") for step in used}) == len(used)
    assert gitlab["pix"]["artifacts"]["reports"] == {"junit": "pix-report/junit.xml"}
    (shell,) = re.findall(r"```sh\n(.*?)```", GATE, re.DOTALL)
    assert subprocess.run(["/bin/bash", "-n"], input=shell, text=True, check=False).returncode == 0


def failing(directory: Path, count: int, **words: Any) -> Bundle:
    names = [f"PAY-X-{number:02}" for number in range(count)]
    rows = [bundles.requirement(4, id=name, **({"outcome": "fail", "judgements": []} | words)) for name in names]
    return bundles.run(directory, *rows)


def test_each_cause_is_an_annotation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failing(tmp_path, 2)
    assert report_command(["annotations", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" fail")[0] for line in lines] == ["::error title=PAY-X-00", "::error title=PAY-X-01"]
    assert all("status is 200, not 409 (payments.md, " in line for line in lines)
    joined = [*annotations(failing(tmp_path, 3, judgements=[bundles.judgement("exchange 1", "fail")]))]
    joined += annotations(failing(tmp_path, 3, outcome="inconclusive"))
    heads = ["::error title=PAY-X-00 and 2 more fail", "::warning title=PAY-X-00 and 2 more inconclusive"]
    assert [line.partition("%3A")[0] for line in joined] == heads


def test_files_for_ci_name_the_embedded_reference_and_the_sums(tmp_path: Path) -> None:
    """A job that lost its target shows it at once."""
    failed = bundles.run(tmp_path / "1", bundles.requirement(1, outcome="pass"))
    target = dataclasses.replace(failed, run=dataclasses.replace(failed.run, exit=0))
    reference = dataclasses.replace(target, embedded=True)
    badges = [json.loads(render_badge(bundle)) for bundle in (target, reference)]
    suites = [fromstring(render_junit(bundle, [])) for bundle in (target, reference)]  # noqa: S314  # our own
    assert [("embedded reference" in badge["message"], badge["color"] == "brightgreen") for badge in badges] == [
        (False, True),
        (True, False),
    ]
    assert [suite[0].attrib["name"] for suite in suites] == ["pix-conformance", "pix-conformance (embedded reference)"]
    assert suites[0].attrib.items() >= {"tests": "1", "failures": "0", "errors": "0", "skipped": "0"}.items()
    assert [next(annotations(bundle), "")[:32] for bundle in (target, reference)] == [
        "", "::notice title=embedded reference"[:32],
    ]  # fmt: skip


def test_a_text_of_a_server_begins_no_other_annotation(tmp_path: Path) -> None:
    hostile = "100% wrong\n::error title=mine::no"
    (line,) = annotations(failing(tmp_path, 1, reason=hostile, statement=hostile))
    assert "\n" not in line
    assert "100%25 wrong" in line
    assert line.split("::")[1].count(":") == 0


def test_no_more_annotations_than_github_keeps(tmp_path: Path) -> None:
    lines = list(annotations(failing(tmp_path, 30)))
    assert len(lines) == MOST
    assert "21 more" in lines[-1]


def test_a_run_of_the_suites_installs_no_developers_tool() -> None:
    assert PROJECT["tool"]["uv"]["default-groups"] == []
    assert not [name for name in PROJECT["project"]["dependencies"] if name.startswith(DEVELOPERS_TOOLS)]
    named = [name for group in PROJECT["dependency-groups"].values() for name in group if isinstance(name, str)]
    assert [tool for tool in DEVELOPERS_TOOLS if not any(name.startswith(tool) for name in named)] == []
    assert "uv run --group tests pytest tests" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None,
    reason="only root may give a process a number space of its own",
)
def test_as_the_first_process_of_a_container_a_sigterm_ends_it_with_a_report(tmp_path: Path) -> None:
    program = "import sys; from pix_conformance.cli import conformance; sys.exit(conformance())"
    words = ["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-c", program, "--report-dir", "out"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as running:  # noqa: S603  # ours
        inside = _child(running.pid)
        assert running.stdout
        while "collected" not in running.stdout.readline():
            assert running.poll() is None
        time.sleep(3)
        os.kill(inside, signal.SIGTERM)
        running.communicate(timeout=60)
    assert running.returncode == 143
    assert (tmp_path / "out" / "index.html").is_file()


def _child(parent: int) -> int:
    """Find the process that runs as the first one of its number space."""
    deadline = time.monotonic() + 20
    while not (children := Path(f"/proc/{parent}/task/{parent}/children").read_text().split()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(children[0])
