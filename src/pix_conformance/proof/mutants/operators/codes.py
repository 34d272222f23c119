"""Operators of the copy-and-paste code, for both APIs: an object or the whole text is another."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_result
from pix_conformance.proof.mutants.operators.json_values import changed
from pix_conformance.proof.mutants.operators.responses import in_words, value

GROUP = "schema"


def in_code(tag: str, change: Any) -> Difference:
    """Change the value of an object of the code, or leave it out: GONE. The checksum covers the change."""

    def objects(_rules: Any, right: dict[str, str], *_given: Any) -> dict[str, str]:
        wrong: dict[str, str] = changed(right, [tag], value(change))
        return wrong

    return changes_result(f"Object {tag} of the code {in_words(change)}.", code_objects=objects).of(GROUP)


def code_text(sentence: str, change: Callable[[str], str]) -> Difference:
    """Change the whole text of the code, with its checksum."""
    return changes_result(sentence, code=lambda _rules, right, *_given: change(right)).of(GROUP)
