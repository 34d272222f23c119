"""Runs each test alone, and random subsets in random order, in real time: none may fail a right server.

The target of each run is a separate reference process with random delays, as `pix-sandbox` starts it. Its clock cannot
be advanced, so deferred tests wait. Most runs only wait, so many of them run simultaneously.
"""

from __future__ import annotations

import contextlib
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

from pix_conformance.harness.deferred import AT_THE_END
from pix_conformance.harness.options import gather
from pix_conformance.harness.plugin import pytest_sessionfinish
from pix_conformance.harness.report_draft import ReportDraft
from pix_conformance.harness.run_context import BUSINESS_PATH
from pix_conformance.harness.selection import by_requirement
from pix_conformance.harness.session_state import KEY, Session
from pix_conformance.harness.target_settings import from_settings
from pix_conformance.model.target import PREFIX, Target
from pix_conformance.model.vocabulary import Outcome, Role
from pix_conformance.proof.forked_reference import Launcher
from pix_conformance.proof.runner import lines_of, prepare_forks
from pix_conformance.proof.slowed_reference import also_late, rules
from pix_conformance.reference.process import Running
from pix_conformance.results.run_record import RunRecord

SLEEPERS, WORKERS = 24, 6
"""Number of simultaneous runs with deferred tests, which mostly wait, and of other runs, on two cores."""
LONGEST_RUN_S = 600
SUBSETS, SMALLEST, LARGEST = 120, 2, 300
FIRST_PORT, LAST_PORT = 20_000, 32_000
"""Ports of receivers, below the range from which the system takes ports."""
YOUNG_S, OLD_S = 40.0, 75.0
"""Random ages of a run at its first test: objects with a lifetime of a minute expire between them."""
WRONG = frozenset({Outcome.FAIL, Outcome.WARN, Outcome.ERROR})
ENDED = "ended"
"""The last line of the host process, which shows that it did not crash."""


@dataclass(frozen=True)
class Part:
    """Some tests in this order, against one right server."""

    name: str
    tests: tuple[str, ...]
    waiting: bool
    late: tuple[str, ...] = ()
    """Variants with which the server is also slow."""
    idle: float = 0.0
    """Seconds to wait before the first test."""
    sleeps: bool = False


@dataclass(frozen=True)
class Found:
    """The result of a run: the number of requirements with each outcome, and the failures."""

    part: Part
    seconds: float
    outcomes: dict[str, int]
    wrong: dict[str, str]


def parts(items: Sequence[pytest.Item], chance: random.Random, subsets: int) -> list[Part]:
    """Return all runs: each test with and without idle time, then the subsets."""
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
    """Return whether a test is deferred until an object has aged."""
    mark = item.get_closest_marker("deferred")
    return mark is not None and 0 < float(mark.args[0] if mark.args else 0) < AT_THE_END


class Idle:
    """A pytest plugin that waits between the start of a run and its first test."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Sleep after the run has begun."""
        made = yield
        if fixturedef.argname == "run":
            time.sleep(self._seconds)
        return made


class Forking:
    """A pytest plugin that runs each part in a forked process instead of running the tests here."""

    def __init__(self, seed: int, subsets: int, only: str, directory: Path, results: int) -> None:
        """`only` selects tests by name, `directory` is for bundles, `results` is the pipe for results."""
        self._chance = random.Random(seed)  # noqa: S311  # a sample, not a secret
        self._subsets, self._only, self._directory = subsets, only, directory
        self._results = os.fdopen(results, "w")
        self._ports = itertools.cycle(range(FIRST_PORT, LAST_PORT))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Fork, wait for the parts, report their results."""
        items = [one for one in session.items if self._only in one.nodeid]
        todo = parts(items, self._chance, self._subsets)
        prepare_forks(session.config.stash[KEY].target)
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
        self._write(ENDED)
        self._results.close()
        return True

    def _begun(self, session: pytest.Session, part: Part, place: Path) -> int:
        port = next(one for one in self._ports if _free(one))
        pid = os.fork()
        if pid == 0:
            _run(session, part, place, port)
        return pid

    def _report(self, part: Part, path: Path, seconds: float) -> None:
        nothing = {"outcomes": {}, "wrong": {"run": f"it did not end within {LONGEST_RUN_S} s, or it crashed"}}
        found = json.loads(path.read_text()) if path.exists() else nothing
        path.unlink(missing_ok=True)
        self._write(asdict(Found(part, seconds, **found)))

    def _write(self, found: object) -> None:
        print(json.dumps(found), file=self._results, flush=True)


def _free(port: int) -> bool:
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return line.connect_ex(("127.0.0.1", port)) != 0


def _run(session: pytest.Session, part: Part, directory: Path, port: int) -> None:
    """Run one part in this forked process. Never returns."""
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
        directory.with_suffix(".json").write_text(json.dumps(_summary(ours)))
    finally:
        os._exit(0)


def environment(server: Running, secret: str) -> dict[str, str]:
    """Return the variables that a user would set for this server."""
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
    """Return a session with only these tests, in their order."""
    config, items = session.config, {one.nodeid: one for one in session.items}
    collected = by_requirement(session.items)
    session.items = [items[one] for one in part.tests]
    ledger = RunRecord()
    draft = ReportDraft(ledger, target.report_dir, target.report_dir)
    ours = Session(target, {}, ledger, collected=collected, selected=session.items, draft=draft)
    config.stash[KEY] = ours
    config.pluginmanager.register(Idle(part.idle))
    return ours


def _summary(ours: Session) -> dict[str, Any]:
    rows = [one for one in ours.rows if one.tests or one.evidence or one.outcome in WRONG]
    outcomes = {str(one): sum(row.outcome is one for row in rows) for one in Outcome}
    wrong = {one.requirement.id: f"{one.outcome}: {one.reason[:300]}" for one in rows if one.outcome in WRONG}
    wrong |= {} if rows else {"run": "it has no results"}
    return {"outcomes": {name: count for name, count in outcomes.items() if count}, "wrong": wrong}


def run_all(seed: int, subsets: int, only: str) -> Iterator[Found]:
    """Run all parts and yield their results as they end. Raises RuntimeError if the host process crashes."""
    row = None
    for line in lines_of(lambda directory, writes: Forking(seed, subsets, only, directory, writes)):
        row = json.loads(line)
        if row != ENDED:
            yield Found(Part(**row.pop("part")), **row)
    if row != ENDED:
        raise RuntimeError("the host process of the runs crashed before all had ended")
