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
    for api, profile in PROFILES.items():
        _check_that_roles_differ(profile, credentials[api], values)
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
    names = [f"{prefix}{key}" for key in profile.credential.keys for prefix in PREFIX.values()]
    more = [setting.key for setting in profile.settings if setting.is_credential]
    for name in (*names, *more, *([profile.endpoint.key] if profile.endpoint else [])):
        _check_characters(name, values[name])
    if not profile.credential.id:
        _check_for_blanks({name: values[name] for name in (*names, *more)})


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


def _check_that_roles_differ(
    profile: ApiProfile, credentials: Mapping[Role, Credential], values: Mapping[str, str]
) -> None:
    """Raise UsageError for one credential of two roles, or one id of two accounts: environments may share it."""
    rows = [(profile.variables(role)[0], role, credential) for role, credential in credentials.items()]
    for (first, role, credential), (other, other_role, another) in itertools.combinations(rows, 2):
        is_of_accounts = Role.LIVE_MERCHANT not in {role, other_role}
        if credential.parts == another.parts or (is_of_accounts and credential.id and credential.id == another.id):
            raise Diagnosis.SAME.error(first=first, other=other)
    for setting in profile.settings:
        for first, _, credential in rows if setting.is_credential else ():
            if values[setting.key] == credential.secret.reveal():
                raise Diagnosis.SAME.error(first=first, other=variable(setting.key))
