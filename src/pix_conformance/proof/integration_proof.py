"""Measures the tests of an integration with shops of which the right result is known: wrong ones, and right ones."""

import json
import math
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
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
AT_ONCE = 2
"""Runs at the same time: each starts a sandbox, a shop, and commands."""
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


def shop_results(runs: Iterable[tuple[str, int]], seconds: float = math.inf) -> Iterator[ShopResult]:
    """Run shops, each by its name with a seed: a mutant with the tests of what it breaks, a right shop with all.

    After `seconds` no further run begins.
    """
    ends = time.monotonic() + seconds

    def result(run: tuple[str, int]) -> ShopResult | None:
        name, seed = run
        if time.monotonic() > ends:
            return None
        begun = time.monotonic()
        try:
            return (
                _mutant_result(name, MUTANTS[name], seed)
                if name in MUTANTS
                else _variant_result(name, VARIANTS[name], seed)
            )
        except subprocess.TimeoutExpired as late:
            return ShopResult(name, seed, time.monotonic() - begun, (f"it did not end within {late.timeout:g} s",))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from filter(None, pool.map(result, runs))


def _mutant_result(name: str, mutant: ShopMutant, seed: int) -> ShopResult:
    breaks = (name.partition("/")[0], *mutant.breaks_too)
    begun = time.monotonic()
    with TemporaryDirectory(prefix="pix-shop-") as directory:
        run = run_shop(Path(directory), changed(mutant.changes), {}, "--only", ",".join(breaks), "--seed", str(seed))
        rows = {row["id"]: row for row in run.results["requirements"]} if run.has_report else {}
    if not rows:
        return ShopResult(name, seed, time.monotonic() - begun, (run.output[-600:],))
    others = [rows[rule] for rule in breaks if rows[rule]["outcome"] not in WRONG]
    problems = [f"{row['id']} is {row['outcome']}: {row['reason']}" for row in others]
    return ShopResult(name, seed, time.monotonic() - begun, tuple(problems))


def _variant_result(name: str, variant: ShopVariant, seed: int) -> ShopResult:
    begun = time.monotonic()
    with TemporaryDirectory(prefix="pix-shop-") as directory:
        run = run_shop(Path(directory), changed(variant.changes), variant.table, "--seed", str(seed))
        if not run.has_report:
            return ShopResult(name, seed, time.monotonic() - begun, (run.output[-600:],))
        failed = [*run.with_outcome("fail"), *run.with_outcome("error")]
        musts = [row for row in run.with_outcome("inconclusive") if catalogue()[row].level is Level.MUST]
        reasons = {row["id"]: row["reason"] for row in run.results["requirements"]}
    problems = [f"{rule}: {reasons[rule]}" for rule in (*failed, *musts)]
    return ShopResult(name, seed, time.monotonic() - begun, tuple(problems))


def run_shop(directory: Path, program: str, table: Mapping[str, str], *words: str) -> Finished:
    """Run the tests of an integration against this program, with these further rows of its table."""
    (directory / "shop.py").write_text(program, "utf-8")
    rows = {**_rows(example_shop(directory / "shop.py")), **table}
    lines = [f"{key} = {value}" for key, value in rows.items() if value]
    (directory / "target.toml").write_text("\n".join(["[integration]", *lines, ""]), "utf-8")
    return run_suite(directory / "report", SUITE, "--target", str(directory / "target.toml"), "-q", *words)


def _rows(described: Description) -> dict[str, str]:
    """Return the table of a description, as TOML writes its values."""
    hooks = ", ".join(f"{api} = {json.dumps(address)}" for api, address in described.hooks.items())
    return {"hook": f"{{ {hooks} }}", **{name: json.dumps(line) for name, line in described.commands.items()}}
