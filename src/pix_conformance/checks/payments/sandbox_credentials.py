"""What a refused payment says of credentials that were given as those of the sandbox."""

from __future__ import annotations

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Judgement


def refused_payment(paid: Exchange, test: str | None, line: str) -> Judgement:
    """Judge a 403 to the payment of a fresh charge: it breaks the transition of payments.md, line 170."""
    problem = "status is 403, not 200, for a fresh charge of a pair that was given as one of the sandbox"
    return Judgement("PAY-PAYS-01", test, paid.evidence, (), (problem,), None, line)
