"""The reader of bundles returns values of the right type, also from files with other types."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis.vendor import pretty
from jsonschema import Draft202012Validator, FormatChecker

from pix_conformance.model.paths import PACKAGE
from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import BundleError
from tests.support import bundles

SCHEMA = json.loads((PACKAGE / "recording" / "results.schema.json").read_text())


def problems(results: dict[str, Any]) -> list[str]:
    """Return where `results` violates the published schema."""
    validator = Draft202012Validator(SCHEMA, format_checker=FormatChecker())
    return [problem.json_path for problem in validator.iter_errors(results)]


def test_the_schema_is_valid_and_accepts_the_results_of_a_run() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert problems(bundles.results()) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("outcome", "passed"), ("level", "may"), ("lines", [[1]]), ("evidence", ["a stone"]), ("id", "IDEM-2")],
)
def test_the_schema_refuses_a_requirement_with_a_wrong_field(field: str, value: Any) -> None:
    results = bundles.results()
    results["requirements"] = [bundles.requirement(0, **{field: value})]
    assert problems(results)[0].startswith(f"$.requirements[0].{field}")


def test_it_reads_back_what_was_written(tmp_path: Path) -> None:
    bundle = read(bundles.write(tmp_path))
    failed = next(entry for entry in bundle.entries if entry.outcome is Outcome.FAIL)
    assert (len(bundle.entries), len(bundle.exchanges), bundle.embedded) == (24, 60, True)
    assert failed.missed[0].mismatches == ("status is 200, not 409",)
    assert failed.level is Level.MUST
    assert bundle.entries[0].place == "payments.md, Idempotency of transfers, lines 200, 300-302"
    assert bundle.exchange[1].response is not None


def test_hostile_text_arrives_unchanged(tmp_path: Path) -> None:
    text = " ".join(bundles.HOSTILE)
    bundle = read(bundles.write(tmp_path, text=text))
    assert bundle.headline == bundle.entries[0].statement == bundle.exchanges[0].request.text == text


def test_a_damaged_line_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    bundles.write(tmp_path, exchanges=3)
    with (tmp_path / "exchanges.jsonl").open("ab") as file:
        file.write(b'\xff\xfe{"id":\n[1]\n' + b"[" * 200_000 + b"\n")
    bundle = read(tmp_path)
    assert [exchange.id for exchange in bundle.exchanges] == [1, 2, 3]
    assert bundle.unreadable == tuple(f"exchanges.jsonl, line {n}: not a JSON object" for n in (4, 5, 6))


def test_mistyped_fields_read_as_empty(tmp_path: Path) -> None:
    wrong = {"requirements": [{"id": 7, "lines": ["x", [1, True, 2]], "outcome": [], "judgements": {}}], "run": []}
    (tmp_path / "results.json").write_text(json.dumps(wrong))
    (entry,) = read(tmp_path).entries
    assert (entry.id, entry.lines, entry.outcome) == ("7", ((0, 0), (0, 0)), Outcome.ERROR)


@pytest.mark.parametrize("content", [None, "", "[]", "{", "[" * 200_000])
def test_a_directory_without_readable_results_is_no_bundle(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "results.json").write_text(content)
    with pytest.raises(BundleError):
        read(tmp_path)


def test_bytes_that_are_not_text_are_shown_as_base64(tmp_path: Path) -> None:
    bundles.write(tmp_path, exchanges=1)
    row = bundles.exchange(2)
    row["response"] = {"status": 200, "headers": [], "body_base64": "//4=", "bytes": 2, "truncated": False}
    (tmp_path / "exchanges.jsonl").write_text(json.dumps(row))
    response = read(tmp_path).exchange[2].response
    assert response is not None
    assert response.text.endswith("base64) //4=")


def test_a_generated_test_that_fails_names_an_exchange_and_writes_nothing_of_the_run(tmp_path: Path) -> None:
    exchange = replace(read(bundles.write(tmp_path)).exchanges[0], recorder=cast("Any", "the run"))
    assert pretty.pretty((exchange,)) == "(<exchange 1>,)"
