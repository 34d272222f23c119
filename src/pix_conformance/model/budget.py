"""The budget of a run: how many requests it may send, or for how long it may send them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pix_conformance.model.usage_error import UsageError


@dataclass(frozen=True)
class Budget:
    """Requests, or seconds from the first request to the beginning of the last test. One of them is None."""

    text: str
    requests: int | None = None
    seconds: int | None = None

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `200` (requests) or `10s` (seconds). Raises UsageError for any other text."""
        number = text.removesuffix("s")
        if not number.isdecimal() or not int(number):
            raise UsageError(f"--budget is {text!r}: a number of requests, such as 200, or of seconds, such as 10s")
        return cls(text, seconds=int(number)) if number != text else cls(text, requests=int(number))

    def __str__(self) -> str:
        return f"--budget {self.text}"
