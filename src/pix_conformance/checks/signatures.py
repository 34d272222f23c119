"""The judgement on one signature, which names what the sender did instead."""

from __future__ import annotations

from pix_conformance.oracles import signature


def mismatch(header: str, body: bytes, secret: str) -> str | None:
    """Return why a header does not sign the raw body, and which known mistake explains it; None if it does."""
    problem = signature.verify(header, body, secret)
    if problem is None:
        return None
    recipe = signature.diagnose(header, body, secret)
    return f"{problem}: the sender {recipe}" if recipe else f"{problem}; no known mistake explains it"
