"""Reads JSON of unknown content: a getter returns a value of its type, an empty one if the file has another."""

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

NOT_JSON = (ValueError, RecursionError)
"""Exceptions of `json.loads` for text that is not JSON, or nested too deeply."""


def json_or_none(text: str | None) -> Any:
    """Return the JSON value of `text`; None if it is not JSON."""
    try:
        return json.loads(text or "")
    except NOT_JSON:
        return None


def moment(text: str) -> float:
    """Return an ISO timestamp in epoch seconds; 0 if the text is none."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object whose fields are read by type. A missing field, or one of another type, reads as empty."""

    fields: dict[str, Any]

    @classmethod
    def of(cls, value: Any) -> "Row":
        """Return a row of `value` if it is an object, else an empty row."""
        return cls(value if isinstance(value, dict) else {})

    def text(self, key: str, default: str = "") -> str:
        """Return the field as text; a number is written as text."""
        value = self.fields.get(key)
        if isinstance(value, str):
            return value
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else default

    def number(self, key: str) -> float:
        """Return the field if it is a number, else 0."""
        value = self.fields.get(key)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else 0

    def integer(self, key: str) -> int:
        """Return the field if it is an integer, else 0."""
        value = self.fields.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def flag(self, key: str) -> bool:
        """Return whether the field is true."""
        return self.fields.get(key) is True

    def items(self, key: str) -> list[Any]:
        """Return the field if it is an array, else an empty list."""
        value = self.fields.get(key)
        return value if isinstance(value, list) else []

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the texts of an array; a single text counts as an array of one."""
        value = self.fields.get(key)
        return (value,) if isinstance(value, str) else tuple(v for v in self.items(key) if isinstance(v, str))

    def row(self, key: str) -> "Row":
        """Return the field if it is an object, else an empty row."""
        return Row.of(self.fields.get(key))

    def rows(self, key: str) -> "list[Row]":
        """Return the objects of an array."""
        return [Row(value) for value in self.items(key) if isinstance(value, dict)]


def json_lines(path: Path, unreadable: list[str]) -> Iterator[Row]:
    """Yield the objects of a JSON-lines file. A problem of the file or of a line is added to `unreadable`."""
    if not path.is_file():
        unreadable.append(f"{path.name} is missing")
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            value = json_or_none(line.decode("utf-8", "replace"))
            if isinstance(value, dict):
                yield Row(value)
            elif line.strip():
                unreadable.append(f"{path.name}, line {number}: not a JSON object")


def utf8_or_none(body: bytes) -> str | None:
    """Decode a body that is UTF-8; None for any other."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


def text_of(body: bytes) -> str:
    """Return the text of a body, or its base64 after the word "base64", for a reader."""
    try:
        return body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return f"(not UTF-8, base64) {base64.b64encode(body).decode('ascii')}"


def stored_body(body: bytes) -> dict[str, str]:
    """Return the fields of a bundle line that store a body."""
    text = utf8_or_none(body)
    return {"body_base64": base64.b64encode(body).decode("ascii")} if text is None else {"body": text}


def body_of(row: Row) -> bytes:
    """Return the body of a stored message; empty if it has none."""
    try:
        return base64.b64decode(row.text("body_base64")) or row.text("body").encode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return b""
