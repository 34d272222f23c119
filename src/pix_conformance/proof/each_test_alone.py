"""Each test alone, and random subsets in random order, in real time: none fails a right server.

The target of each run is a reference in a process of its own, slowed at random, as `pix-sandbox` serves it: its clock
cannot be turned, so what must age is waited for. Most of these runs sleep, so many of them go on at once.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import os
import random
import secrets
import signal
import socket
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from _pytest.main import pytest_runtestloop

from pix_conformance.harness.interruption import SIGNALS
from pix_conformance.harness.options import gather
from pix_conformance.harness.plugin import pytest_sessionfinish
from pix_conformance.harness.report_draft import ReportDraft
from pix_conformance.harness.run_context import BUSINESS_PATH
from pix_conformance.harness.selection import by_requirement
from pix_conformance.harness.session_state import KEY, Session
from pix_conformance.harness.target_settings import from_settings
from pix_conformance.harness.transport.recording import authorities
from pix_conformance.model.target import PREFIX, Target
from pix_conformance.model.vocabulary import Outcome, Role
from pix_conformance.proof.forked_reference import Launcher
from pix_conformance.proof.runner import draw, lines_of
from pix_conformance.proof.slowed_reference import also_late, rules
from pix_conformance.reference.process import Running
from pix_conformance.results.run_record import RunRecord

SLEEPERS, WORKERS = 24, 6
"""Runs at once that mostly wait for time to pass, and of the others, on two cores."""
LONGEST_RUN_S = 600
SUBSETS, SMALLEST, LARGEST = 120, 2, 300
FIRST_PORT, LAST_PORT = 20_000, 32_000
"""Ports of receivers: below those that the system hands out."""
YOUNG_S, OLD_S = 40.0, 75.0
"""A run that waits for nothing may be of any length: what lives for a minute is at its end between these ages."""
WRONG = frozenset({Outcome.FAIL, Outcome.WARN, Outcome.ERROR})
LONG_AGO_S = 10_000
ENDED = "ended"
"""The last line that the host of the runs writes, unless it broke down."""


@dataclass(frozen=True)
class Part:
    """Some tests, in this order, against one right server."""

    name: str
    tests: tuple[str, ...]
    waiting: bool
    late: tuple[str, ...] = ()
    """In what else the server is late, besides being slowed."""
    idle: float = 0.0
    """Seconds that pass before the first test."""
    sleeps: bool = False


@dataclass(frozen=True)
class Found:
    """What a run of some tests said: how many requirements came to each outcome, and what was wrong."""

    part: Part
    seconds: float
    outcomes: dict[str, int]
    wrong: dict[str, str]


def parts(items: Sequence[pytest.Item], chance: random.Random, subsets: int) -> list[Part]:
    """List all runs: each test with and without waiting, then the subsets."""
    found = []
    for item in items:
        old = chance.uniform(YOUNG_S, OLD_S) if _waits(item) else 0.0
        found.append(Part(item.nodeid, (item.nodeid,), waiting=True, sleeps=_waits(item)))
        found.append(Part(item.nodeid, (item.nodeid,), waiting=False, idle=old, sleeps=_waits(item)))
    for number in range(subsets):
        size = round(SMALLEST * (LARGEST / SMALLEST) ** chance.random())
        waiting, some = number % 2 == 0, chance.sample(items, min(len(items), size))
        idle, late = 0.0 if waiting else chance.uniform(0, OLD_S), also_late(chance)
        tests = tuple(one.nodeid for one in some)
        found.append(Part(f"subset {number + 1}", tests, waiting, late, idle, sleeps=True))
    return found


def _waits(item: pytest.Item) -> bool:
    """Whether a test is deferred until something has aged."""
    mark = item.get_closest_marker("deferred")
    return mark is not None and 0 < float(mark.args[0] if mark.args else 0) < LONG_AGO_S


class Idle:
    """A pytest plugin that lets time pass between what a run makes at its start and its first test."""

    def __init__(self, seconds: float) -> None:
        """Take how long."""
        self._seconds = seconds

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Sleep once the run has begun."""
        made = yield
        if fixturedef.argname == "run":
            time.sleep(self._seconds)
        return made


class Forking:
    """A pytest plugin that runs each part in a process of its own, instead of all tests in this one."""

    def __init__(self, seed: int, subsets: int, only: str, directory: Path, results: int) -> None:
        """Take what to draw, a text that the tests' names hold, where bundles go, and the pipe."""
        self._chance = random.Random(seed)  # noqa: S311  # a sample, not a secret
        self._subsets, self._only, self._directory = subsets, only, directory
        self._results = os.fdopen(results, "w")
        self._ports = itertools.cycle(range(FIRST_PORT, LAST_PORT))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Fork, wait, report."""
        draw(session.config.stash[KEY].target)
        authorities()
        for one in SIGNALS:  # a forked process has no thread that reads them
            signal.signal(one, signal.SIG_DFL)
        items = [one for one in session.items if self._only in one.nodeid]
        todo = parts(items, self._chance, self._subsets)
        gc.freeze()  # or each process would copy what it collects
        waiting = {kind: deque(one for one in todo if one.sleeps is kind) for kind in (True, False)}
        running: dict[int, tuple[Part, Path, float]] = {}
        places = (self._directory / str(number) for number in itertools.count())
        while running or any(waiting.values()):
            for kind, most in ((True, SLEEPERS), (False, WORKERS)):
                while waiting[kind] and sum(one.sleeps is kind for one, _, _ in running.values()) < most:
                    part, place = waiting[kind].popleft(), next(places)
                    running[self._begun(session, part, place)] = (part, place, time.monotonic())
            pid, _ = os.wait()
            part, place, begun = running.pop(pid)
            self._report(part, place.with_suffix(".json"), time.monotonic() - begun)
        self._say(ENDED)
        self._results.close()
        return True

    def _begun(self, session: pytest.Session, part: Part, place: Path) -> int:
        port = next(one for one in self._ports if _free(one))
        pid = os.fork()
        if pid == 0:
            _run(session, part, place, port)
        return pid

    def _report(self, part: Part, path: Path, seconds: float) -> None:
        nothing = {"outcomes": {}, "wrong": {"run": f"it did not end within {LONGEST_RUN_S} s, or broke down"}}
        found = json.loads(path.read_text()) if path.exists() else nothing
        path.unlink(missing_ok=True)
        self._say(asdict(Found(part, seconds, **found)))

    def _say(self, found: object) -> None:
        print(json.dumps(found), file=self._results, flush=True)


def _free(port: int) -> bool:
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return line.connect_ex(("127.0.0.1", port)) != 0


def _run(session: pytest.Session, part: Part, directory: Path, port: int) -> None:
    """Run one part in this forked process; never returns."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LONGEST_RUN_S)
    try:
        secret = secrets.token_urlsafe(24)
        hook = f"https://127.0.0.1:{port}{BUSINESS_PATH}"
        with Launcher().start(rules(part.late), business_webhook=hook, business_webhook_secret=secret) as server:
            given = environment(server, secret) | {"PIX_RECEIVER_LISTEN": f"127.0.0.1:{port}"}
            target = from_settings(gather({"no_waiting": not part.waiting}, given))
            ours = _narrowed(session, part, replace(target, report_dir=directory))
            with contextlib.suppress(session.Interrupted):
                pytest_runtestloop(session)
            directory.mkdir()
            pytest_sessionfinish(session, 0)
        directory.with_suffix(".json").write_text(json.dumps(_told(ours)))
    finally:
        os._exit(0)


def environment(server: Running, secret: str) -> dict[str, str]:
    """Give the variables that a user of this server would set."""
    found = server.credentials
    named = {"PIX_BASE_URL": server.base_url, "PIX_BUSINESS_WEBHOOK_SECRET": secret}
    named |= {"PIX_REVOKED_API_KEY": found["revoked_key"]}
    named |= {f"PIX_{name.upper()}": found[name] for name in ("split_email", "transfer_key")}
    for role in Role:
        prefix, pair, key = f"PIX_{PREFIX[role].upper()}", found["payments"].get(role), found["business"].get(role)
        named |= {f"{prefix}CLIENT_ID": pair[0], f"{prefix}CLIENT_SECRET": pair[1]} if pair else {}
        named |= {f"{prefix}API_KEY": key} if key else {}
    return named


def _narrowed(session: pytest.Session, part: Part, target: Target) -> Session:
    """Make of what was collected a session of these tests alone, in their order."""
    config, items = session.config, {one.nodeid: one for one in session.items}
    collected = by_requirement(session.items)
    session.items = [items[one] for one in part.tests]
    ledger = RunRecord()
    draft = ReportDraft(ledger, target.report_dir, target.report_dir)
    ours = Session(target, {}, ledger, collected=collected, selected=session.items, draft=draft)
    config.stash[KEY] = ours
    config.pluginmanager.register(Idle(part.idle))
    return ours


def _told(ours: Session) -> dict[str, Any]:
    rows = [one for one in ours.rows if one.tests or one.evidence or one.outcome in WRONG]
    outcomes = {str(one): sum(row.outcome is one for row in rows) for one in Outcome}
    wrong = {one.requirement.id: f"{one.outcome}: {one.reason[:300]}" for one in rows if one.outcome in WRONG}
    wrong |= {} if rows else {"run": "it concluded nothing"}
    return {"outcomes": {name: count for name, count in outcomes.items() if count}, "wrong": wrong}


def run_all(seed: int, subsets: int, only: str) -> Iterator[Found]:
    """Run all parts; yield what each found, as they end. RuntimeError if not all of them ended."""
    row = None
    for line in lines_of(lambda directory, writes: Forking(seed, subsets, only, directory, writes)):
        row = json.loads(line)
        if row != ENDED:
            yield Found(Part(**row.pop("part")), **row)
    if row != ENDED:
        raise RuntimeError("the host of the runs broke down before all had ended")
