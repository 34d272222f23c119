"""The credentials in the settings, by API and role, or the usage error in them."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Mapping
from typing import Any

from pix_conformance.model.profile import PREFIX, PROFILES, ApiProfile, CredentialForm, variable
from pix_conformance.model.target import Credential
from pix_conformance.model.vocabulary import Api, Role, Secret
from pix_conformance.session.diagnoses import Diagnosis

CONTROL = "Cc"
"""Unicode's category of control characters."""
LINE_BREAKS = "\r\n"


def credentials_in(values: Mapping[str, str]) -> dict[Api, dict[Role, Credential]]:
    """Return the credentials of each API by role. Raises UsageError for half of one, or one that cannot be right."""
    for profile in PROFILES.values():
        _check(values, profile)
    credentials = {
        api: {role: credential for role in Role if (credential := _credential(values, profile.credential, role))}
        for api, profile in PROFILES.items()
    }
    for profile in PROFILES.values():
        names, more = _names(profile)
        _check_that_roles_differ({name: values[name] for name in (*names[: len(Role)], *more) if values[name]})
    return credentials


def optional_settings_in(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the optional settings of all APIs by their fields of `Target`. Raises UsageError for a wrong key."""
    settings = {}
    for profile in PROFILES.values():
        for setting in profile.settings:
            text = values[setting.key]
            if setting.is_credential:
                _check_beginning(setting.key, text, profile.credential, Role.MERCHANT)
            settings[setting.field] = setting.value(text)
    return settings


def webhook_secrets_in(values: Mapping[str, str]) -> dict[Api, Secret]:
    """Return the secrets of the endpoints that the settings name."""
    endpoints = ((api, profile.endpoint) for api, profile in PROFILES.items())
    return {api: Secret(secret) for api, endpoint in endpoints if endpoint and (secret := values[endpoint.key])}


def _check(values: Mapping[str, str], profile: ApiProfile) -> None:
    names, more = _names(profile)
    for name in (*names, *more, *([profile.endpoint.key] if profile.endpoint else [])):
        _check_characters(name, values[name])
    if not profile.credential.id:
        _check_for_blanks({name: values[name] for name in (*names, *more)})


def _names(profile: ApiProfile) -> tuple[list[str], list[str]]:
    """Return the settings of the credentials of an API: of its roles, the ids or keys first, and further ones."""
    names = [f"{prefix}{key}" for key in profile.credential.keys for prefix in PREFIX.values()]
    return names, [setting.key for setting in profile.settings if setting.is_credential]


def _credential(values: Mapping[str, str], form: CredentialForm, role: Role) -> Credential | None:
    keys = [f"{PREFIX[role]}{key}" for key in form.keys]
    texts = [values[key] for key in keys]
    if not any(texts):
        return None
    if not all(texts):
        raise Diagnosis.HALF.error(variable=variable(keys[texts.index("")]))
    *named, secret = texts
    _check_beginning(keys[-1], secret, form, role)
    return Credential(Secret(secret), *named)


def _check_beginning(name: str, text: str, form: CredentialForm, role: Role) -> None:
    live = role is Role.LIVE_MERCHANT
    wanted, other = form.beginnings[live], form.beginnings[not live]
    if not text or text.startswith(wanted):
        return
    if text.startswith(other):
        environment = "production" if live else "the sandbox"
        raise Diagnosis.ENVIRONMENT.error(variable=variable(name), wanted=wanted, begins=other, environment=environment)
    raise Diagnosis.BEGINNING.error(variable=variable(name), wanted=wanted)


def _check_characters(name: str, text: str) -> None:
    """Raise UsageError for characters that a copied secret, id or key often has too many of. It is not printed."""
    for place, character in (("begins", text[:1]), ("ends", text[-1:])):
        if character.isspace():
            what = "line break" if character in LINE_BREAKS else "blank"
            raise Diagnosis.EDGE.error(variable=variable(name), place=place, what=what)
    if any(unicodedata.category(character) == CONTROL for character in text):
        raise Diagnosis.CONTROL.error(variable=variable(name))


def _check_for_blanks(keys: Mapping[str, str]) -> None:
    for name, text in keys.items():
        if any(map(str.isspace, text)):
            raise Diagnosis.BLANK.error(variable=variable(name))


def _check_that_roles_differ(texts: Mapping[str, str]) -> None:
    for key, other in itertools.combinations(texts, 2):
        if texts[key] == texts[other]:
            raise Diagnosis.SAME.error(first=variable(key), other=variable(other))
