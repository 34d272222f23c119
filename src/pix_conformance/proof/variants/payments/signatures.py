"""Conforming variants where PAY-SIG is silent: signatures of events."""

import json
from typing import Any

from pix_conformance.proof.difference import changes_result, overrides, setting
from pix_conformance.proof.variants.common.events import (
    ATTEMPTS_NUMBERED,
    EVENTS_INDENTED,
    HASH_IN_CAPITALS,
    SIGNED_WITH_DECIMALS,
    skewed,
)
from pix_conformance.reference.outbox import Written

ACCOUNT = {"id": None, "secret": "of-the-account"}
"""What signs events to a postbackUrl, in the place of a webhook."""


def write_once(rules: Any, written: Written, _attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
    kept: dict[str, Written] = rules.__dict__.setdefault("written", {})
    return kept.setdefault(json.dumps([payload["id"], payload["event"], secret]), written)


VARIANTS = {
    "PAY-SIG-06": {
        "hash-in-capitals": HASH_IN_CAPITALS,
        "timestamp-with-decimals": SIGNED_WITH_DECIMALS,
        "timestamp-in-milliseconds": setting(
            "The timestamp of a signature counts milliseconds: its unit is not stated (payments.md, line 338).",
            event_timestamp=lambda rules: str(int(rules.clock.now() * 1000))),
        "body-indented": EVENTS_INDENTED,
        "clock-ahead": skewed(
            "The clock of the server is 75 s ahead: the age of a timestamp is not shown (payments.md, line 347).", 75),
    },
    "PAY-SIG-07": {"postbacks-signed": overrides(
            "Events to a postbackUrl are signed with a secret of the account: nothing is stated "
            "(payments.md, line 338).",
            send_webhook_request=lambda _, right, url, payload, hook: right(url, payload, hook or ACCOUNT),
            is_still_registered=lambda _, right, hook: hook["id"] is None or right(hook))},
    "PAY-SIG-08": {
        "attempts-numbered": ATTEMPTS_NUMBERED,
        "first-signature-stays": changes_result(
            "Each attempt has the signature of the first: whether it is signed again is not stated "
            "(payments.md, line 360).", write_event=write_once).with_settings(event_first_retry_seconds=1.2),
        "each-attempt-signed": setting(
            "Each attempt has a signature of its own, and the second comes after 1.2 s: "
            "whether it is signed again is not stated (payments.md, line 360).", event_first_retry_seconds=1.2),
    },
}  # fmt: skip
