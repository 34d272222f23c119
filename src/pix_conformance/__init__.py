"""A contract and conformance test suite for two PIX APIs, with its reference implementation.

PYTEST_DONT_REWRITE: a script is imported before pytest is, which would warn of that, and a warning is an error here.
"""
