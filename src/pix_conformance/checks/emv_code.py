"""Relations over the copy-and-paste code (EMV) of a charge, one rule of its format at a time."""

from __future__ import annotations

from pix_conformance.checks.matchers import value
from pix_conformance.checks.relation import relation
from pix_conformance.model.subject import Subject
from pix_conformance.oracles import emv


@relation("{path} follows the rule {rule} of EMV codes")
def follows_emv_rule(charge: Subject, path: str, rule: str) -> str | None:
    """Expect a code to follow one rule of `oracles.emv.RULES`, as far as the code can be read."""
    problem = emv.RULES[rule](value(charge, path))
    return f"{path}: {problem}" if problem else None


@relation("an amount in {path} is {cents} cents")
def has_no_other_amount(charge: Subject, path: str, cents: int) -> str | None:
    """Expect a code to have the amount of its charge, to have 0, or to have none."""
    problem = emv.amount_agrees(value(charge, path), cents)
    return f"{path}: {problem}" if problem else None
