"""How to compute the signature of a delivery by hand: the header, what was signed, a command that signs it again."""

import shlex
from base64 import b64encode
from dataclasses import dataclass

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.printable import BIDI, CONTROL
from pix_conformance.model.profile import PROFILES
from pix_conformance.oracles import signature
from pix_conformance.recording.bundle.values import Bundle, numbered

HEADERS = {
    profile.signature_header.lower(): profile.endpoint.variable if profile.endpoint else ""
    for profile in PROFILES.values()
}
"""The header of each API that signs a delivery, and the variable from which the command takes the secret, if any."""
MASKED = (
    "The report masks the signatureSecret of a webhook, and the run removes its webhooks, so there is no command: "
    "what is wrong names the right v1."
)
LONGEST = 3_500
"""Bytes of a body that the page shows in full."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed delivery: its header, the text that its `v1` has to sign, and a shell line that does so.

    Where no command can be given, `hindrance` says why.
    """

    header: str
    size: int
    text: str
    command: str
    variable: str
    secret: str
    hindrance: str


def signed(bundle: Bundle, evidence: str) -> Signed | None:
    """Describe the signature of the delivery that the evidence names; None for an exchange, or without a signature."""
    delivery = bundle.delivery.get(numbered(evidence, "delivery") or 0)
    headers = [(name, value) for name, value in delivery.headers if name.lower() in HEADERS] if delivery else []
    if delivery is None or not headers:
        return None
    name, value = headers[0]
    t, variable = signature.parse(value).t, HEADERS[name.lower()]
    due = f"{t}.".encode() + delivery.body
    hindrance = _hindrance(delivery, t) or ("" if variable else MASKED)
    return Signed(
        header=f"{name}: {value}",
        size=len(delivery.body),
        text=due.decode("utf-8", "backslashreplace"),
        command="" if hindrance else _command(due, variable),
        variable=variable,
        secret="the secret of the configured endpoint" if variable else "",
        hindrance=hindrance,
    )


def _hindrance(delivery: Delivery, t: str) -> str:
    if delivery.masked:
        return f"The body cannot be signed again, because part of it is masked: {delivery.masked}."
    if len(delivery.body) > LONGEST:
        return "The body is too long to show; deliveries.jsonl holds all of it."
    return "" if t else "The header holds no t, so there is no text to sign."


def _command(due: bytes, variable: str) -> str:
    """Write the line that signs these bytes; those that a terminal cannot show go through base64."""
    try:
        text = due.decode()
    except UnicodeDecodeError:
        text = ""
    if not text or CONTROL.search(text) or BIDI.search(text) or "\r" in text:
        source = f"printf %s {b64encode(due).decode()} | base64 -d"
    else:
        source = f"printf %s {shlex.quote(text)}"
    return f'{source} | openssl dgst -sha256 -hmac "${variable}"'
