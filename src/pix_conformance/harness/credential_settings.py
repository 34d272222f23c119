"""The credentials in the settings, by API and role, or the usage error in them."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Mapping
from typing import Any

from pix_conformance.model.profile import PREFIX, PROFILES, ApiProfile, CredentialForm
from pix_conformance.model.secret import Secret
from pix_conformance.model.target import Credential
from pix_conformance.model.usage_error import UsageError
from pix_conformance.model.vocabulary import Api, Role

CONTROL = "Cc"
"""Unicode's category of control characters."""
LINE_BREAKS = "\r\n"


def credentials_in(values: Mapping[str, str]) -> dict[Api, dict[Role, Credential]]:
    """Return the credentials of each API by role. Raises UsageError for half of one, or one that cannot be right."""
    for profile in PROFILES.values():
        _check(values, profile)
    return {
        api: {role: found for role in Role if (found := _credential(values, profile.credential, role))}
        for api, profile in PROFILES.items()
    }


def optional_settings_in(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the optional settings of all APIs by their fields of `Target`. Raises UsageError for a wrong key."""
    found = {}
    for profile in PROFILES.values():
        for one in profile.settings:
            if one.is_credential:
                _check_beginning(one.key, values[one.key], profile.credential.beginnings[0])
            found[one.field] = one.value(values[one.key])
    return found


def webhook_secrets_in(values: Mapping[str, str]) -> dict[Api, Secret]:
    """Return the secrets of the endpoints that the settings name."""
    endpoints = ((api, profile.endpoint) for api, profile in PROFILES.items())
    return {api: Secret(secret) for api, one in endpoints if one and (secret := values[one.key])}


def _check(values: Mapping[str, str], profile: ApiProfile) -> None:
    keys, more = profile.credential.keys, [one.key for one in profile.settings if one.is_credential]
    of_roles = [f"{prefix}{key}" for key in keys for prefix in PREFIX.values()]
    for name in (*of_roles, *more, *([profile.endpoint.key] if profile.endpoint else [])):
        _check_characters(name, values[name])
    if not profile.credential.id:
        _check_for_blanks({name: values[name] for name in (*of_roles, *more)})
    _check_that_roles_differ({name: values[name] for name in (*of_roles[: len(Role)], *more) if values[name]})


def _credential(values: Mapping[str, str], form: CredentialForm, role: Role) -> Credential | None:
    keys = [f"{PREFIX[role]}{key}" for key in form.keys]
    found = [values[key] for key in keys]
    if not any(found):
        return None
    if not all(found):
        raise UsageError(f"half a credential pair: {_variable(keys[found.index('')])} is missing")
    *named, secret = found
    _check_beginning(keys[-1], secret, form.beginnings[role is Role.LIVE_MERCHANT])
    return Credential(Secret(secret), *named)


def _check_beginning(name: str, text: str, wanted: str) -> None:
    if text and not text.startswith(wanted):
        raise UsageError(f"{_variable(name)} must begin with {wanted}")


def _check_characters(name: str, text: str) -> None:
    """Raise UsageError for characters that a copied secret, id or key often has too many of. It is not printed."""
    for place, character in (("begins", text[:1]), ("ends", text[-1:])):
        if character.isspace():
            what = "line break" if character in LINE_BREAKS else "blank"
            raise UsageError(f"{_variable(name)} {place} with a {what}")
    if any(unicodedata.category(one) == CONTROL for one in text):
        raise UsageError(f"{_variable(name)} contains a line break or another control character")


def _check_for_blanks(keys: Mapping[str, str]) -> None:
    for name, text in keys.items():
        if any(map(str.isspace, text)):
            raise UsageError(f"{_variable(name)} contains a blank: a Bearer token has none (RFC 6750, section 2.1)")


def _check_that_roles_differ(found: Mapping[str, str]) -> None:
    for one, other in itertools.combinations(found, 2):
        if found[one] == found[other]:
            both = f"{_variable(one)} and {_variable(other)}"
            raise UsageError(f"{both} are the same: each role needs its own credentials")


def _variable(key: str) -> str:
    return f"PIX_{key.upper()}"
