"""Judges of exchanges and deliveries: matchers, relations, passive rules and history checks."""
