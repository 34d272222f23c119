"""What the workers of a run wrote, for the process that started them, and for a worker that judges the whole run."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pix_conformance.recording.facts import Facts
from pix_conformance.recording.journal import read_facts


@dataclass(frozen=True)
class FactsOfWorkers:
    """The facts of all workers; empty for a run without workers, and where none has begun."""

    facts: Facts = field(default_factory=Facts)
    lost_tests: frozenset[str] = frozenset()
    """The tests of workers that ended before they had concluded."""
    notices: Sequence[str] = ()

    @property
    def have_begun(self) -> bool:
        """Whether any worker has begun its run."""
        return bool(self.facts.begun)

    @property
    def statuses(self) -> set[int]:
        """The exit statuses of signals and of pytest that workers ended with."""
        return {fact.status for fact in self.facts.concluded}


def journal_of_worker(directory: Path, number: int) -> Path:
    """Return the journal of a worker, beside the report of the run."""
    return directory / f"journal-{number}.jsonl"


def read_workers(directory: Path, shares: Sequence[Sequence[str]]) -> FactsOfWorkers:
    """Read the journals of all workers in a report directory; `shares` are the node ids of each worker's tests."""
    facts, lost, notices = Facts(), set[str](), list[str]()
    for number, tests in enumerate(shares, start=1):
        of_worker = read_facts([journal_of_worker(directory, number)])
        facts.extend(of_worker)
        if not of_worker.concluded:
            lost.update(tests)
            notices.append(f"worker {number}/{len(shares)} ended before its tests did: what it had seen counts")
    return FactsOfWorkers(facts, frozenset(lost), notices)


def read_other_workers(directory: Path, number: int, count: int) -> Facts:
    """Return the facts of the workers but one."""
    return read_facts(journal_of_worker(directory, other) for other in range(1, count + 1) if other != number)
