"""A pytest plugin: this process is a worker of pytest-xdist, at the place that a variable names."""

from __future__ import annotations

import json
import os

import pytest

from pix_conformance.session.workers import INPUT

VARIABLE = "WORKER"
"""What the first process of a run would tell the worker, in JSON."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Give the session what pytest-xdist gives a worker."""
    vars(config)["workerinput"] = {INPUT: json.loads(os.environ[VARIABLE])}
