"""Assumptions: what a target does where the documents are silent, as a file that a later run is held against."""

import json
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import UsageError
from pix_conformance.recording.bundle.values import Bundle, BundleError, Entry
from pix_conformance.report.differences import BY_CHANCE, AnswerDifference, Seen, difference, seen

STEPS_S = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""A webhook is assumed to take no longer than the first of these that is well above its median."""
WELL_ABOVE = 1.5
KEYS = {"assumption": {"requirement", "responses", "seen", "seconds"}, "webhook": {"event", "median_at_most_s"}}
HEAD = """\
# What {target} did on {day} where the documents are silent. `--assume` fails a run in which it does another thing.
# `responses` are compared by status and error code, `seen` as it is written here, `seconds` by their magnitude;
# `median_at_most_s` is the longest median that a webhook may have.
# Remove what your client does not rely on, a line or a table, and change a value to what it needs.
"""


@dataclass(frozen=True)
class Assumptions:
    """What is assumed: at open points, and of the seconds until webhooks come, by API and event."""

    points: tuple[Seen, ...]
    medians: Mapping[str, float]

    def held_against(self, bundle: Bundle) -> Bundle:
        """Return the bundle with a reason that fails the run for each assumption that does not hold.

        What was not seen in this run is named in a notice.
        """
        entries = {entry.id: entry for entry in bundle.entries if entry.observations}
        pairs = [(point, _coarse(entries[point.requirement])) for point in self.points if point.requirement in entries]
        differing = [(point, now, difference(point, now)) for point, now in pairs]
        behavior = AnswerDifference.BEHAVIOR
        broken = [_change(point, now) for point, now, kind in differing if kind is behavior]
        for row in bundle.webhook_times:
            most = self.medians.get(f"{row.api} {row.event}", math.inf)
            if row.median_s > most:
                broken.append(f"{row.event} takes {row.median_s:g} s (median), at most {most:g} s was assumed")
        seen_names = {point.requirement for point, _, kind in differing if kind is not None}
        seen_names |= {f"{row.api} {row.event}" for row in bundle.webhook_times}
        unseen = sorted({*(point.requirement for point in self.points), *self.medians} - seen_names)
        notices = [f"assumptions of which this run saw nothing: {', '.join(unseen)}"] if unseen else []
        if unseen and bundle.partial:
            every = len(self.points) + len(self.medians)
            notices = [f"{len(unseen)} of {every} assumptions are about what this partial run did not ask"]
        run = replace(bundle.run, gate=(*bundle.run.gate, *broken))
        return replace(bundle, run=run, notices=(*bundle.notices, *notices))


def as_toml(bundle: Bundle) -> str:
    """Write what was seen in a run as assumptions. Raises BundleError if nothing was."""
    if not any(entry.observations for entry in bundle.entries):
        raise BundleError("this report saw nothing at open points, so it has nothing to assume")
    lines = [HEAD.format(target=bundle.base_url or bundle.target, day=bundle.run.started[:10])]
    for entry in bundle.entries:
        if entry.observations and entry.id not in BY_CHANCE:
            lines += [f"# {entry.statement}", *_table(_coarse(entry)), ""]
    for row in bundle.webhook_times:
        at_most = next((step for step in STEPS_S if step >= WELL_ABOVE * row.median_s), STEPS_S[-1])
        lines += ["[[webhook]]", f"event = {json.dumps(f'{row.api} {row.event}')}", f"median_at_most_s = {at_most}", ""]
    return "\n".join(lines)


def read_assumptions(path: Path | None) -> Assumptions | None:
    """Read a file of assumptions; None without a path. Raises UsageError for one that holds something else."""
    if path is None:
        return None
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        _check(tables)
        points = tuple(_point(row) for row in tables.get("assumption", []))
        medians = {str(row["event"]): float(row["median_at_most_s"]) for row in tables.get("webhook", [])}
    except (OSError, ValueError, TypeError, AttributeError) as problem:
        raise UsageError(f"the assumptions {path.name} cannot be read: {problem}") from None
    if unknown := [point.requirement for point in points if point.requirement not in catalogue()]:
        raise UsageError(f"the assumptions {path.name} name {', '.join(unknown)}, which this suite does not know")
    return Assumptions(points, medians)


def _check(tables: Mapping[str, Any]) -> None:
    """Raise ValueError if a table is missing or has a wrong key: what it says would not be compared."""
    rows = [(name, row) for name in tables for row in (tables[name] if name in KEYS else [{name: ""}])]
    if not rows:
        raise ValueError("it has no [[assumption]] and no [[webhook]]")
    for name, row in rows:
        if unknown := sorted(row.keys() - KEYS.get(name, set())):
            raise ValueError(f"it has unknown keys: {', '.join(unknown)}")
        wanted = KEYS[name] if name == "webhook" else {"requirement", "responses" if "responses" in row else "seen"}
        if missing := sorted(wanted - row.keys()):
            raise ValueError(
                f"{row.get('requirement') or row.get('event') or f'a [[{name}]]'} has no {', no '.join(missing)}"
            )


def _point(row: Mapping[str, Any]) -> Seen:
    responses = {str(label): (str(text), None) for label, text in row.get("responses", {}).items()}
    seconds = row.get("seconds", {})
    sentences = {str(text): tuple(map(float, seconds.get(text, ()))) for text in row.get("seen", ())}
    return Seen(str(row["requirement"]), responses, {}, sentences)


def _table(point: Seen) -> Iterator[str]:
    yield "[[assumption]]"
    yield f"requirement = {json.dumps(point.requirement)}"
    if point.sentences:
        yield f"seen = {json.dumps(list(point.sentences), ensure_ascii=False)}"
    if point.responses:
        yield "[assumption.responses]"
        yield from (
            f"{json.dumps(label, ensure_ascii=False)} = {json.dumps(text)}"
            for label, (text, _) in point.responses.items()
        )
    if timed := {text: seconds for text, seconds in point.sentences.items() if seconds}:
        yield "[assumption.seconds]"
        yield from (
            f"{json.dumps(text, ensure_ascii=False)} = {json.dumps(seconds)}" for text, seconds in timed.items()
        )


def _coarse(entry: Entry) -> Seen:
    """Return what was seen of an open point, without the words of the target: a response is `400 CONFLICT`."""
    point = seen(entry)
    responses = {label: (_text(status, code), None) for label, (status, code) in point.responses.items()}
    known = {text: seconds if None not in seconds else () for text, seconds in point.sentences.items()}
    return Seen(point.requirement, responses, {}, known)


def _text(status: Any, code: Any) -> str:
    return f"{status if isinstance(status, int) else 'no response'}{f' {code}' if isinstance(code, str) else ''}"


def _change(assumed: Seen, now: Seen) -> str:
    """Say with both answers in which way a target does something else than was assumed."""
    differing = [
        f"{label}: {now.responses[label][0]}, assumed was {text}"
        for label, (text, _) in assumed.responses.items()
        if label in now.responses and now.responses[label] != (text, None)
    ]
    sentences = f"{'; '.join(now.sentences)}, assumed was: {'; '.join(assumed.sentences)}"
    return f"{assumed.requirement} is answered otherwise than assumed: {'; '.join(differing) or sentences}"
