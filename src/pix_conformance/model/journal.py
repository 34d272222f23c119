"""The journal of a run: the objects that it created."""

from __future__ import annotations

from dataclasses import dataclass

from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Role


@dataclass
class Created:
    """One object that a run created on the account.

    `exchange` is the number of the exchange that created it; `state` is left, removed or canceled; `label` is the
    `external_ref` that the caller gave it, empty without one.
    """

    api: Api
    role: Role
    kind: str
    id: str
    exchange: int
    state: str = "left"
    label: str = ""
    is_id_shared: bool = False
    """Whether an object of another account or environment has the same id, so that the id does not name this one."""

    @property
    def is_removable(self) -> bool:
        """Whether a run removes it when it ends."""
        return self.kind == PROFILES[self.api].removes

    @property
    def names(self) -> tuple[str, ...]:
        """The id and, where it has one, the label: an event may name the object by either."""
        return tuple(filter(None, (self.id, self.label)))
