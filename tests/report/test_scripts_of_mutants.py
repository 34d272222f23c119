"""The script of a failure shows it on the mutant, and the reference answers it otherwise.

Both servers are new and differ in the mutation alone. `sleep` is a small script in a directory of its own that turns
the server's clock, so that a wait of a minute takes two seconds, in which a server may do what it does late. Up to
three seconds it sleeps.
"""

import math
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Judgement, Outcome
from pix_conformance.oracles import signature
from pix_conformance.proof.runner import WORKERS, Forking, Job, lines_of
from pix_conformance.receiver import Receiver
from pix_conformance.recording.bundle.reader import read
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.report.recorded_exchanges import RecordedExchanges
from pix_conformance.report.script_requests import easiest_first, is_about_events
from pix_conformance.report.scripts import Script, Scripts
from pix_conformance.sandbox.mutants.registry import Mutant, all_mutants

COUNT, SEED = int(os.environ.get("DRAWN_MUTANTS", "20")), int(os.environ.get("DRAWN_BY", "36"))
"""How many mutants are drawn, and the seed; the weekly job draws 60 by the number of its run."""
MOST_NONE, MOST_SILENT = 0.1, 0.1
"""The shares of failures that have no script, and whose script does not show them, such as those of mutants that need
what other tests sent, for instance ten keys before."""
SECRET = "of-the-endpoint"  # noqa: S105  # of a server in a test
SLEEP = """#!/bin/bash
[ "${1%.*}" -le 3 ] && exec /usr/bin/sleep "$1"
echo "$1" >"$CLOCK/clock"; read -r _ <"$CLOCK/turned"; /usr/bin/sleep 2
"""
VARYING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\w{3}_[0-9a-f]{20,}|E\d{20}\w{11}|eyJ[\w.-]+|6304[0-9A-F]{4}|[0-9a-f]{24,}|"
    r"(?<=[A-Za-z0-9+/]{8})[A-Za-z0-9+/=]{92,}"
)
"""What differs from server to server. Of an image the first bytes stay, which say what kind it is."""
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+|127\.0\.0\.1:\d+|(?mi:^(date|content-length): .*)")
EVENT_S = 3.0
TRIES = 20
SIMULTANEOUS = 4
"""Runs of lines at a time: most of each is waiting."""


@dataclass(frozen=True)
class ShownFailure:
    """A failure as the report shows it: the mutant, the requirement, the judgement, the script."""

    mutant: Mutant
    requirement: str
    judgement: Judgement
    script: Script | None

    @property
    def text(self) -> str:
        return self.script.text if self.script else ""

    @property
    def is_of_events(self) -> bool:
        """Whether an event failed, or its absence."""
        return self.judgement.evidence.startswith("delivery") or is_about_events(self.judgement)

    @property
    def is_race(self) -> bool:
        """Whether the script says that it may take several tries: who is the first is a matter of chance."""
        return "several tries" in self.text

    def __str__(self) -> str:
        lines = "\n".join(self.script.lines) if self.script else "no script"
        return f"{self.mutant.id} {self.requirement}: {'; '.join(self.judgement.mismatches)}\n{lines}"


def cards(directory: Path) -> Iterator[ShownFailure]:
    """Run the suites against drawn mutants; yield for each requirement that one breaks the failure that is shown."""
    names = sorted(all_mutants(), key=lambda name: sha256(f"{SEED} {name}".encode()).digest())[:COUNT]
    mutants = [all_mutants()[name] for name in names]
    jobs = [
        Job(mutant.id, (mutant.rules_name,), asked, apis=catalogue()[asked[0]].api, shown=True)
        for mutant, asked in ((mutant, (*mutant.breaks, *mutant.seen_in)) for mutant in mutants)
    ]
    for _ in lines_of(lambda _, results: Forking(jobs, WORKERS, math.inf, directory, results)):
        pass
    for place, mutant in enumerate(mutants):
        scripts = Scripts(RecordedExchanges(read(directory / str(place))))
        for entry in scripts.recorded.bundle.entries:
            if entry.id in mutant.breaks and entry.outcome in {Outcome.FAIL, Outcome.WARN} and entry.missed:
                yield ShownFailure(
                    mutant, entry.id, easiest_first(scripts.recorded, entry.missed)[0], scripts.of(entry)
                )


def received(card: ShownFailure, rules: list[str], directory: Path) -> list[str]:
    """Run the script of a card against a new server; return the responses that it ends with, or all events.

    Of a race these are the statuses, and how many ids and codes there are.
    """
    with Receiver() as receiver:
        receiver.at("/")
        with start(rules, business_webhook=f"{receiver.url}/business", business_webhook_secret=SECRET) as running:
            printed = in_bash(card.text, running, directory, receiver.url)
            responses, _, end = printed.partition(f"== {card.requirement}\n")
            assert end, printed
            if card.is_race and not card.is_of_events:
                return [*sorted(re.findall(r"(?m)^HTTP/\S+ (\d+)", end)), str(len(set(VARYING.findall(end))))]
            if not card.is_of_events:
                return [plain(printed).partition(f"== {card.requirement}\n")[2]]
            time.sleep(EVENT_S)
        secret = re.search(r'"signatureSecret": ?"(.*?)"', responses)
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


def in_bash(script: str, running: Running, directory: Path, receiver: str) -> str:
    """Run a script; return what it prints."""
    directory.mkdir(parents=True)
    (directory / "sleep").write_text(SLEEP)
    (directory / "sleep").chmod(0o755)
    for name in ("clock", "turned"):
        os.mkfifo(directory / name)
    threading.Thread(target=turn, args=(directory, running), daemon=True).start()
    environment = {"PATH": f"{directory}:/usr/bin:/bin", "CLOCK": str(directory), "HOME": str(directory)}
    environment |= variables(running.credentials) | {"RECEIVER": receiver}
    (directory / "script.sh").write_text(script)
    done = subprocess.run(["/bin/bash", "script.sh"], env=environment, cwd=directory, capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def turn(directory: Path, running: Running) -> None:
    """Turn the server's clock by what each `sleep` of the script asks for."""
    while True:
        running.advance(float((directory / "clock").read_text()))
        (directory / "turned").write_text("\n")


def is_shown_in_more_tries(card: ShownFailure, directory: Path) -> bool:
    """Whether the script of a race, which says that it may take several tries, shows it in one of twenty."""
    right = received(card, [], directory / "reference")
    return any(received(card, [card.mutant.rules_name], directory / str(number)) != right for number in range(TRIES))


def test_the_script_of_a_failure_shows_it_on_the_mutant_and_not_on_the_reference(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    shown = list(cards(tmp_path / "runs"))
    printed = [card for card in shown if card.script]
    runs = [
        (card, rules, tmp_path / f"{place}-{name}")
        for place, card in enumerate(printed)
        for name, rules in (("mutant", [card.mutant.rules_name]), ("reference", []))
    ]
    with ThreadPoolExecutor(SIMULTANEOUS) as pool:
        answers = list(pool.map(received, *zip(*runs, strict=True)))
    pairs = zip(printed, answers[::2], answers[1::2], strict=True)
    silent = [
        f"{card}\nboth: {wrong}"
        for place, (card, wrong, right) in enumerate(pairs)
        if wrong == right and not (card.is_race and is_shown_in_more_tries(card, tmp_path / f"again-{place}"))
    ]
    assert printed
    assert len(shown) - len(printed) <= MOST_NONE * len(shown), [str(card) for card in shown if not card.script]
    assert len(silent) <= MOST_SILENT * len(printed), "\n\n".join(silent)
