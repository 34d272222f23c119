"""The passive rules of each API: one table, to which a new API adds its own."""

from __future__ import annotations

from collections.abc import Mapping

from pix_conformance.checks.business import passive_rules as business
from pix_conformance.checks.payments import passive_rules as payments
from pix_conformance.checks.rules import Rules
from pix_conformance.model.vocabulary import Api

RULES: Mapping[Api, Rules] = {Api.PAYMENTS: payments.RULES, Api.BUSINESS: business.RULES}
