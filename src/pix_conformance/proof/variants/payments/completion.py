"""Conforming variants where PAY-CMP is silent: the completion of a transfer."""

from __future__ import annotations

from typing import ClassVar

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.payments import PaymentsRules


class CompletesPending(PaymentsRules):
    """What the completion of a pending transfer gets is not stated, only that one should not ask."""

    transfer_incompletable: ClassVar[tuple[str, ...]] = ("completed", "canceled")


VARIANTS = [
    Variant("payments-complete", ("PAY-CMP-15",), {"pending": CompletesPending}),
]
