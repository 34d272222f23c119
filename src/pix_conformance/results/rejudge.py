"""A recording judged again by today's matchers and descriptions; nothing is sent."""

import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pix_conformance.checks import passive
from pix_conformance.checks.matchers import Computed, Matcher, read
from pix_conformance.model.catalogue import load
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import MASK, Api, Level, Outcome, Requirement, Verdict
from pix_conformance.results.bundle.reader import bundle_of, read_results
from pix_conformance.results.bundle.values import Bundle, BundleError, numbered
from pix_conformance.results.bundle.writer import write_results
from pix_conformance.results.exit_status import Result, WholeRun
from pix_conformance.results.requirement_outcome import KEPT, Breach, decide, of_judgement, of_traffic

Row = dict[str, Any]
NOT_RECORDED = "they cannot be computed again from the recording (they rest on secrets, times or several responses)"


@dataclass
class Rejudged:
    """The results judged again, what became of which requirement, and which verdicts were kept and why."""

    results: Row
    changes: list[str] = field(default_factory=list)
    kept: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def rejudge(directory: Path) -> Rejudged:
    """Judge the bundle in `directory` again. BundleError where it holds none, or one too old to be judged again."""
    results = read_results(directory)
    bundle = bundle_of(directory, results)
    if "succeeded" not in results:
        raise BundleError(f"{directory} was written by a suite that did not yet keep what judging again takes")
    found = Rejudged(results)
    shown = _passive(bundle)
    for row in results["requirements"]:
        before = row["outcome"], row["reason"]
        _requirement(row, bundle, shown.get(row["id"], []), found)
        if (row["outcome"], row["reason"]) != before:
            found.changes.append(f"{row['id']}: {before[0]} -> {row['outcome']} {row['reason']}".rstrip())
    _conclude(found)
    return found


def write(found: Rejudged, source: Path, target: Path) -> None:
    """Write the bundle as judged again, with pytest's page and the recording as they are."""
    for name in ("exchanges.jsonl", "deliveries.jsonl", "pytest.html"):
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
    write_results(target, found.results)


def _requirement(row: Row, bundle: Bundle, shown: list[tuple[str, str, str | None]], found: Rejudged) -> None:
    known = load().get(row["id"])
    if known is None or row["outcome"] in {Outcome.NOT_APPLICABLE, Outcome.OBSERVED, Outcome.WAIVED}:
        if row["outcome"] == Outcome.WAIVED:
            found.kept["waived"].add(row["id"])
        return
    row["level"], row["statement"] = known.level, known.statement
    succeeded = found.results["succeeded"]
    lasting = list(_lasting(row))
    verdicts = [one for one in lasting if one.test]
    judgements = [one for one in row["judgements"] if not _is_passive(one)]
    for one in judgements:
        one["mismatches"] = _again(row["id"], one, bundle, found)
        weighed = of_judgement(known.level, one["mismatches"], one.get("control"), succeeded)
        verdicts.append(Verdict(known.id, *weighed, one["test"], (one["target"],)))
    if known.level is not Level.OPEN:
        verdicts += _of_responses(known, row, judgements, shown, succeeded)
    verdicts += [one for one in lasting if not one.test]
    if not verdicts:
        return
    decision = decide(verdicts)
    reason = decision.reason or ("" if decision.outcome is Outcome.PASS else row["reason"])
    row.update(judgements=judgements, outcome=decision.outcome, reason=reason, evidence=list(decision.evidence))


def _lasting(row: Row) -> Iterator[Verdict]:
    """Read the verdicts that no exchange shows again: how tests ended, and what deliveries showed."""
    for one in row["verdicts"]:
        if not any(name.startswith("exchange") for name in one["evidence"]):
            yield Verdict(row["id"], Outcome(one["outcome"]), one["reason"], one["test"], tuple(one["evidence"]))


def _is_passive(judgement: Row) -> bool:
    return any(one["matcher"] == passive.MatchesDescription.word for one in judgement["matchers"])


def _again(requirement: str, judgement: Row, bundle: Bundle, found: Rejudged) -> list[str]:
    """Hold recorded matchers against the recorded answer; what cannot be redone keeps its verdict, and that is told."""
    old: list[str] = judgement["mismatches"]
    answer = _message(bundle, judgement["target"])
    if not judgement["matchers"]:
        found.kept["shown by a delivery"].add(requirement)
        return old
    if answer is None:
        found.kept["not recorded whole"].add(requirement)
        return old
    try:
        matchers: list[Matcher] = [read(one) for one in judgement["matchers"]]
    except (KeyError, TypeError):
        found.kept["a matcher that this suite does not know"].add(requirement)
        return old
    if any(isinstance(one, Computed) for one in matchers):
        found.kept[NOT_RECORDED].add(requirement)
    new = [problem for one in matchers if (problem := one.mismatch(answer)) is not None]
    if new != old and MASK.encode() in answer.body:
        found.kept["masked in the recording"].add(requirement)
        return old
    return new


def _of_responses(
    known: Requirement,
    row: Row,
    judgements: list[Row],
    shown: list[tuple[str, str, str | None]],
    succeeded: list[str],
) -> list[Verdict]:
    """Weigh what all responses showed of a requirement, and enter those that broke it as judgements."""
    met = {where: name for where, name, problem in shown if problem is None}
    before = {one["target"]: one for one in row["judgements"]}
    broken = [
        Breach(where, problem, name, before.get(name, {}).get("test")) for where, name, problem in shown if problem
    ][:KEPT]
    judgements += [_as_judgement(known.id, one, before.get(one.evidence, {}).get("curl")) for one in broken]
    return of_traffic(known, met, broken, succeeded)


def _as_judgement(requirement: str, breach: Breach, curl: str | None) -> Row:
    return {
        "test": breach.test,
        "target": breach.evidence,
        "matchers": [passive.MatchesDescription(requirement, *breach.operation.split(".", 1)).to_dict()],
        "mismatches": [breach.reason],
        "control": None,
        "curl": curl,
    }


def _passive(bundle: Bundle) -> dict[str, list[tuple[str, str, str | None]]]:
    """Judge every recorded answer: requirement to operation, evidence and problem."""
    shown: dict[str, list[tuple[str, str, str | None]]] = defaultdict(list)
    for exchange in bundle.exchanges:
        if not _is_whole(exchange) or not exchange.operation or exchange.api not in tuple(Api):
            continue
        for one in passive.judge(Api(exchange.api), exchange.operation, exchange):
            masked = one.mismatch is not None and MASK.encode() in exchange.body
            if not masked:
                where = f"{exchange.api}.{exchange.operation}"
                shown[one.requirement].append((where, f"exchange {exchange.id}", one.mismatch))
    return shown


def _message(bundle: Bundle, evidence: str) -> Exchange | Delivery | None:
    """Find the response or delivery that evidence names, where all of it was recorded."""
    exchange = bundle.exchange.get(numbered(evidence) or 0)
    if exchange is None:
        return bundle.delivery.get(numbered(evidence, "delivery") or 0)
    return exchange if _is_whole(exchange) else None


def _is_whole(exchange: Exchange) -> bool:
    return exchange.response is not None and not exchange.response.truncated


def _conclude(found: Rejudged) -> None:
    """Count again, and say in words what was judged again and which verdicts were kept."""
    results = found.results
    rows = results["requirements"]
    for level in Level:
        of_level = [row["outcome"] for row in rows if row["level"] == level]
        results["totals"][level] = {one: of_level.count(one) for one in Outcome if one in of_level}
    whole = _whole(results)
    results["run"]["exit"] = whole.exit_status
    changed = f"{len(found.changes)} verdicts changed" if found.changes else "no verdict changed"
    results["headline"] = f"judged again from the recording, {changed}: {whole.headline(whole.exit_status)}"
    for why, ids in found.kept.items():
        results["notices"].append(f"{len(ids)} verdicts kept, {why} ({', '.join(sorted(ids)[:8])}...)")


def _whole(results: Row) -> WholeRun:
    target, run = results["target"], results["run"]
    rows = [
        Result(one["api"], Level(one["level"]), Outcome(one["outcome"]), one["reason"])
        for one in results["requirements"]
    ]
    return WholeRun(
        target["name"],
        rows,
        Level(run.get("level", Level.MUST)),
        target.get("apis", tuple(Api)),
        target.get("api_chosen", False),
        run["partial"],
        run.get("gate", ()),
    )
