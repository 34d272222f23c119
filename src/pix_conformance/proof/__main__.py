"""`python -m pix_conformance.proof WHAT`: measures, and publishes in docs/proof.json.

WHAT is one of data, recall, collateral, matrix, precision, selections, battery, all, sample, integration.

data is the command before a release: it makes the files that the package ships and git ignores. A whole run against the
reference gives what each test sends and creates, and right examples; recall then gives wrong examples, and which test
kills which mutant. It takes 10 minutes.
integration runs the wrong and the right shops (examples/shop with lines changed), 20 minutes for each of --seeds; with
--seconds it goes on with the runs that it left, with --only BUS-HOOK-03 it runs the shops of that name;
recall takes 10 to 15 minutes; collateral looks for a mutant of each must that fails nothing else, for as long as
it may (--seconds, half an hour); matrix goes on with the mutants that collateral left (some three hours for all);
With --workers or --real-time, recall makes runs as users make them, of a sample of 200 mutants of all classes, each in
a process of its own: that takes an hour, and figures are printed only.
precision runs right servers in which any two variants meet, and random combinations, half an hour; with --only
PAY-EVT-05,PAY-EVT-92 it asks each variant alone these requirements, in two minutes, and says at once which fails;
selections asks thirty random selections of requirements of three right servers and ten variants, and holds the verdicts
against whole runs, 30 minutes;
sample is what CI runs.
Every row goes to reports/proof/, which git ignores; with --only, rows take the place of the earlier ones there.
open-points and estimates write the measured files that git has, in a minute: what the reference does where the
documents are silent, and what each test and fixture sends and creates.
"""

import argparse
import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pix_conformance.model.catalogue import named_requirements
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.proof import examples, fixture_requests, plan, publish, real_time, selections
from pix_conformance.proof.integration_proof import shop_results
from pix_conformance.proof.proof_page import figures
from pix_conformance.proof.runner import NO_RESULT, TOO_LONG, WORKERS
from pix_conformance.proof.shop_mutants import MUTANTS
from pix_conformance.proof.shop_variants import VARIANTS
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.report import explain, open_points
from pix_conformance.sandbox.mutants.registry import Mutant, all_mutants

SEED = 1
SECONDS = {"collateral": 2_000, "precision": 4_000}
SAMPLE_SECONDS = 150
LONG_S = 15
STORED_AFTER = 20
"""Runs of shops after which their rows are stored: a measurement that breaks off loses no more."""
IN_REAL_TIME, SELECTIONS = 200, 30
"""Mutants of a sample that runs in real time; selections of requirements."""


def main(words: list[str]) -> int:
    """Measure and publish. Return 1 if a mutant survived or a conforming variant failed."""
    parser = argparse.ArgumentParser(prog="python -m pix_conformance.proof", description=__doc__)
    parts = ["data", "recall", "collateral", "matrix", "precision", "selections", "battery", "all", "sample"]
    parts += ["integration", "open-points", "estimates"]
    parser.add_argument("what", choices=parts)
    parser.add_argument(
        "--only",
        default="",
        help="mutants whose id or broken requirements contain this text; "
        "precision: the requirements that are asked, named as with --only of pytest",
    )
    parser.add_argument("--seconds", type=float, default=0, help="seconds after which a part with a time limit ends")
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="recall: runs with so many workers")
    parser.add_argument("--real-time", action="store_true", help="recall: runs in which a response takes 60 ms")
    parser.add_argument("--count", type=int, default=0, help="recall in real time: mutants (200); selections (30)")
    parser.add_argument("--seeds", type=int, default=1, help="integration: how many seeds each shop is run with")
    options = parser.parse_args(words)
    if options.what in {"open-points", "estimates"}:
        with _whole_run() as run:
            _print(open_points.store(read(run / "report")) if options.what == "open-points" else _store_estimates(run))
        return 0
    if options.what == "integration":
        return _integration(options)
    if options.what == "sample":
        return _sample(options.seconds or SAMPLE_SECONDS)
    if options.what == "selections":
        return _selections(options.count or SELECTIONS)
    if options.what == "recall" and (options.workers or options.real_time):
        return _in_real_time(options)
    return _measured(options)


def _measured(options: argparse.Namespace) -> int:
    """Measure the parts with figures. Return 1 if a mutant survived or a conforming variant failed."""
    seconds = SECONDS | ({options.what: options.seconds} if options.seconds else {})
    mutants = [
        mutant
        for mutant in all_mutants().values()
        if options.only in mutant.id or any(options.only in name for name in mutant.breaks)
    ]
    wrong = 0
    if options.what in {"data", "all"}:
        _begin_data()
    if options.what in {"recall", "data", "all"}:
        wrong += _kills("recall", plan.recall(_dealt(mutants)), partial=bool(options.only))
    if options.what in {"collateral", "all"}:
        drawn = random.Random(SEED).sample(mutants, len(mutants))  # noqa: S311  # a sample, not a secret
        wrong += _kills("collateral", plan.collateral(drawn, seconds["collateral"]), partial=bool(options.only))
    if options.what == "matrix":
        wrong += _matrix(_dealt(mutants), options.seconds or math.inf)
    if options.what == "precision" and options.only:
        wrong += _right_servers_asked(options.only, seconds["precision"])
    elif options.what in {"precision", "all"}:
        wrong += _precision(seconds["precision"])
    if options.what in {"battery", "all"}:
        wrong += _battery()
    return 1 if wrong else 0


def _in_real_time(options: argparse.Namespace) -> int:
    """Print which mutants of a sample survive runs as users make them. Return 1 if one does.

    A requirement may be not applicable there: the clock of a server in another process is not turned.
    """
    named = [mutant for mutant in all_mutants().values() if options.only in mutant.id]
    mutants = real_time.sample(named, options.count or IN_REAL_TIME, SEED)
    form = real_time.RunForm(options.workers, real_time.LATENCY_MS if options.real_time else 0.0)
    counts = Counter[str]()
    for result in real_time.recall(mutants, form, options.seconds or math.inf):
        is_applicable = Outcome.NOT_APPLICABLE not in result.outcomes.values()
        end = "killed" if result.killed else "SURVIVED" if is_applicable else Outcome.NOT_APPLICABLE
        counts[end] += 1
        if not result.killed:
            _print(f"{end} {result.mutant} {result.outcomes}")
    beside = f", {counts[Outcome.NOT_APPLICABLE]} not applicable" if counts[Outcome.NOT_APPLICABLE] else ""
    _print(f"{counts['killed']} of {counts['killed'] + counts['SURVIVED']} mutants killed{beside} ({form})")
    return 1 if counts["SURVIVED"] else 0


def _selections(count: int) -> int:
    """Print which verdicts depend on what else is asked. Return 1 if one does."""
    generator = random.Random(SEED)  # noqa: S311  # a sample, not a secret
    servers = [(), *plan.mixed(SEED, 2), *generator.sample(plan.singles(), 10)]
    others = list(selections.differences(servers, selections.selections(SEED, count), WORKERS))
    _print("\n".join(map(str, others)))
    _print(f"{len(others)} verdicts differ in {count} selections against {len(servers)} servers")
    return 1 if others else 0


def _dealt(mutants: list[Mutant]) -> list[Mutant]:
    """Return the mutants in an order that spreads the slow ones, by their last measurement."""
    seconds = {row["mutant"]: row["seconds"] for row in publish.read_rows().get("recall", {"rows": []})["rows"]}
    long = [mutant for mutant in mutants if seconds.get(mutant.id, 0) > LONG_S]
    return plan.spread(long, [mutant for mutant in mutants if mutant not in long])


def _kills(part: str, results: Iterable[plan.MutantResult], *, partial: bool) -> int:
    begun, kills = time.monotonic(), []
    for result in results:
        kills.append(result)
        if not result.killed or result.collateral_failures:
            error = f" error of the mutant: {result.error}" if result.error else ""
            seen = f"{result.mutant} {result.outcomes} collateral failures: {result.collateral_failures}{error}"
            _print(f"{'killed' if result.killed else 'SURVIVED'} {seen}")
    survivors = [result for result in kills if not result.killed]
    _print(f"{part}: {len(kills) - len(survivors)} of {len(kills)} mutants killed in {time.monotonic() - begun:.0f} s")
    if not publish.store(part, [*map(asdict, kills)], time.monotonic() - begun, len(all_mutants()), is_partial=partial):
        _print(f"Not published: {publish.FULL} has no earlier rows to which these could be added")
    return len(survivors)


def _matrix(mutants: list[Mutant], seconds: float) -> int:
    """Run those mutants to the end that have no such run yet."""
    measured = {row["mutant"] for row in publish.read_rows().get("collateral", {"rows": []})["rows"]}
    unmeasured = [mutant for mutant in mutants if mutant.id not in measured]
    return _kills("collateral", plan.whole_api(unmeasured, seconds), partial=bool(measured))


def _precision(seconds: float) -> int:
    began, results = time.monotonic(), []
    right_servers = plan.right_servers(SEED)
    for result in plan.precision(right_servers, seconds):
        results.append(result)
        if result.failed or result.exit:
            _print(f"{'WRONGLY FAILED' if result.failed else f'exit {result.exit}'} {result.variants}: {result.failed}")
    wrong = [result for result in results if result.failed]
    right = f"{len(results) - len(wrong)} of {len(results)}"
    _print(f"precision: {right} right servers left alone, {len(right_servers)} known")
    publish.store("precision", [*map(asdict, results)], time.monotonic() - began, len(right_servers))
    return len(wrong)


def _right_servers_asked(words: str, seconds: float) -> int:
    """Print which of these requirements a variant alone does not meet. Return how many variants do not."""
    count = wrong = 0
    for result in plan.right_servers_asked(sorted(named_requirements(words)), seconds):
        count += 1
        if result.failed or result.exit in {NO_RESULT, TOO_LONG}:
            (variant,) = result.variants
            reasons = "; ".join(f"{name}: {reason}" for name, reason in result.failed.items())
            _print(f"WRONGLY FAILED {variant}: {reasons or f'exit {result.exit}'}")
            wrong += 1
    _print(f"precision: {count - wrong} of {count} variants meet {words}, or are silent in it")
    return wrong


def _battery() -> int:
    began, rows = time.monotonic(), plan.battery()
    whys = [row.pop("why") for row in rows]
    failed = [f"{row['test']}: {why}" for row, why in zip(rows, whys, strict=True) if not row["passed"]]
    _print("\n".join([f"battery: {len(rows) - len(failed)} of {len(rows)} hostile servers endured", *failed]))
    publish.store("battery", rows, time.monotonic() - began, len(rows))
    return len(failed)


def _sample(seconds: float) -> int:
    """Measure as many mutants and variants as fit into the time, others each day. Return 1 on a new failure.

    A run that takes longer than `seconds` is cut, and said to be: it is no failure.
    """
    generator = random.Random(datetime.now(UTC).toordinal())  # noqa: S311  # a rotation, not a secret
    survivors = figures().get("recall", {"survivors": {}})["survivors"]
    killed_before = [mutant for mutant in all_mutants().values() if mutant.id not in survivors]
    mutants: list[Mutant] = generator.sample(killed_before, len(killed_before))
    right = generator.sample([*plan.singles(), *plan.mixed(generator.randrange(1000), 5)], 2)
    longest_s = math.ceil(seconds)
    variants = list(plan.precision(right, seconds, longest_s))
    kills = list(plan.recall(mutants, seconds, longest_s))
    failed = [str(result) for result in variants if result.failed and result.exit != TOO_LONG]
    failed += [str(result) for result in kills if not result.killed and result.exit != TOO_LONG]
    cut = [*(result.exit for result in variants), *(result.exit for result in kills)].count(TOO_LONG)
    _print("\n".join(f"WRONG: {failure}" for failure in failed))
    passed = len(variants) + len(kills) - len(failed) - cut
    _print(f"{passed} passed, {len(failed)} failed, {cut} cut after {longest_s} s")
    return 1 if failed else 0


def _integration(options: argparse.Namespace) -> int:
    """Run wrong and right shops; publish the figures of all. Return 1 if a shop has another result than it should."""
    names = [name for name in (*MUTANTS, *VARIANTS) if options.only in name]
    runs = [(name, seed) for seed in range(SEED, SEED + options.seeds) for name in names]
    if options.seconds:
        known = publish.integration_rows()
        runs = [run for run in runs if run not in known]
    results = []
    for result in shop_results(runs, options.seconds or math.inf):
        results.append(result)
        if len(results) % STORED_AFTER == 0:
            publish.store_integrations(results, options.seeds)
            _print(f"{len(results)} of {len(runs)} runs")
        if result.problems:
            _print(f"WRONG {result.name}, seed {result.seed}: {'; '.join(result.problems)}")
    wrong = sum(bool(result.problems) for result in results)
    publish.store_integrations(results, options.seeds)
    left = len(runs) - len(results)
    _print(f"integration: {len(results) - wrong} of {len(results)} runs end as they should, {left} left")
    return 1 if wrong else 0


def _begin_data() -> None:
    """Delete the files of a release, and make what a whole run gives of them: recall makes the rest."""
    for old in (explain.EXAMPLES, explain.KILLS):
        old.unlink(missing_ok=True)
    explain.examples.cache_clear()
    explain.kills.cache_clear()
    with _whole_run() as run:
        _print(_store_estimates(run))
        _print(f"{examples.store(examples.right(run / 'report'), {})} requirements have an example")


def _store_estimates(run: Path) -> str:
    senders = json.loads((run / fixture_requests.FILE).read_text(encoding="utf-8"))
    measured = publish.store_estimates(run / "report", {int(number): name for number, name in senders.items()})
    return f"{measured} test functions measured"


@contextmanager
def _whole_run() -> Iterator[Path]:
    """Run all against the reference, and give a directory with `report` and the file of `fixture_requests`.

    SystemExit, with the output, if the run does not pass.
    """
    with TemporaryDirectory(prefix="pix-proof-") as name:
        directory, plugin = Path(name), ("-p", fixture_requests.__name__)
        run = run_suite(
            directory / "report", *plugin, **{fixture_requests.FILE: str(directory / fixture_requests.FILE)}
        )
        if run.exit:
            sys.exit(run.output)
        yield directory


def _print(words: str) -> None:
    print(words, flush=True)  # noqa: T201  # a command's output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
