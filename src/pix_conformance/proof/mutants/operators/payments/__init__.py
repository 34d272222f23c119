"""Operators of the payments API."""
