"""Wiring only: names the plugins."""

pytest_plugins = ("fixtures.plugin", "reports.plugin")
