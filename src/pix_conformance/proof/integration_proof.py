"""Measures the tests of an integration with shops of which the right result is known: wrong ones, and right ones."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pix_conformance.integration.description import SHOP, Description, example_shop
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Level
from pix_conformance.proof.shop_mutants import MUTANTS, ShopMutant
from pix_conformance.proof.shop_variants import VARIANTS, ShopVariant
from pix_conformance.proof.suite_run import Finished, run_suite

SUITE = "suites/integration"
WRONG = frozenset({"fail", "warn"})


@dataclass(frozen=True)
class ShopResult:
    """What a run said of a shop: what it should have failed and did not, or failed and should not have."""

    name: str
    seed: int
    seconds: float
    problems: tuple[str, ...]


def changed(changes: tuple[tuple[str, str], ...]) -> str:
    """Return the program of the shop with these changes. Raises ValueError for a text that it does not have once."""
    program = SHOP.read_text("utf-8")
    for text, other in changes:
        if program.count(text) != 1:
            raise ValueError(f"the shop has {program.count(text)} times {text!r}")
        program = program.replace(text, other)
    return program


def mutant_results(only: str, seed: int) -> Iterator[ShopResult]:
    """Run each mutant whose id contains a text, with the tests of what it breaks."""
    for name, mutant in MUTANTS.items():
        if only in name:
            yield _mutant_result(name, mutant, seed)


def _mutant_result(name: str, mutant: ShopMutant, seed: int) -> ShopResult:
    breaks = (name.partition("/")[0], *mutant.breaks_too)
    begun = time.monotonic()
    with TemporaryDirectory(prefix="pix-shop-") as directory:
        run = _run(Path(directory), changed(mutant.changes), {}, "--only", ",".join(breaks), "--seed", str(seed))
        outcomes = {rule: run.outcome(rule) for rule in breaks} if run.has_report else {}
    problems = [
        f"{rule} is {outcomes.get(rule, run.output[-600:])}" for rule in breaks if outcomes.get(rule) not in WRONG
    ]
    return ShopResult(name, seed, time.monotonic() - begun, tuple(problems))


def variant_results(only: str, seed: int) -> Iterator[ShopResult]:
    """Run each right shop whose name contains a text, with all tests."""
    for name, variant in VARIANTS.items():
        if only in name:
            yield _variant_result(name, variant, seed)


def _variant_result(name: str, variant: ShopVariant, seed: int) -> ShopResult:
    begun = time.monotonic()
    with TemporaryDirectory(prefix="pix-shop-") as directory:
        run = _run(Path(directory), changed(variant.changes), variant.table, "--seed", str(seed))
        if not run.has_report:
            return ShopResult(name, seed, time.monotonic() - begun, (run.output[-600:],))
        failed = [*run.with_outcome("fail"), *run.with_outcome("error")]
        musts = [row for row in run.with_outcome("inconclusive") if catalogue()[row].level is Level.MUST]
        reasons = {row["id"]: row["reason"] for row in run.results["requirements"]}
    problems = [f"{rule}: {reasons[rule]}" for rule in (*failed, *musts)]
    return ShopResult(name, seed, time.monotonic() - begun, tuple(problems))


def _run(directory: Path, program: str, table: Mapping[str, str], *words: str) -> Finished:
    (directory / "shop.py").write_text(program, "utf-8")
    rows = {**_rows(example_shop(directory / "shop.py")), **table}
    lines = [f"{key} = {value}" for key, value in rows.items() if value]
    (directory / "target.toml").write_text("\n".join(["[integration]", *lines, ""]), "utf-8")
    return run_suite(directory / "report", SUITE, "--target", str(directory / "target.toml"), "-q", *words)


def _rows(described: Description) -> dict[str, str]:
    """Return the table of a description, as TOML writes its values."""
    hooks = ", ".join(f"{api} = {json.dumps(address)}" for api, address in described.hooks.items())
    return {"hook": f"{{ {hooks} }}", **{name: json.dumps(line) for name, line in described.commands.items()}}
