"""A raw body as the bundle stores it: as text where it is UTF-8, else in base64."""

from __future__ import annotations

import base64
import binascii

from pix_conformance.model.json_reader import Row


def text_of(body: bytes) -> str:
    """Write a body for a reader: its text, or its base64 with a word before it."""
    try:
        return body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return f"(bytes that are no UTF-8, base64) {base64.b64encode(body).decode('ascii')}"


def stored(body: bytes) -> dict[str, str]:
    """Write a body as a field of a line."""
    try:
        return {"body": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"body_base64": base64.b64encode(body).decode("ascii")}


def read(row: Row) -> bytes:
    """Read the body of a stored message; empty where none can be read."""
    try:
        return base64.b64decode(row.text("body_base64")) or row.text("body").encode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return b""
