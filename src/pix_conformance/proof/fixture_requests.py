"""A pytest plugin that notes which fixture sends each request of a run: `-p pix_conformance.proof.fixture_requests`.

A fixture of a session or a module is made once, by the test that happens to need it first. Its requests are counted
for the fixture, as are those of fixtures that only it asks for by name. The variable FIXTURE_REQUESTS names the file.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.session.costs import name_of_fixture
from pix_conformance.session.state import KEY

FILE = "FIXTURE_REQUESTS"
SHARED_SCOPES = frozenset({"session", "package", "module"})
_SENT = pytest.StashKey[dict[int, str]]()
"""By the id of an exchange, the fixture that sent it."""
_CURRENT = pytest.StashKey[list[str]]()
"""The fixtures that are being made, the innermost last."""


def pytest_configure(config: pytest.Config) -> None:
    """Begin with no request."""
    config.stash[_SENT], config.stash[_CURRENT] = {}, []


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Iterator[None]:
    """Note what a fixture sends that several tests share, and that is among the arguments of the test."""
    config, names = request.config, getattr(request._pyfuncitem, "fixturenames", ())  # noqa: SLF001  # of any scope
    if fixturedef.scope not in SHARED_SCOPES or fixturedef.argname not in names:
        return (yield)
    exchanges, making, sent = config.stash[KEY].facts.exchanges, config.stash[_CURRENT], config.stash[_SENT]
    making.append(name_of_fixture(fixturedef))
    begin = len(exchanges)
    try:
        return (yield)
    finally:
        name = making.pop()
        for exchange in exchanges[begin:]:
            sent.setdefault(exchange.id, name)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the file."""
    Path(os.environ[FILE]).write_text(json.dumps(session.config.stash[_SENT]), encoding="utf-8")
