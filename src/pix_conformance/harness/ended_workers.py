"""Which workers have sent their last request: until then the first answers webhooks of those without a receiver."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.settings import Shard
from pix_conformance.model.vocabulary import Interrupted

LOOK_EVERY_S = 0.05
SUFFIX = ".ended"


@dataclass(frozen=True)
class EndedWorkers:
    """A file in `directory`, which the workers share, for each worker that sends nothing more."""

    directory: Path

    def note(self, number: int) -> None:
        """Note that a worker sends nothing more."""
        self._file(number).touch()

    def wait(self, first: Shard, waits: Waits) -> None:
        """Wait until all other workers have ended, or the run is interrupted, or the process that began it is gone."""
        parent = os.getppid()
        others = [number for number in range(1, first.of + 1) if number != first.number]
        with suppress(Interrupted):
            while os.getppid() == parent and not waits.interruption and not self._have(others):
                waits.pause(LOOK_EVERY_S)

    def _have(self, numbers: Iterable[int]) -> bool:
        return all(self._file(number).exists() for number in numbers)

    def _file(self, number: int) -> Path:
        return self.directory / f"{number}{SUFFIX}"
