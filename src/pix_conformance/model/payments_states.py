"""The statuses of the payments API by name, from `specs/payments/states.toml`."""

from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api

COMPLETED, CANCELED = "completed", "canceled"
_TRANSFER = states_of(Api.PAYMENTS)["transfer"]
UNDER_WAY: tuple[str, ...] = tuple(_TRANSFER.table["under_way"])
"""Statuses of a transfer that is neither completed nor failed."""
APPROVAL: tuple[str, ...] = tuple(_TRANSFER.table["approval"])
"""Statuses that a transfer must leave before its completion may be simulated (PAY-CMP-01)."""
FAILED = frozenset({"banking_refused", "banking_error", "canceled", "refused", "error"})
"""Statuses of a transfer that ended without being completed, or went wrong (PAY-TRF-39)."""
