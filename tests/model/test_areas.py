"""The topics of the open points, and the answers of the reference to them, name no requirement that is open no more."""

from pix_conformance.model.areas import AREAS, TOPICS, topic
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Level
from pix_conformance.report.open_points import reference_answers

OPEN = {row.id for row in catalogue().values() if row.level is Level.OPEN and not row.unobservable}


def test_every_open_point_has_a_topic_and_every_topic_open_points() -> None:
    assert {topic(name) for name in OPEN} == set(TOPICS)
    named = [name for names in TOPICS.values() for name in names.split()]
    assert len(named) == len(set(named))
    closed = [name for name in named if name not in OPEN and name.partition("-")[2] not in AREAS]
    assert closed == [], "they are no open points: take them out of TOPICS in model/areas.py"


def test_the_answers_of_the_reference_are_those_to_the_open_points() -> None:
    known = set(reference_answers())
    assert known - OPEN == set(), "they are no open points: run `python -m pix_conformance.proof open-points`"
