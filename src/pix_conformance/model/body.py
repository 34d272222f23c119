"""A raw body as the bundle stores it: as text if it is UTF-8, else in base64."""

from __future__ import annotations

import base64
import binascii

from pix_conformance.model.json_reader import Row


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


def stored(body: bytes) -> dict[str, str]:
    """Return the fields of a bundle line that store a body."""
    text = utf8_or_none(body)
    return {"body_base64": base64.b64encode(body).decode("ascii")} if text is None else {"body": text}


def read(row: Row) -> bytes:
    """Return the body of a stored message; empty if it has none."""
    try:
        return base64.b64decode(row.text("body_base64")) or row.text("body").encode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return b""
