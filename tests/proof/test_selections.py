"""No verdict depends on what else is asked: the same tests, asked with few others, find the same."""

from pix_conformance.proof.selections import differences, selections

SERVERS = [(), ("BUS-CHG-45/ids-have-prefixes", "PAY-CHG-33/ids-have-prefixes", "PAY-TRF-40/stays-in-processing")]


def test_random_selections_have_the_verdicts_of_whole_runs() -> None:
    assert list(differences(SERVERS, selections(seed=7, count=3), workers=4)) == []
