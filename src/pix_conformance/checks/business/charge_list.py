"""The charges of a list, in whatever envelope (business.md, line 110)."""

from __future__ import annotations

from typing import Any

from pix_conformance.model.exchange import Exchange

NAMES = frozenset({"id", "status", "amount_cents", "description", "external_ref", "customer_email", "qr_code"})
"""Members of a charge that hardly anything else has (business.md, lines 33-39)."""


def listed(exchange: Exchange) -> list[Any] | None:
    """Find the charges in a list answer, whatever its envelope (business.md, line 110); None if there is no list.

    An envelope may write null where it holds no charge.
    """
    if isinstance(exchange.json, list):
        return exchange.json
    if not isinstance(exchange.json, dict):
        return None
    arrays = [one for one in _arrays(exchange.json) if all(isinstance(row, dict) for row in one)]
    if not arrays and None in exchange.json.values() and not NAMES & exchange.json.keys():
        return []
    return max(arrays, key=_likeness, default=None)


def _likeness(rows: list[dict[str, Any]]) -> tuple[int, bool]:
    """Rank an array: by how many names its rows share with a charge, an empty one before rows that are no charges."""
    names = {name for row in rows for name in row}
    return (len(names & NAMES) if names & {"id", "amount_cents"} else 0), not rows


def _arrays(value: dict[str, Any]) -> list[list[Any]]:
    here = [one for one in value.values() if isinstance(one, list)]
    deeper = [found for one in value.values() if isinstance(one, dict) for found in _arrays(one)]
    return here + deeper
