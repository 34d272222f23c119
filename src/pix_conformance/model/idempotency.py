"""The header of the idempotency key in each API."""

from pix_conformance.model.exchange import Request

KEYS = ("x-idempotency-key", "idempotency-key")


def key_of(sent: Request) -> str:
    """Return the idempotency key of a request; empty without one."""
    return next((value for name, value in sent.headers if name.lower() in KEYS), "")
