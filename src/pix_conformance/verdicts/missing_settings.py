"""How many more requirements could be tested with a setting that is missing, by what the catalogue says they need."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from pix_conformance.checks.schema import shown_by_event
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.openapi import description
from pix_conformance.model.profile import PROFILES, RECEIVERS
from pix_conformance.model.settings import Settings
from pix_conformance.model.vocabulary import Api, Capability, Role

ROLES = {Capability.OTHER_ACCOUNT: Role.OTHER_MERCHANT, Capability.LIVE_CREDENTIALS: Role.LIVE_MERCHANT}
TRIED_WITHOUT = frozenset({Capability.SPLITS})
"""Capabilities that a target may have without the setting: a split to a made-up company is tried."""


@dataclass(frozen=True)
class MissingSetting:
    """A setting that the target was not given, and the capability of an API that it would bring (None: the API)."""

    api: Api
    capability: Capability | None
    variables: str


def missing(settings: Settings) -> list[MissingSetting]:
    """List what the target was not given."""
    return [] if settings.target.embedded else [setting for api in Api for setting in _missing(settings, api)]


def unlocks(settings: Settings) -> list[str]:
    """Say for each setting that is missing how many requirements need it, and nothing else that is missing.

    The last line is of `--deliveries`, also if it is given, or else if the run has no receiver.
    """
    absent = missing(settings)
    recorded = frozenset[str]().union(*map(_shown_by_recorded_events, settings.target.apis))
    decided = recorded if settings.reception.file else frozenset[str]()
    counts = [(setting, _count(setting, absent, decided)) for setting in absent]
    lines = [
        f"{setting.variables} unlock{_s(setting)} {'up to ' * (setting.capability in TRIED_WITHOUT)}{count} "
        f"requirement{'s' * (count != 1)}"
        for setting, count in counts
        if count
    ]
    reception = settings.reception
    reads_file = reception.is_of_first_process and not settings.target.embedded
    if reads_file and (settings.receiver.deliveries or reception.why_none):
        of_what = "content and signature of webhooks recorded elsewhere"
        lines.append(f"--deliveries unlocks up to {len(recorded)} requirements: {of_what}")
    return lines


def variables_for(settings: Settings, capability: str) -> list[str]:
    """Return the variables that a run with a capability needs and this one was not given; none if all are given."""
    absent = missing(settings)
    apis = {setting.api for setting in absent if setting.capability == capability}
    return [setting.variables for setting in absent if setting.api in apis and setting.capability in {None, capability}]


def _shown_by_recorded_events(api: Api) -> frozenset[str]:
    """Return the requirements that a file of deliveries can decide; without one, no test shows those of infractions."""
    contents = frozenset[str]().union(*(shown_by_event(api, event) for event in description(api)["webhooks"]))
    return frozenset(
        requirement.id
        for requirement in catalogue().of(api)
        if (requirement.passive and requirement.needs & RECEIVERS)
        or (requirement.unobservable and requirement.id in contents)
    )


def _missing(settings: Settings, api: Api) -> Iterator[MissingSetting]:
    profile = PROFILES[api]
    if api not in settings.target.apis:
        if settings.tests.api_chosen:
            return
        yield MissingSetting(api, None, profile.names(Role.MERCHANT))
    for capability, role in ROLES.items():
        if role not in settings.target.roles(api):
            yield MissingSetting(api, capability, profile.names(role))
    for setting in profile.settings:
        if setting.capability and not getattr(settings.target, setting.field):
            yield MissingSetting(api, setting.capability, setting.variable)
    if not settings.reception.is_of_first_process:
        return
    receiver = (
        []
        if settings.reception.why_none is None
        else ["PIX_RECEIVER_URL" if settings.receiver.is_wanted else "--receiver auto"]
    )
    if profile.endpoint and settings.target.lacks_secret(api):
        receiver.append(profile.endpoint.variable)
    if receiver:
        yield MissingSetting(api, profile.receives, " and ".join(receiver))


def _count(setting: MissingSetting, settings: list[MissingSetting], decided: AbstractSet[str]) -> int:
    """Count the requirements that this setting alone would let be tested, and that are not `decided` without it."""
    absent = {other.api for other in settings if other.capability is None} - {
        setting.api if setting.capability is None else None
    }
    lacking = {
        other.capability for other in settings if other.api == setting.api and other is not setting
    } - TRIED_WITHOUT
    wanted = [
        requirement
        for requirement in catalogue().of(setting.api)
        if not requirement.unobservable and requirement.id not in decided and setting.api not in absent
    ]
    return sum(
        not requirement.needs & lacking and (setting.capability is None or setting.capability in requirement.needs)
        for requirement in wanted
    )


def _s(setting: MissingSetting) -> str:
    return "" if " and " in setting.variables else "s"
