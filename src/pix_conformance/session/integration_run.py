"""The pytest plugin of a run that tests an integration: its options, which tests run, and the sandbox that they use."""

import os
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.harness.run import Run
from pix_conformance.integration.description import OPTIONS, Description, read_description
from pix_conformance.integration.driver import Integration
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.paths import SUITES
from pix_conformance.model.vocabulary import Api, Party, UsageError
from pix_conformance.session.command_line import started_as
from pix_conformance.session.selection import INTEGRATION, party_of
from pix_conformance.session.state import KEY

DESCRIBED = pytest.StashKey[Description]()
TABLE = "integration"
BY_API = ("hook", "secret")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that describe an integration."""
    group = parser.getgroup("pix integration", "PIX conformance of an integration (suites/integration)")
    for name, (takes, meaning) in OPTIONS.items():
        action = "append" if name in BY_API else "store"
        group.addoption(f"--{name}", dest=f"pix_{TABLE}_{name}", action=action, metavar=takes, help=meaning)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Read the description; a usage error ends the run here."""
    if KEY not in config.stash or party_of(config) is Party.SERVICE:
        return
    state = config.stash[KEY]
    try:
        described = read_description(_rows(config))
    except UsageError as reason:
        raise pytest.UsageError(str(reason)) from None
    apis = state.target.apis if state.settings.tests.api_chosen or not described.hooks else tuple(described.hooks)
    target = replace(state.target, name=described.name, apis=apis, described=described.shown)
    chosen = state.settings.tests.api_chosen or len(apis) < len(Api)
    state.settings = replace(
        state.settings, party=Party.INTEGRATION, target=target, tests=replace(state.settings.tests, api_chosen=chosen)
    )
    config.stash[DESCRIBED] = described
    state.command = _command(config)


def _command(config: pytest.Config) -> str:
    """Return the command that starts this run again, without secrets."""
    words = started_as(["pix-conformance", "integration", *config.invocation_params.args], os.environ)
    program, *options = words.split("pix-conformance", 1)
    given = [("--hook", text) for text in config.option.pix_integration_hook or ()]
    given += [
        (f"--{key}", text)
        for key in OPTIONS
        if key not in BY_API and (text := getattr(config.option, f"pix_{TABLE}_{key}"))
    ]
    more = shlex.join(word for pair in given for word in pair)
    return " ".join(filter(None, [f"{program}pix-conformance integration{options[0].rstrip()}", more]))


def _rows(config: pytest.Config) -> dict[str, Any]:
    """Return the table of the target file, with the options in the place of its values. Raises UsageError."""
    path = config.option.pix_target or os.environ.get("PIX_TARGET")
    try:
        filed = tomllib.loads(Path(path).read_text("utf-8")).get(TABLE, {}) if path else {}
    except (OSError, ValueError) as reason:
        raise UsageError(f"the target file cannot be read: {reason}") from None
    rows = {key: _from_environment(value) for key, value in filed.items()}
    for key in OPTIONS:
        given = getattr(config.option, f"pix_{TABLE}_{key}")
        if given and key in BY_API:
            rows[key] = {**rows.get(key, {}), **dict(text.partition("=")[::2] for text in given)}
        elif given:
            rows[key] = given
    return rows


def _from_environment(value: Any) -> Any:
    """Return a value of the table; `{ env = "NAME" }` is that of a variable. Raises UsageError without it."""
    if not isinstance(value, dict):
        return value
    if value.keys() == {"env"}:
        if value["env"] not in os.environ:
            raise UsageError(f"[integration] names the variable {value['env']}, which the environment does not have")
        return os.environ[value["env"]]
    return {key: _from_environment(inner) for key, inner in value.items()}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the tests of an integration out of a run that tests a service."""
    own = collection_path == INTEGRATION or INTEGRATION in collection_path.parents
    return (own and KEY in config.stash and party_of(config) is Party.SERVICE) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse to test both parties in one run."""
    if (
        KEY in config.stash
        and len({INTEGRATION in item.path.parents for item in items if SUITES in item.path.parents}) > 1
    ):
        raise pytest.UsageError("one run tests a service or an integration: name suites/integration alone")


@pytest.fixture(scope="session")
def described_integration(request: pytest.FixtureRequest, run: Run) -> Integration:
    """Return the integration that is described, with its sandbox and the gateway between them."""

    def record(exchange: Exchange) -> Exchange:
        test, number = run.current_test, run.sender.recorder.next_id()
        own = replace(exchange, id=number, test=test.node, current_test=test, by_integration=True)
        run.sender.recorder.record(own, is_judged=False)
        return own

    if run.reference is None:
        raise RuntimeError("a run that tests an integration has a reference")
    integration = Integration(request.config.stash[DESCRIBED], run.reference, record)
    run.clients.access.clear()
    run.settings = replace(run.settings, target=replace(run.settings.target, base_url=integration.gateway.url))
    return integration
