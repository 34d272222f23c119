"""The header of the idempotency key in each API."""

KEYS = ("x-idempotency-key", "idempotency-key")
