"""What differs between the APIs, as one value each: other code asks `PROFILES[api]`, and not which API it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pix_conformance.model.vocabulary import Api, Capability, Role, Secret

PREFIX = {Role.MERCHANT: "", Role.OTHER_MERCHANT: "other_", Role.LIVE_MERCHANT: "live_"}
"""How the names of a role's settings and pytest fixtures begin."""


def variable(key: str) -> str:
    """Return the environment variable of a setting: PIX_BASE_URL of `base_url`."""
    return f"PIX_{key.upper()}"


@dataclass(frozen=True)
class CredentialForm:
    """The settings that hold the credential of a role: an id with a secret, or an API key."""

    secret: str
    id: str = ""
    """Empty where the credential is an API key, which is sent as a Bearer token."""
    beginnings: tuple[str, str] = ("", "")
    """How it begins in the sandbox, and in production."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The settings of the merchant."""
        return (self.id, self.secret) if self.id else (self.secret,)


@dataclass(frozen=True)
class OptionalSetting:
    """A setting of one API without which a run tests less."""

    field: str
    """The field of `Target` that has its value."""
    variable: str
    meaning: str
    absent: str
    """What a run does without it."""
    capability: Capability | None = None
    """What some requirements need it for; None if only fewer values are tried without it."""
    is_credential: bool = False
    """Whether it is one more credential of the API, of the sandbox."""
    example: str = ""
    """The value in `examples/target.toml`."""

    @property
    def key(self) -> str:
        """The setting of that variable."""
        return self.variable.removeprefix("PIX_").lower()

    def value(self, text: str) -> Any:
        """Return the value for the field of `Target`."""
        return text if not self.is_credential else Secret(text) if text else None


@dataclass(frozen=True)
class Endpoint:
    """The address to which a service sends all events of an account: a setting of the service, not of a request."""

    path: str
    """The path of the receiver that the service is configured with."""
    key: str
    """The setting with the secret that signs the events."""

    @property
    def variable(self) -> str:
        """The environment variable with that secret."""
        return variable(self.key)


@dataclass(frozen=True)
class ProductionCharge:
    """The one charge of an API that a run creates in production."""

    fixture: str
    """The pytest fixture that creates it, for the tests that use it."""
    fate: str
    """What becomes of it."""
    amount: str
    """The field of the body of `create_charge` whose minimum it is of."""


@dataclass(frozen=True, kw_only=True)
class ApiProfile:
    """What the suite knows of one API beside its requirements, its OpenAPI file and its states."""

    api: Api
    prefix: str
    """The first word of the ids of its requirements."""
    routes: tuple[str, ...]
    """Beginnings of its paths: no address of a service ends in one of them."""
    credential: CredentialForm
    settings: tuple[OptionalSetting, ...] = ()
    error_field: str
    """The field of a body with a text that shows that it is an error of this API."""
    invalid_body: int
    """The status with which an invalid body is refused."""
    keyed_amount: str
    """The field of a body with an idempotency key that has the amount."""
    may_refuse_replay: bool
    """Whether 409 may answer such a body again, although the first request was answered."""
    event_name_field: str
    further_events: str = ""
    """How the names of events begin that the document does not list; empty if only listed ones may be sent."""
    event_objects: tuple[str, ...]
    """Where an event names the object that it is about."""
    event_label: str = ""
    """Where an event has the client's own name of its object, without which only the amount tells it."""
    event_amount: str = ""
    signature_header: str
    key_header: str
    """The header with the idempotency key of a creation."""
    receives: Capability
    """The capability of a run that can receive its events."""
    endpoint: Endpoint | None = None
    """None where a request names the address for events."""
    receiver_fixtures: tuple[str, str, str]
    """The pytest fixtures of tests that receive its events: of those that must, of those that else are not applicable,
    and of those that go on without."""
    removes: str = ""
    """The kind of objects that a run removes when it ends."""
    production_charge: ProductionCharge

    def variables(self, role: Role) -> tuple[str, ...]:
        """Return the environment variables with a role's credential."""
        return tuple(variable(f"{PREFIX[role]}{key}") for key in self.credential.keys)

    def names(self, role: Role) -> str:
        """Return the environment variables with a role's credential in words."""
        return " and ".join(self.variables(role))


PAYMENTS = ApiProfile(
    api=Api.PAYMENTS,
    prefix="PAY",
    routes=("/api/auth", "/api/v1", "/api"),
    credential=CredentialForm("client_secret", "client_id"),
    settings=(
        OptionalSetting(
            "split_email",
            "PIX_SPLIT_EMAIL",
            "a company of the service that may receive splits",
            "a made-up one is tried",
            Capability.SPLITS,
            example="company@example.com",
        ),
        OptionalSetting(
            "transfer_key",
            "PIX_TRANSFER_KEY",
            "a PIX key that may receive transfers",
            "a made-up one is tried",
            example="d531160f-d89b-4d29-97bc-96e6c7a77eb5",
        ),
    ),
    error_field="error",  # PAY-ERR-01
    invalid_body=400,
    keyed_amount="amount",
    may_refuse_replay=True,  # PAY-IDEM-19
    event_name_field="event",
    event_objects=("transaction.id", "transfer.id"),
    signature_header="Service-Signature",
    key_header="x-idempotency-key",
    receives=Capability.RECEIVER,
    receiver_fixtures=("payments_receiver", "optional_receiver", "possible_receiver"),
    removes="webhook",
    production_charge=ProductionCharge("production_charge", "stays", "amountInCents"),
)
BUSINESS = ApiProfile(
    api=Api.BUSINESS,
    prefix="BUS",
    routes=("/v1/business/pix-charges", "/v1/business/finance", "/v1/business", "/v1"),
    credential=CredentialForm("api_key", beginnings=("ak_test_", "ak_live_")),
    settings=(
        OptionalSetting(
            "revoked_key",
            "PIX_REVOKED_API_KEY",
            "a key that was revoked, begins with ak_test_",
            "none is tried",
            Capability.REVOKED_KEY,
            is_credential=True,
        ),
    ),
    error_field="detail",  # BUS-ERR-01
    invalid_body=422,
    keyed_amount="amount_cents",
    may_refuse_replay=False,  # BUS-IDEM-01
    event_name_field="type",
    further_events="business.",  # such as that of an expiry
    event_objects=("data.external_ref", "data.e2e_id"),
    event_label="data.external_ref",
    event_amount="data.amount_cents",
    signature_header="X-Service-Signature",
    key_header="Idempotency-Key",
    receives=Capability.BUSINESS_RECEIVER,
    endpoint=Endpoint("/business", "business_webhook_secret"),
    receiver_fixtures=("webhook_endpoint", "optional_webhook_endpoint", "possible_endpoint"),
    production_charge=ProductionCharge("same_charge_in_both", "canceled", "amount_cents"),
)
PROFILES: Mapping[Api, ApiProfile] = {profile.api: profile for profile in (PAYMENTS, BUSINESS)}
RECEIVERS = frozenset(profile.receives for profile in PROFILES.values())
"""The capabilities without which requirements of events are not tested."""
