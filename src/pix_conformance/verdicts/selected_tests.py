"""Which tests of the suites a run has, and why the requirements without one have no verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.settings import Shard
from pix_conformance.model.vocabulary import Api, Capability
from pix_conformance.model.why import Why

Reason = tuple[Why, str]
"""Why a requirement has no verdict, and the sentence that says it."""
INTERRUPTED = "not reached: the run was interrupted"
NOT_SELECTED = Why.NOT_SELECTED, "not selected"


@dataclass(frozen=True)
class Selection:
    """Which tests name which requirement, in all and after -k, --only and --api; and what the target offers."""

    collected: Mapping[str, set[str]] = field(default_factory=dict)
    selected: Mapping[str, set[str]] = field(default_factory=dict)
    offered: frozenset[Capability] = frozenset(Capability)
    is_whole: bool = True
    """Whether all suites were collected, not only some files of them."""
    left_out_by: str = ""
    """The option that left tests out which were not chosen by name, such as `--quick`; empty without one."""
    reached: AbstractSet[str] | None = None
    """The tests that ended before the run was interrupted; None if it was not."""
    shard: Shard | None = None
    unsharded: Mapping[str, set[str]] = field(default_factory=dict)
    """The tests that name each requirement in all shards together; empty if the run has no shards."""

    @property
    def partial(self) -> bool:
        """Whether some requirement lost a test."""
        return self.shard is not None or self.narrowed

    @property
    def narrowed(self) -> bool:
        """Whether some requirement lost a test that no other shard runs."""
        left = self.selected if self.shard is None else self.unsharded
        return not self.is_whole or any(left.get(name, set()) != tests for name, tests in self.collected.items())

    def divided(self, shard: Shard | None, unsharded: Mapping[str, set[str]]) -> Selection:
        """Return the same selection as that of a shard."""
        return replace(self, shard=shard, unsharded=unsharded)

    def of(self, apis: Iterable[Api]) -> Selection:
        """Leave out the requirements of other APIs: a target that offers one API alone is tested wholly."""
        collected = {name: tests for name, tests in self.collected.items() if catalogue()[name].api in apis}
        return replace(self, collected=collected)

    @property
    def unselected(self) -> Reason:
        """Why a requirement without a selected test has no verdict."""
        return (Why.LEFT_OUT, f"not selected: {self.left_out_by}") if self.left_out_by else NOT_SELECTED

    def left_out(self, requirement: str) -> str | None:
        """Say that an option left out tests of a requirement, and how many of them."""
        every, selected = self.collected.get(requirement, set()), self.selected.get(requirement, set())
        if not self.left_out_by or every <= selected:
            return None
        return f"{self.unselected[1]} left out {len(every - selected)} of its {len(every)} tests"

    def unreached(self, requirement: str) -> str | None:
        """Say that the run was interrupted before tests of a requirement ended, and which share of them."""
        tests = self.selected.get(requirement, set())
        if self.reached is None or not (missed := len(tests - self.reached)):
            return None
        return INTERRUPTED if missed == len(tests) else f"{INTERRUPTED} before {missed} of its {len(tests)} tests"
