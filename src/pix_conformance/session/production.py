"""What a run creates in production: at most one charge with each API."""

from collections.abc import Container, Iterable

import pytest

from pix_conformance.model.openapi import production_cents
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role


def warning_of(target: Target, items: Iterable[pytest.Item], refused: Container[tuple[Api, Role]] = ()) -> list[str]:
    """Return the line that says what these tests create in production; no line if they create nothing there.

    `refused` are credentials that the target did not accept.
    """
    used = {name for item in items for name in getattr(item, "fixturenames", ())}
    live = _with_live_credentials(target, refused)
    apis = [api for api in live if PROFILES[api].production_charge.fixture in used]
    return [f"WARNING: THIS RUN CREATES {created(apis)}"] if apis else []


def _with_live_credentials(target: Target, refused: Container[tuple[Api, Role]]) -> list[Api]:
    """Return the APIs of a server of the user whose production credentials are used, beside those of the sandbox."""
    if target.embedded:
        return []
    needed = (Role.MERCHANT, Role.LIVE_MERCHANT)
    return [api for api in target.apis if all(r in target.roles(api) and (api, r) not in refused for r in needed)]


def created(apis: Iterable[Api] = tuple(Api)) -> str:
    """Return how many charges a run creates in production with these APIs, and of how much: `1 charge in ...`."""
    parts = [f"{api} R$ {production_cents(api) / 100:.2f} ({PROFILES[api].production_charge.fate})" for api in apis]
    return f"{len(parts)} charge{'s' * (len(parts) > 1)} in production: {', '.join(parts)}"
