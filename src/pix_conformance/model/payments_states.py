"""Statuses of the payments API by name, as `specs/payments/states.toml` has them."""

from __future__ import annotations

from pix_conformance.model.states import load
from pix_conformance.model.vocabulary import Api

PENDING, PAID, COMPLETED, CANCELED = "pending", "paid", "completed", "canceled"
_TRANSFER = load(Api.PAYMENTS)["transfer"]
TRANSFER_STATUSES = _TRANSFER.statuses
UNDER_WAY: tuple[str, ...] = tuple(_TRANSFER.table["under_way"])
"""Of a transfer that has neither ended nor gone wrong."""
APPROVAL: tuple[str, ...] = tuple(_TRANSFER.table["approval"])
"""What a transfer has to leave before its completion is to be called."""
