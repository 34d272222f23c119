"""By what an event names its charge: the `external_ref`, or the amount where no other charge has that (BUS-EVT)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pix_conformance.checks.business.exchange_history import HIGHEST
from pix_conformance.checks.history import visible_id
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.undecided import is_refusal
from pix_conformance.model.vocabulary import Role
from pix_conformance.oracles.money import is_cents


@dataclass
class ChargesOfRef:
    """The charges of a run with one `external_ref`, or the only charge of an amount if it has none."""

    creations: list[Exchange] = field(default_factory=list)
    """The requests, also those that were refused."""

    @property
    def _accepted(self) -> list[Exchange]:
        return [creation for creation in self.creations if not is_refusal(creation.status) and has_id(creation)]

    @property
    def by_id(self) -> dict[str, Exchange]:
        """The charges that were made, by id."""
        return {str(creation.json_object["id"]): creation for creation in self._accepted}

    @property
    def amounts(self) -> list[int]:
        """The valid amounts of the requests: which amount a charge has that should have been refused is not known."""
        amounts = (creation.request.json_object.get("amount_cents") for creation in self._accepted)
        return sorted({amount for amount in amounts if type(amount) is int and amount > 0})

    @property
    def is_certain(self) -> bool:
        """Whether only the merchant account made charges with this `external_ref`, and all of them are known.

        A creation that was neither accepted nor refused, or returned an id that is masked, may have made one.
        """
        known = all(is_refusal(creation.status) or has_id(creation) for creation in self.creations)
        return known and {creation.role for creation in self.creations} == {Role.MERCHANT}


def has_id(creation: Exchange) -> bool:
    """Whether a response has an id that is not masked."""
    return visible_id(creation.json_object.get("id")) is not None


def unlabelled_name(amount: object) -> str | None:
    """Return a name for a charge without `external_ref`, which is the only one of its amount.

    None for what is no amount that a charge can have: which charge is meant is not known.
    """
    return f"the charge of {int(amount)} cents" if is_cents(amount) and 0 < amount < HIGHEST else None


def names_of(charge: Mapping[str, object]) -> set[str]:
    """Return the names that a charge may have in events."""
    ref, unlabelled = charge.get("external_ref"), unlabelled_name(charge.get("amount_cents"))
    return {label for label in (ref, unlabelled) if label and isinstance(label, str)}
