"""The results of the proof: every row in reports/proof, figures and failures in docs/proof.json."""

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.proof import proof_page, publish
from pix_conformance.proof.suite_run import ROOT
from pix_conformance.report import explain
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.sandbox.variants.registry import all_variants

PUBLISHED = proof_page.FIGURES
FIRST, SECOND = sorted(name for name in all_mutants() if "/" in name)[:2]


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_page, "FIGURES", tmp_path / "proof.json")
    monkeypatch.setattr(publish, "PAGE", tmp_path / "proof.md")
    monkeypatch.setattr(publish, "FULL", tmp_path / "rows")
    monkeypatch.setattr(explain, "KILLS", tmp_path / "kills.json")
    monkeypatch.setattr(publish, "marked", lambda _: frozenset({"suites/payments/test_balance.py::test_balance"}))
    explain.kills.cache_clear()


def row(mutant: str, *, killed: bool = True, **more: Any) -> dict[str, Any]:
    seen = {"PAY-BAL-01": "fail" if killed else "pass"}
    named = {"mutant": mutant, "group": "schema", "outcomes": seen, "killed": killed, "seconds": 1.0}
    return {**named, "killers": ["suites/payments/test_balance.py::test_balance"], **more}


def test_the_repository_keeps_the_figures_and_the_survivors() -> None:
    assert publish.store("recall", [row(FIRST), row(SECOND, killed=False)], 3, 2)
    figures = proof_page.figures()["recall"]
    assert (figures["rows"], figures["right"], figures["classes"]) == (2, 1, {"schema": [2, 1]})
    assert figures["survivors"] == {SECOND: {"PAY-BAL-01": "pass"}}
    assert "Recall 50.0 %**: 1 of 2 mutants" in proof_page.headline()
    assert f"- `{SECOND}`: PAY-BAL-01 is pass" in publish.PAGE.read_text("utf-8")
    assert FIRST not in proof_page.FIGURES.read_text("utf-8")


def test_explain_shows_which_test_killed_a_mutant() -> None:
    publish.store("recall", [row(FIRST), row(SECOND, killed=False)], 3, 2)
    assert explain.kills() == {FIRST: ("suites/payments/test_balance.py::test_balance",), SECOND: ()}
    assert f"- {FIRST}: killed by suites/payments/test_balance.py::test_balance" in explain.explain(
        FIRST.partition("/")[0]
    )


def test_some_rows_replace_the_earlier_ones_of_their_names() -> None:
    publish.store("recall", [row(FIRST), row(SECOND, killed=False), row("Gone")], 3, 3)
    assert publish.store("recall", [row(SECOND)], 1, 2, is_partial=True)
    figures = proof_page.figures()["recall"]
    assert (figures["rows"], figures["right"], figures["survivors"], figures["seconds"]) == (2, 2, {}, 4)


def test_some_rows_without_the_others_change_nothing() -> None:
    publish.store("recall", [row(FIRST), row(SECOND, killed=False)], 3, 2)
    (publish.FULL / "proof.json").unlink()
    before = proof_page.FIGURES.read_text("utf-8")
    assert not publish.store("recall", [row(SECOND)], 1, 2, is_partial=True)
    assert proof_page.FIGURES.read_text("utf-8") == before


def test_a_part_leaves_the_others_as_they_are() -> None:
    publish.store("recall", [row(FIRST)], 3, 1)
    publish.store("collateral", [row(FIRST, collateral_failures=["PAY-BAL-02"])], 5, 9)
    publish.store("precision", [{"variants": ["a=b"] * 6, "exit": 1, "failed": {"PAY-BAL-01": "no"}}], 7, 8)
    publish.store("battery", [{"test": "one", "passed": True, "seconds": 1.0}], 9, 1)
    assert set(proof_page.figures()) == set(publish.read_rows()) == set(publish.NAMES)
    assert proof_page.figures()["collateral"]["collateral_failures"] == {FIRST: ["PAY-BAL-02"]}
    text = publish.PAGE.read_text("utf-8")
    assert f"- `{FIRST}` also fails PAY-BAL-02" in text
    assert "1 of these mutants are killed by generated tests only" in text
    assert "makes: 1 of the class schema." in text
    assert "`a=b` and 2 more (all in `reports/proof/proof.json`): PAY-BAL-01" in text
    assert "Changed since" not in text


def test_a_hostile_server_that_is_judged_wrongly_is_named() -> None:
    cases = [{"test": f"judged[{name}]", "passed": name != "mute", "seconds": 1.0} for name in ("echo", "mute")]
    publish.store("battery", cases, 2, 2)
    text = publish.PAGE.read_text("utf-8")
    assert "| `judged` | 2 |" in text
    assert [line for line in text.splitlines() if "FAILED" in line] == ["- FAILED: `judged[mute]`"]


def test_figures_of_other_lists_are_called_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    publish.store("recall", [row(FIRST)], 3, 1)
    listed = {FIRST: all_mutants()[FIRST]}
    monkeypatch.setattr(proof_page, "all_mutants", lambda: listed)
    assert "Changed since: the list of mutants." in proof_page.page()


def test_every_name_in_the_published_figures_is_known() -> None:
    """What was renamed or removed is renamed or removed in docs/proof.json, or its part is measured again."""
    parts: dict[str, Any] = json.loads(PUBLISHED.read_text("utf-8"))
    recall, collateral = parts["recall"], parts["collateral"]
    failures: dict[str, list[str]] = collateral["collateral_failures"]
    wrong = [name for row in parts["precision"]["failed"] for name in row["failed"]]
    assert {*recall["survivors"], *failures} <= {*all_mutants()}
    assert {name for row in parts["precision"]["failed"] for name in row["variants"]} <= {*all_variants()}
    named = {
        *collateral["musts_never_alone"],
        *chain.from_iterable([*recall["survivors"].values(), *failures.values()]),
    }
    assert {*named, *wrong} - {"run"} <= {*catalogue()}
    assert [test for test in parts["battery"]["tests"] if not is_test(test)] == []


def is_test(name: str) -> bool:
    """Whether the module of a test, as JUnit names it, has such a function."""
    module, _, test = name.partition("::")
    file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return file.is_file() and f"def {test.partition('[')[0]}(" in file.read_text("utf-8")
