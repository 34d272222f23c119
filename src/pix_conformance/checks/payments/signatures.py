"""What the signatures of the payments API say, and when."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from pix_conformance.checks.outcomes import Inconclusive, NotApplicable
from pix_conformance.model.delivery import Delivery
from pix_conformance.oracles import signature
from pix_conformance.oracles.timestamp import parse_date_time

SKEW_S = 300
APART_S = 5
"""Seconds after which even a t without fractions is another."""


def signed(delivery: Delivery) -> str:
    """Return the signature header; Inconclusive without t and v1, which is another requirement's question."""
    header = delivery.header("Service-Signature") or ""
    parsed = signature.parse(header)
    if not parsed.t or not any(parsed.v1s):
        raise Inconclusive(f"not tested: the event carries no t and v1 to judge ({delivery.evidence})")
    return header


def read(t: str) -> str:
    """Say in what a timestamp counts."""
    if counted := signature.unit(t):
        return f"{counted} since 1970"
    with suppress(ValueError):
        return f"a text, {parse_date_time(t).isoformat()}"
    return f"something else: {t[:40]}"


def undated(header: str, arrived: float | None) -> str | None:
    """Say that t, a count or a date, is not the time of sending; `arrived` in epoch seconds of the target."""
    if arrived is None:
        raise Inconclusive("the target's clock was turned while the event was on its way")
    t = signature.parse(header).t
    seconds = signature.age(t, arrived)
    if seconds is None:
        with suppress(ValueError):
            seconds = arrived - parse_date_time(t).timestamp()
    if seconds is None:
        return f"t is {t[:40]!r}, no count of seconds or milliseconds and no date"
    return None if abs(seconds) <= SKEW_S else f"t lies {seconds:.0f} s before the arrival"


def unmoved(events: Sequence[Delivery]) -> str | None:
    """Say that events of different times carry one t; NotApplicable where all came within five seconds."""
    read = [(one.received, t) for one in events if (t := signature.parse(one.header("Service-Signature")).t)]
    moments, signed_at = [moment for moment, _ in read], {t for _, t in read}
    span = max(moments, default=0) - min(moments, default=0)
    if span < APART_S:
        raise NotApplicable(f"signed events came within {span:.1f} s")
    return f"t is {next(iter(signed_at))[:40]} in all {len(moments)} of {span:.0f} s" if len(signed_at) == 1 else None
