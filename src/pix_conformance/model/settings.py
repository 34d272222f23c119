"""The settings of a run, by what they are about: its tests, its gate, what it may send, its receiver, its workers."""

from dataclasses import dataclass, field
from pathlib import Path

from pix_conformance.model.documents import Documents
from pix_conformance.model.reception import ReceiverSettings, Reception, RelayAddress, Shard
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Capability, Level, Party


@dataclass(frozen=True)
class ChosenTests:
    """Which tests run."""

    only: frozenset[str] = frozenset()
    quick: bool = False
    again: Path | None = None
    """The directory of the earlier report of which the tests run that failed."""
    api_chosen: bool = False
    """Whether the user named the APIs."""


@dataclass(frozen=True)
class Gate:
    """What decides whether a run passes."""

    level: Level = Level.MUST
    edition: str = ""
    """The edition by whose requirements the target is judged; empty for those of this suite."""
    require: frozenset[Capability] = frozenset()
    waivers: Path | None = None
    baseline: Path | None = None
    """An earlier report, or its results.json: only what is worse than there fails the run."""
    assume: Path | None = None
    """What the target is assumed to do at open points: the run fails if it does another thing."""


@dataclass(frozen=True)
class Bounds:
    """What a run may ask of its target."""

    rate: float | None = None
    """Requests a second."""
    max_cents: int | None = None
    waiting: bool = True
    network_faults: bool = True
    """Whether some requests are cut, repeated or slowed on purpose."""


@dataclass(frozen=True)
class Generation:
    """How inputs are generated."""

    examples: int = 15
    examples_chosen: bool = False
    """Whether the user named the number of examples."""
    seed: int = 1


@dataclass(frozen=True)
class WorkerSettings:
    """How the work is shared out."""

    shard: Shard | None = None
    """The part of this process; None where it is the only one."""
    concurrency: int | None = None
    """How many workers run side by side; None where the first look at the target decides."""
    shared_directory: Path | None = None
    """The directory of the locks that workers side by side share."""
    relay: RelayAddress | None = None
    """Where a worker gets its deliveries from."""


@dataclass(frozen=True)
class Settings:
    """How a target is tested."""

    target: Target
    party: Party = Party.SERVICE
    """Whom the run tests: only the requirements that bind it are judged."""
    tests: ChosenTests = ChosenTests()
    gate: Gate = Gate()
    bounds: Bounds = Bounds()
    generation: Generation = Generation()
    receiver: ReceiverSettings = field(default_factory=ReceiverSettings)
    workers: WorkerSettings = WorkerSettings()
    documents: Documents = field(default_factory=Documents)
    report_dir: Path = Path("reports/latest")
    plan: bool = False

    @property
    def reception(self) -> Reception:
        """Which webhooks this process receives, and where."""
        return Reception(self.receiver, self.target, self.workers.shard, self.workers.relay)
