"""The journal of a run on disk: what it has recorded so far, line by line, beside the report that it will write.

It is removed when the report is written. What a later run finds is of a run that ended without a report, as after
`kill -9`: the system has every line then that was written before.
"""

import fcntl
import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from pix_conformance.model.json_reader import Row, json_lines
from pix_conformance.recording.bundle.writer import judgement_row
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.report_directory import ReportDirectoryError, journals_in

LONGEST_END_S, LOOK_AGAIN_S = 15.0, 0.1
"""Seconds in which a worker ends after its run was killed; seconds between two looks."""
Lines = Mapping[str, list[Row]]
"""The lines of a journal by what they are about: run, exchange, created, succeeded, judgement, verdict, observation,
ended."""


class RunJournal:
    """The open journal of a run. Safe to use from many threads: each line is one write."""

    def __init__(self, path: Path, redact: Callable[[str], str]) -> None:
        """Open the file and lock it until this process ends. ReportDirectoryError if another run has it open."""
        self.path, self._redact = path, redact
        self._file: BinaryIO | None = _locked(path)

    def note(self, kind: str, row: Mapping[str, Any]) -> None:
        """Write one line. A full disk ends the journal, and not the run."""
        text = json.dumps({kind: row}, ensure_ascii=False, default=str)
        if kind != "exchange":  # an exchange is redacted already
            text = self._redact(text)
        if self._file is not None:
            try:
                self._file.write(text.encode("utf-8", "backslashreplace") + b"\n")
            except OSError:
                self._file = None

    def close(self) -> None:
        """Close the file: another run may open it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def begin(self) -> None:
        """Remove what an earlier run has left in this file and those of its workers."""
        if self._file is not None:
            self._file.truncate(0)
        for path in journals_in(self.path.parent):
            if path != self.path:
                path.unlink(missing_ok=True)


class JournalOfTests:
    """A pytest plugin that enters into the journal what each test has found, when it ends."""

    def __init__(self, recorder: Recorder, journal: RunJournal) -> None:
        self._recorder, self._journal = recorder, journal
        self._verdicts = self._observations = 0

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Enter the judgements, verdicts and observations of the test."""
        recorder, note = self._recorder, self._recorder.write_to_journal
        for judgement in recorder.judgements:
            if judgement.test == nodeid:
                note("judgement", {"requirement": judgement.requirement, **judgement_row(judgement)})
        for verdict in recorder.verdicts[self._verdicts :]:
            note("verdict", asdict(verdict))
        for observation in recorder.observations[self._observations :]:
            note("observation", asdict(observation))
        self._verdicts, self._observations = len(recorder.verdicts), len(recorder.observations)
        note("ended", {"test": nodeid})

    def pytest_unconfigure(self) -> None:
        """Close the journal."""
        self._journal.close()


def left_lines(opened: Path) -> Lines:
    """Return the lines that an earlier run has left in a journal, which is open, and in those of its workers beside it.

    Workers end a few seconds after the process that the user started. ReportDirectoryError if one of them has not.
    """
    lines: defaultdict[str, list[Row]] = defaultdict(list)
    for path in journals_in(opened.parent):
        if path != opened:
            _locked(path, LONGEST_END_S).close()
        for line in json_lines(path, []):
            for kind in line.fields:
                lines[kind].append(line.row(kind))
    return lines


def _locked(path: Path, seconds: float = 0.0) -> BinaryIO:
    """Open and lock a journal; one that another process has open is waited for so long."""
    try:
        file = path.open("ab", buffering=0)
    except OSError as reason:
        raise ReportDirectoryError(f"no report can be written to {path.parent}: {reason.strerror}") from None
    ends = time.monotonic() + seconds
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        if time.monotonic() >= ends:
            file.close()
            raise ReportDirectoryError(f"another run writes to {path.parent}: give this one another --report-dir")
        time.sleep(LOOK_AGAIN_S)
