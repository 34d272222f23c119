"""Conforming variants where BUS-SIG is silent: signatures of events."""

from __future__ import annotations

import json
from typing import Any

from pix_conformance.proof.variants.common.deliveries import SKEW_S
from pix_conformance.proof.variants.common.mixing import mixed
from pix_conformance.proof.variants.common.responses import SignsInCapitals
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules


class BusinessPrettyEvents(BusinessRules):
    """The signature is over the raw body, whatever its blanks."""

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Indent, escape, end with a newline."""
        return (json.dumps(payload, indent=2, ensure_ascii=True) + "\n").encode()


class BusinessBehind(BusinessRules):
    """No clock is said to be that of the client: a minute and more behind."""

    def moment(self, epoch: float) -> str:
        """Write what its clock shows."""
        return super().moment(epoch - SKEW_S)

    def event_timestamp(self) -> str:
        """Sign what its clock shows."""
        return str(int(self.clock.now() - SKEW_S))


class BusinessFractions(BusinessRules):
    """An epoch may have decimals (business.md, line 157)."""

    def event_timestamp(self) -> str:
        """Count milliseconds behind the point."""
        return f"{self.clock.now():.3f}"


VARIANTS = [
    mixed(__name__, "business-case-of-digits", ("BUS-SIG-03",), upper=SignsInCapitals),
    Variant("business-event-body", ("BUS-SIG-03",), {"pretty": BusinessPrettyEvents}),
    Variant("business-skew", ("BUS-SIG-04",), {"behind": BusinessBehind}),
    Variant("business-event-fractions", ("BUS-SIG-05",), {"thousandths": BusinessFractions}),
]
