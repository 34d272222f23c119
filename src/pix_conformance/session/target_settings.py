"""The settings of a run and its target, from the values that were given, or the usage error in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from pix_conformance.harness.transport.proxies import proxy_for
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Role, UsageError
from pix_conformance.session.credential_settings import credentials_in, optional_settings_in, webhook_secrets_in
from pix_conformance.session.diagnoses import Diagnosis
from pix_conformance.session.options import SETTINGS


def settings_of(values: Mapping[str, str]) -> Settings:
    """Build the settings of a run, with its target, from their merged values.

    Raises UsageError for settings that exclude each other or are malformed.
    """
    credentials = credentials_in(values)
    embedded = not any(credentials.values())
    if values["base_url"] and embedded:
        names = ", or ".join(profile.names(Role.MERCHANT) for profile in PROFILES.values())
        raise Diagnosis.NO_CREDENTIAL.error(names=names)
    if not embedded and not values["base_url"]:
        raise Diagnosis.NO_ADDRESS.error()
    read: dict[str, Any] = {setting.key: setting.value(values[setting.key]) for setting in SETTINGS}
    given = {field.name: read[field.name] for field in fields(Settings) if read.get(field.name) is not None}
    target = Target(
        name=values["name"] or values["base_url"] or "embedded reference",
        base_url=read["base_url"],
        embedded=embedded,
        credentials=credentials,
        webhook_secrets=webhook_secrets_in(values),
        apis=read["api"] or tuple([api for api in Api if credentials[api]] or Api),
        **optional_settings_in(values),
    )
    given |= {
        "target": target,
        "api_chosen": bool(read["api"]),
        "waiting": not read["no_waiting"],
        "network_faults": not read["no_network_faults"],
        "concurrency": 1 if embedded and values["concurrency"] == "auto" else read["concurrency"],
        "examples_chosen": read["examples"] is not None,
        # Another seed each day, the same in every run of a day.
        "seed": int(f"{datetime.now(UTC):%Y%m%d}") if read["seed"] is None else read["seed"],
    }
    settings = Settings(**given)
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    """Raise UsageError for settings that exclude each other."""
    if settings.quick and (settings.only or settings.again):
        other = "--only" if settings.only else "--again"
        raise UsageError(f"--quick and {other} exclude each other: both choose the tests")
    proxy_for(settings.target.base_url)
    if settings.is_endpoint_unknown and (api := next(iter(settings.target.webhook_secrets), None)):
        endpoint = PROFILES[api].endpoint
        raise Diagnosis.RANDOM_PORT.error(variable=endpoint and endpoint.variable)
