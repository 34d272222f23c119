"""`pix-report assume` and `--assume`: a run fails when a target no longer does what is assumed at open points."""

from pathlib import Path

import pytest

from pix_conformance.model.vocabulary import UsageError
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import BundleError
from pix_conformance.report.assumptions import as_toml, read_assumptions
from pix_conformance.report.report_command import main
from pix_conformance.sandbox.variants.registry import all_variants
from tests.support import bundles

REFUSES, ONLY = "PAY-GEN-07/unknown-fields-refused", "PAY-GEN-03,PAY-GEN-07,PAY-GEN-08"


def night(directory: Path, *words: str, variants: tuple[str, ...] = ()) -> Finished:
    """Run the tests of three open points against the reference, or a variant of it."""
    rules = " ".join(all_variants()[name].rules for name in variants)
    return run_suite(directory, "-p", "tests.support.altered_run", "--only", ONLY, *words, WRONG=rules)


def test_three_nights_with_a_change_in_between(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = night(tmp_path / "1")
    assert main(["assume", str(first.directory)]) == 0
    (tmp_path / "assumptions.toml").write_text(capsys.readouterr().out)
    same = night(tmp_path / "2", "--assume", str(tmp_path / "assumptions.toml"))
    changed = night(tmp_path / "3", "--assume", str(tmp_path / "assumptions.toml"), variants=(REFUSES,))
    assert (first.exit, same.exit, changed.exit) == (0, 0, 1)
    assert "an unknown field: 400 INVALID_REQUEST, assumed was 200" in changed.output
    assert changed.output.count("is answered otherwise than assumed") == 1
    (tmp_path / "assumptions.toml").write_text(as_toml(read(changed.directory)))
    assert night(tmp_path / "4", "--assume", str(tmp_path / "assumptions.toml"), variants=(REFUSES,)).exit == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[assumption]]\nrequirement = "PAY-NONE-01"\nseen = ["a"]', "name PAY-NONE-01"),
        ('[[assumption]]\nseen = ["a"]', "has no requirement"),
        ('[[assumption]]\nrequirement = "PAY-GEN-07"', "PAY-GEN-07 has no seen"),
        ('[[assumption]]\nrequirement = "PAY-GEN-07"\nrespones = {}', "unknown keys: respones"),
        ('[[webhook]]\nevent = "a"', "a has no median_at_most_s"),
        ("[[", "cannot be read"),
        ("", "no .*assumption.* and no .*webhook"),
        ("other = 1", "unknown keys: other"),
    ],
)
def test_a_file_that_holds_something_else_is_a_usage_error(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "assumptions.toml").write_text(text)
    with pytest.raises(UsageError, match=words):
        read_assumptions(tmp_path / "assumptions.toml")


def test_a_report_that_saw_nothing_is_no_source_of_assumptions(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="nothing at open points"):
        as_toml(bundles.run(tmp_path))


def test_what_a_run_did_not_see_is_named(tmp_path: Path) -> None:
    file = tmp_path / "assumptions.toml"
    file.write_text(
        '[[assumption]]\nrequirement = "PAY-GEN-07"\n[assumption.responses]\n"no such input" = "200"\n'
        '[[webhook]]\nevent = "payments none"\nmedian_at_most_s = 1\n'
    )
    run = night(tmp_path / "1", "--assume", str(file))
    assert run.exit == 0
    assert "assumptions of which this run saw nothing: PAY-GEN-07, payments none" in run.output
