"""A right and a wrong exchange for each requirement, taken from runs against the reference and its mutants."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange, Headers
from pix_conformance.model.json_reader import utf8_or_none
from pix_conformance.model.subject import MISSING, parsed
from pix_conformance.model.vocabulary import Outcome
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import BundleError, Entry
from pix_conformance.report import explain
from pix_conformance.report.explain import Example, examples
from pix_conformance.report.recorded_exchanges import RecordedExchanges
from pix_conformance.report.traffic import shown_headers
from pix_conformance.sandbox.mutants.registry import Mutant

LONGEST_STRING, LONGEST_BODY, MOST_BEFORE = 48, 300, 2
LONGEST_HEADER = 120
"""A signature header is shown whole."""
USUAL = "content-type: application/json"
"""This header is left out: nearly every message has it."""
RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4,12}|(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"
)
FAILED = frozenset({Outcome.FAIL, Outcome.WARN})


def wrong(directory: Path, ids: Iterable[str]) -> dict[str, Example]:
    """Take from a bundle, for each of these requirements that failed, the shortest exchange that shows it."""
    return {name: example for name, example in _all(directory, set(ids), FAILED) if example["mismatches"]}


def right(directory: Path) -> dict[str, Example]:
    """Take from a bundle, for each requirement that passed, the shortest exchange that shows it."""
    passed = _all(directory, set(catalogue()), {Outcome.PASS})
    return {name: example for name, example in passed if not example.pop("mismatches")}


def store(rights: Mapping[str, Example], wrongs: Mapping[str, Example]) -> int:
    """Write the examples beside those that are there; returns how many requirements have one."""
    stored = {name: dict(kinds) for name, kinds in examples().items()}
    for kind, new in (("right", rights), ("wrong", wrongs)):
        for name, example in new.items():
            stored.setdefault(name, {})[kind] = example
    in_order = {name: stored[name] for name in catalogue() if name in stored}
    explain.EXAMPLES.write_text(json.dumps(in_order, ensure_ascii=False, indent=0), "utf-8")
    examples.cache_clear()
    return len(stored)


def lacking(mutants: Mapping[str, Mutant]) -> list[Mutant]:
    """Choose a mutant for each requirement that has no wrong example, or one of a mutant that is gone.

    None is lacking where the right examples are not stored.
    """
    if not explain.EXAMPLES.is_file():
        return []
    illustrated = _shown(mutants)
    chosen: dict[str, Mutant] = {}
    for mutant in sorted(mutants.values(), key=lambda mutant: len(mutant.breaks)):
        for name in mutant.breaks:
            if name not in illustrated:
                chosen.setdefault(name, mutant)
    return list({mutant.id: mutant for mutant in chosen.values()}.values())


def _shown(mutants: Mapping[str, Mutant]) -> set[str]:
    return {name for name, example in examples().items() if example.get("wrong", {}).get("mutant") in mutants}


def complete(shown: Iterable[tuple[Mutant, Mapping[str, Example]]], mutants: Mapping[str, Mutant]) -> None:
    """Store those of the found examples whose requirement has none yet."""
    illustrated = _shown(mutants)
    chosen: dict[str, Example] = {}
    for mutant, by_requirement in sorted(shown, key=lambda pair: len(pair[0].breaks)):
        for name, example in of_mutant(mutant, by_requirement).items():
            if name not in illustrated:
                chosen.setdefault(name, example)
    if chosen:
        store({}, chosen)


def of_mutant(mutant: Mutant, examples_of_mutant: Mapping[str, Example]) -> dict[str, Example]:
    """Add to the examples the mutant that showed them."""
    source = {"mutant": mutant.id, "sentence": mutant.sentence.splitlines()[0].rstrip(".")}
    return {name: {**source, **example} for name, example in examples_of_mutant.items()}


def _all(directory: Path, ids: set[str], outcomes: AbstractSet[Outcome]) -> Iterator[tuple[str, Example]]:
    try:
        recorded = RecordedExchanges(read(directory))
    except BundleError:
        return
    for entry in recorded.bundle.entries:
        if entry.id in ids and entry.outcome in outcomes:
            candidates = [
                example for name, problems in _messages(entry) if (example := _example(recorded, name, problems))
            ]
            if candidates:
                yield entry.id, numbered(min(candidates, key=lambda example: len(json.dumps(example))))


def numbered(example: Example) -> Example:
    """Return an example with its random ids numbered, in the order in which they appear: `uuid-1`, `hex-2`."""
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        kind = "uuid" if "-" in match[0] else "hex"
        return numbers.setdefault(match[0], f"{kind}-{len(numbers) + 1}")

    return {
        part: [RANDOM.sub(number, line) for line in value] if isinstance(value, list) else value
        for part, value in example.items()
    }


def _messages(entry: Entry) -> Iterator[tuple[str, Sequence[str]]]:
    """Name the exchanges and deliveries that show the outcome, each with what did not match."""
    failed = entry.outcome in FAILED
    judgements = [judgement for judgement in entry.judgements if bool(judgement.mismatches) == failed][:20]
    yield from ((judgement.evidence, judgement.mismatches) for judgement in judgements)
    if not judgements:
        yield from ((name, [entry.reason] if failed else []) for name in entry.evidence[:3])


def _example(recorded: RecordedExchanges, name: str, problems: Sequence[str]) -> Example | None:
    wrong = {"mismatches": [problem[:300] for problem in problems]}
    message = recorded.bundle.message(name)
    if isinstance(message, Delivery):
        first = f"{message.method} {message.path[:30]} (by the target)"
        return {"sent": _message(first, message.headers, message.body), "got": [], **wrong}
    if message is None or message.response is None:
        return None
    request, response = message.request, message.response
    names = recorded.names(message)
    changes = {number for name in names for number in recorded.changes_before(name, message.started)} - {message.id}
    before = [recorded.bundle.exchange[number] for number in sorted(changes)][-MOST_BEFORE:]
    earlier = [f"(before: {_first(recorded, exchange)} answered {exchange.status})" for exchange in before]
    lines = [*earlier, *_message(_first(recorded, message), request.headers, request.body)]
    return {"sent": lines, "got": _message(f"HTTP {response.status}", response.headers, response.body), **wrong}


def _first(recorded: RecordedExchanges, exchange: Exchange) -> str:
    sent = exchange.request
    return f"{sent.method} {sent.url.removeprefix(recorded.bundle.base_url)[:160]}"


def _message(first: str, headers: Headers, body: bytes) -> list[str]:
    written = [f"{name}: {value[:LONGEST_HEADER]}" for name, value in headers if name.lower() in shown_headers()]
    lines = [line for line in written if line.lower() != USUAL]
    value = parsed(body)
    text = (utf8_or_none(body) or "") if value is MISSING else json.dumps(_short(value), ensure_ascii=False)
    return [first, *lines, *([text[:LONGEST_BODY]] if text else [])]


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_STRING else f"{value[:LONGEST_STRING]}..."
    if isinstance(value, dict):
        return {name[:LONGEST_STRING]: _short(member) for name, member in list(value.items())[:40]}
    return [_short(element) for element in value[:3]] if isinstance(value, list) else value
