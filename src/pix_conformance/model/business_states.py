"""The statuses of the business API by name, from `specs/business/states.toml`."""

from __future__ import annotations

from collections.abc import Mapping

from pix_conformance.model.states import load
from pix_conformance.model.vocabulary import Api

PENDING, PAID, CANCELED = "pending", "paid", "canceled"
_CHARGE = load(Api.BUSINESS)["charge"]
STATUSES = frozenset(_CHARGE.statuses)
CONFLICTS: Mapping[str, str] = _CHARGE.table["conflicts"]
"""By status, the requirement that cancel returns 409."""
STAYS: Mapping[str, str] = _CHARGE.table["stays"]
"""By status, the requirement that a charge does not leave this status."""
