"""Operators of checks: what a right server refuses where the documents leave it open."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result
from pix_conformance.reference.fields import Field, FieldRules

Check = Callable[..., object]
"""Refuses, or does nothing."""


def checks_arguments(sentence: str, **checks: Check) -> Difference:
    """Check the arguments of methods before they are called: each function gets the rules and the arguments."""

    def checked(check: Check) -> Callable[..., tuple[Any, ...]]:
        def arguments(rules: Any, *given: Any) -> tuple[Any, ...]:
            check(rules, *given)
            return given

        return arguments

    return changes_arguments(sentence, **{name: checked(check) for name, check in checks.items()})


def checks_result(sentence: str, **checks: Check) -> Difference:
    """Check what methods return: each function gets the rules, the result and the arguments."""

    def checked(check: Check) -> Callable[..., Any]:
        def result(rules: Any, right: Any, *given: Any) -> Any:
            check(rules, right, *given)
            return right

        return result

    return changes_result(sentence, **{name: checked(check) for name, check in checks.items()})


class RefusesValues(FieldRules):
    """Refuses values of fields that the documents do not rule out."""

    fails: ClassVar[Any]

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        return "is not accepted" if self.fails(key, value) else super().complaint(key, value, field)


def refuses_values(sentence: str, fails: Callable[[str, Any], object]) -> Difference:
    """Refuse values of the right type: the function gets the key of a field (`items[].title`) and its value."""
    return Difference(sentence, RefusesValues, {"fails": staticmethod(fails)})
