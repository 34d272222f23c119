"""No code outside the folders and files of one API asks which API it has: it asks the API's `ApiProfile`."""

import ast
import re
from collections.abc import Iterator

import pytest

from pix_conformance.model.paths import TEST_TREE as ROOT
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api

FOLDERS = ("src", "fixtures", "suites", "tools", "docs")
NAMES = {api.name for api in Api}
CLIENTS = {api.capitalize() for api in Api}
TEXTS = {*Api, *(start for profile in PROFILES.values() for start in (profile.prefix, f"{profile.prefix}-"))}
OF_ONE_API = re.compile("|".join(Api))
"""What the path of a file has that may know its API: suites/payments/test_charges.py, harness/clients/business.py."""
TABLES = {
    "src/pix_conformance/checks/passive.py": "rules are functions of checks, which the model does not import",
    "src/pix_conformance/harness/clients/registry.py": "clients send, and the model does not import the harness",
    "src/pix_conformance/integration/events.py": "bodies are functions of the integration room",
    "src/pix_conformance/sandbox/apis.py": "the rules of the reference, which only the proof may import",
    "src/pix_conformance/reference/state.py": "the reference imports nothing of the suite",
}
"""The tables with a row for each API, and why they are not in the profile."""


def sources() -> dict[str, str]:
    """Return the Python files that belong to no single API, by their paths."""
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    named = {str(path.relative_to(ROOT)): path for path in paths}
    return {name: path.read_text("utf-8") for name, path in named.items() if not OF_ONE_API.search(name)}


def _is_api(node: ast.AST) -> bool:
    """Whether an expression is a member of Api, or a text that stands for one."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_is_api, node.elts))
    if isinstance(node, ast.Attribute):
        return node.attr in NAMES and isinstance(node.value, ast.Name) and node.value.id == "Api"
    return isinstance(node, ast.Constant) and node.value in TEXTS


def _names(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def comparisons(text: str) -> Iterator[int]:
    """Yield the line of each expression that tells one API from another."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Compare():
                is_comparison = any(map(_is_api, (node.left, *node.comparators)))
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
                is_comparison = bool(_names(kind) & CLIENTS)
            case ast.Call(func=ast.Attribute(attr="startswith"), args=[beginning]):
                is_comparison = _is_api(beginning)
            case ast.MatchValue():
                is_comparison = _is_api(node.value)
            case _:
                continue
        if is_comparison:
            yield node.lineno


def tables(text: str) -> Iterator[int]:
    """Yield the line of each dict with a row for an API, and of each attribute that is called like one."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Dict(keys=keys) if any(map(_is_api, filter(None, keys))) and len(keys) <= len(Api):
                yield node.lineno
            case ast.Attribute(attr=name) if name in tuple(Api):
                yield node.lineno


def test_no_shared_code_compares_with_an_api() -> None:
    lines_of_files = {name: lines for name, text in sources().items() if (lines := list(comparisons(text)))}
    assert lines_of_files == {}, "what differs between the APIs is a field of ApiProfile (model/profile.py)"


def test_every_table_of_apis_is_known() -> None:
    lines_of_files = {name: lines for name, text in sources().items() if (lines := list(tables(text)))}
    assert lines_of_files.keys() == TABLES.keys(), lines_of_files


@pytest.mark.parametrize(
    "text",
    [
        *("x is Api.PAYMENTS", 'x == "business"', "x in (Api.PAYMENTS, None)", "isinstance(x, Business | None)"),
        *('x.startswith("PAY-")', 'x.partition("-")[0] == "BUS"', "match x:\n    case Api.PAYMENTS:\n        pass"),
    ],
)
def test_a_comparison_is_found(text: str) -> None:
    assert list(comparisons(text))


@pytest.mark.parametrize("text", ["RULES = {Api.PAYMENTS: 1}", 'RULES = {"business": 1}', "target.payments"])
def test_a_table_is_found(text: str) -> None:
    assert list(tables(text))
