"""Wiring only: names the plugins."""

from pix_conformance.session import PLUGINS

pytest_plugins = PLUGINS
