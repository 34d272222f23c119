"""A shard: the tests of one of the workers that divide a run among them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Shard:
    """The shard `number` of `of`, both counted from 1."""

    number: int
    of: int

    @property
    def receives(self) -> bool:
        """Whether this shard receives the webhooks. Only the first does: an account may have one address for them."""
        return self.number == 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"
