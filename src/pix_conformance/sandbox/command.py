"""The command `pix-sandbox`: the reference implementation of both APIs, for the development of clients."""

import argparse
import difflib
import itertools
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from pix_conformance.model.areas import AREAS
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.command_options import CommandOptions
from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.process_main import parser as server_options
from pix_conformance.reference.sandbox_server import serve
from pix_conformance.sandbox.mutants import registry as mutants
from pix_conformance.sandbox.mutants.registry import Mutant
from pix_conformance.sandbox.scenarios import SCENARIOS
from pix_conformance.sandbox.variants import registry as variants
from pix_conformance.sandbox.variants.registry import Variant

Choice = TypeVar("Choice")
WIDEST_NAME = max(map(len, SCENARIOS))
EPILOG = "\n".join(
    [
        "scenarios:",
        *(f"  {name:{WIDEST_NAME}}  {scenario.meaning}" for name, scenario in SCENARIOS.items()),
        "",
        "It prints its address and its credentials as lines for a shell, which `eval` may read. Ctrl+C stops it.",
        "A line `advance 60` of its standard input advances its clock by 60 seconds.",
    ]
)


def main(argv: Sequence[str]) -> int:
    """Serve until interrupted. Usage errors end it with 4."""
    options = _parser().parse_args(argv)
    if options.list is not None:
        lines = _listed(options.list.lower()) if options.list else _overview()
        return _print(lines, f"--list: nothing contains {options.list!r}")
    if options.openapi:
        return _print((SPECS / options.openapi / "openapi.yaml").read_text("utf-8").splitlines(), "")
    try:
        options.rules += rules_of(options.scenario, options.variant, options.mutant)
    except ValueError as reason:
        _parser().error(str(reason))
    return serve(options)


def rules_of(scenario: Iterable[str], variant: Iterable[str], mutant: Iterable[str]) -> list[str]:
    """Return the rules that these names stand for; ValueError if one is unknown or two cannot be joined."""
    scenarios = [_named("scenario", name, SCENARIOS) for name in scenario]
    differing: list[Mutant | Variant] = [_named("mutant", name, _mutants()) for name in mutant]
    differing += [_named("variant", name, variants.all_variants()) for name in variant]
    _check_that_they_can_be_joined(differing)
    return [rules for situation in scenarios for rules in situation.names] + [server.rules_name for server in differing]


def _parser() -> CommandOptions:
    parser = CommandOptions(
        prog="pix-sandbox",
        usage="pix-sandbox [--port N] [--seed N] [--scenario NAME] [further options]",
        description="Runs the reference implementation of both APIs, to develop a client against.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[server_options()],
        allow_abbrev=False,
    )
    parser.add_argument(
        "--scenario", action="append", default=[], metavar="NAME", help="a situation that a client must handle"
    )
    parser.add_argument(
        "--mutant", action="append", default=[], metavar="ID", help="make this error, may be repeated; see --list"
    )
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="ID",
        help="decide an open point otherwise, may be repeated; see --list",
    )
    parser.add_argument(
        "--log",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="write method, path, status and ms of each request to standard error (default: yes)",
    )
    parser.add_argument(
        "--list",
        nargs="?",
        const="",
        metavar="TEXT",
        help="list the variants and mutants that contain TEXT, such as PAY-IDEM, or how many there are, then end",
    )
    parser.add_argument(
        "--openapi", choices=[api.value for api in Api], help="print the OpenAPI file of an API, then end"
    )
    return parser


def _named(kind: str, name: str, known: Mapping[str, Choice]) -> Choice:
    """Return the choice of a name; ValueError with a suggestion if there is none."""
    if name not in known:
        close = difflib.get_close_matches(name, list(known), n=3)
        hint = f"did you mean {', '.join(close)}?" if close else "--list shows them"
        raise ValueError(f"no {kind} is called {name!r}; {hint}")
    return known[name]


def _mutants() -> dict[str, Mutant]:
    return mutants.all_mutants() | mutants.under_load()


def _check_that_they_can_be_joined(chosen: Iterable[Mutant | Variant]) -> None:
    for first, other in itertools.combinations(chosen, 2):
        of_one_api = first.id.partition("-")[0] == other.id.partition("-")[0]
        if of_one_api and not first.difference.can_join(other.difference):
            raise ValueError(f"{first.id} and {other.id} change the same decision: one server cannot have both")


def _overview() -> Iterator[str]:
    """Yield how many variants and mutants each area has."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for kind, names in (("variants", variants.all_variants()), ("mutants", _mutants())):
        for name in names:
            api, area, _ = name.split("-", 2)
            counts[f"{api}-{area}"][kind] += 1
    yield "--list PAY-IDEM shows those of an area, --list webhook those that contain a word."
    for area, count in sorted(counts.items()):
        yield f"  {area:9} {count['variants']:4} variants {count['mutants']:4} mutants  {AREAS[area[4:]]}"


def _listed(text: str) -> Iterator[str]:
    """Yield the choices that contain the text: scenarios, then variants and mutants below their requirement."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, scenario in SCENARIOS.items():
        groups["Scenarios (--scenario)"].append(f"{name}: {scenario.meaning}")
    for variant in sorted(variants.all_variants().values(), key=lambda variant: variant.id):
        place = catalogue()[variant.choice].citation
        heading = f"Conforming variants (--variant) where {variant.choice} leaves a choice ({place})"
        groups[heading].append(f"{variant.id}: {variant.sentence}")
    for mutant in sorted(_mutants().values(), key=lambda mutant: mutant.id):
        first, *others = mutant.breaks
        more = f" (breaks {', '.join(others)} too)" if others else ""
        heading = f"Mutants (--mutant) that break {first}: {catalogue()[first].statement}"
        groups[heading].append(f"{mutant.id}: {mutant.sentence}{more}")
    for heading, lines in groups.items():
        if matches := [line for line in lines if text in line.lower()]:
            yield from ("", heading, *(f"  {line}" for line in matches))


def _print(lines: Iterable[str], empty: str) -> int:
    """Print lines until the reader closes the pipe, as `| head` does; return 1 and print `empty` if there are none."""
    text = "\n".join(lines)
    try:
        print(text or empty, file=sys.stdout if text else sys.stderr, flush=True)  # the output of the command
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # no error when stdout is closed
    return 0 if text else 1
