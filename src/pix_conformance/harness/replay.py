"""`--replay` sends the failing requests of a bundle again, after those that they depend on, and judges the answers."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pix_conformance.checks import passive
from pix_conformance.checks.comparable_text import stable
from pix_conformance.checks.matchers import Computed, Matcher
from pix_conformance.checks.matchers import read as read_matcher
from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.checks.relation import Relation
from pix_conformance.harness.clients.client import NO_AUTHORIZATION, Authorization, Client
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.replayed_events import Received, with_events_again
from pix_conformance.harness.run import Run
from pix_conformance.model.body import utf8_or_none
from pix_conformance.model.catalogue import load
from pix_conformance.model.exchange import Exchange, Request
from pix_conformance.model.target import Target
from pix_conformance.model.usage_error import UsageError
from pix_conformance.model.vocabulary import MASK, Api, Judgement, Level, Role
from pix_conformance.results.bundle.reader import EXCHANGES, read
from pix_conformance.results.bundle.values import BundleError
from pix_conformance.results.dependency_chain import Failure, Recording, labels, leaves

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
OURS_TO_SEND = {"host", "accept", "accept-encoding", "connection", "content-length", "user-agent", "authorization"}
WORTH_WAITING_S = 40.0
"""An object that was judged at this age or older was probably meant to age."""


class Found(StrEnum):
    """What became of a failure that was sent again."""

    FIXED = "fixed"
    FAILING = "still failing"
    DIFFERENT = "different"
    NOT_SENT = "not sent"


WORST = (Found.FAILING, Found.DIFFERENT, Found.NOT_SENT, Found.FIXED)
"""The first of these that one of a requirement's failures has is the result for the requirement."""


class NotSent(Exception):  # noqa: N818  # a state of the recording, not an error of ours
    """The recorded request cannot be sent again."""


class Differs(Exception):  # noqa: N818  # a finding
    """A request that the failure depends on gets another status than when it was recorded."""


@dataclass
class Translation:
    """Maps recorded texts to those of this replay: new keys and labels, and the ids of the objects created now."""

    words: dict[str, str] = field(default_factory=dict)

    def refresh(self, names: Iterator[str]) -> None:
        """Choose a new UUID for each UUID in these keys and labels."""
        for name in names:
            for found in UUID.findall(name):
                self.words.setdefault(found, str(uuid.uuid4()))

    def learn(self, before: Any, after: Any) -> None:
        """Note each `id` of a recorded answer that differs in the new one."""
        now = dict(leaves(after))
        for path, text in leaves(before):
            if text != now.get(path, text) and path[-1:] == ("id",):
                self.words[text] = now[path]

    def __call__(self, text: str) -> str:
        """Translate a text."""
        for old, new in self.words.items():
            text = text.replace(old, new)
        return text


def recording(target: Target) -> tuple[Recording, list[Failure]]:
    """Read the bundle that --replay names, and what failed in it; UsageError if there is nothing to replay."""
    directory, _, named = target.replay.partition("#")
    requirement = named.upper()
    found = _recording(Path(directory))
    if requirement and requirement not in load():
        raise UsageError(f"no requirement is called {requirement}")
    if target.embedded and not found.bundle.embedded:
        raise UsageError(f"the bundle was recorded at {found.base_url}: give that address, or another, and credentials")
    failures = found.failures(requirement)
    if not failures:
        raise UsageError(f"nothing failed in {directory}{' for ' + requirement if requirement else ''}")
    return found, failures


def _recording(directory: Path) -> Recording:
    """Read a bundle; UsageError if there is none, or if a line of its exchanges cannot be read."""
    try:
        bundle = read(directory)
    except BundleError as reason:
        raise UsageError(f"no bundle can be read in {directory}: {reason}") from None
    if unreadable := [one for one in bundle.unreadable if one.startswith(EXCHANGES)]:
        raise UsageError(f"no bundle can be read in {directory}: {unreadable[0]}")
    return Recording(bundle)


@dataclass(frozen=True)
class Again:
    """What one recorded failure of a requirement did when it was sent again."""

    found: Found
    words: str


class Replay:
    """Sends the failures of one recording again, and gives each requirement one answer."""

    def __init__(self, run: Run, recorded: Recording, command: str) -> None:
        """Send with the clients of the run, which was started by the command."""
        self._run, self._recorded, self._command = run, recorded, command
        self.found: dict[str, Found] = {}

    def __call__(self, failures: Sequence[Failure]) -> Iterator[str]:
        """Send all again, in their order; yields a line for each requirement once all of its failures were sent."""
        left = Counter(one for failure in failures for one in failure.requirements)
        done: dict[str, list[Again]] = defaultdict(list)
        for failure in failures:
            for requirement, again in self._sent(failure):
                done[requirement].append(again)
            for requirement in failure.requirements:
                left[requirement] -= 1
                if not left[requirement]:
                    yield self._line(requirement, done[requirement])

    @property
    def summary(self) -> str:
        """How many requirements came out how."""
        warnings = sum(one is not Found.FIXED and not self._gated(name) for name, one in self.found.items())
        beside = f"; {warnings} of them are warnings, which do not fail this replay" if warnings else ""
        return ", ".join(f"{count} {found}" for found, count in Counter(self.found.values()).items()) + beside

    @property
    def status(self) -> int:
        """1 if something still fails or is different, 6 if something could not be sent, 0 if all is fixed.

        What is only recommended counts where the run was asked for at that level.
        """
        gated = {one for name, one in self.found.items() if self._gated(name)}
        if gated & {Found.FAILING, Found.DIFFERENT}:
            return 1
        return 6 if Found.NOT_SENT in gated else 0

    def _gated(self, requirement: str) -> bool:
        return load()[requirement].level in {Level.MUST, self._run.target.level}

    def _sent(self, failure: Failure) -> Iterator[tuple[str, Again]]:
        try:
            answers, translation = self._again(failure)
        except (NotSent, Inconclusive, NotApplicable) as why:
            words = f"{why}; to test it again: {self._command} --only {','.join(failure.requirements)}"
            yield from ((one, Again(Found.NOT_SENT, f"{failure.evidence}: {words}")) for one in failure.requirements)
        except Differs as why:
            yield from ((one, Again(Found.DIFFERENT, f"{failure.evidence}: {why}")) for one in failure.requirements)
        else:
            before = self._recorded.bundle.exchange[failure.number or 0]
            again = answers[failure.evidence]
            for judgement in failure.judgements:
                found, reason = self._judged(judgement, before, answers, translation)
                yield judgement.requirement, Again(found, f"{failure.evidence}: {reason} (now {again.evidence})")

    def _judged(
        self, judgement: Judgement, before: Exchange, answers: dict[str, Exchange], translate: Translation
    ) -> tuple[Found, str]:
        """Judge the new answer, once the events that the judgement is about came again."""
        names = [translate(one) for one in self._recorded.names_of_objects(before)]
        received: Received = {**answers}
        try:
            of_new = with_events_again(judgement, answers[before.evidence], names, self._run, received)
        except (Inconclusive, NotApplicable) as why:
            return Found.NOT_SENT, f"sent, but not to be judged: {why}"
        return _judged(of_new, before, answers[before.evidence], received, translate)

    def _line(self, requirement: str, done: Sequence[Again]) -> str:
        """Say the worst of what a requirement's failures did, how many did that, and the first of them."""
        worst = min((one.found for one in done), key=WORST.index)
        alike = [one for one in done if one.found is worst]
        self.found[requirement] = worst
        count = f"{len(alike)} of {len(done)}, such as " if len(done) > 1 else ""
        return f"{worst:13} {requirement} {count}{alike[0].words}"

    def _again(self, failure: Failure) -> tuple[dict[str, Exchange], Translation]:
        """Send what the failure depends on, then its request; return the new exchanges by the recorded evidence."""
        if failure.number is None:
            raise NotSent("seen in a webhook, which cannot be sent again from here")
        chain = self._recorded.chain(failure.number)
        if chain is None:
            raise NotSent("it needs too many earlier requests")
        if self._recorded.beside(chain[-1]):
            raise NotSent("it was sent side by side with others")
        senders = [self._sender(one) for one in chain]
        translation = Translation()
        translation.refresh(name for one in chain for name in labels(one.request))
        answers: dict[str, Exchange] = {}
        begun, first = time.time() + self._run.clock.turned, self._recorded.age(chain[0])
        for before, (client, authorization) in zip(chain, senders, strict=True):
            age = self._recorded.age(before) - first
            if age >= WORTH_WAITING_S:
                self._run.clock.wait_until_aged(begun, age)
            again = _send(client, authorization, before, translation, self._recorded.base_url)
            if before is not chain[-1] and self._recorded.made(before.id):
                _require_same_class(before, again)
            translation.learn(before.json, again.json)
            answers[before.evidence] = again
        return answers, translation

    def _sender(self, exchange: Exchange) -> tuple[Client, Authorization | None]:
        """Return the client that sends it, and its Authorization header (None: that of the client).

        NotSent where the recording does not hold all of it.
        """
        if _is_masked(exchange.request):
            raise NotSent("a secret in it is masked")
        client: Client = self._run.client(Api(exchange.api), Role(exchange.role))
        words = exchange.request.authorization
        if not words:
            return client, NO_AUTHORIZATION
        if isinstance(client, Payments) and words == client.basic().words:
            return client, client.basic()
        if not words.startswith(("Bearer token of $", "Bearer $")):
            raise NotSent(f"it carried a credential of its own ({words})")
        return client, None


def _is_masked(sent: Request) -> bool:
    headers = (part for pair in sent.headers for part in pair)
    return MASK.encode() in sent.body or any(MASK in text for text in (sent.url, *headers))


def _send(
    client: Client, given: Authorization | None, before: Exchange, translate: Translation, base_url: str
) -> Exchange:
    """Send a recorded request through the client, so that its guards hold: no transfer before the proof."""
    sent = before.request
    headers = {name: translate(value) for name, value in sent.headers if name.lower() not in OURS_TO_SEND}
    if not any(name.lower() == "content-type" for name in headers):
        headers["content-type"] = ""
    return client.call(
        sent.method,
        translate(sent.url.removeprefix(base_url)),
        operation=before.operation,
        content=_body(sent.body, translate) or None,
        headers={name.lower(): value for name, value in headers.items()},
        authorization=given,
    )


def _body(body: bytes, translate: Translation) -> bytes:
    text = utf8_or_none(body)
    return body if text is None else translate(text).encode("utf-8", "surrogatepass")


def _require_same_class(before: Exchange, again: Exchange) -> None:
    """Raise Differs where a request that the failure depends on gets a status of another class than then."""
    was = before.status
    if again.status is None:
        raise Inconclusive(f"no answer ({again.fault})")
    if was is not None and was // 100 != again.status // 100:
        where = f"{before.evidence} ({before.operation or before.request.method})"
        raise Differs(f"{where}, on which it depends, was answered {was} and now {again.status} ({again.evidence})")


def _judged(
    judgement: Judgement, before: Exchange, again: Exchange, received: Received, translate: Translation
) -> tuple[Found, str]:
    """Hold the recorded matchers against the new answer."""
    if again.status is None:
        return Found.NOT_SENT, f"no answer ({again.fault})"
    matchers = [_readable_matcher(one, judgement.mismatches, received, translate) for one in judgement.matchers]
    try:
        problems = [found for one in matchers if not isinstance(one, Computed) and (found := one.mismatch(again))]
    except (Inconclusive, NotApplicable) as why:
        return Found.NOT_SENT, f"sent, but not to be judged: {why}"
    if problems:
        same = _same(problems, judgement.mismatches, matchers)
        return (Found.FAILING if same else Found.DIFFERENT), "; ".join(problems)
    if any(isinstance(one, Computed) and one.problem for one in matchers):
        then, now = (stable(one.body.decode("utf-8", "replace")) for one in (before, again))
        if before.status == again.status and then == now:
            return Found.FAILING, f"the same answer as then: {judgement.mismatches[0]}"
        return Found.DIFFERENT, f"another answer ({again.status}); its test has to judge it: run it with --only"
    return Found.FIXED, f"was: {'; '.join(judgement.mismatches)}"


def _readable_matcher(
    row: dict[str, Any], mismatches: Sequence[str], received: Received, translate: Translation
) -> Matcher:
    """Read a matcher for the new answer; a relation compares with what was received now.

    A relation with an exchange that was not sent again becomes a Computed with what it said then.
    """
    translated = json.loads(translate(json.dumps(row)))
    if row["matcher"] != Relation.word:
        return read_matcher(translated)
    try:
        return read_matcher(translated, received.__getitem__)
    except (KeyError, TypeError):
        return Computed(row["words"], mismatches[0] if mismatches else None)


def _same(now: Sequence[str], then: Sequence[str], matchers: Sequence[Matcher]) -> bool:
    """Whether the same is wrong in the same way; every answer's judge names the operation first."""
    before = {stable(one) for one in then}
    shaped = any(isinstance(one, passive.MatchesDescription) for one in matchers)
    return {stable(one) for one in now} <= {one.partition(": ")[2] if shaped else one for one in before}
