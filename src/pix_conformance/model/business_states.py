"""The statuses of the business API by name, from `specs/business/states.toml`."""

from __future__ import annotations

from pix_conformance.model.states import load
from pix_conformance.model.vocabulary import Api

PENDING, PAID, CANCELED = "pending", "paid", "canceled"
STATUSES = load(Api.BUSINESS)["charge"].statuses
