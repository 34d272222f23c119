"""Wiring only: names the plugins."""

pytest_plugins = ("fixtures.plugin", "fixtures.stories.event_fixtures", "reports.plugin")
