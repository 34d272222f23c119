"""The allowed directions of imports, and that no modules import each other in a circle."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from itertools import permutations
from pathlib import Path

from pix_conformance.model.paths import TEST_TREE as ROOT
from pix_conformance.model.vocabulary import Api

OURS = ("pix_conformance", "fixtures", "suites", "tests", "tools")
PACKAGE = "pix_conformance."
JUDGES = ("model", "oracles", "checks")
TOLD = (*JUDGES, "recording", "verdicts")
BELOW = {
    "model": (),
    "oracles": ("model",),
    "checks": ("model", "oracles"),
    "recording": JUDGES,
    "verdicts": (*JUDGES, "recording"),
    "report": TOLD,
    "receiver": ("model",),
    "harness": (*TOLD, "receiver", "reference.process"),
    "generation": (*TOLD, "harness"),
    "integration": (*TOLD, "harness", "reference.process"),
    "session": (*TOLD, "report", "receiver", "harness", "generation", "integration"),
    "reference": (),
    "sandbox": (*JUDGES, "reference"),
    "testing": (*JUDGES, "harness", "generation", "receiver", "integration"),
}
TESTS_STAND_ON = tuple(PACKAGE + room for room in (*JUDGES, "harness", "generation", "receiver", "testing"))
MAY_IMPORT = {
    **{PACKAGE + name: tuple(PACKAGE + room for room in (name, *below)) for name, below in BELOW.items()},
    "pix_conformance.proof": ("pix_conformance", "fixtures"),
    "pix_conformance.cli": ("pix_conformance",),
    "fixtures": ("fixtures", *TESTS_STAND_ON),
    "suites": ("fixtures", "pix_conformance.testing"),
    **dict.fromkeys(
        ("fixtures.load", "fixtures.business.load_users", "fixtures.payments.load_users"),
        ("fixtures", *TESTS_STAND_ON, "pix_conformance.recording", "pix_conformance.session"),
    ),  # the pytest plugin of pix-load
}
OF_ONE_API = (
    *("fixtures", "suites", "pix_conformance.checks"),
    *("pix_conformance.harness.clients", "pix_conformance.reference", "pix_conformance.testing"),
)
"""Folders in which a module of one API imports none of the other."""
TEST_PACKAGES = ("pytest", "_pytest", "unittest", "hypothesis")
REQUIREMENT = re.compile(r"(PAY|BUS)-[A-Z]+-[0-9]+")


@cache
def modules() -> dict[str, Path]:
    """Return every module of the tool and of the shipped tests, by its dotted name."""
    paths = {}
    for folder in ("src/pix_conformance", "fixtures", "suites"):
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT / "src" if folder.startswith("src") else ROOT).with_suffix("").parts
            paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


def _named(text: str) -> Iterator[str]:
    """Yield each module of ours that a source imports, also for types only."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules() else node.module for name in names)


@cache
def imported(module: str) -> frozenset[str]:
    """Return our modules that a module imports."""
    names = _named(modules()[module].read_text(encoding="utf-8"))
    return frozenset(name for name in names if name.partition(".")[0] in OURS)


def _within(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(f"{place}.") for place in places)


def forbidden(module: str, name: str) -> bool:
    """Return whether the module may not import that name."""
    place = max((room for room in MAY_IMPORT if _within(module, (room,))), key=len, default=None)
    if place is None or name.partition(".")[0] not in OURS:
        return False
    return not _within(name, MAY_IMPORT[place]) or _of_the_other_api(module, name)


def _of_the_other_api(module: str, name: str) -> bool:
    for own, other in permutations(Api, 2):
        of_own = tuple(f"{room}.{own}" for room in OF_ONE_API)
        of_other = tuple(f"{room}.{other}" for room in OF_ONE_API)
        if _within(module, of_own) and _within(name, of_other):
            return True
    return False


def test_every_module_imports_only_allowed_folders() -> None:
    wrong = {(module, name) for module in modules() for name in imported(module) if forbidden(module, name)}
    assert wrong == set()


def test_no_modules_import_each_other() -> None:
    """The error names the modules of a circle."""
    TopologicalSorter({module: imported(module) & modules().keys() for module in modules()}).prepare()


def test_judges_know_nothing_of_tests() -> None:
    """What a check concludes is a value; the harness makes the outcome of a test of it."""
    judges = (name for name in modules() if _within(name, tuple(map(PACKAGE.__add__, JUDGES))))
    packages = {(name, package) for name in judges for package in _named(modules()[name].read_text(encoding="utf-8"))}
    assert {(name, package) for name, package in packages if _within(package, TEST_PACKAGES)} == set()


def _raises_undecided() -> set[str]:
    """Return the functions of checks, by their dotted names, that raise Undecided, or read something by one that does.

    A relation is none of them: its matcher makes a value of what it raises.
    """
    uses: dict[str, set[str]] = {}
    for module in (name for name in modules() if _within(name, (f"{PACKAGE}checks",))):
        tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        places = {name.name: f"{node.module}.{name.name}" for node in imports for name in node.names}
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        places |= {function.name: f"{module}.{function.name}" for function in functions}
        for function in functions:
            if not any(ast.unparse(decorator).startswith("relation(") for decorator in function.decorator_list):
                words = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
                raises = {"Undecided"} if "raise Undecided(" in ast.unparse(function) else set()
                uses[places[function.name]] = raises | {places[word] for word in words & places.keys()}
    raising = {"Undecided"}
    while more := {name for name, names in uses.items() if names & raising} - raising:
        raising |= more
    return raising


def test_what_a_check_cannot_read_ends_a_test_with_an_outcome() -> None:
    """Suites and fixtures have from `testing` each function of checks that may raise Undecided, which is no outcome."""
    raising, leaks = _raises_undecided(), set()
    assert f"{PACKAGE}checks.business.postings.postings_of" in raising
    for module in (name for name in modules() if _within(name, ("fixtures", "suites", f"{PACKAGE}testing"))):
        for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = _passed_on(module) if node.names[0].name == "*" else {name.name for name in node.names}
                leaks |= {(module, name) for name in names if f"{node.module}.{name}" in raising}
    assert leaks == set()


def _passed_on(module: str) -> set[str]:
    """Return the names of a module of `testing` that are as they were imported; none of another module."""
    words = vars(import_module(module)) if _within(module, (f"{PACKAGE}testing",)) else {}
    return {name for name in words.get("__all__", ()) if not hasattr(words[name], "__wrapped__")}


def test_the_specs_are_data() -> None:
    assert not list((ROOT / "specs").rglob("*.py"))


def test_the_harness_names_no_requirement() -> None:
    """The requirement that a value breaks is written in specs and checks."""
    literals = [
        (path.name, node.value)
        for path in (ROOT / "src/pix_conformance/harness").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and REQUIREMENT.fullmatch(node.value)
    ]
    assert literals == []


WRONG = """
pix_conformance.model.a pix_conformance.oracles.emv
pix_conformance.checks.a pix_conformance.harness.run
pix_conformance.recording.a pix_conformance.verdicts.judge
pix_conformance.harness.a pix_conformance.reference.server
pix_conformance.harness.a fixtures.payments.charges
pix_conformance.reference.payments.a pix_conformance.model.exchange
pix_conformance.checks.payments.a pix_conformance.checks.business.events
fixtures.payments.a fixtures.business.charges
suites.payments.a pix_conformance.sandbox.mutants
suites.business.a pix_conformance.testing.payments
"""
"""Modules, each with a name that it may not import."""


def test_a_wrong_direction_is_found_and_a_right_one_is_allowed() -> None:
    assert [line for line in WRONG.strip().splitlines() if not forbidden(*line.split())] == []
    assert not forbidden("pix_conformance.harness.run", "pix_conformance.reference.process")
    assert not forbidden("suites.payments.a", "pix_conformance.testing")
