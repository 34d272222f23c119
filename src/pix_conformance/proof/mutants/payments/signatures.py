"""Mutants of PAY-SIG, signatures of events."""

import json
from dataclasses import replace
from typing import Any

from pix_conformance.proof.difference import changes_arguments, changes_result, setting
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.store import Row

GROUP = "events"


def renamed_for_one_event(_: Any, request: WebhookRequest, _url: str, _body: Any, hook: Row | None) -> WebhookRequest:
    def write(attempt: int) -> Written:
        body, headers = request.write(attempt)
        return body, {f"X-{name}" if name == "Service-Signature" else name: one for name, one in headers.items()}

    return replace(request, write=write) if hook and len(json.loads(hook["events"])) == 1 else request


MUTANTS = {
    "PAY-SIG-01": {
        "none-on-retries": changes_arguments(
            "From the second attempt on, an event has no signature.",
            write_event=lambda _, attempt, payload, secret: (attempt, payload, secret if attempt == 1 else None)),
        "other-header-for-one-event": changes_result(
            "A webhook for one event gets its signature in X-Service-Signature.",
            webhook_request=renamed_for_one_event),
    },
    "PAY-SIG-02": {"version-0": changes_result(
            "The hash is called v0.", event_signature=lambda _, text, _body, _secret: text.replace("v1=", "v0="))},
    "PAY-SIG-03": {
        "cut-at-32": changes_result(
            "The hash is cut to 32 digits.", event_hash=lambda _, right, *_about: right[:32]).also("PAY-SIG-04"),
        "body-alone": setting("The signature covers the body alone.", signed_text=lambda _, _moment, body: body),
    },
    "PAY-SIG-09": {
        "three-hours-behind": setting(
            "The t of a signature is three hours behind.",
            event_timestamp=lambda rules: str(int(rules.clock.now()) - 3 * 3600)),
        "zero": setting("The t of a signature is zero.", event_timestamp=lambda _: "0").also("PAY-SIG-10"),
    },
}  # fmt: skip
