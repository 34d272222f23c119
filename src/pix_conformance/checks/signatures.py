"""The judgement on one signature, which names what the sender did instead."""

from __future__ import annotations

from pix_conformance.oracles import signature


def mismatch(header: str, body: bytes, secret: str) -> str | None:
    """Return why a header does not sign the raw body, the right `v1`, and the mistake if known; None if it does."""
    problem = signature.verify(header, body, secret)
    if problem is None:
        return None
    recipe = signature.diagnose(header, body, secret)
    t = signature.parse(header).t
    due = f" (right is {signature.sign(t, body, secret)})" if t else ""
    return f"{problem}{due}: the sender {recipe}" if recipe else f"{problem}{due}; no known mistake explains it"
