"""The settings of a run, its target and its credentials, from the given values, or the usage error in them."""

import itertools
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from pix_conformance.harness.transport.proxies import proxy_for
from pix_conformance.harness.transport.recording import authorities
from pix_conformance.model.profile import PREFIX, PROFILES, ApiProfile, CredentialForm, variable
from pix_conformance.model.reception import ReceiverSettings
from pix_conformance.model.settings import Bounds, ChosenTests, Gate, Generation, Settings, WorkerSettings
from pix_conformance.model.target import Credential, Target
from pix_conformance.model.vocabulary import Api, Role, Secret, UsageError
from pix_conformance.session.diagnoses import Diagnosis
from pix_conformance.session.options import SETTINGS

Part = TypeVar("Part", ChosenTests, Gate, Bounds, Generation, ReceiverSettings)
GATES = frozenset({"assume", "baseline", "edition", "level", "require", "waivers"})
"""The settings that decide whether a run passes: they say nothing where no target is tested."""


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
    if embedded and (gates := [setting.option for setting in SETTINGS if setting.key in GATES and values[setting.key]]):
        raise Diagnosis.GATE_WITHOUT_TARGET.error(names=", ".join(filter(None, gates)))
    read: dict[str, Any] = {setting.key: setting.value(values[setting.key]) for setting in SETTINGS}
    target = Target(
        name=values["name"] or values["base_url"] or "embedded reference",
        base_url=read["base_url"],
        embedded=embedded,
        credentials=credentials,
        webhook_secrets=webhook_secrets_in(values),
        client_cert=read["client_cert"],
        headers=read["headers"],
        user_agent=read["user_agent"],
        apis=read["api"] or tuple([api for api in Api if credentials[api]] or Api),
        **optional_settings_in(values),
    )
    # Another seed each day, the same in every run of a day.
    seed = int(f"{datetime.now(UTC):%Y%m%d}") if read["seed"] is None else read["seed"]
    waiting, network_faults = not read["no_waiting"], not read["no_network_faults"]
    settings = Settings(
        target,
        tests=_of(ChosenTests, read, api_chosen=bool(read["api"])),
        gate=_of(Gate, read),
        bounds=_of(Bounds, read, waiting=waiting, network_faults=network_faults),
        generation=_of(Generation, read, examples_chosen=read["examples"] is not None, seed=seed),
        receiver=_receiver_in(read),
        workers=WorkerSettings(concurrency=1 if embedded and values["concurrency"] == "auto" else read["concurrency"]),
        documents=read["documents"],
        report_dir=read["report_dir"],
        plan=read["plan"],
    )
    _check(settings)
    return settings


def _of(kind: type[Part], read: Mapping[str, Any], **more: Any) -> Part:
    """Build a part of the settings: a value that was not given is the default."""
    given = {name: read[name] for name in kind.__dataclass_fields__ if read.get(name) is not None}
    return kind(**{**given, **more})


def _receiver_in(read: Mapping[str, Any]) -> ReceiverSettings:
    names = {"receiver": "is_wanted", "receiver_listen": "listen", "receiver_url": "url", "receiver_tls": "tls"}
    return _of(ReceiverSettings, {names.get(key, key): value for key, value in read.items()})


def _check(settings: Settings) -> None:
    """Raise UsageError for settings that exclude each other."""
    if settings.tests.quick and (settings.tests.only or settings.tests.again):
        other = "--only" if settings.tests.only else "--again"
        raise UsageError(f"--quick and {other} exclude each other: both choose the tests")
    proxy_for(settings.target.base_url)
    authorities(settings.target.client_cert)
    if settings.reception.is_endpoint_unknown and (api := next(iter(settings.target.webhook_secrets), None)):
        endpoint = PROFILES[api].endpoint
        raise Diagnosis.RANDOM_PORT.error(variable=endpoint and endpoint.variable)


CONTROL = "Cc"
"""Unicode's category of control characters."""
LINE_BREAKS = "\r\n"


def credentials_in(values: Mapping[str, str]) -> dict[Api, dict[Role, Credential]]:
    """Return the credentials of each API by role. Raises UsageError for half of one, or one that cannot be right."""
    for profile in PROFILES.values():
        _check_credentials(values, profile)
    credentials = {
        api: {role: credential for role in Role if (credential := _credential(values, profile.credential, role))}
        for api, profile in PROFILES.items()
    }
    for api, profile in PROFILES.items():
        _check_that_roles_differ(profile, credentials[api], values)
    return credentials


def require_no_target(values: Mapping[str, str]) -> None:
    """Raise UsageError if the values name a service: an integration is tested against our own sandbox."""
    if values["base_url"] or any(credentials_in(values).values()):
        words = "unset PIX_BASE_URL and the credentials, also those that pix-sandbox has printed"
        raise UsageError(f"an integration is tested against our own sandbox: {words}")


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


def _check_credentials(values: Mapping[str, str], profile: ApiProfile) -> None:
    names = [f"{prefix}{key}" for key in profile.credential.keys for prefix in PREFIX.values()]
    more = [setting.key for setting in profile.settings if setting.is_credential]
    for name in (*names, *more, *([profile.endpoint.key] if profile.endpoint else [])):
        _check_characters(name, values[name])
    if not profile.credential.id:
        for name in (*names, *more):
            if any(map(str.isspace, values[name])):
                raise Diagnosis.BLANK.error(variable=variable(name))


def _credential(values: Mapping[str, str], form: CredentialForm, role: Role) -> Credential | None:
    keys = [f"{PREFIX[role]}{key}" for key in form.keys]
    texts = [values[key] for key in keys]
    if not any(texts):
        return None
    if not all(texts):
        absent, given = sorted(keys, key=lambda key: values[key])
        raise Diagnosis.HALF.error(variable=variable(absent), other=variable(given))
    *named, secret = texts
    _check_beginning(keys[-1], secret, form, role)
    return Credential(Secret(secret), *named)


def _check_beginning(name: str, text: str, form: CredentialForm, role: Role) -> None:
    live = role is Role.LIVE_MERCHANT
    wanted, other = form.beginnings[live], form.beginnings[not live]
    if not text or text.startswith(wanted):
        return
    if text.startswith(other):
        environments = ("production", "the sandbox") if live else ("the sandbox", "production")
        raise Diagnosis.ENVIRONMENT.error(
            variable=variable(name),
            wanted=wanted,
            begins=other,
            environment=environments[0],
            other=environments[1],
            elsewhere=variable(f"{PREFIX[Role.MERCHANT if live else Role.LIVE_MERCHANT]}{form.keys[-1]}"),
        )
    raise Diagnosis.BEGINNING.error(variable=variable(name), wanted=wanted)


def _check_characters(name: str, text: str) -> None:
    """Raise UsageError for characters that a copied secret, id or key often has too many of. It is not printed."""
    for place, character in (("begins", text[:1]), ("ends", text[-1:])):
        if character.isspace():
            what = "line break" if character in LINE_BREAKS else "blank"
            raise Diagnosis.EDGE.error(variable=variable(name), place=place, what=what)
    if any(unicodedata.category(character) == CONTROL for character in text):
        raise Diagnosis.CONTROL.error(variable=variable(name))


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
