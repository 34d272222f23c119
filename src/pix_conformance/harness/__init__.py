"""Drives a run against the target."""

PLUGINS = ("pix_conformance.harness.plugin", "pix_conformance.report.plugin", "fixtures.plugin")
"""The pytest plugins of a run. conftest.py names them for a checkout, the command line for an installed package."""
