"""Changes of values, which operators are given."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any


def in_text(change: Callable[[str], Any]) -> Callable[[Any], Any]:
    """Change texts only: null stays null."""
    return lambda value: change(value) if isinstance(value, str) else value


def whole(cents: int) -> int:
    """Return an amount in reais if it is whole, else in cents."""
    return cents if cents % 100 else cents // 100


def as_number(text: str | None) -> Any:
    """Return a text of digits that does not begin with 0 as a number, and other texts as they are."""
    return int(text) if text and text.isascii() and text.isdigit() and text[0] != "0" else text


def instant(text: str) -> datetime:
    """Read a timestamp of the reference."""
    return datetime.fromisoformat(text)


def later(text: str, **more: float) -> str:
    """Shift a timestamp of the reference: `later(text, hours=-3)`."""
    return (instant(text) + timedelta(**more)).astimezone(UTC).isoformat().replace("+00:00", "Z")
