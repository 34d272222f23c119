"""Events of both APIs: the body in pieces, a clock that is ahead or behind."""

from __future__ import annotations

from typing import Any

from pix_conformance.reference.outbox import Written

SKEW_S = 75


def streamed(body: bytes, headers: dict[str, str]) -> Written:
    """Send the body of an event in pieces."""
    small = {name.lower(): value for name, value in headers.items()}
    chunks: Any = [body[:10], body[10:]]
    return chunks, small | {"connection": "close", "accept": "*/*"}
