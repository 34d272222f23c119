"""Wiring only: names the plugins."""

from pix_conformance.harness import PLUGINS

pytest_plugins = PLUGINS
