"""The CPU time of an embedded run, and the shares of its parts: `python -m tools.benchmark --profile`.

The CPU seconds (user) are those of the whole process tree of a plain run. The shares are those of the CPU time of the
main thread in a second run under cProfile, which makes functions of Python look dearer than those of C. Parts may
contain each other.
"""

import pstats
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.recording.bundle.reader import read_results

LONGEST_RUN_S = 600
PROFILED = """
import cProfile, runpy, sys, time
profile, stats = cProfile.Profile(time.thread_time), sys.argv.pop(1)
try:
    profile.runcall(runpy.run_module, "pytest", run_name="__main__", alter_sys=True)
finally:
    profile.dump_stats(stats)
"""
"""A program that runs pytest and measures the CPU time of its functions, without that of waiting."""
PARTS = {
    "collection": "_pytest/main.py:perform_collect",
    "set-up of tests": "_pytest/runner.py:pytest_runtest_setup",
    "bodies of tests": "_pytest/runner.py:pytest_runtest_call",
    "reports of tests": "_pytest/runner.py:pytest_runtest_makereport",
    "end of the session": "session/end.py:conclude_run",
    "hypothesis": "hypothesis/internal/conjecture/engine.py:run",
    "schemathesis: coverage": "generation/requests.py:coverage",
    "requests": "harness/clients/client.py:call",
    "httpx": "harness/transport/recording.py:_response_or_fault",
    "recording": "recording/recorder.py:record",
    "passive rules": "recording/recorder.py:judge",
    "masking of secrets": "recording/redaction.py:__call__",
    "journal": "recording/journal.py:write",
    "`expect`": "harness/expect.py:expect",
    "waits for deliveries": "receiver/log.py:wait_for",
}
"""The function of each part, as the end of its file and its name."""


def profile_of_run() -> str:
    """Return the table of an embedded run: CPU seconds, and the share of each part."""
    with TemporaryDirectory(prefix="pix-profile-") as name:
        report, stats = Path(name, "report"), Path(name, "stats")
        seconds = _cpu_seconds(["-m", "pytest", "-q", "--report-dir", str(report)])
        requests = read_results(report)["totals"]["requests"]
        _cpu_seconds(["-c", PROFILED, str(stats), "-q", "--report-dir", str(report)])
        rows = sorted(_shares(pstats.Stats(str(stats))), key=lambda row: -row[1])
    heading = f"{seconds:.1f} s of CPU for {requests} requests: {1000 * seconds / requests:.1f} ms each\n"
    lines = (f"| {part} | {share:.1%} |" for part, share in rows)
    return "\n".join([heading, "| part | share |", "| --- | --- |", *lines])


def _cpu_seconds(words: Sequence[str]) -> float:
    """Run Python with these arguments; return the CPU seconds of it and of the processes that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(  # noqa: S603  # Python itself
        [sys.executable, *words],
        cwd=TEST_TREE,
        env=without_settings(),
        stdout=subprocess.DEVNULL,
        timeout=LONGEST_RUN_S,
        check=True,
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def _shares(stats: pstats.Stats) -> Iterator[tuple[str, float]]:
    """Yield each part with its share of the whole time, including all that it calls."""
    rows: dict[tuple[str, int, str], tuple[Any, ...]] = vars(stats)["stats"]
    whole = max(cumulative for _, _, _, cumulative, _ in rows.values())
    for part, place in PARTS.items():
        file, name = place.split(":")
        times = [row[3] for function, row in rows.items() if function[0].endswith(file) and function[2] == name]
        yield part, max(times, default=0.0) / whole
