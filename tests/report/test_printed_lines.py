"""The lines that reports print for failures show these on the wrong server, and nothing on the right one."""

from __future__ import annotations

import os

import pytest

from pix_conformance.receiver import Receiver
from tests.support.printed_lines import Outcomes, cards, drawn, tried

COUNT, SEED = int(os.environ.get("DRAWN_MUTANTS", "20")), int(os.environ.get("DRAWN_BY", "36"))
"""How many mutants are drawn, and the seed; the weekly job draws 60 by the number of its run."""
MOST_NONE, MOST_SILENT = 0.15, 0.1
"""The shares of failures for which no lines are printed, and whose lines do not show them.

The second counts what this test cannot judge again, such as a judgement over several events, and mutants that need
what other tests sent, such as ten keys before.
"""


def described(result: Outcomes) -> str:
    problem = "; ".join(result.card.judgement.mismatches)
    return (
        f"{result.card.mutant.id} {result.card.requirement}: {problem}\n"
        f"on the mutant: {result.mutant or 'nothing'}\non the reference: {result.reference or 'nothing'}\n"
        f"{result.card.judgement.curl}"
    )


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcomes]:
    """What the lines of the shown failures of some mutants show, on each and on the reference."""
    directory = tmp_path_factory.mktemp("lines")
    (directory / "runs").mkdir()
    shown = list(cards(drawn(COUNT, SEED), directory / "runs"))
    receiver = Receiver()
    receiver.at("/")
    with receiver:
        return [tried(card, receiver, directory / str(place)) for place, card in enumerate(shown)]


def test_the_lines_of_a_failure_show_it_on_the_mutant_and_not_on_the_reference(outcomes: list[Outcomes]) -> None:
    printed = [outcome for outcome in outcomes if not outcome.is_none]
    silent = [described(outcome) for outcome in printed if not outcome.show_the_failure]
    assert printed
    assert len(silent) <= MOST_SILENT * len(printed), "\n\n".join(silent)


def test_few_failures_have_no_lines(outcomes: list[Outcomes]) -> None:
    none = [described(outcome) for outcome in outcomes if outcome.is_none]
    assert len(none) <= MOST_NONE * len(outcomes), "\n\n".join(none)
