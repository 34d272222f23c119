"""Statuses of the business charge API by name, as `specs/business/states.toml` has them."""

from __future__ import annotations

from collections.abc import Mapping

from pix_conformance.model.states import load
from pix_conformance.model.vocabulary import Api

PENDING, PAID, CANCELED = "pending", "paid", "canceled"
_CHARGE = load(Api.BUSINESS)["charge"]
STATUSES = frozenset(_CHARGE.statuses)
CONFLICTS: Mapping[str, str] = _CHARGE.table["conflicts"]
"""The requirement that promises 409 to a cancel, by status."""
STAYS: Mapping[str, str] = _CHARGE.table["stays"]
"""The requirement that a charge does not leave this status, whatever is asked of it."""
