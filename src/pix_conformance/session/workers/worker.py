"""A worker of a run: its settings, and how it waits for the others before it judges the whole run."""

import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.harness.worker_phases import Phase, WorkerPhases
from pix_conformance.model.reception import RelayAddress, Shard
from pix_conformance.model.settings import Settings, WorkerSettings
from pix_conformance.session.state import KEY
from pix_conformance.session.workers.facts_of_workers import read_other_workers

INPUT = "pix_conformance"
"""The key of our values in what pytest-xdist gives a worker."""


def given_to_worker(config: pytest.Config) -> dict[str, Any]:
    """Return what `session.workers.first_process.Workers` tells a worker; empty in every other process."""
    settings: dict[str, Any] = getattr(config, "workerinput", {}).get(INPUT, {})
    return settings


def worker_settings(config: pytest.Config, settings: Settings) -> Settings:
    """Return the settings of a worker: its shard, its share of the rate and of the cents.

    In every other process these are the settings themselves, with the workers that `-n` asks for.
    """
    worker = given_to_worker(config)
    if not worker:
        count = getattr(config.option, "numprocesses", None)
        return settings if count is None else replace(settings, workers=WorkerSettings(concurrency=max(1, int(count))))
    shard = Shard(worker["number"], worker["of"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process decides when workers stop, and sends SIGTERM
    bounds = settings.bounds
    rate = bounds.rate / shard.of if bounds.rate else None
    cents = bounds.max_cents if bounds.max_cents is None else bounds.max_cents // shard.of
    relay = RelayAddress(**worker["relay"]) if worker["relay"] else None
    return replace(
        settings,
        workers=WorkerSettings(shard, concurrency=1, shared_directory=Path(worker["directory"]), relay=relay),
        bounds=replace(bounds, rate=rate, max_cents=cents),
        gate=replace(settings.gate, baseline=None, assume=None),
        generation=replace(settings.generation, examples=worker["examples"], examples_chosen=True),
        report_dir=Path(worker["report_dir"]),
    )


class WaitsForOthers:
    """A pytest plugin of a worker: tests that judge the whole run begin when the others have run their tests.

    They judge what all workers have sent.
    """

    def __init__(self, number: int, count: int, directory: Path) -> None:
        """Take the number of this worker, that of all, and the directory that they share."""
        self._shard, self._phases = Shard(number, count), WorkerPhases(directory)
        self._has_waited = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Wait before the first test that judges the whole run, outside of the time that a test may take."""
        if item.get_closest_marker("whole_run") and not self._has_waited:
            self._wait(item.config)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        """Let the others go on, if this worker had no such test; then that it has written its last fact."""
        self._phases.note(self._shard.number, Phase.TESTED)
        try:
            return (yield)
        finally:
            self._phases.note(self._shard.number, Phase.CONCLUDED)

    def _wait(self, config: pytest.Config) -> None:
        state = config.stash[KEY]
        self._has_waited = True
        self._phases.note(self._shard.number, Phase.TESTED)
        self._phases.wait(self._shard, Phase.TESTED, state.waits)
        if state.run:
            others = read_other_workers(state.settings.report_dir, self._shard.number, self._shard.of)
            state.run.sender.whole_run.join(others)
