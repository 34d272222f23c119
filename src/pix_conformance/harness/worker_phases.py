"""What the workers of a run have done, as files in the directory that they share: a worker can wait for the others."""

import os
from enum import StrEnum
from pathlib import Path

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.reception import Shard

LOOK_AGAIN_S = 0.05


class Phase(StrEnum):
    """What a worker has done."""

    TESTED = "tested"
    """All tests but those that judge the whole run: its facts are written."""
    ENDED = "ended"
    """It has sent its last request."""
    CONCLUDED = "concluded"
    """It has written its last fact."""


class WorkerPhases:
    """The phases of the workers that share a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def note(self, number: int, *phases: Phase) -> None:
        """Note that a worker has done this: itself when it has, the first process of one that crashed."""
        for phase in phases:
            self._file(number, phase).touch()

    def wait(self, shard: Shard, phase: Phase, waits: Waits) -> None:
        """Wait until all other workers have done something, or the process that started them is gone.

        Raises Interrupted.
        """
        parent = os.getppid()
        others = [number for number in range(1, shard.of + 1) if number != shard.number]
        while os.getppid() == parent and not self._have(others, phase):
            waits.pause(LOOK_AGAIN_S)

    def has(self, number: int, phase: Phase) -> bool:
        """Return whether a worker has done something."""
        return self._file(number, phase).exists()

    def _have(self, numbers: list[int], phase: Phase) -> bool:
        return all(self.has(number, phase) for number in numbers)

    def _file(self, number: int, phase: Phase) -> Path:
        return self._directory / f"{phase}-{number}"
