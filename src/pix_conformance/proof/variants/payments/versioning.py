"""Conforming variants where PAY-VER is silent: versioning."""

from __future__ import annotations

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules


class AnnouncesChanges(PaymentsRules):
    """How a deprecation is announced is not shown."""

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Tell of a sunset."""
        return super().headers(call, answer) | {"sunset": "Fri, 31 Dec 2038 23:59:59 GMT"}


VARIANTS = [
    Variant("payments-sunset", ("PAY-VER-03",), {"told": AnnouncesChanges}),
]
