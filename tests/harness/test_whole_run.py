"""What the tests that judge the whole run are given: the exchanges of all workers, with values of others masked."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.checks.matchers import status
from pix_conformance.checks.payments.exchange_history import Records
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.expect import expect, expect_every
from pix_conformance.harness.outcomes import RequirementFailed
from pix_conformance.harness.whole_run import ExchangesOfRun
from pix_conformance.model.exchange import Exchange
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.journal import Journal, read_facts
from pix_conformance.recording.recorder import Recorder
from tests.support.exchanges import exchange


def charge(number: int, made_id: str, started: float) -> Exchange:
    """Return the creation of a charge."""
    return exchange({"data": {"id": made_id}}, id=number, operation="create_charge", started=started)


def listing(number: int, *ids: str) -> Exchange:
    """Return a list of webhooks."""
    rows = [{"id": made_id, "url": f"https://h.example/{made_id}"} for made_id in ids]
    return exchange({"data": {"webhooks": rows}}, id=number, operation="list_webhooks", started=float(number))


def of_worker(directory: Path, *exchanges: Exchange) -> Facts:
    """Return what a worker wrote into its journal, which created the object of each creation."""
    with closing(Journal(directory / "journal-2.jsonl", str)) as journal:
        recorder = Recorder(Facts(write=journal.write))
        for sent in exchanges:
            recorder.record(sent)
            if sent.operation == "create_charge":
                recorder.record_created(sent, "charge", sent.at("data.id"))
    return read_facts([directory / "journal-2.jsonl"])


@pytest.fixture
def test() -> CurrentTest:
    return CurrentTest(node="a test", requirements=("PAY-CHG-41",))


def test_exchanges_of_all_workers_are_in_the_order_of_sending(test: CurrentTest, tmp_path: Path) -> None:
    whole_run = ExchangesOfRun(test)
    test.recorder.record(charge(1, "a", started=1.0))
    test.recorder.record(charge(3, "c", started=3.0))
    whole_run.join(of_worker(tmp_path, charge(2, "b", started=2.0)))
    assert [message.id for message in whole_run.exchanges] == [1, 2, 3]
    assert [message.id for message in test.facts.exchanges] == [1, 3]


def test_exchanges_as_received_have_the_values_of_other_peoples_objects(test: CurrentTest, tmp_path: Path) -> None:
    whole_run = ExchangesOfRun(test)
    test.recorder.record(listing(1, "theirs"))
    whole_run.join(of_worker(tmp_path, listing(2, "theirs")))
    assert [b"theirs" in message.body for message in whole_run.as_received] == [True, True]
    assert [b"theirs" in message.body for message in whole_run.exchanges] == [False, False]


def test_what_is_expected_of_a_message_of_another_worker_is_expected_by_this_test(
    test: CurrentTest, tmp_path: Path
) -> None:
    whole_run = ExchangesOfRun(test)
    whole_run.join(of_worker(tmp_path, charge(2, "b", started=2.0)))
    with pytest.raises(RequirementFailed, match="status is 200, not 404"):
        expect(whole_run.exchanges[0], status(404))
    assert [(fact.evidence, fact.test) for fact in test.facts.expected] == [("exchange 2", "a test")]


def test_a_charge_of_one_worker_with_the_id_of_another_workers_charge_fails(test: CurrentTest, tmp_path: Path) -> None:
    """Only the exchanges of both show that."""
    for number, made_id in enumerate("ab", 1):
        test.recorder.record(replace(charge(number, made_id, started=1.0), current_test=test))
    whole_run = ExchangesOfRun(test)
    expect_every(Records(whole_run.exchanges).repeated_ids())
    whole_run.join(of_worker(tmp_path, charge(3, "a", started=2.0)))
    with pytest.raises(RequirementFailed, match=r"data\.id"):
        expect_every(Records(whole_run.exchanges).repeated_ids())


def ids_listed(message: Exchange) -> list[Any]:
    return [row["id"] for row in message.at("data.webhooks")]


def test_values_of_others_are_masked_and_equal_values_equally(test: CurrentTest, tmp_path: Path) -> None:
    whole_run = ExchangesOfRun(test)
    test.recorder.record(listing(1, "wh_of_others", "own"))
    test.recorder.record_created(listing(1), "webhook", "own")
    whole_run.join(of_worker(tmp_path, listing(2, "wh_of_others", "wh_of_third")))
    first, second = map(ids_listed, whole_run.exchanges)
    assert first[1] == "own"
    assert first[0] == second[0] != second[1]
    assert not {"wh_of_others", "wh_of_third"} & {*first, *second}


def test_what_another_worker_created_is_of_the_run(test: CurrentTest, tmp_path: Path) -> None:
    whole_run = ExchangesOfRun(test)
    test.recorder.record(listing(1, "b"))
    assert ids_listed(whole_run.exchanges[0]) != ["b"]
    whole_run.join(of_worker(tmp_path, charge(2, "b", started=2.0)))
    assert "b" in whole_run.objects
    assert ids_listed(whole_run.exchanges[0]) == ["b"]
