"""Bundles are read as values of the right type and written where no file of the user is; webhook times; masks."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis.vendor import pretty
from jsonschema import Draft202012Validator, FormatChecker

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.paths import PACKAGE
from pix_conformance.model.vocabulary import Api, Level, Outcome, Role
from pix_conformance.proof.suite_run import ROOT, Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import BundleError
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.report_directory import (
    EARLIER,
    FAILED_EXAMPLES,
    FILES,
    ReportDirectoryError,
    prepare,
    publish,
)
from pix_conformance.recording.webhook_times import WebhookTimes, webhook_times
from pix_conformance.report.report_command import main
from pix_conformance.session.plugin import example_database
from tests.session.test_usage import settled
from tests.support import bundles
from tests.support.exchanges import exchange
from tests.support.judged_facts import reported
from tests.support.servers import serving

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
    assert bundle.entries[0].citation == "payments.md, Idempotency of transfers, lines 200, 300-302"
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
    exchange = replace(read(bundles.write(tmp_path)).exchanges[0], current_test=cast("Any", "the run"))
    assert pretty.pretty((exchange,)) == "(<exchange 1>,)"


CHARGE = "charge-0001"
JOURNAL = [Created(Api.BUSINESS, Role.MERCHANT, "charge", CHARGE, 1)]
CREATED, PAID = "business.pix.created", "business.pix.paid"


def change(number: int, operation: str, path: str, started: float) -> Exchange:
    """Return an exchange of 100 ms with the response 201."""
    fields: dict[str, Any] = {"id": number, "api": Api.BUSINESS, "operation": operation, "started": started}
    return exchange(b"", 201, sends=("POST", f"https://target/v1/business{path}", ()), elapsed_ms=100.0, **fields)


EXCHANGES = [
    change(1, "create_charge", "/charges", 10.0),
    change(2, "pay_charge", f"/charges/{CHARGE}/pay", 11.0),
]


def delivery(number: int, event: str, received: float, answered: int = 200) -> Delivery:
    """Return a delivery of the event about the charge; its id is that of the event and of the charge."""
    body = json.dumps({"id": f"{event} of it", "type": event, "data": {"id": CHARGE}})
    return Delivery(number, "/business", "POST", received, (), body.encode(), answered, api="business")


def times(*deliveries: Delivery) -> dict[str, WebhookTimes]:
    return {row.event: row for row in webhook_times(EXCHANGES, deliveries, JOURNAL)}


def test_the_time_is_from_the_response_to_the_change_until_the_first_delivery() -> None:
    measured = times(delivery(1, CREATED, 10.6, answered=500), delivery(2, CREATED, 15.6), delivery(3, PAID, 11.05))
    assert (measured[CREATED].median_s, measured[CREATED].longest_s) == (0.5, 0.5)
    assert measured[PAID].median_s == 0


def test_a_delivery_after_an_accepted_one_is_a_repetition_and_one_after_a_refused_one_is_not() -> None:
    assert times(delivery(1, CREATED, 11), delivery(2, CREATED, 12))[CREATED].repeated == 1
    assert times(delivery(1, CREATED, 11, answered=500), delivery(2, CREATED, 12))[CREATED].repeated == 0


def test_an_event_that_comes_after_that_of_a_later_change_is_out_of_order() -> None:
    measured = times(delivery(1, PAID, 12), delivery(2, CREATED, 13))
    assert (measured[CREATED].overtaken, measured[PAID].overtaken) == (1, 0)


def test_what_no_request_of_the_run_caused_is_not_measured() -> None:
    assert times(delivery(1, "business.pix.canceled", 12)) == {}


FOUND = {"success": True, "message": "found", "data": {"id": "ch_of_another", "status": "paid", "fees": 1_700_071_700}}


@pytest.mark.parametrize(
    ("is_foreign", "status", "masked"), [(True, 200, True), (False, 200, False), (True, 404, False)]
)
def test_an_object_of_another_account_is_masked(*, is_foreign: bool, status: int, masked: bool) -> None:
    """Neither the id in the path nor a value of the response is in the bundle; all other queries are kept whole."""
    recorder, sends = Recorder(), ("GET", "http://target/api/v1/pix/in/qrcode/ch_of_another", ())
    recorder.record(exchange(FOUND, status, sends=sends, operation=None, is_foreign=is_foreign))
    text = json.dumps([recorded.to_dict() for recorded in reported(recorder.facts).exchanges])
    assert ("ch_of_another" in text, "1700071700" in text) == (not masked, not masked)
    assert "status" in text


def foreign(directory: Path) -> Path:
    (directory / "sub").mkdir(parents=True)
    (directory / "thesis.txt").write_text("x")
    return directory


def test_a_directory_with_files_of_the_user_is_refused_before_any_request(tmp_path: Path) -> None:
    asked: list[str] = []
    with serving(lambda handler: asked.append(handler.path)) as url:
        given = {"PIX_BASE_URL": url, "PIX_API_KEY": "ak_test_x"}
        done = run_suite(foreign(tmp_path / "p"), "--only", "BUS-CHG-01", **given)

    assert (done.exit, asked) == (4, [])
    assert "holds files, and no earlier report (sub, thesis.txt)" in done.output
    assert "Traceback" not in done.output
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["sub", "thesis.txt"]


@pytest.mark.parametrize("name", [".", "~", "linked", "README.md", "dangling", "/proc/x"])
def test_any_other_place_is_refused_in_words(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign(tmp_path / "home")
    (tmp_path / "linked").symlink_to(tmp_path / "home")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    given = name if name[0] in "~/" else str({".": ROOT, "README.md": ROOT / name}.get(name, tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(ReportDirectoryError):
        prepare(settled(PIX_REPORT_DIR=given).report_dir)
    assert (tmp_path / "home" / "thesis.txt").read_text() == "x"


def test_an_earlier_report_is_set_aside_until_the_new_one_replaces_its_files_and_no_others(tmp_path: Path) -> None:
    """A reader does not take it for the report of the run that has begun, and it is not lost if that writes none."""
    directory = bundles.write(tmp_path / "earlier")
    (directory / "notes.txt").write_text("mine")
    (tmp_path / "drafts").mkdir()
    before = (directory / "results.json").read_bytes()
    looks: list[bool] = []

    def look(handler: object) -> None:
        del handler
        is_there = any((directory / name).exists() for name in FILES)
        looks.append(not is_there and (directory / EARLIER / "results.json").read_bytes() == before)
        raise ConnectionError

    with serving(look) as url:
        given = {"PIX_BASE_URL": url, "PIX_API_KEY": "ak_test_x", "TMPDIR": str(tmp_path / "drafts")}
        run_suite(directory, "--only", "BUS-CHG-01", **given)

    assert looks
    assert all(looks)
    assert (directory / "results.json").read_bytes() != before
    assert sorted(path.name for path in directory.iterdir()) == sorted([*FILES, "notes.txt"])
    assert list((tmp_path / "drafts").iterdir()) == []


@pytest.mark.parametrize("text", ["[]", "{}", '{"suite": "jest", "run": {}}', "no JSON"])
def test_a_results_file_of_another_tool_is_no_report(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(ReportDirectoryError, match="no earlier report"):
        prepare(tmp_path)
    assert main([str(tmp_path)]) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_a_folder_with_the_name_of_a_file_of_ours_is_refused(tmp_path: Path) -> None:
    bundles.write(tmp_path)
    (tmp_path / "index.html").mkdir()
    with pytest.raises(ReportDirectoryError, match=r"index\.html is a folder"):
        prepare(tmp_path)


def test_a_link_in_an_earlier_report_is_replaced_and_not_followed(tmp_path: Path) -> None:
    draft, directory = bundles.write(tmp_path / "draft"), bundles.write(tmp_path / "earlier")
    (tmp_path / "precious").write_text("x")
    (directory / "exchanges.jsonl").unlink()
    (directory / "exchanges.jsonl").symlink_to(tmp_path / "precious")
    publish(draft, directory)
    assert (tmp_path / "precious").read_text() == "x"
    assert (directory / "exchanges.jsonl").read_bytes() == (draft / "exchanges.jsonl").read_bytes()


def test_files_of_an_interrupted_run_do_not_prevent_the_next_one(tmp_path: Path) -> None:
    (tmp_path / ".results.json.new").write_text("{")
    prepare(tmp_path)


def test_judging_again_writes_only_where_a_run_may(
    right_run: Finished, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = shutil.copytree(right_run.directory, tmp_path / "run")
    words = ["rejudge", str(source), "--out"]

    assert main([*words, str(foreign(tmp_path / "p"))]) == 4
    assert "no earlier report" in capsys.readouterr().err
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["sub", "thesis.txt"]
    assert main([*words, str(tmp_path / "new")]) == 0
    assert "no verdict changed" in capsys.readouterr().out
    assert "judged again from the recording" in (tmp_path / "new" / "index.html").read_text()
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(FILES)
    assert main([*words, str(source)]) == 0


def test_inputs_that_failed_stay_beside_the_report(tmp_path: Path) -> None:
    """A run that was interrupted before its first report leaves them alone in the directory."""
    database = example_database(tmp_path)
    assert database is not None
    database.save(b"test", b"input")

    prepare(tmp_path)

    assert list(database.fetch(b"test")) == [b"input"]
    assert [path.name for path in tmp_path.iterdir()] == [FAILED_EXAMPLES]
