"""Why something was not asked or not decided is a value: no code looks for it in the sentence beside it."""

import ast
import json
from collections.abc import Iterator

import pytest

from pix_conformance.model.json_reader import Row
from pix_conformance.model.paths import PACKAGE, SUITES, TEST_TREE
from pix_conformance.model.why import Why
from pix_conformance.recording.bundle import reader

FILES = [path for room in (PACKAGE, SUITES, TEST_TREE / "fixtures") for path in sorted(room.rglob("*.py"))]
LOOKS = frozenset({"startswith", "endswith", "find", "index"})


def is_sentence(node: ast.expr) -> bool:
    """Whether an expression is the reason of a verdict, or the words of an exception that ended a test."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str":
        return all(isinstance(argument, ast.Name) and argument.id in {"why", "reason"} for argument in node.args)
    return isinstance(node, ast.Attribute) and node.attr == "reason"


def branches_on_words(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that compare a reason with words, or look for words in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(map(is_sentence, [node.left, *node.comparators])):
            yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_method = node.func.attr in LOOKS and is_sentence(node.func.value)
            if is_method or (node.func.attr in {"match", "search"} and any(map(is_sentence, node.args))):
                yield node.lineno


def test_no_code_branches_on_the_words_of_a_reason() -> None:
    lines = {path: list(branches_on_words(ast.parse(path.read_text()))) for path in FILES}
    assert {path: numbers for path, numbers in lines.items() if numbers} == {}


BRANCHES = """
entry.reason.startswith(NOT_SELECTED)
verdict.reason == NOT_REACHED
'worker' in entry.reason
verdict.reason in said
UNSET.match(entry.reason)
str(why).startswith('no event')
"""


def test_a_branch_on_words_is_found() -> None:
    assert list(branches_on_words(ast.parse(BRANCHES))) == [2, 3, 4, 5, 6, 7]


def test_the_schema_has_each_why() -> None:
    schema = json.loads((PACKAGE / "recording" / "results.schema.json").read_text())
    row = schema["properties"]["requirements"]["items"]["properties"]
    assert row["why"]["enum"] == [*Why, None]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"reason": "not selected: --quick"}, Why.NOT_SELECTED),
        ({"reason": "not reached: the run was interrupted"}, Why.INTERRUPTED),
        ({"reason": "status is 200"}, None),
        ({"reason": "not selected: --quick", "why": "left out"}, Why.LEFT_OUT),
        ({"reason": "a reason", "why": "a why of a later release"}, None),
    ],
)
def test_a_bundle_without_why_is_read_by_its_sentence(fields: dict[str, str], why: Why | None) -> None:
    assert reader.verdict("PAY-BAL-01", Row(fields)).why is why
