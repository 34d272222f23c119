"""Ages, delays and moments that are shown wrongly."""

from datetime import UTC, datetime, timedelta

LONG = 0.05
"""Seconds between looking and acting: others get between."""
OLD = 40
YOUNG_S = 45


def behind_utc(epoch: float, hours: float) -> str:
    """Write a moment some hours behind UTC, and call it UTC."""
    return (datetime.fromtimestamp(epoch, UTC) - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
