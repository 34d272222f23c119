"""The directory of a report: which one may be written, and how a finished report takes the place of an earlier one."""

import json
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

FILES = (
    "results.json",
    "exchanges.jsonl",
    "deliveries.jsonl",
    "index.html",
    "pytest.html",
    "junit.xml",
    "summary.md",
    "badge.json",
    "failures.json",
    "open-points.csv",
)
"""All that a report consists of. `results.json` is replaced first: it is what an earlier report is recognised by."""
LOAD_FILES = ("locust.html", "locust_stats.csv")
"""What a run under load adds: Locust's own page, and its table of response times in milliseconds."""
OURS = (*FILES, *LOAD_FILES)
SCRIPTS = "reproduce"
"""The folder of the scripts that reproduce failures; it is replaced with the report."""
FAILED_EXAMPLES = "failed-examples"
"""The folder of generated inputs that failed, beside the report: it stays when the report is replaced."""
JOURNALS = re.compile(r"journal(-\d+)?\.jsonl")
"""The journals of a run that has not ended: its own, and one of each worker."""
UNFINISHED = "unfinished-run"
"""The folder of the report of an earlier run that ended without one."""
EARLIER = ".earlier-report"
"""The folder of the earlier report, until the new one is written."""
KEYS = frozenset({"suite", "documents", "target", "run", "requirements"})
"""Members that our `results.json` has, and hardly another tool's."""
NAMED = 3
"""Files that an error message names."""


class ReportDirectoryError(ValueError):
    """The directory must not or cannot be written."""


def prepare(directory: Path) -> None:
    """Make the directory if it is missing. ReportDirectoryError if it holds anything but an earlier report of ours."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        foreign = sorted(path.name for path in directory.iterdir() if not _is_ours(path))
        folders = [name for name in OURS if (directory / name).is_dir()]
        with tempfile.TemporaryFile(dir=directory):
            pass
    except (FileExistsError, NotADirectoryError):
        raise ReportDirectoryError(f"no report can be written to {directory}: it is not a directory") from None
    except OSError as reason:
        why = reason.strerror or reason
        raise ReportDirectoryError(f"no report can be written to {directory} ({why}): give another one") from None
    if folders:
        raise ReportDirectoryError(f"no report can be written to {directory}: {folders[0]} is a folder there")
    names = [*foreign, *(name for name in OURS if (directory / name).exists())]
    if names and not holds_a_report(directory):
        shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
        raise ReportDirectoryError(
            f"{directory} holds files, and no earlier report ({shown}): give an empty or a new directory"
        )


def publish(draft: Path, directory: Path) -> None:
    """Put the files of a finished report in the place of an earlier one's; all other files stay as they are."""
    finished = [name for name in OURS if (draft / name).is_file()]
    for name in finished:
        shutil.copy(draft / name, directory / _unfinished(name))
    for name in OURS:
        if name in finished:
            (directory / _unfinished(name)).replace(directory / name)
        else:
            (directory / name).unlink(missing_ok=True)
    _remove_scripts(directory)
    if (draft / SCRIPTS).is_dir():
        shutil.copytree(draft / SCRIPTS, directory / SCRIPTS, dirs_exist_ok=True)


def set_aside(directory: Path) -> None:
    """Move an earlier report into a hidden folder: it is not the report of the run that begins."""
    _remove_report(directory / UNFINISHED)
    if not holds_a_report(directory):
        return
    (directory / EARLIER).mkdir(exist_ok=True)
    for name in OURS:
        if (directory / name).is_file():
            (directory / name).replace(directory / EARLIER / name)
    _remove_scripts(directory)


def remove_earlier(directory: Path) -> None:
    """Remove an earlier report that was set aside, and the journals: the new report is written."""
    _remove_report(directory / EARLIER)
    for path in journals_in(directory):
        path.unlink(missing_ok=True)


def journals_in(directory: Path) -> list[Path]:
    """Return the journals in a report directory."""
    return sorted(path for path in directory.iterdir() if JOURNALS.fullmatch(path.name))


def _remove_report(directory: Path) -> None:
    """Remove a report of ours with its folder, unless that holds something else."""
    if holds_a_report(directory):
        for name in OURS:
            (directory / name).unlink(missing_ok=True)
        _remove_scripts(directory)
        with suppress(OSError):
            directory.rmdir()


def _remove_scripts(directory: Path) -> None:
    """Remove the scripts of an earlier report, and their folder, unless that holds something else."""
    for path in (directory / SCRIPTS).glob("*.sh"):
        path.unlink()
    with suppress(OSError):
        (directory / SCRIPTS).rmdir()


def holds_a_report(directory: Path) -> bool:
    """Whether the directory holds a report of ours."""
    try:
        results = json.loads((directory / "results.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(results, dict) and results.keys() >= KEYS


def _unfinished(name: str) -> str:
    return f".{name}.new"


def _is_ours(path: Path) -> bool:
    if path.name in {UNFINISHED, EARLIER}:
        return holds_a_report(path)
    return path.name in {*OURS, *map(_unfinished, OURS), FAILED_EXAMPLES, SCRIPTS} or bool(
        JOURNALS.fullmatch(path.name)
    )
