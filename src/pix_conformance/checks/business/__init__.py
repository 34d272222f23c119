"""Judges of exchanges and deliveries of the business charge API."""
