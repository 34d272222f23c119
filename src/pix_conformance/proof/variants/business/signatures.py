"""Conforming variants where BUS-SIG is silent: signatures of events."""

from pix_conformance.proof.difference import variant
from pix_conformance.proof.variants.common.events import (
    EVENTS_INDENTED,
    HASH_IN_CAPITALS,
    SIGNED_WITH_DECIMALS,
    SKEW_S,
)
from pix_conformance.reference.business import BusinessRules

VARIANTS = {
    "BUS-SIG-03": {"hash-in-capitals": HASH_IN_CAPITALS, "body-indented": EVENTS_INDENTED},
    "BUS-SIG-05": {"timestamp-with-decimals": SIGNED_WITH_DECIMALS},
}


@variant("BUS-SIG-04/clock-behind")
class ClockBehind(BusinessRules):
    """The clock of the server is 75 s behind: up to 300 s are accepted (business.md, line 160)."""

    def moment(self, epoch: float) -> str:
        return super().moment(epoch - SKEW_S)

    def event_timestamp(self) -> str:
        return str(int(self.clock.now() - SKEW_S))
