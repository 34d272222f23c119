"""Where an idempotency key stands."""

KEYS = ("x-idempotency-key", "idempotency-key")
