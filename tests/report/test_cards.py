"""One cause is one card, with the requirement that explains it first."""

import math

import pytest

from pix_conformance.proof.runner import Forking, Job, lines_of
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report.cards import _leader_first, cards_of
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.report.pages import render_index
from pix_conformance.report.recorded_exchanges import RecordedExchanges
from pix_conformance.sandbox.mutants.registry import all_mutants

URL_RULES = {"PAY-CHG-19": "PAY-CHG-19/path", "PAY-TRF-23": "PAY-TRF-23/path", "PAY-WH-04": "PAY-WH-04/path"}
TWO_PER_KEY = {"PAY-IDEM-10": "PAY-IDEM-10/key-kept-after-effect", "PAY-EVT-15": "PAY-EVT-15/none"}
LOST = {"PAY-WH-52": "PAY-WH-52/simultaneous-registration-lost"}
SERVERS = {"urls": URL_RULES, "keys": TWO_PER_KEY, "lost": LOST}


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bundle]:
    """The bundles of the servers: each asks what its mutants break."""
    directory = tmp_path_factory.mktemp("cards")
    jobs = [
        Job(name, tuple(all_mutants()[mutant].rules_name for mutant in rows.values()), tuple(rows), shown=True)
        for name, rows in SERVERS.items()
    ]
    assert len(list(lines_of(lambda _, results: Forking(jobs, len(jobs), math.inf, directory, results)))) == len(jobs)
    return {job.name: read(directory / str(place)) for place, job in enumerate(jobs)}


def test_rules_about_urls_that_nothing_checks_stand_on_one_card(bundles: dict[str, Bundle]) -> None:
    (card,) = cards_of(bundles["urls"])
    assert set(card.requirements) == set(URL_RULES)


def test_a_requirement_about_responses_stands_before_one_about_events(bundles: dict[str, Bundle]) -> None:
    bundle = bundles["keys"]
    failed = [entry for entry in bundle.entries if entry.id in TWO_PER_KEY]
    assert {entry.outcome for entry in failed} == {"fail"}
    for order in (failed, failed[::-1]):
        assert [entry.id for entry in _leader_first(RecordedExchanges(bundle), order)] == ["PAY-IDEM-10", "PAY-EVT-15"]


def test_a_race_says_so_in_its_headline(bundles: dict[str, Bundle]) -> None:
    (card,) = (card for card in cards_of(bundles["keys"]) if card.id == "PAY-IDEM-10")
    assert card.headline.startswith("simultaneous POST /api/v1/pix/out/pixkey: one key made ")
    assert card.race == []


def test_a_race_that_a_later_response_shows_says_so_and_names_its_requests(bundles: dict[str, Bundle]) -> None:
    (card,) = cards_of(bundles["lost"])
    assert card.headline.startswith("simultaneous POST /api/v1/webhook, then GET /api/v1/webhook: ")
    assert len(card.race) > 1
    lines = failure_blocks(bundles["lost"])
    page = render_index(bundles["lost"], [card])
    for exchange in card.race:
        assert any(f"POST /api/v1/webhook -> 201 ({exchange.evidence})" in line for line in lines)
        assert f'POST /api/v1/webhook <span class="muted">{exchange.evidence}</span>' in page
    assert "after these simultaneous requests" in page
