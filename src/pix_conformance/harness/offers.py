"""Which capabilities a target offers, as far as its credentials and the reach of the receiver say."""

from collections.abc import Collection, Mapping

from pix_conformance.harness.receiving import Receiving
from pix_conformance.harness.run import Run
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.settings import Settings
from pix_conformance.model.vocabulary import Api, Capability, Role


def capabilities(run: Run) -> frozenset[Capability]:
    """Return what the target offers with the credentials that can be used."""
    return _offered(run.settings, run.receiving, run.clients.usable_roles(run.target))


def missing(run: Run) -> frozenset[Capability]:
    """Return the required capabilities that this target was not given; what a refused credential hides is not known."""
    reception = run.receiving.reception
    elsewhere = {PROFILES[api].receives for api in Api if not reception.receives(api)}
    given = _offered(run.settings, run.receiving, {api: run.target.roles(api) for api in run.target.apis})
    return run.settings.gate.require - given - elsewhere


def _offered(settings: Settings, receiving: Receiving, roles: Mapping[Api, Collection[Role]]) -> frozenset[Capability]:
    target, offers = settings.target, set[Capability]()
    every = set.intersection(*map(set, roles.values())) if roles else set()
    offers |= {Capability.SANDBOX, Capability.FUNDS} if Role.MERCHANT in every else set()
    offers |= {Capability.OTHER_ACCOUNT} if Role.OTHER_MERCHANT in every else set()
    offers |= {Capability.LIVE_CREDENTIALS} if Role.LIVE_MERCHANT in every else set()
    offers |= {Capability.WAITING} if settings.bounds.waiting or target.embedded else set()
    for api, profile in PROFILES.items():
        offers |= {
            setting.capability for setting in profile.settings if setting.capability and getattr(target, setting.field)
        }
        is_reached = receiving.has_arrivals(api) and bool(roles.get(api)) and not target.lacks_secret(api)
        offers |= {profile.receives} if is_reached else set()
    return frozenset(offers)
