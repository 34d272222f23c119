"""Editions: the requirements of each release, as they were released."""

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.editions import LEVELS, current, edition, names, newer_than, requirements_of_edition, since
from pix_conformance.model.vocabulary import Level

NO_SENTENCE_STATES_IT = {
    "1.0": [
        *("BUS-AUTH-14", "BUS-CHG-69", "BUS-FIN-24", "BUS-FIN-25", "BUS-LIST-16"),
        *("PAY-BAL-08", "PAY-CHG-77", "PAY-CMP-18", "PAY-PAYS-18", "PAY-TRF-68", "PAY-TRF-75", "PAY-TRF-76"),
        *("PAY-WH-30", "PAY-WH-67"),
    ]
}
"""What an edition fails and this suite does not: false failures. Why each is one, its `note` says."""


@pytest.mark.parametrize("name", names())
def test_an_edition_gives_its_verdicts_of_then_but_for_false_failures(name: str) -> None:
    now = requirements_of_edition(name)
    lowered = [row for row, then in edition(name).items() if LEVELS.index(now[row].level) < LEVELS.index(then.level)]
    assert sorted(lowered) == NO_SENTENCE_STATES_IT.get(name, [])
    assert [row for row in lowered if not catalogue()[row].note] == []
    counted = {row: released for row, released in edition(name).items() if row not in newer_than(name)}
    assert [row for row, then in counted.items() if now[row].statement != then.statement] == []
    raised = [row for row, then in counted.items() if LEVELS.index(now[row].level) > LEVELS.index(then.level)]
    assert raised == []


def test_what_an_edition_does_not_ask_is_newer() -> None:
    assert {"PAY-EVT-16", "BUS-EVT-27"} <= newer_than("1.0")  # an open point then; no requirement then
    assert not {"BUS-FIN-18", "PAY-IDEM-02", "PAY-GEN-02"} & newer_than("1.0")
    assert requirements_of_edition("1.0")["BUS-FIN-18"].level is Level.SHOULD  # a must today
    assert since("PAY-IDEM-02") == "1.0" != since("BUS-EVT-27")


def test_the_requirements_of_no_edition_are_those_of_today() -> None:
    assert requirements_of_edition("") == catalogue() == requirements_of_edition("0.9")
    assert newer_than("0.9") == frozenset()
    assert current() != "1.0"
