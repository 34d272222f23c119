"""No verdict depends on what else is asked: the same tests, asked with few others, find the same."""

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.proof.plan import rules_names_of
from pix_conformance.proof.runner import Job, run_all
from pix_conformance.proof.selections import differences, selections

SERVERS = [(), ("BUS-CHG-45/ids-have-prefixes", "PAY-CHG-33/ids-have-prefixes", "PAY-TRF-40/stays-in-processing")]


def test_random_selections_have_the_verdicts_of_whole_runs() -> None:
    assert list(differences(SERVERS, selections(seed=7, count=3), workers=4)) == []


def test_a_quota_that_the_webhooks_of_the_run_fill_fails_no_registration() -> None:
    webhooks = tuple(name for name in catalogue() if name.startswith("PAY-WH-1"))
    (result,) = run_all([Job("webhooks", rules_names_of(("PAY-WH-13/at-most-four",)), webhooks)], workers=1)
    assert [name for name, outcome in result.outcomes.items() if outcome == Outcome.FAIL] == []
    assert result.outcomes["PAY-WH-10"] == Outcome.INCONCLUSIVE
