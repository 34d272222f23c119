"""Operators of ids in paths, for both APIs: unusual ones are answered wrongly."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_result
from pix_conformance.reference.call import Answer, Call

INTERNAL_ERROR = 500
UNEXPECTED = {"error": "INTERNAL", "message": "unexpected", "detail": "unexpected"}


def answers_ids(
    operations: str, chosen: Callable[[str], object], status: int = INTERNAL_ERROR, **body: Any
) -> Difference:
    """Answer the requests of some operations by ids of some kind with a status and a body."""

    def answer(_rules: Any, right: Answer, call: Call) -> Answer:
        meant = call.operation in operations.split() and chosen(call.params.get("id", ""))
        return Answer(status, body or UNEXPECTED) if meant else right

    sentence = f"{' and '.join(operations.split())} returns {status} for an unusual id."
    return changes_result(sentence, answer=answer).of("schema")


def queries_fail_after_nul(operation: str = "get_charge") -> Difference:
    """Answer each query of an operation with 500 after one by an id with a NUL."""

    def answer(rules: Any, right: Answer, call: Call) -> Answer:
        asked = call.params["id"] if call.operation == operation else ""
        rules.__dict__["failed"] = failed = rules.__dict__.get("failed", False) or "\0" in asked
        return Answer(INTERNAL_ERROR, UNEXPECTED) if failed and asked and "\0" not in asked else right

    sentence = f"After a {operation} by an id with a NUL, each one by another id returns 500."
    return changes_result(sentence, answer=answer).of("state")


def is_long(number: str) -> bool:
    """Judge whether an id is longer than any real one."""
    return len(number) > 100


def is_huge(number: str) -> bool:
    """Judge whether an id is a number beyond 64 bits."""
    return number.isdecimal() and len(number) > 18
