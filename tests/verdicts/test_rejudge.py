"""Recordings that are judged again: `pix-report rejudge`."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.checks.matchers import REGISTRY, read
from pix_conformance.checks.relation import Relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Created
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read as read_bundle
from pix_conformance.recording.bundle.values import Bundle, BundleError
from pix_conformance.recording.bundle.writer import write
from pix_conformance.recording.facts import Facts
from pix_conformance.reference.process import start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.verdicts.rejudge import UNDECIDED, rejudge
from tests.support import bundles
from tests.support.judged_facts import reported


def test_relations_are_known_without_the_suites() -> None:
    code = "import pix_conformance.verdicts.rejudge, pix_conformance.checks.matchers as m; m.REGISTRY['relation']"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  # this Python, and the lines above


def outcomes(bundle: Bundle) -> dict[str, str]:
    return {entry.id: entry.outcome for entry in bundle.entries}


def judged(bundle: Bundle) -> Counter[tuple[str, str | None, bool]]:
    """Count the judgements by requirement, test, and whether something did not match."""
    judgements = (judgement for entry in bundle.entries for judgement in entry.judgements)
    return Counter((judgement.requirement, judgement.test, bool(judgement.mismatches)) for judgement in judgements)


def changed(
    right_run: Finished, directory: Path, change: Callable[[dict[str, Any]], None], operation: str = "get_balance"
) -> Path:
    """Copy the bundle with a change in each successful response to an operation."""
    shutil.copytree(right_run.directory, directory)
    path = directory / "exchanges.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row["operation"] == operation and row["response"] and row["response"]["status"] in {200, 201}:
            change(row["response"])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return directory


def test_an_unchanged_recording_has_the_same_verdicts(right_run: Finished) -> None:
    rejudged = rejudge(right_run.directory)
    assert rejudged.changes == ()
    assert outcomes(rejudged.bundle) == outcomes(read_bundle(right_run.directory))
    assert judged(rejudged.bundle) == judged(read_bundle(right_run.directory))
    assert rejudged.bundle.run.exit == right_run.exit == 0


def test_an_unchanged_recording_has_the_same_verdicts_where_requirements_fail(tmp_path: Path) -> None:
    names = (
        "PAY-TRF-04/cpf-in-digits-of-any-script",
        "PAY-TRF-64/zero",
        "PAY-EVT-50/paid-on-creation",
        "PAY-EVT-53/transaction_paid.transaction.pix.endToEndId:missing",
    )
    with start([all_mutants()[name].rules_name for name in names]) as running:
        asked = ("--only", "PAY-KEY-02,PAY-EVT-50,PAY-PAYS-01,PAY-GEN-01,PAY-CHG-71,PAY-TRF-64", "--no-waiting")
        done = run_suite(tmp_path / "out", *asked, **variables(running.credentials))
    rejudged = rejudge(done.directory)
    assert (done.exit, rejudged.changes) == (1, ())
    assert {"fail", "pass"} <= set(outcomes(rejudged.bundle).values())
    assert judged(rejudged.bundle) == judged(read_bundle(done.directory))
    history = "suites/payments/test_whole_run.py::test_every_response_"
    checks = {(name, broken) for name, test, broken in judged(rejudged.bundle) if str(test).startswith(history)}
    assert checks == {("PAY-CHG-71", False), ("PAY-TRF-64", True)}
    assert not {name for name, _ in checks} & set().union(*rejudged.kept.values())


def test_a_verdict_that_the_recording_does_not_decide_is_kept_and_the_notice_says_so(
    right_run: Finished, tmp_path: Path
) -> None:
    def undate(answer: dict[str, Any]) -> None:
        answer["body"] = json.dumps(json.loads(answer["body"]) | {"created_at": "today"})

    rejudged = rejudge(changed(right_run, tmp_path / "b", undate, "create_charge"))
    assert "BUS-CHG-62" in rejudged.kept[UNDECIDED]
    assert any(UNDECIDED in notice for notice in rejudged.bundle.notices)


def test_another_media_type_in_the_recording_fails_what_every_answer_shows(right_run: Finished, tmp_path: Path) -> None:
    def relabel(answer: dict[str, Any]) -> None:
        answer["headers"] = [["content-type", "text/html"]]

    rejudged = rejudge(changed(right_run, tmp_path / "b", relabel))
    assert outcomes(rejudged.bundle)["PAY-GEN-01"] == "fail"
    assert rejudged.bundle.run.exit == 1


def test_another_status_in_the_recording_fails_the_recorded_matcher(right_run: Finished, tmp_path: Path) -> None:
    rejudged = rejudge(changed(right_run, tmp_path / "b", lambda answer: answer.update(status=204, body=None)))
    assert any(line.startswith("PAY-BAL-") and "-> fail" in line for line in rejudged.changes)


def test_a_masked_exchange_keeps_its_verdict(right_run: Finished, tmp_path: Path) -> None:
    masked = changed(right_run, tmp_path / "b", lambda answer: answer.update(status=204, body='{"a": "***"}'))
    assert rejudge(masked).kept["masked in the recording"]


def test_an_event_without_a_name_is_judged_again_as_one_of_the_charge_that_it_names(tmp_path: Path) -> None:
    body = b'{"id": "evt_1", "transaction": {"id": "charge-0001"}}'
    facts = Facts(
        deliveries=[Delivery(1, "/", "POST", 1e9, (), body, 200, api=Api.PAYMENTS)],
        created=[Created(Api.PAYMENTS, Role.MERCHANT, "charge", "charge-0001", 1)],
    )
    bundle = reported(facts, "PAY-EVT-42")
    assert outcomes(write(tmp_path, bundle, str)) == {"PAY-EVT-42": "fail"}
    rejudged = rejudge(tmp_path)
    assert (outcomes(rejudged.bundle), rejudged.changes) == ({"PAY-EVT-42": "fail"}, ())
    assert [judgement.mismatches for judgement in rejudged.bundle.entries[0].judgements] == [
        ("an event without a known name: $.event is missing, which is not a documented name",)
    ]


def test_a_bundle_of_an_older_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="did not yet keep"):
        rejudge(bundles.write(tmp_path))


@pytest.mark.parametrize("word", sorted(REGISTRY.keys() - {Relation.word}))
def test_every_matcher_is_read_back_as_it_was_written(word: str) -> None:
    kind = REGISTRY[word]
    values = {"codes": (200, 201), "hundred": 2, "changed": ("amount",)}
    matcher = kind(**{name: values.get(name, "x") for name in getattr(kind, "__dataclass_fields__")})  # noqa: B009  # not declared
    assert read(json.loads(json.dumps(matcher.to_dict()))) == matcher
