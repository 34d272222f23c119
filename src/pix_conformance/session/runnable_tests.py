"""Which tests a run has: those for which the target has credentials, and the run what they need."""

from collections.abc import Sequence

import pytest

from pix_conformance.model.profile import PREFIX, PROFILES
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Capability, Role

NETWORK_FAULTS = "network_faults"
"""The marker of tests that cut requests."""


def runnable_tests(settings: Settings, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests for which the target has credentials and a way to receive webhooks, and that may cut."""
    lacking = {f"{PREFIX[role]}{api}" for api, role in without_credentials(settings.target)}
    if not settings.target.embedded:
        missing = certainly_missing(settings)
        lacking |= {profile.receiver_fixtures[0] for profile in PROFILES.values() if profile.receives in missing}
    having = [item for item in items if not lacking.intersection(_fixtures_of(item))]
    return [item for item in having if settings.bounds.network_faults or not item.get_closest_marker(NETWORK_FAULTS)]


def _fixtures_of(item: pytest.Item) -> set[str]:
    """Return the fixtures that a test takes, and those that its parameters may name, such as `other_payments`."""
    values = getattr(getattr(item, "callspec", None), "params", {}).values()
    return {*getattr(item, "fixturenames", ()), *(value for value in values if isinstance(value, str))}


def without_credentials(target: Target) -> list[tuple[Api, Role]]:
    """Return the roles of each API for which the target has no credentials."""
    if target.embedded:
        return []
    return [(api, role) for api in target.apis for role in Role if role not in target.roles(api)]


def certainly_missing(settings: Settings) -> set[Capability]:
    """Return the capabilities that are missing, as far as the settings alone show it."""
    other = all(Role.OTHER_MERCHANT in settings.target.roles(api) for api in settings.target.apis)
    live = all(Role.LIVE_MERCHANT in settings.target.roles(api) for api in settings.target.apis)
    offers = {
        Capability.OTHER_ACCOUNT: other,
        Capability.LIVE_CREDENTIALS: live,
        Capability.WAITING: settings.bounds.waiting,
    }
    for api, profile in PROFILES.items():
        offers |= {
            setting.capability: bool(getattr(settings.target, setting.field))
            for setting in profile.settings
            if setting.capability
        }
        offers[profile.receives] = settings.reception.why_none is None and not settings.target.lacks_secret(api)
    return {capability for capability, offered in offers.items() if not offered}
