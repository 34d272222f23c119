"""Operators of the business charge API."""
