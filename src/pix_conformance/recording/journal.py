"""The journal of a run: the facts of a process on disk, a line each, beside the report that the run will write.

A worker's journal is what the first process reads of it. That of a run is removed when its report is written: what a
later run finds is of a run that ended without one, as after `kill -9`. The system has every line that was written.
"""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast, get_args, get_type_hints

from pix_conformance.model.delivery import Delivery, DeliveryFileError
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.json_reader import json_lines
from pix_conformance.recording.facts import LISTS, Fact, Facts, fields_of
from pix_conformance.recording.report_directory import ReportDirectoryError, journals_in

LONGEST_END_S, LOOK_AGAIN_S = 15.0, 0.1
"""Seconds in which a worker ends after its run was killed; seconds between two looks."""
OWNER_ONLY = 0o600
"""Only the user may read the file: the objects of others are masked when the report is written."""


class Journal:
    """The open journal of a process. Safe to use from many threads: each line is one write."""

    def __init__(self, path: Path, redact: Callable[[str], str]) -> None:
        """Open the file and lock it until this process ends. ReportDirectoryError if another run has it open."""
        self.path, self._redact = path, redact
        self._file: BinaryIO | None = _locked(path)
        self._is_full = False

    def write(self, fact: Fact) -> None:
        """Write one line. A full disk ends the journal, and not the run, which keeps the file locked."""
        is_message = isinstance(fact, Exchange | Delivery)  # whose secrets are masked already
        row = fact.to_dict() if isinstance(fact, Exchange | Delivery) else fields_of(fact)
        text = json.dumps({LISTS[type(fact)]: row}, ensure_ascii=False, default=str)
        if self._file is not None and not self._is_full:
            line = text if is_message else self._redact(text)
            try:
                self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")
            except OSError:
                self._is_full = True

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


def read_facts(paths: Iterable[Path]) -> Facts:
    """Return the facts of these journals, one file after the other. A line that cannot be read is left out."""
    facts = Facts()
    for path in paths:
        deliveries: dict[int, Delivery] = {}
        for line in json_lines(path, []):
            for name, row in line.fields.items():
                fact = _fact(name, row)
                if isinstance(fact, Delivery):
                    deliveries[fact.id] = fact  # a later line of a delivery says how it ended
                elif fact is not None:
                    facts.of(type(fact)).append(fact)
        facts.deliveries += deliveries.values()
    return facts


def left_facts(opened: Path) -> Facts:
    """Return the facts that an earlier run has left in a journal, which is open, and in those of its workers beside it.

    Workers end a few seconds after the process that the user started. ReportDirectoryError if one of them has not.
    """
    paths = journals_in(opened.parent)
    for path in paths:
        if path != opened:
            _locked(path, LONGEST_END_S).close()
    return read_facts(paths)


def _fact(name: str, row: Any) -> Fact | None:
    kind = KINDS.get(name)
    if kind is None or not isinstance(row, dict):
        return None
    try:
        if issubclass(kind, Exchange | Delivery):
            return cast("Fact", kind.from_dict(row))
        hints = _hints(name)
        return cast("Fact", kind(**{key: _typed(hints[key], value) for key, value in row.items() if key in hints}))
    except (DeliveryFileError, KeyError, TypeError, ValueError):
        return None


@cache
def _hints(name: str) -> dict[str, Any]:
    """Return the type of each field of the facts that a journal calls by this name."""
    hints = get_type_hints(KINDS[name])
    return {item.name: hints[item.name] for item in fields(KINDS[name])}


def _typed(hint: Any, value: Any) -> Any:
    """Return a value of a line as the type of its field: tuples for lists, members of enumerations for texts."""
    if isinstance(value, list) and hint is not Any:
        return tuple(tuple(item) if isinstance(item, list) else item for item in value)
    for kind in (hint, *get_args(hint)):
        if isinstance(kind, type) and hasattr(kind, "__members__"):
            return kind(value)
    return value


def _locked(path: Path, seconds: float = 0.0) -> BinaryIO:
    """Open and lock a file; one that another process has open is waited for so long."""
    try:
        file = open(path, "ab", buffering=0, opener=_open_for_owner)  # noqa: SIM115  # Path.open takes no opener; it stays open
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


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)


KINDS: dict[str, type[Any]] = {name: kind for kind, name in LISTS.items()}
