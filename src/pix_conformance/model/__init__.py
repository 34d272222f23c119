"""Data types: requirements, exchanges, deliveries, targets; and the readers of `specs/`."""
