"""Conforming variants where PAY-SIG is silent: signatures of events."""

import json
from typing import Any

from pix_conformance.proof.difference import setting, variant
from pix_conformance.proof.variants.common.events import (
    ATTEMPTS_NUMBERED,
    EVENTS_INDENTED,
    HASH_IN_CAPITALS,
    SIGNED_WITH_DECIMALS,
    SKEW_S,
)
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

VARIANTS = {
    "PAY-SIG-06": {
        "hash-in-capitals": HASH_IN_CAPITALS,
        "timestamp-with-decimals": SIGNED_WITH_DECIMALS,
        "timestamp-in-milliseconds": setting(
            "The timestamp of a signature counts milliseconds: its unit is not stated (payments.md, line 338).",
            event_timestamp=lambda rules: str(int(rules.clock.now() * 1000))),
        "body-indented": EVENTS_INDENTED,
    },
    "PAY-SIG-08": {
        "attempts-numbered": ATTEMPTS_NUMBERED,
        "each-attempt-signed": setting(
            "Each attempt has a signature of its own, and the second comes after 1.2 s: "
            "whether it is signed again is not stated (payments.md, line 360).", event_first_retry_seconds=1.2),
    },
}  # fmt: skip


@variant("PAY-SIG-06/clock-ahead")
class ClockAhead(PaymentsRules):
    """The clock of the server is 75 s ahead: the age of a timestamp is not shown (payments.md, line 347)."""

    def moment(self, epoch: float) -> str:
        return super().moment(epoch + SKEW_S)

    def event_timestamp(self) -> str:
        return str(int(self.clock.now() + SKEW_S))


@variant("PAY-SIG-07/postbacks-signed")
class SignsPostbacks(PaymentsRules):
    """Events to a postbackUrl are signed with a secret of the account: nothing is stated (payments.md, line 338)."""

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        super().send_webhook_request(url, payload, {"id": None, "secret": "of-the-account"} if hook is None else hook)

    def is_still_registered(self, hook: Row) -> bool:
        return hook["id"] is None or super().is_still_registered(hook)


@variant("PAY-SIG-08/first-signature-stays")
class SignsOnce(PaymentsRules):
    """Each attempt has the signature of the first: whether it is signed again is not stated (payments.md, line 360)."""

    event_first_retry_seconds = 1.2

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> tuple[bytes, dict[str, str]]:
        kept: dict[str, tuple[bytes, dict[str, str]]] = self.__dict__.setdefault("_written", {})
        name = json.dumps([payload["id"], payload["event"], secret])
        return kept.setdefault(name, super().write_event(attempt, payload, secret))
