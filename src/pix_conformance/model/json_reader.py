"""Reading JSON that may hold anything: each getter answers a value of its type, whatever stands there."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

NOT_JSON = (ValueError, RecursionError)
"""What `json.loads` raises on text that is no JSON, or nested too deeply."""


def parsed(text: str | None) -> Any:
    """Read the JSON value that `text` holds; None where it holds none."""
    try:
        return json.loads(text or "")
    except NOT_JSON:
        return None


def moment(text: str) -> float:
    """Read an ISO timestamp as seconds; 0 where it is none."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object whose fields are read by type; a missing or mistyped one reads as empty."""

    fields: dict[str, Any]

    @classmethod
    def of(cls, value: Any) -> "Row":
        """Take `value` if it is an object, otherwise an empty row."""
        return cls(value if isinstance(value, dict) else {})

    def text(self, key: str, default: str = "") -> str:
        """Take the field as text; a number is written out."""
        value = self.fields.get(key)
        if isinstance(value, str):
            return value
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else default

    def number(self, key: str) -> float:
        """Take the field if it is a number, otherwise 0."""
        value = self.fields.get(key)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else 0

    def whole(self, key: str) -> int:
        """Take the field if it is an integer, otherwise 0."""
        value = self.fields.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def flag(self, key: str) -> bool:
        """Tell whether the field is true."""
        return self.fields.get(key) is True

    def items(self, key: str) -> list[Any]:
        """Take the field if it is an array, otherwise an empty one."""
        value = self.fields.get(key)
        return value if isinstance(value, list) else []

    def texts(self, key: str) -> tuple[str, ...]:
        """Take the texts of an array; one text alone counts as an array of it."""
        value = self.fields.get(key)
        return (value,) if isinstance(value, str) else tuple(v for v in self.items(key) if isinstance(v, str))

    def row(self, key: str) -> "Row":
        """Take the field if it is an object, otherwise an empty row."""
        return Row.of(self.fields.get(key))

    def rows(self, key: str) -> "list[Row]":
        """Take the objects of an array."""
        return [Row(value) for value in self.items(key) if isinstance(value, dict)]


def json_lines(path: Path, unreadable: list[str]) -> Iterator[Row]:
    """Read the objects of a JSON-lines file; `unreadable` gets a line for the file or line that is none."""
    if not path.is_file():
        unreadable.append(f"{path.name} is missing")
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            value = parsed(line.decode("utf-8", "replace"))
            if isinstance(value, dict):
                yield Row(value)
            elif line.strip():
                unreadable.append(f"{path.name}, line {number}: not a JSON object")
