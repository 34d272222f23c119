"""The verdict on one signature, with a name for what the sender did instead."""

from __future__ import annotations

from pix_conformance.oracles import signature


def mismatch(header: str, body: bytes, secret: str) -> str | None:
    """Say why a header does not sign the raw body, and which wrong recipe it fits; None if it does."""
    problem = signature.verify(header, body, secret)
    if problem is None:
        return None
    recipe = signature.diagnose(header, body, secret)
    return f"{problem}: the sender {recipe}" if recipe else f"{problem}; no known wrong recipe fits it"
