"""Conforming variants where PAY-SIG is silent: signatures of events."""

from __future__ import annotations

import json
from typing import Any

from pix_conformance.proof.variants.common.deliveries import SKEW_S
from pix_conformance.proof.variants.common.mixing import mixed
from pix_conformance.proof.variants.common.responses import NumbersAttempts, SignsInCapitals
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class PaymentsFractions(PaymentsRules):
    """The unit of the signed timestamp is not shown (payments.md, line 338): seconds with decimals."""

    def event_timestamp(self) -> str:
        """Count milliseconds behind the point."""
        return f"{self.clock.now():.3f}"


class PaymentsAhead(PaymentsRules):
    """No clock is said to be that of the client: a minute and more ahead."""

    def moment(self, epoch: float) -> str:
        """Write what its clock shows."""
        return super().moment(epoch + SKEW_S)

    def event_timestamp(self) -> str:
        """Sign what its clock shows."""
        return str(int(self.clock.now() + SKEW_S))


class PaymentsPrettyEvents(PaymentsRules):
    """The signature is over the raw body, whatever its blanks."""

    def encode_event(self, payload: dict[str, Any]) -> bytes:
        """Indent, escape, end with a newline."""
        return (json.dumps(payload, indent=2, ensure_ascii=True) + "\n").encode()


class PaymentsMilliseconds(PaymentsRules):
    """The unit of the signed timestamp is not shown (payments.md, line 338)."""

    def event_timestamp(self) -> str:
        """Count milliseconds."""
        return str(int(self.clock.now() * 1000))


class SignsPostbacks(PaymentsRules):
    """Whether a postback is signed, and with what, is not shown."""

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Sign with a secret of the account."""
        super().send_webhook_request(url, payload, {"id": None, "secret": "of-the-account"} if hook is None else hook)

    def is_still_registered(self, hook: Row) -> bool:
        """Keep a postback address."""
        return hook["id"] is None or super().is_still_registered(hook)


class SignsAnew(PaymentsRules):
    """Whether a repeated event is signed anew is not shown: so it is, more than a second later."""

    event_first_retry_seconds = 1.2


class SignsOnce(SignsAnew):
    """Whether a repeated event is signed anew is not shown: the first signature stays."""

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> tuple[bytes, dict[str, str]]:
        """Keep what was written first, for each secret."""
        kept: dict[str, tuple[bytes, dict[str, str]]] = self.__dict__.setdefault("_written", {})
        name = json.dumps([payload["id"], payload["event"], secret])
        return kept.setdefault(name, super().write_event(attempt, payload, secret))


VARIANTS = [
    mixed(__name__, "payments-case-of-digits", ("PAY-SIG-06",), upper=SignsInCapitals),
    Variant("payments-event-fractions", ("PAY-SIG-06",), {"thousandths": PaymentsFractions}),
    Variant("payments-skew", ("PAY-SIG-06",), {"ahead": PaymentsAhead}),
    Variant("payments-event-body", ("PAY-SIG-06",), {"pretty": PaymentsPrettyEvents}),
    Variant("payments-event-clock", ("PAY-SIG-06",), {"milliseconds": PaymentsMilliseconds}),
    Variant("payments-postback-signature", ("PAY-SIG-07",), {"signed": SignsPostbacks}),
    mixed(__name__, "payments-attempts", ("PAY-SIG-08",), told=NumbersAttempts),
    Variant("payments-signed-again", ("PAY-SIG-08",), {"anew": SignsAnew, "once": SignsOnce}),
]
