"""Runs the lines that a report prints for a failure against two servers, and says whether they show the failure.

`curl` and `sleep` are small scripts in a directory of their own: the first keeps each response, the second turns the
server's clock, so that lines that wait a minute take no time. Up to three seconds it sleeps.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pix_conformance.checks.relation  # noqa: F401  # lets `read` know relations
from pix_conformance.checks import deliveries
from pix_conformance.checks.conclusion import Broken, Unknown
from pix_conformance.checks.matchers import Computed, Matcher, read
from pix_conformance.checks.rules import DeliveryContext
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of
from pix_conformance.model.exchange import Exchange, Response
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import shown
from pix_conformance.model.vocabulary import Judgement, Outcome
from pix_conformance.oracles import signature
from pix_conformance.proof.runner import WORKERS, Forking, Job, lines_of
from pix_conformance.receiver import Receiver
from pix_conformance.recording.bundle.reader import read as read_bundle
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.report.causes import Causes
from pix_conformance.report.dependency_chain import LOGIN, RecordedExchanges, leaves
from pix_conformance.report.reproduction import NONE, Lines, in_order
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.mutants.registry import Mutant

SECRET = "of-the-endpoint"  # noqa: S105  # of a server in a test
CURL = """#!/bin/bash
case " $* " in *" -i "*) ;; *) exec /usr/bin/curl "$@" ;; esac
place="$KEPT/$(date +%s%N)-$$"
/usr/bin/curl "$@" >"$place.part"; mv "$place.part" "$place"; cat "$place"
"""
SLEEP = """#!/bin/bash
[ "$1" -le 3 ] && exec /usr/bin/sleep "$1"
echo "$1" >"$KEPT/../clock"; read -r _ <"$KEPT/../turned"
"""
SHOW_VARIABLES = (
    '\nfor name in ${!ID_@} ${!KEY_@} ${!RECEIVER_@}; do printf "%s=%s\\n" "$name" "${!name}"; done >variables\n'
)
VARYING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\w{3}_[0-9a-f]{20,}|E\d{20}\w{11}|eyJ[\w.-]+|000201[^\"]+|[0-9a-f]{24,}|"
    r"[A-Za-z0-9+/=]{100,}"
)
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?|127\.0\.0\.1:\d+")
EVENT_S, SHORT = 3.0, 8


@dataclass(frozen=True)
class Card:
    """A failure as the report shows it: the mutant, the requirement, the judgement with its lines."""

    mutant: Mutant
    requirement: str
    judgement: Judgement
    recorded: RecordedExchanges


@dataclass(frozen=True)
class Outcomes:
    """What the lines of a card showed on the mutant and on the reference; empty where they print no lines."""

    card: Card
    mutant: str
    reference: str
    wait: int

    @property
    def is_none(self) -> bool:
        """Whether the card prints no lines, and says so."""
        return (self.card.judgement.curl or "").startswith(f"{NONE}: run --only {self.card.requirement}")

    @property
    def show_the_failure(self) -> bool:
        """Whether the lines show something wrong on the mutant, and nothing on the reference."""
        return bool(self.mutant) and not self.reference


def drawn(count: int, seed: int) -> list[Mutant]:
    """Draw mutants at random."""
    names = random.Random(seed).sample(sorted(registry.all_mutants()), count)  # noqa: S311  # no secret
    return [registry.all_mutants()[name] for name in names]


def cards(mutants: Sequence[Mutant], directory: Path) -> Iterator[Card]:
    """Run the suites against mutants; yield for each requirement that a mutant breaks the failure that is shown."""
    jobs = [
        Job(
            mutant.id,
            (mutant.rules,),
            (*mutant.breaks, *mutant.seen_in),
            apis=catalogue()[mutant.breaks[0]].api,
            shown=True,
        )
        for mutant in mutants
    ]
    for _ in lines_of(lambda _, results: Forking(jobs, WORKERS, math.inf, directory, results)):
        pass
    for place, mutant in enumerate(mutants):
        bundle = read_bundle(directory / str(place))
        for entry in bundle.entries:
            if entry.id in mutant.breaks and entry.outcome in {Outcome.FAIL, Outcome.WARN} and entry.missed:
                yield Card(mutant, entry.id, in_order(entry.missed)[0], RecordedExchanges(bundle))


def run_lines(card: Card, running: Running, receiver: Receiver, directory: Path) -> str:
    """Run the lines of a card against a server. Return what they show of the failure; empty if nothing."""
    (directory / "kept").mkdir(parents=True)
    for name, text in (("curl", CURL), ("sleep", SLEEP)):
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)
    for name in ("clock", "turned"):
        os.mkfifo(directory / name)
    threading.Thread(target=_turn, args=(directory, running), daemon=True).start()
    began = time.time()
    script = re.sub(r"(?m)^(RECEIVER_\d+)=.*$", rf"\1={receiver.url}", card.judgement.curl or "") + SHOW_VARIABLES
    paths = {"PATH": f"{directory}:/usr/bin:/bin", "KEPT": str(directory / "kept"), "HOME": str(directory)}
    environment = paths | variables(running.credentials)
    subprocess.run(["/bin/bash", "-c", script], env=environment, cwd=directory, capture_output=True, check=False)  # noqa: S603
    return _shown(card, directory, began, receiver)


def _turn(directory: Path, running: Running) -> None:
    """Turn the server's clock by what each `sleep` of the lines asks for."""
    while True:
        seconds = float((directory / "clock").read_text())
        running.advance(seconds)
        (directory / "turned").write_text("\n")


def _shown(card: Card, directory: Path, began: float, receiver: Receiver) -> str:
    cause = Causes(card.recorded).of(card.judgement)
    lines = Lines(card.recorded, cause.steps, 0)
    lines.all()
    values = dict(line.split("=", 1) for line in (directory / "variables").read_text().splitlines())
    words = {old: values[name] for old, name in lines.names.variables.items() if name in values and len(old) > SHORT}
    bodies = [path.read_bytes() for path in sorted((directory / "kept").iterdir())]
    steps = [step for step in cause.steps if not (step.operation == LOGIN and _is_used(step, cause.steps))]
    answers = {step.evidence: _answered(step, raw) for step, raw in zip(steps, bodies, strict=False)}
    for before in steps:
        if before.evidence in answers:
            now = dict(leaves(answers[before.evidence].json))
            given = ((text, now.get(path)) for path, text in leaves(before.json) if VARYING.fullmatch(text))
            words = {text: new for text, new in given if new} | words
    if any(row.get("name", "").startswith("events.") for row in card.judgement.matchers):
        return _wrong_events(card, set(words.values()), began, receiver)
    if card.judgement.evidence in answers:
        return _wrong(card, answers[card.judgement.evidence], answers, words)
    if cause.delivery is not None:
        return _wrong_event(card, cause.delivery, answers, began, receiver)
    return ""


def _is_used(login: Exchange, steps: Iterable[Exchange]) -> bool:
    return any(step.request.login == login.id for step in steps)


def _answered(before: Exchange, raw: bytes) -> Exchange:
    head, _, body = raw.partition(b"\r\n\r\n")
    while head.startswith(b"HTTP/1.1 100"):
        head, _, body = body.partition(b"\r\n\r\n")
    first, *fields = head.decode("latin-1").split("\r\n")
    if not first:
        return replace(before, response=None, fault="no response")
    headers = tuple((name, value.strip()) for name, _, value in (field.partition(":") for field in fields))
    return replace(before, response=Response(int(first.split()[1]), headers, body, len(body)), fault=None)


def _wrong(card: Card, answer: Exchange, answers: dict[str, Exchange], words: dict[str, str]) -> str:
    """Hold the recorded matchers against the new answers, in which ids are others."""
    problems: list[str] = []
    for row in card.judgement.matchers:
        text = json.dumps(row)
        for old, new in words.items():
            text = text.replace(old, new)
        try:
            matcher: Matcher = read(json.loads(text), answers.__getitem__)
            if isinstance(matcher, Computed):
                same = _states(matcher.problem, answer) or _alike(card, answers)
                problems += [matcher.problem] if matcher.problem and same else []
            elif isinstance(conclusion := matcher.judge(answer), Broken):
                problems.append(conclusion.sentence)
            elif isinstance(conclusion, Unknown) and _alike(card, answers):
                problems.append(f"as recorded ({conclusion.sentence})")
        except (KeyError, TypeError) as why:
            if _alike(card, answers):
                problems.append(f"as recorded ({why!r})")
    return "; ".join(problems)


def _states(problem: str | None, answer: Exchange) -> bool:
    """Whether a problem such as `data.amount is 0, 1 was sent` says of a field what an answer has there now."""
    said = re.match(r"([A-Za-z_]+(?:[.][A-Za-z_]+)*) is (.+?)(?:, |$)", problem or "")
    return said is not None and shown(answer.at(said[1])) == said[2]


def _alike(card: Card, answers: dict[str, Exchange]) -> bool:
    """Whether the answers are as recorded but for what differs each time."""
    before = card.recorded.bundle.exchange
    return _plain(answers.values()) == _plain(before[answer.id] for answer in answers.values())


def _plain(messages: Iterable[Exchange | Delivery]) -> str:
    """Write messages with their ids numbered in the order in which they first appear, and without their times."""
    numbers: dict[str, str] = {}
    shown = (message for message in messages if isinstance(message, Delivery) or message.operation != "create_webhook")
    text = "\n".join(f"{message.status} {message.body.decode('utf-8', 'replace')}" for message in shown)
    return VARYING.sub(lambda match: numbers.setdefault(match[0], f"#{len(numbers)}"), TIMES.sub("*", text))


def _wrong_events(card: Card, values: set[str], began: float, receiver: Receiver) -> str:
    """Say whether an event came, where none is due, or none where one is due."""
    row, api = card.judgement.matchers[0], catalogue()[card.requirement].api
    wanted = row["arguments"].get("event")
    before = [card.recorded.bundle.message(item["evidence"]) for item in row["arguments"]["deliveries"]]
    names = [wanted] if wanted else [event_of(message, api) for message in before if isinstance(message, Delivery)]
    time.sleep(EVENT_S)
    came = [
        delivery
        for delivery in receiver.deliveries()
        if delivery.received >= began
        and event_of(delivery, api) in names
        and any(text in delivery.text for text in values)
    ]
    due = row["name"] == "events.event_received"
    if due:
        return "" if came else f"no {wanted} came"
    most = max(Counter(delivery.path for delivery in came).values(), default=0)
    return f"{names[0]} came" if most > (row["name"] == "events.no_second_event_received") else ""


def _wrong_event(card: Card, before: Delivery, answers: dict[str, Exchange], began: float, receiver: Receiver) -> str:
    """Judge the event that came now."""
    api = catalogue()[card.requirement].api
    since = time.monotonic()
    came: list[Delivery] = []
    while not came and time.monotonic() - since < EVENT_S:
        time.sleep(0.05)
        kind = event_of(before, api)
        came = [
            delivery
            for delivery in receiver.deliveries()
            if delivery.received >= began and event_of(delivery, api) == kind
        ]
        came = [delivery for delivery in came if delivery.path == before.path or PROFILES[api].endpoint]
    return next((problem for delivery in came if (problem := _wrong_in(card, delivery, before, answers))), "")


def _wrong_in(card: Card, event: Delivery, before: Delivery, answers: dict[str, Exchange]) -> str:
    if not card.judgement.matchers:
        kind = "transfer" if '"transfer' in before.text else "charge"
        findings = deliveries.judge(event, catalogue()[card.requirement].api, DeliveryContext(kind=kind))
        return "; ".join(finding.mismatch or "" for finding in findings if finding.requirement == card.requirement)
    if "-SIG-" in card.requirement:
        return _wrong_signature(event, answers)
    recorded = card.recorded.bundle.exchange
    then, now = (
        _plain([*(recorded[answer.id] for answer in answers.values()), before]),
        _plain([*answers.values(), event]),
    )
    return f"as recorded: {card.judgement.mismatches[0]}" if then == now else ""


def _wrong_signature(event: Delivery, answers: dict[str, Exchange]) -> str:
    """Judge a signature with the secret of the endpoint, or of the webhook that was registered now."""
    secrets = [
        str(answer.at("data.signatureSecret")) for answer in answers.values() if answer.operation == "create_webhook"
    ]
    header = event.header("Service-Signature") or event.header("X-Service-Signature") or ""
    return signature.mismatch(header, event.body, (secrets or [SECRET])[-1]) or ""


def tried(card: Card, receiver: Receiver, directory: Path) -> Outcomes:
    """Run the lines of a card against its mutant and against the reference, each new."""
    waits = sum(map(int, re.findall(r"(?m)^sleep (\d+)$", card.judgement.curl or "")))
    outcomes = Outcomes(card, "", "", waits)
    if outcomes.is_none:
        return outcomes
    shown_by = []
    for name, rules in (("mutant", [card.mutant.rules]), ("reference", [])):
        with start(rules, business_webhook=f"{receiver.url}/business", business_webhook_secret=SECRET) as running:
            shown_by.append(run_lines(card, running, receiver, directory / name))
    return replace(outcomes, mutant=shown_by[0], reference=shown_by[1])
