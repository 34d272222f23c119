"""The judgement on sandbox credentials whose first payment is refused with 403."""

from __future__ import annotations

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Judgement


def refused_payment(paid: Exchange, test: str | None, line: str | None) -> Judgement:
    """Return the judgement on a 403 for the payment of a new charge, which violates PAY-PAYS-01."""
    problem = "status is 403, not 200, for a new charge of a credential pair that was given for the sandbox"
    return Judgement("PAY-PAYS-01", test, paid.evidence, (), (problem,), None, line)
