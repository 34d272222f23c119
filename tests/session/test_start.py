"""The parts of deferred tests that run before the test on turn."""

import subprocess
import sys
from pathlib import Path

CONFTEST = """
from types import SimpleNamespace

import pytest
from pix_conformance.session.start import run_deferred_parts


def before(test, tests):
    yield [tests[0]] if test.name == "test_on_turn" else []


OURS = SimpleNamespace(deferred=SimpleNamespace(before=before), recorder=SimpleNamespace(), run=None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    run_deferred_parts(item, OURS)
"""


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
