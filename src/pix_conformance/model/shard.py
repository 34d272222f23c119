"""A shard: one of several runs that divide the tests of one whole run among them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, order=True)
class Shard:
    """The shard `number` of `of`, both counted from 1."""

    number: int
    of: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `2/4`. Raises ValueError for anything else."""
        found = re.fullmatch(r"([1-9][0-9]{0,2})/([1-9][0-9]{0,2})", text)
        if found is None or int(found[1]) > int(found[2]):
            raise ValueError(f"{text!r} is not a shard such as 2/4")
        return cls(int(found[1]), int(found[2]))

    @property
    def receives(self) -> bool:
        """Whether this shard receives the webhooks. Only the first does: an account may have one address for them."""
        return self.number == 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"
