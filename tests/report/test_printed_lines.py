"""The lines that reports print for a failure of a mutant are answered otherwise by the reference.

Both servers are new and differ in the mutation alone. `curl` and `sleep` are small scripts in a directory of their own:
the first keeps each response, the second turns the server's clock, so that lines that wait a minute take no time. Up
to three seconds it sleeps.
"""

import math
import os
import random
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Judgement, Outcome
from pix_conformance.oracles import signature
from pix_conformance.proof.runner import WORKERS, Forking, Job, lines_of
from pix_conformance.receiver import Receiver
from pix_conformance.recording.bundle.reader import read
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.report.dependency_chain import LOGIN, RecordedExchanges
from pix_conformance.report.reproduction import NONE, in_order
from pix_conformance.report.requests_of_failure import Causes
from pix_conformance.sandbox.mutants.registry import Mutant, all_mutants

COUNT, SEED = int(os.environ.get("DRAWN_MUTANTS", "20")), int(os.environ.get("DRAWN_BY", "36"))
"""How many mutants are drawn, and the seed; the weekly job draws 60 by the number of its run."""
MOST_NONE, MOST_SILENT = 0.15, 0.1
"""The shares of failures for which no lines are printed, and whose lines do not show them, such as those of mutants
that need what other tests sent, for instance ten keys before."""
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
VARYING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\w{3}_[0-9a-f]{20,}|E\d{20}\w{11}|eyJ[\w.-]+|000201[^\"]+|[0-9a-f]{24,}|"
    r"[A-Za-z0-9+/=]{100,}"
)
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?|127\.0\.0\.1:\d+|(?mi:^(date|content-length): .*)")
EVENT_S = 3.0
SIMULTANEOUS = 4
"""Runs of lines at a time: most of each is waiting."""


@dataclass(frozen=True)
class ShownFailure:
    """A failure as the report shows it: the mutant, the requirement, the judgement with its lines."""

    mutant: Mutant
    requirement: str
    judgement: Judgement
    recorded: RecordedExchanges

    @property
    def lines(self) -> str:
        return self.judgement.curl or ""

    @property
    def is_none(self) -> bool:
        """Whether the card prints no lines, and says so."""
        return self.lines.startswith(f"{NONE}: run --only {self.requirement}")

    @property
    def place(self) -> int | None:
        """Which of the kept responses is the one that failed; None if an event failed, or its absence."""
        steps = Causes(self.recorded).of(self.judgement).steps
        used = {step.request.login for step in steps}
        evidences = [step.evidence for step in steps if not (step.operation == LOGIN and step.id in used)]
        is_of_events = any(row.get("name", "").startswith("events.") for row in self.judgement.matchers)
        judged = self.judgement.evidence
        return evidences.index(judged) if judged in evidences and not is_of_events else None

    def __str__(self) -> str:
        return f"{self.mutant.id} {self.requirement}: {'; '.join(self.judgement.mismatches)}\n{self.lines}"


def cards(directory: Path) -> Iterator[ShownFailure]:
    """Run the suites against drawn mutants; yield for each requirement that one breaks the failure that is shown."""
    names = random.Random(SEED).sample(sorted(all_mutants()), COUNT)  # noqa: S311  # no secret
    mutants = [all_mutants()[name] for name in names]
    jobs = [
        Job(mutant.id, (mutant.rules,), asked, apis=catalogue()[asked[0]].api, shown=True)
        for mutant, asked in ((mutant, (*mutant.breaks, *mutant.seen_in)) for mutant in mutants)
    ]
    for _ in lines_of(lambda _, results: Forking(jobs, WORKERS, math.inf, directory, results)):
        pass
    for place, mutant in enumerate(mutants):
        bundle = read(directory / str(place))
        for entry in bundle.entries:
            if entry.id in mutant.breaks and entry.outcome in {Outcome.FAIL, Outcome.WARN} and entry.missed:
                yield ShownFailure(mutant, entry.id, in_order(entry.missed)[0], RecordedExchanges(bundle))


def received(card: ShownFailure, rules: list[str], directory: Path) -> list[str]:
    """Run the lines of a card against a new server; return the response that failed there, or all events."""
    with Receiver() as receiver:
        receiver.at("/")
        lines = re.sub(r"(?m)^(RECEIVER_\d+)=.*$", rf"\1={receiver.url}", card.lines)
        with start(rules, business_webhook=f"{receiver.url}/business", business_webhook_secret=SECRET) as running:
            responses = in_bash(lines, running, directory)
            if card.place is not None:
                return plain("\0".join(responses)).split("\0")[card.place : card.place + 1]
            time.sleep(EVENT_S)
        secret = re.search(r'"signatureSecret": ?"(.*?)"', "".join(responses))
        events = []
        for event in receiver.deliveries():
            header = event.header("Service-Signature") or event.header("X-Service-Signature") or ""
            problem = signature.mismatch(header, event.body, secret[1] if secret else SECRET)
            digits = [len(time) for time in re.findall(r"\bt=(\d+)", header)]
            events.append(plain(f"{event.path} {event.text} {problem} {digits}"))
        return sorted(events)


def plain(text: str) -> str:
    """Return a text with its ids numbered in the order in which they first appear, and without its times."""
    numbers: dict[str, str] = {}
    return VARYING.sub(lambda match: numbers.setdefault(match[0], f"#{len(numbers)}"), TIMES.sub("*", text))


def in_bash(lines: str, running: Running, directory: Path) -> list[str]:
    """Run lines; return the responses that they were given, in order."""
    (directory / "kept").mkdir(parents=True)
    for name, text in (("curl", CURL), ("sleep", SLEEP)):
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)
    for name in ("clock", "turned"):
        os.mkfifo(directory / name)
    threading.Thread(target=turn, args=(directory, running), daemon=True).start()
    paths = {"PATH": f"{directory}:/usr/bin:/bin", "KEPT": str(directory / "kept"), "HOME": str(directory)}
    environment = paths | variables(running.credentials)
    subprocess.run(["/bin/bash", "-c", lines], env=environment, cwd=directory, capture_output=True, check=False)  # noqa: S603  # ours
    return [path.read_text("utf-8", "replace") for path in sorted((directory / "kept").iterdir())]


def turn(directory: Path, running: Running) -> None:
    """Turn the server's clock by what each `sleep` of the lines asks for."""
    while True:
        running.advance(float((directory / "clock").read_text()))
        (directory / "turned").write_text("\n")


def is_shown_in_more_tries(card: ShownFailure, directory: Path) -> bool:
    """Whether the lines of a race, which say that it may take several tries, show it in one of five."""
    right = received(card, [], directory / "reference")
    return any(received(card, [card.mutant.rules], directory / str(number)) != right for number in range(5))


def test_the_lines_of_a_failure_show_it_on_the_mutant_and_not_on_the_reference(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    shown = list(cards(tmp_path / "runs"))
    printed = [card for card in shown if not card.is_none]
    runs = [
        (card, rules, tmp_path / f"{place}-{name}")
        for place, card in enumerate(printed)
        for name, rules in (("mutant", [card.mutant.rules]), ("reference", []))
    ]
    with ThreadPoolExecutor(SIMULTANEOUS) as pool:
        answers = list(pool.map(received, *zip(*runs, strict=True)))
    pairs = zip(printed, answers[::2], answers[1::2], strict=True)
    silent = [
        f"{card}\nboth: {wrong}"
        for card, wrong, right in pairs
        if wrong == right and not ("several tries" in str(card) and is_shown_in_more_tries(card, tmp_path / "again"))
    ]
    assert printed
    assert len(shown) - len(printed) <= MOST_NONE * len(shown), [str(card) for card in shown if card.is_none]
    assert len(silent) <= MOST_SILENT * len(printed), "\n\n".join(silent)
