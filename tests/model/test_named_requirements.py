"""The words of --only and pix-mutants: ids, areas, APIs, levels and patterns; topics name open points only."""

import pytest

from pix_conformance.model.areas import AREAS, TOPICS, topic
from pix_conformance.model.catalogue import catalogue, named_requirements
from pix_conformance.model.vocabulary import Level, Party, UsageError
from pix_conformance.report.open_points import reference_answers


def beginning(*words: str) -> set[str]:
    return {id_ for id_ in catalogue() if id_.startswith(words)}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("PAY-IDEM-02", {"PAY-IDEM-02"}),
        ("PAY-CHG-52 BUS-QR-04,pay-bal-01 ,", {"PAY-CHG-52", "BUS-QR-04", "PAY-BAL-01"}),
        ("PAY-IDEM", beginning("PAY-IDEM-")),
        ("PAY-PAY", None),
        ("BUS-PAY", beginning("BUS-PAY-")),
        ("pay", beginning("PAY-")),
        ("BUS-*", beginning("BUS-")),
        ("PAY-IDEM-0*", beginning("PAY-IDEM-0")),
        ("*-IDEM", None),
        ("*-IDEM-*", beginning("PAY-IDEM-", "BUS-IDEM-")),
        ("open", {requirement.id for requirement in catalogue().values() if requirement.level == "open"}),
        (
            "should PAY-BAL-01",
            {requirement.id for requirement in catalogue().values() if requirement.level == "should"} | {"PAY-BAL-01"},
        ),
        ("", set()),
    ],
)
def test_words_name_requirements(text: str, ids: set[str] | None) -> None:
    if ids is None:
        with pytest.raises(UsageError, match="no requirement is called"):
            named_requirements(text)
    else:
        assert named_requirements(text) == ids


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("BUS-QR-4", "no requirement is called BUS-QR-4: did you mean BUS-QR-04?"),
        ("PAY-IDME", "did you mean PAY-IDEM"),
        ("opne", "did you mean open?"),
        ("emv", "give an id"),
    ],
)
def test_a_wrong_name_has_a_hint(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        named_requirements(text)
    assert hint in str(error.value)


OPEN = {row.id for row in catalogue().values() if row.level is Level.OPEN and not row.unobservable}
UNSEEN = {"PAY-EVT-90", "PAY-TRF-89", "PAY-TRF-90"}
"""The open points of which a run against the reference sees nothing."""


def test_every_open_point_has_a_topic_and_every_topic_open_points() -> None:
    assert {topic(name) for name in OPEN} == set(TOPICS)
    named = [name for names in TOPICS.values() for name in names.split()]
    assert len(named) == len(set(named))
    closed = [name for name in named if name not in OPEN and name.partition("-")[2] not in AREAS]
    assert closed == [], "they are no open points: take them out of TOPICS in model/areas.py"


def test_the_answers_of_the_reference_are_those_to_the_open_points() -> None:
    known = set(reference_answers())
    assert known - OPEN == set(), "they are no open points: run `python -m pix_conformance.proof open-points`"
    of_services = {name for name in OPEN if catalogue()[name].party is Party.SERVICE}
    assert of_services - known == UNSEEN, "they have no answer: run `python -m pix_conformance.proof open-points`"
