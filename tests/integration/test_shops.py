"""The wrong and the right shops: their changes apply, and together they break each requirement of an integration."""

import re

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Level, Party
from pix_conformance.proof.integration_proof import changed
from pix_conformance.proof.shop_mutants import MUTANTS
from pix_conformance.proof.shop_variants import VARIANTS

ASKED = {row.id: row for row in catalogue().values() if row.party is Party.INTEGRATION and not row.unobservable}
UNBROKEN = {"BUS-HOOK-24", "PAY-HOOK-24"}
"""The servers of Python know header names in lower case only, so that no change of the shop makes it wrong there."""


@pytest.mark.parametrize("name", MUTANTS)
def test_the_changes_of_a_mutant_make_another_program(name: str) -> None:
    compile(changed(MUTANTS[name].changes), name, "exec")
    assert {name.partition("/")[0], *MUTANTS[name].breaks_too} <= ASKED.keys()


@pytest.mark.parametrize("name", VARIANTS)
def test_the_changes_of_a_variant_make_a_program(name: str) -> None:
    compile(changed(VARIANTS[name].changes), name, "exec")


def test_each_requirement_of_an_integration_is_broken_by_a_mutant() -> None:
    broken = {name.partition("/")[0] for name in MUTANTS} | {
        rule for row in MUTANTS.values() for rule in row.breaks_too
    }
    assert {name for name, row in ASKED.items() if row.level is not Level.OPEN} - broken == UNBROKEN


LONGEST = {
    row.id: int(limit[1]) for row in ASKED.values() if (limit := re.search(r"at most (\d+) characters", row.statement))
}
"""By requirement, how many characters a text of a client may have."""


@pytest.mark.parametrize("rule", LONGEST)
def test_a_text_that_is_too_long_has_a_character_more_than_its_limit(rule: str) -> None:
    """With many more it would not show a limit that the test has forgotten to raise, with fewer it would be right."""
    own = {name: str(row.changes) for name, row in MUTANTS.items() if name.partition("/")[0] == rule}
    beyond = LONGEST[rule] + 1
    wrong = [name for name, text in own.items() if not re.search(rf"\b{beyond}\b", text)]
    assert wrong == [], (
        f"proof/shop_mutants/clients.py has no text of {beyond} characters there, one more than {rule} says"
    )


def test_no_two_mutants_have_the_same_changes() -> None:
    changes = [mutant.changes for mutant in MUTANTS.values()]
    assert len(changes) == len(set(changes))


def test_a_text_that_the_shop_does_not_have_once_is_refused() -> None:
    with pytest.raises(ValueError, match="0 times"):
        changed((("no line of the shop", ""),))
