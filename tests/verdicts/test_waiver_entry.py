"""Waivers: an entry that `pix-report waive` writes is one that a run reads."""

import re
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest

from pix_conformance.model.vocabulary import Outcome, UsageError
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.report.report_command import main
from pix_conformance.verdicts.waivers import Waiver, gate, read
from tests.support import bundles
from tests.support.servers import always, serving

TODAY = date(2026, 11, 21)
ENTRY = '[[waiver]]\nrequirement = "{0}"\nreason = "known"\nticket = "T-1"\nexpires = {1}\n'
GOOD = ENTRY.format("PAY-BAL-01", "2027-01-31")


def waivers(directory: Path, text: str) -> dict[str, Waiver]:
    path = directory / "waivers.toml"
    path.write_text(text)
    return read(path, TODAY)


def test_a_waiver_covers_only_failures_that_are_known(tmp_path: Path) -> None:
    waiver = waivers(tmp_path, GOOD + 'signature = ["status is 500", "no token"]')["PAY-BAL-01"]
    assert waiver.covers(Outcome.FAIL, "status is 500, not 200")
    assert not waiver.covers(Outcome.FAIL, "status is 404, not 200")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ENTRY.format("PAY-NONE-01", "2027-01-31"), "no document states"),
        (ENTRY.format("PAY-BAL-01", "2026-11-20"), "expired on 2026-11-20"),
        (ENTRY.format("PAY-BAL-01", '"2027-01-31"'), "not a date such as 2027-01-31"),
        (ENTRY.format("PAY-BAL-01", "2027-01-31T00:00:00"), "not a date such as 2027-01-31"),
        (GOOD.replace('ticket = "T-1"\n', ""), "the entry PAY-BAL-01 has no ticket"),
        (GOOD + 'owner = "me"', "unknown keys: owner"),
        (GOOD + "signature = 3", "text or a list of texts"),
        ("[[waiver]]\n", "has no requirement, no reason, no ticket, no expires"),
        ("waiver = 3", "nothing but"),
        (GOOD.replace("waiver", "waivers"), "nothing but"),
        (ENTRY.format("PAY-CHG-07", "2027-01-31"), "an open point: it is recorded, it cannot fail"),
        (GOOD + GOOD, "twice"),
        (GOOD.replace("T-1", ""), "none of them empty"),
        (ENTRY.format("PAY-BAL-01", "2027-01-31").replace('"PAY-BAL-01"', "1"), "none of them empty"),
        ("[[", "cannot be read"),
    ],
)
def test_a_wrong_entry_is_a_usage_error(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        waivers(tmp_path, text)


@pytest.mark.parametrize(
    ("outcome", "gone"),
    [(Outcome.PASS, True), (Outcome.INCONCLUSIVE, False), (Outcome.NOT_APPLICABLE, False), (Outcome.WAIVED, False)],
)
def test_only_a_pass_makes_a_waiver_stale(tmp_path: Path, outcome: Outcome, gone: bool) -> None:  # noqa: FBT001  # a column
    sentences = gate({"PAY-BAL-01": outcome}, waivers(tmp_path, GOOD))
    assert sentences == (["the waiver of PAY-BAL-01 is no longer needed"] if gone else [])


def test_the_written_entries_turn_the_next_run_green_also_in_its_last_lines(tmp_path: Path) -> None:
    """pytest's own summary counts the tests as waived, and lists none of them as failed."""
    file, suite, names = str(tmp_path / "waivers.toml"), "suites/business/test_finance.py", ("BUS-FIN-01", "BUS-GEN-02")
    given = {"PIX_API_KEY": "ak_test_x", "PIX_ONLY": ",".join(names), "PIX_LEVEL": "should"}
    words = ["--reason", "a proxy", "--ticket", "T-7", "--expires", "2099-01-01", "--file", file]
    with serving(always(200, b"{}", "text/html")) as url:
        first = run_suite(tmp_path / "1", suite, PIX_BASE_URL=url, **given)
        written = [main(["waive", str(tmp_path / "1"), name, *words]) for name in (*names, names[0])]
        second = run_suite(tmp_path / "2", suite, "--waivers", file, PIX_BASE_URL=url, **given)
    assert written == [0, 0, 4]
    assert (first.exit, *map(first.outcome, names)) == (1, "fail", "warn")
    assert (second.exit, *map(second.outcome, names)) == (0, "waived", "waived")
    assert "BUS-FIN-01 waived" in second.output
    assert "FAILED" not in second.output
    assert " failed" not in second.output.splitlines()[-1]
    assert re.search(r"\d/\d+, \d waived, ", second.output)


def test_a_waiver_whose_failure_is_gone_and_a_required_receiver_that_is_off_are_red(tmp_path: Path) -> None:
    (tmp_path / "waivers.toml").write_text(GOOD)
    words = ("--waivers", str(tmp_path / "waivers.toml"), "--receiver", "off", "--require", "receiver")
    done = run_suite(tmp_path / "out", "--only", "PAY-BAL-01", *words)
    assert done.exit == 1
    assert "gate failed: " in done.output
    assert "the waiver of PAY-BAL-01 is no longer needed" in done.output
    assert "the required capability receiver is missing" in done.output


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"--expires": "2020-01-31"}, "--expires 2020-01-31 is in the past"),
        ({"--expires": "31/01/2027"}, "'31/01/2027' is not a date such as 2027-01-31"),
        ({"--reason": " "}, "must not be empty"),
        ({"--file": "binary"}, "is not a waiver file"),
        ({"--file": "."}, "directory"),
    ],
)
def test_an_entry_that_would_end_the_next_run_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, str], words: str
) -> None:
    (tmp_path / "binary").write_bytes(b"\xff")
    bundles.write(tmp_path / "run")
    given = {"--reason": "a", "--ticket": "b", "--expires": "2099-01-01", "--file": "w.toml", **changed}
    given["--file"] = str(tmp_path / given["--file"])
    arguments = ["waive", str(tmp_path / "run"), "PAY-ERRO-04", *(word for pair in given.items() for word in pair)]
    with suppress(SystemExit):
        assert main(arguments) == 4
    assert words in capsys.readouterr().err
    assert not (tmp_path / "w.toml").exists()


def test_a_requirement_that_did_not_fail_cannot_be_waived(
    right_run: Finished, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--reason", "a", "--ticket", "b", "--expires", "2099-01-01", "--file", str(tmp_path / "w")]
    assert main(["waive", str(right_run.directory), "PAY-BAL-01", *words]) == 4
    assert "did not fail" in capsys.readouterr().err
