"""A right and a wrong exchange for each requirement, taken from runs against the reference and its mutants."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pix_conformance.model.catalogue import load
from pix_conformance.model.usage_error import UsageError
from pix_conformance.proof.mutants.registry import Mutant
from pix_conformance.report.explain import EXAMPLES, Example, examples, stored_form
from pix_conformance.results.dependency_chain import Recording, Row, body_of, read

LONGEST_STRING, LONGEST_BODY, MOST_BEFORE = 48, 300, 2
LONGEST_HEADER = 120
"""A signature header is shown whole."""
TELLING = (
    "x-idempotency-key",
    "idempotency-key",
    "authorization",
    "content-type",
    "service-signature",
    "x-service-signature",
)
USUAL = "content-type: application/json"
"""This header is left out: nearly every message has it."""
RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4,12}|(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"
)
FAILED = ("fail", "warn")


def wrong(directory: Path, ids: Iterable[str]) -> dict[str, Example]:
    """Take from a bundle, for each of these requirements that failed, the shortest exchange that shows it."""
    return {name: one for name, one in _all(directory, set(ids), FAILED) if one["mismatches"]}


def right(directory: Path) -> dict[str, Example]:
    """Take from a bundle, for each requirement that passed, the shortest exchange that shows it."""
    return {name: one for name, one in _all(directory, set(load()), ("pass",)) if not one.pop("mismatches")}


def store(rights: Mapping[str, Example], wrongs: Mapping[str, Example]) -> int:
    """Write the examples beside those that are there; returns how many requirements have one."""
    kept = {name: dict(kinds) for name, kinds in examples().items()}
    for kind, some in (("right", rights), ("wrong", wrongs)):
        for name, one in some.items():
            kept.setdefault(name, {})[kind] = one
    EXAMPLES.write_text(stored_form({one: kept[one] for one in load() if one in kept}), encoding="utf-8")
    examples.cache_clear()
    return len(kept)


def lacking(mutants: Mapping[str, Mutant]) -> list[Mutant]:
    """Choose a mutant for each requirement that has no wrong example, or one of a mutant that is gone."""
    have = _shown(mutants)
    chosen: dict[str, Mutant] = {}
    for one in sorted(mutants.values(), key=lambda mutant: len(mutant.breaks)):
        for name in one.breaks:
            if name not in have:
                chosen.setdefault(name, one)
    return list({one.id: one for one in chosen.values()}.values())


def _shown(mutants: Mapping[str, Mutant]) -> set[str]:
    return {name for name, one in examples().items() if one.get("wrong", {}).get("mutant") in mutants}


def complete(found: Iterable[tuple[Mutant, Mapping[str, Example]]], mutants: Mapping[str, Mutant]) -> None:
    """Keep, of examples that came about by the way, those for requirements that have none yet."""
    have = _shown(mutants)
    chosen: dict[str, Example] = {}
    for mutant, some in sorted(found, key=lambda pair: len(pair[0].breaks)):
        for name, one in of_mutant(mutant, some).items():
            if name not in have:
                chosen.setdefault(name, one)
    store({}, chosen)


def of_mutant(mutant: Mutant, found: Mapping[str, Example]) -> dict[str, Example]:
    """Say by which mutant the examples came about."""
    told = {"mutant": mutant.id, "sentence": mutant.sentence.splitlines()[0].rstrip(".")}
    return {name: {**told, **one} for name, one in found.items()}


def _all(directory: Path, ids: set[str], outcomes: tuple[str, ...]) -> Iterator[tuple[str, Example]]:
    try:
        recorded = read(directory)
    except UsageError:
        return
    deliveries = _deliveries(directory)
    for row in recorded.results["requirements"]:
        if row["id"] in ids and row["outcome"] in outcomes:
            made = [one for name, problems in _told(row) if (one := _example(recorded, deliveries, name, problems))]
            if made:
                yield row["id"], numbered(min(made, key=lambda one: len(json.dumps(one))))


def numbered(example: Example) -> Example:
    """Return an example with its random ids numbered, in the order in which they appear: `uuid-1`, `hex-2`."""
    found: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        kind = "uuid" if "-" in match[0] else "hex"
        return found.setdefault(match[0], f"{kind}-{len(found) + 1}")

    return {
        part: [RANDOM.sub(number, line) for line in value] if isinstance(value, list) else value
        for part, value in example.items()
    }


def _told(row: Row) -> Iterator[tuple[str, list[str]]]:
    """Name the exchanges and deliveries that show the outcome, each with what did not match."""
    failed = row["outcome"] in FAILED
    found = [one for one in row["judgements"] if bool(one["mismatches"]) == failed][:20]
    yield from ((one["target"], one["mismatches"]) for one in found)
    if not found:
        yield from ((name, [row["reason"]] if failed else []) for name in row["evidence"][:3])


def _deliveries(directory: Path) -> dict[int, Row]:
    lines = (directory / "deliveries.jsonl").read_text(encoding="utf-8").splitlines()
    return {one["id"]: one for one in map(json.loads, lines)}


def _example(recorded: Recording, deliveries: Mapping[int, Row], name: str, problems: list[str]) -> Example | None:
    kind, _, number = name.partition(" ")
    told = {"mismatches": [one[:300] for one in problems]}
    if kind == "delivery":
        one = deliveries.get(int(number))
        return one and {"sent": _message(f"{one['method']} {one['path'][:30]} (by the target)", one), "got": [], **told}
    found = recorded.exchanges.get(int(number))
    if found is None or found["response"] is None:
        return None
    sent, came = found["request"], found["response"]
    before = (recorded.chain(found["id"]) or [found])[:-1][-MOST_BEFORE:]
    earlier = [f"(before: {_first(recorded, one)} answered {(one['response'] or {}).get('status')})" for one in before]
    shown = [*earlier, *_message(_first(recorded, found), sent)]
    return {"sent": shown, "got": _message(f"HTTP {came['status']}", came), **told}


def _first(recorded: Recording, exchange: Row) -> str:
    sent = exchange["request"]
    return f"{sent['method']} {sent['url'].removeprefix(recorded.base_url)[:160]}"


def _message(first: str, message: Row) -> list[str]:
    shown = [f"{name}: {value[:LONGEST_HEADER]}" for name, value in message["headers"] if name.lower() in TELLING]
    headers = [line for line in shown if line.lower() != USUAL]
    body = body_of(message)
    text = json.dumps(_short(body), ensure_ascii=False) if body is not None else str(message.get("body") or "")
    return [first, *headers, *([text[:LONGEST_BODY]] if text else [])]


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_STRING else f"{value[:LONGEST_STRING]}..."
    if isinstance(value, dict):
        return {name[:LONGEST_STRING]: _short(one) for name, one in list(value.items())[:40]}
    return [_short(one) for one in value[:3]] if isinstance(value, list) else value
