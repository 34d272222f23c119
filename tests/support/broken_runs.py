"""Runs of the suites against the embedded reference with rules of mutants, variants or tests in place of its own."""

from collections.abc import Iterable
from pathlib import Path

from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.sandbox.variants.registry import all_variants


def rules_of(name: str) -> str:
    """Return the rules of a mutant or a variant; other names are rules themselves."""
    server = all_mutants().get(name) or all_variants().get(name)
    return server.rules_name if server else name


def broken_run(directory: Path, *words: str, by: Iterable[str] = (), **environment: str) -> Finished:
    """Run the suites against the reference that is broken by these."""
    rules = " ".join(map(rules_of, by))
    return run_suite(directory, "-p", "tests.support.altered_run", *words, WRONG=rules, **environment)
