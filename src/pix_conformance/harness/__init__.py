"""The part of the tool that sends requests to the target: pytest plugin, clients, webhook receiver."""

PLUGINS = ("pix_conformance.harness.plugin", "pix_conformance.report.plugin", "fixtures.plugin")
"""The pytest plugins of a run. conftest.py names them in a checkout, the command line in an installed package."""
