"""The statuses of the business API by name, from `specs/business/states.toml`."""

from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api

PENDING, PAID, CANCELED = "pending", "paid", "canceled"
STATUSES = states_of(Api.BUSINESS)["charge"].statuses
