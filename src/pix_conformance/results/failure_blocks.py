"""What failed, for the terminal: one block for each requirement, in the words of the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pix_conformance.checks.expectation_in_words import expectation
from pix_conformance.model.vocabulary import Level, Outcome

Row = Mapping[str, Any]
MOST_BLOCKS = 20
LONGEST_BODY = 300
LONGEST_WORDS = 400
MOST_LINES = 14
"""Lines of curl in the terminal; more of them are on the page."""


@dataclass(frozen=True)
class Recorded:
    """What a run left: its results, and the exchanges and deliveries by their evidence."""

    results: Row
    messages: Mapping[str, Row]

    def blocks(self) -> list[str]:
        """Write a block for each requirement that makes the run fail; the first few of many."""
        red = {Outcome.FAIL, Outcome.ERROR, *([Outcome.WARN] if self.results["run"]["level"] == Level.SHOULD else [])}
        failed = [row for row in self.results["requirements"] if row["outcome"] in red]
        lines = [line for row in failed[:MOST_BLOCKS] for line in [*self._block(row), ""]]
        more = len(failed) - MOST_BLOCKS
        return lines + ([f"... and {more} more requirements: see the page"] if more > 0 else [])

    def _block(self, row: Row) -> Iterator[str]:
        yield f"{row['outcome'].upper()} {row['id']} ({row['level']}): {row['statement']}"
        missed = sorted((one for one in row["judgements"] if one["mismatches"]), key=_length)
        if row["outcome"] != Outcome.ERROR and missed:
            yield from _told("request", self._requests(missed))
            yield from _told("expected", expected(missed[0]["matchers"]))
            yield from _told("got", self._got(missed[0]["target"]))
        yield from _told("wrong", "; ".join(missed[0]["mismatches"]) if missed else row["reason"])
        if row["outcome"] == Outcome.ERROR:
            yield from _told("where", "an error of the suite: -vv shows the place")
        if missed:
            yield from _told("cases", _cases(missed, row["judgements"]))
        yield from _told("document", place(row))
        yield from (f"             {number:4}  {text}" for number, text in row["cited"])
        yield from _told("again", f"{self.results['run']['command']} --only {row['id']}")
        if missed and missed[0]["curl"]:
            yield from _curl(missed[0]["curl"].splitlines())

    def _requests(self, missed: Sequence[Row]) -> str:
        found = list(dict.fromkeys(self._request(one["target"]) for one in missed))
        return found[0] + (f" (and {len(found) - 1} more)" if len(found) > 1 else "")

    def _request(self, evidence: str) -> str:
        message = self.messages.get(evidence)
        if message is None:
            return evidence
        sent = message.get("request", message)
        path = sent.get("url", sent.get("path", "")).removeprefix(self.results["target"]["base_url"])
        return f"{sent['method']} {path}"

    def _got(self, evidence: str) -> str:
        message = self.messages.get(evidence, {})
        came = message.get("response", message) or {}
        body = " ".join(str(came.get("body") or "").split())
        body = body if len(body) <= LONGEST_BODY else f"{body[:LONGEST_BODY]}..."
        if "response" in message and not came:
            return f"no response: {message['error']}"
        return f"status {came['status']} {body}" if "status" in came else body


def expected(matchers: Sequence[dict[str, Any]]) -> str:
    """Write what was expected; that an answer is as described is what the statement says."""
    return "; ".join(expectation(one) for one in matchers if one.get("matcher") != "described")


def place(row: Row) -> str:
    """Write the citation of a requirement."""
    ranges = ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in row["lines"])
    one = len(row["lines"]) == 1 and row["lines"][0][0] == row["lines"][0][1]
    return f"{row['document']}.md, {row['section']}, {'line' if one else 'lines'} {ranges}"


def by_evidence(exchanges: Sequence[Row], deliveries: Sequence[Row]) -> dict[str, Row]:
    """Map the words by which a verdict refers to a message to the message."""
    return {f"exchange {one['id']}": one for one in exchanges} | {f"delivery {one['id']}": one for one in deliveries}


def _length(judgement: Row) -> int:
    """Order failures: first the one that fewest requests show again, last those of deliveries."""
    return str(judgement["curl"]).count("\n") if judgement["curl"] else 1_000


def _cases(missed: Sequence[Row], judged: Sequence[Row]) -> str:
    smallest = max(one.get("smallest_of") or 0 for one in missed)
    generated = f", one of them the smallest of {smallest} generated inputs that failed" if smallest > 1 else ""
    return f"{len(missed)} of {len(judged)} failed{generated}"


def _told(name: str, words: str) -> Iterator[str]:
    if words:
        yield f"  {name:9}  {words if len(words) <= LONGEST_WORDS else words[:LONGEST_WORDS] + '...'}"


def _curl(lines: Sequence[str]) -> Iterator[str]:
    if len(lines) > MOST_LINES:
        requests = sum(line.startswith("# ") and line[2:3].isdigit() for line in lines)
        yield from _told("curl", f"{requests} requests: see the page")
        return
    for number, line in enumerate(lines):
        yield f"  {'' if number else 'curl':9}  {line}"
