"""The client of each API: one table, to which a new API adds its own."""

from collections.abc import Mapping

from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.clients.client import Client
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.model.vocabulary import Api

CLIENTS: Mapping[Api, type[Client]] = {Api.PAYMENTS: Payments, Api.BUSINESS: Business}
