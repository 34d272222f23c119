"""Judges of exchanges and deliveries of the payments API."""
