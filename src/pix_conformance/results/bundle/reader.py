"""Reads the bundle that a run left in its directory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pix_conformance.model.delivery import Delivery, DeliveryFileError
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.json_reader import Row, json_lines, parsed
from pix_conformance.model.vocabulary import Api, Level, Outcome
from pix_conformance.results.bundle.values import (
    Bundle,
    BundleError,
    Created,
    Entry,
    Judgement,
    Question,
    Seen,
)


def read_results(directory: Path) -> dict[str, Any]:
    """Read `results.json` as the JSON object that it holds. BundleError when it is missing or holds none."""
    try:
        results = parsed((directory / "results.json").read_text("utf-8", "replace"))
    except OSError as problem:
        raise BundleError(f"no bundle in {directory}: {problem.strerror or problem}") from problem
    if not isinstance(results, dict):
        raise BundleError(f"{directory / 'results.json'} holds no JSON object")
    return results


def read_exchanges(directory: Path, unreadable: list[str]) -> Iterator[dict[str, Any]]:
    """Read the lines of `exchanges.jsonl` as JSON objects; `unreadable` gets a line for each that is none."""
    return (each.fields for each in json_lines(directory / "exchanges.jsonl", unreadable))


def read(directory: Path) -> Bundle:
    """Read the bundle in `directory`. BundleError when its `results.json` is missing or no JSON object."""
    return bundle_of(directory, read_results(directory))


def bundle_of(directory: Path, results: dict[str, Any]) -> Bundle:
    """Make a bundle of the results that were read from `directory`, and of the recordings there."""
    row, unreadable = Row(results), list[str]()
    target = row.row("target")
    return Bundle(
        headline=row.text("headline"),
        notices=row.texts("notices"),
        suite=row.text("suite"),
        documents={name: row.row("documents").text(name) for name in row.row("documents").fields},
        target=target.text("name"),
        base_url=target.text("base_url"),
        apis=target.texts("apis") or tuple(Api),
        capabilities=target.texts("capabilities"),
        run=row.row("run"),
        entries=tuple(_entry(each) for each in row.rows("requirements")),
        journal=tuple(_created(each) for each in row.rows("journal")),
        exchanges=tuple(map(Exchange.from_dict, read_exchanges(directory, unreadable))),
        deliveries=tuple(_deliveries(directory / "deliveries.jsonl", unreadable)),
        unreadable=tuple(unreadable),
    )


def _entry(row: Row) -> Entry:
    return Entry(
        id=row.text("id"),
        document=row.text("document") or row.text("api"),
        level=_level(row.text("level")),
        section=row.text("section"),
        lines=tuple(_range(pair) for pair in row.items("lines")),
        cited=tuple(_cited(pair) for pair in row.items("cited")),
        statement=row.text("statement"),
        outcome=_outcome(row.text("outcome")),
        reason=row.text("reason"),
        not_asked=row.texts("not_asked"),
        observations=tuple(_seen(each) for each in row.rows("observation")),
        judgements=tuple(_judgement(each) for each in row.rows("judgements")),
        tests=row.texts("tests"),
        asked_by=tuple(_question(each) for each in row.rows("asked_by")),
        judged_on=row.texts("judged_on"),
        seconds=row.number("seconds"),
        evidence=row.texts("evidence"),
        needs=row.texts("needs"),
        note=row.text("note"),
        unobservable=row.text("unobservable"),
    )


def _question(row: Row) -> Question:
    return Question(row.text("test"), row.text("words"), row.whole("cases"))


def _level(text: str) -> Level:
    return Level(text) if text in set(Level) else Level.MUST


def _outcome(text: str) -> Outcome:
    return Outcome(text) if text in set(Outcome) else Outcome.ERROR


def _range(pair: Any) -> tuple[int, int]:
    match pair:
        case [int(first), int(last)]:
            return first, last
        case _:
            return 0, 0


def _cited(pair: Any) -> tuple[int, str]:
    match pair:
        case [int(number), str(text)]:
            return number, text
        case _:
            return 0, ""


def _seen(row: Row) -> Seen:
    return Seen(row.text("words"), row.fields.get("data"), row.texts("evidence"))


def _judgement(row: Row) -> Judgement:
    return Judgement(
        test=row.text("test"),
        evidence=row.text("target"),
        matchers=tuple(each.fields for each in row.rows("matchers")),
        mismatches=row.texts("mismatches"),
        curl=row.text("curl"),
        smallest_of=row.whole("smallest_of"),
    )


def _created(row: Row) -> Created:
    api, role, kind, name = (row.text(key) for key in ("api", "role", "kind", "id"))
    return Created(api, role, kind, name, row.whole("exchange"), row.text("state"))


def _deliveries(path: Path, unreadable: list[str]) -> Iterator[Delivery]:
    for number, row in enumerate(json_lines(path, unreadable), 1):
        try:
            yield Delivery.from_dict(row.fields)
        except DeliveryFileError as problem:
            unreadable.append(f"{path.name}, delivery {row.whole('id') or number}: {problem}")
