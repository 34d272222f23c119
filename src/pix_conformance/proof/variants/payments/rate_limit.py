"""Conforming variants where PAY-RATE is silent: the rate limit."""

from __future__ import annotations

import time

from pix_conformance.proof.variants.common.http import LimitsRate
from pix_conformance.proof.variants.common.mixing import mixed
from pix_conformance.proof.variants.common.responses import DatesItsPatience
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

WINDOW_S = 5.0
TOKENS = 8


class FewTokens(PaymentsRules):
    """Numeric rate limits are not shown (payments.md, line 390): eight tokens in five seconds."""

    def limit_rate(self, call: Call) -> None:
        """Refuse more."""
        if call.path == ("api", "auth"):
            granted: list[float] = self.__dict__.setdefault("granted", [])
            granted[:] = [one for one in granted if time.monotonic() - one < WINDOW_S]
            if len(granted) >= TOKENS:
                raise Refusal("limited", "too many requests")
            granted.append(time.monotonic())
        super().limit_rate(call)


class LimitsNowAndThen(PaymentsRules):
    """Calls beyond a rate that is not shown get 429, without a word of when to come again (payments.md, line 373)."""

    limited_each = 150
    served = 12

    def limit_rate(self, call: Call) -> None:
        """Refuse one call of many."""
        super().limit_rate(call)
        self.served += 1
        if self.served % self.limited_each == 15:  # the third call is one of them
            raise Refusal("limited", "too many requests")


VARIANTS = [
    mixed(__name__, "payments-rate-dates", ("PAY-RATE-02",), http=DatesItsPatience),
    Variant("payments-few-tokens", ("PAY-RATE-02",), {"eight": FewTokens}),
    Variant("payments-limited", ("PAY-RATE-02", "PAY-RATE-03"), {"silent": LimitsNowAndThen}),
    mixed(__name__, "payments-rate", ("PAY-RATE-02",), limited=LimitsRate),
]
