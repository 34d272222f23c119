"""The pause after a 429, which all workers of a run keep."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SharedPause:
    """A file of the workers of one run: the time of its last change is the end of the pause. Times are monotonic."""

    directory: Path | None = None
    """The directory that the workers share; None if there are none."""
    workers: int = 1

    def begin(self, end: float) -> None:
        """Have every worker send nothing until then."""
        if self.directory is not None:
            moment = end + self._epoch
            self._file.touch()
            os.utime(self._file, (moment, moment))

    @property
    def end(self) -> float:
        """When the last pause ends; 0 before the first one."""
        try:
            return self._file.stat().st_mtime - self._epoch if self.directory else 0.0
        except FileNotFoundError:
            return 0.0

    @property
    def _file(self) -> Path:
        return Path(self.directory or "", "pause")

    @property
    def _epoch(self) -> float:
        return time.time() - time.monotonic()
