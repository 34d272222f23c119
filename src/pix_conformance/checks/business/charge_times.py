"""The timestamps of a charge, and whether something is dated within its life (BUS-CHG-54, BUS-CHG-55)."""

from __future__ import annotations

from datetime import datetime, timedelta

from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.model.exchange import Exchange
from pix_conformance.oracles.timestamp import read_utc

CLOCK_TOLERANCE = timedelta(minutes=2)


def moment(charge: Exchange, name: str) -> datetime:
    """Return a timestamp of a charge; Inconclusive if it is none in UTC."""
    try:
        return read_utc(charge.at(name))
    except ValueError as reason:
        raise Inconclusive(f"{name}: {reason} ({charge.evidence})") from None


def is_within_lifetime(charge: Exchange, stated: datetime, now: float, tolerance: timedelta = CLOCK_TOLERANCE) -> bool:
    """Whether a stated time lies between the creation of a charge and `now`, an epoch time of this machine.

    Both ends are read from the service's own clock: created_at of the charge, and how long ago that was.
    """
    created, age = moment(charge, "created_at"), timedelta(seconds=now - charge.started)
    return created - tolerance <= stated <= created + age + tolerance
