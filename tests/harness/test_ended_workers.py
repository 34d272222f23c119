"""The first worker keeps its receiver until the others have sent their last request."""

from pathlib import Path
from threading import Thread

from pix_conformance.harness.ended_workers import LOOK_EVERY_S, EndedWorkers
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.settings import Shard

SOON_S = 10 * LOOK_EVERY_S
LATEST_S = 10.0


def waiting(ended: EndedWorkers, waits: Waits) -> Thread:
    thread = Thread(target=ended.wait, args=(Shard(1, 3), waits), daemon=True)
    thread.start()
    return thread


def test_the_first_worker_waits_for_the_last_of_the_others(tmp_path: Path) -> None:
    ended = EndedWorkers(tmp_path)
    thread = waiting(ended, Waits())
    ended.note(2)
    thread.join(SOON_S)
    assert thread.is_alive()
    ended.note(3)
    thread.join(LATEST_S)
    assert not thread.is_alive()


def test_an_interruption_ends_the_wait(tmp_path: Path) -> None:
    waits = Waits()
    thread = waiting(EndedWorkers(tmp_path), waits)
    thread.join(SOON_S)
    assert thread.is_alive()
    waits.interruption.expire()
    thread.join(LATEST_S)
    assert not thread.is_alive()
