"""Reads the bundle that a run left in its directory."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from pix_conformance.model.delivery import Delivery, DeliveryFileError
from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.json_reader import Row, json_lines, json_or_none
from pix_conformance.model.vocabulary import Api, Judgement, Level, Observation, Outcome, Role, Verdict
from pix_conformance.model.why import Why
from pix_conformance.recording.bundle.values import (
    AgainFacts,
    AskingTest,
    Bundle,
    BundleError,
    Entry,
    RunFacts,
)

EXCHANGES = "exchanges.jsonl"
DELIVERIES = "deliveries.jsonl"
OLD_WORDS = {
    "not selected": Why.NOT_SELECTED,
    "not reached: the test": Why.NOT_REACHED,
    "not reached": Why.INTERRUPTED,
    "no test yet": Why.NO_TEST,
    "PIX_": Why.NOT_SET,
    "--receiver is off": Why.NOT_SET,
}


def read(directory: Path) -> Bundle:
    """Read the bundle in `directory`. BundleError when its `results.json` is missing or no JSON object."""
    results, unreadable = read_results(directory), list[str]()
    exchanges = [Exchange.from_dict(row.fields) for row in json_lines(directory / EXCHANGES, unreadable)]
    deliveries = list(_deliveries(directory / DELIVERIES, unreadable))
    return bundle_of(results, exchanges, deliveries, unreadable)


def read_results(path: Path) -> dict[str, Any]:
    """Read the `results.json` of a directory, or the file itself, as a JSON object.

    BundleError when it is missing or holds none.
    """
    file = path if path.is_file() else path / "results.json"
    try:
        results = json_or_none(file.read_text("utf-8", "replace"))
    except OSError as problem:
        raise BundleError(f"{path} has no report of a run ({problem.strerror or problem})") from problem
    if not isinstance(results, dict):
        raise BundleError(f"{file} holds no JSON object")
    return results


def bundle_of(
    results: dict[str, Any],
    exchanges: Iterable[Exchange],
    deliveries: Iterable[Delivery],
    unreadable: Iterable[str] = (),
) -> Bundle:
    """Make a bundle of the JSON object of `results.json` and of the messages beside it.

    A field of another type than the writer's reads as empty.
    """
    row = Row(results)
    target, documents = row.row("target"), row.row("documents")
    return Bundle(
        suite=row.text("suite"),
        documents={name: documents.text(name) for name in documents.fields},
        target=target.text("name"),
        base_url=target.text("base_url"),
        embedded=target.flag("embedded"),
        apis=target.texts("apis") or tuple(Api),
        api_chosen=target.flag("api_chosen"),
        capabilities=target.texts("capabilities"),
        run=_run(row.row("run")),
        headline=row.text("headline"),
        notices=row.texts("notices"),
        succeeded=row.texts("succeeded") if "succeeded" in row.fields else None,
        journal=tuple(created(item) for item in row.rows("journal")),
        entries=tuple(_entry(item) for item in row.rows("requirements")),
        exchanges=tuple(exchanges),
        deliveries=tuple(deliveries),
        described={name: target.row("described").text(name) for name in target.row("described").fields},
        unreadable=tuple(unreadable),
    )


def _run(row: Row) -> RunFacts:
    again = row.row("again")
    return RunFacts(
        id=row.text("id"),
        seed=row.integer("seed"),
        started=row.text("started"),
        seconds=row.number("seconds"),
        turns=tuple(_pair(pair, int | float, int | float, (0.0, 0.0)) for pair in row.items("turns")),
        partial=row.flag("partial"),
        left_out_by=row.text("left_out_by"),
        level=_level(row.text("level")),
        edition=row.text("edition"),
        exit=row.integer("exit"),
        command=row.text("command"),
        report=row.text("report"),
        gate=row.texts("gate"),
        access=row.texts("access"),
        unlocks=row.texts("unlocks"),
        again=AgainFacts(again.text("report"), again.texts("gone")) if again.fields else None,
    )


def _entry(row: Row) -> Entry:
    name = row.text("id")
    return Entry(
        id=name,
        document=row.text("document") or row.text("api"),
        level=_level(row.text("level")),
        section=row.text("section"),
        lines=tuple(_pair(pair, int, int, (0, 0)) for pair in row.items("lines")),
        cited=tuple(_pair(pair, int, str, (0, "")) for pair in row.items("cited")),
        statement=row.text("statement"),
        note=row.text("note"),
        needs=row.texts("needs"),
        unobservable=row.text("unobservable"),
        outcome=_outcome(row.text("outcome")),
        reason=row.text("reason"),
        why=_why(row),
        not_asked=row.texts("not_asked"),
        observations=tuple(observation(name, item) for item in row.rows("observation")),
        tests=row.texts("tests"),
        asked_by=tuple(_question(item) for item in row.rows("asked_by")),
        passive=row.flag("passive"),
        seconds=row.number("seconds"),
        judged_on=row.texts("judged_on"),
        evidence=row.texts("evidence"),
        verdicts=tuple(verdict(name, item) for item in row.rows("verdicts")),
        judgements=tuple(judgement(name, item) for item in row.rows("judgements")),
    )


def _question(row: Row) -> AskingTest:
    return AskingTest(row.text("test"), row.text("words"), row.integer("cases"))


def _level(text: str) -> Level:
    return Level(text) if text in set(Level) else Level.MUST


def _outcome(text: str) -> Outcome:
    return Outcome(text) if text in set(Outcome) else Outcome.ERROR


def _why(row: Row) -> Why | None:
    """Read why there is no verdict; a suite that did not keep it wrote it as the beginning of the reason."""
    if "why" not in row.fields:
        return next((why for words, why in OLD_WORDS.items() if row.text("reason").startswith(words)), None)
    return Why(text) if (text := row.text("why")) in set(Why) else None


def _pair(value: Any, first: Any, second: Any, empty: Any) -> Any:
    """Return the two elements of an array, each of its type; `empty` for another value."""
    is_pair = isinstance(value, list) and len(value) == 2  # noqa: PLR2004  # a pair
    return tuple(value) if is_pair and isinstance(value[0], first) and isinstance(value[1], second) else empty


def observation(requirement: str, row: Row) -> Observation:
    """Read an observation of a requirement."""
    return Observation(requirement, row.text("words"), row.fields.get("data"), row.texts("evidence"))


def verdict(requirement: str, row: Row) -> Verdict:
    """Read a verdict of a requirement."""
    test = row.text("test") or None
    error = row.text("place"), row.text("trace")
    return Verdict(
        requirement, _outcome(row.text("outcome")), row.text("reason"), test, row.texts("evidence"), *error, _why(row)
    )


def judgement(requirement: str, row: Row) -> Judgement:
    """Read a judgement of a requirement."""
    return Judgement(
        requirement=requirement,
        test=row.text("test") or None,
        evidence=row.text("target"),
        matchers=tuple(item.fields for item in row.rows("matchers")),
        mismatches=row.texts("mismatches"),
        control=row.text("control") or None,
        curl=row.text("curl") or None,
        smallest_of=row.integer("smallest_of"),
        steps=tuple(step for step in row.items("steps") if isinstance(step, int)),
    )


def created(row: Row) -> Created:
    """Read an object that a run created; an API or role of another suite is kept as it is written."""
    return Created(
        api=cast("Api", row.text("api")),
        role=cast("Role", row.text("role")),
        kind=row.text("kind"),
        id=row.text("id"),
        exchange=row.integer("exchange"),
        state=row.text("state"),
        label=row.text("label"),
    )


def _deliveries(path: Path, unreadable: list[str]) -> Iterator[Delivery]:
    for number, row in enumerate(json_lines(path, unreadable), 1):
        try:
            yield Delivery.from_dict(row.fields)
        except DeliveryFileError as problem:
            unreadable.append(f"{path.name}, delivery {row.integer('id') or number}: {problem}")
