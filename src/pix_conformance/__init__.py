"""The console scripts of pix-conformance, for a checkout and for an installed wheel.

PYTEST_DONT_REWRITE: a script is imported before pytest is, which would warn of that, and a warning is an error here.
"""
