"""The target: a running service, and its credentials by role."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Role, Secret


@dataclass(frozen=True)
class Credential:
    """The credential of one role: a secret with its id, or an API key, whose id is empty."""

    secret: Secret
    id: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The values in the order of the settings."""
        return (self.id, self.secret.reveal()) if self.id else (self.secret.reveal(),)


@dataclass(frozen=True)
class Target:
    """What is tested: the address, the credentials by role, and what its operator says of it."""

    name: str
    base_url: str
    embedded: bool = False
    credentials: Mapping[Api, Mapping[Role, Credential]] = field(default_factory=dict)
    revoked_key: Secret | None = None
    split_email: str = ""
    transfer_key: str = ""
    webhook_secrets: Mapping[Api, Secret] = field(default_factory=dict)
    """The secrets of the endpoints to which the service sends all events of an API."""
    client_cert: str = ""
    """The PEM file of the certificate and key that TLS connections show, or two as `CERT,KEY`."""
    headers: Mapping[str, Secret] = field(default_factory=dict)
    """Headers that every request has, for a gateway before the target."""
    user_agent: str = "pix-conformance"
    apis: tuple[Api, ...] = tuple(Api)
    """The APIs that are tested."""
    described: Mapping[str, str] = field(default_factory=dict)
    """Of an integration: its addresses and commands, by the names of its table."""

    @property
    def secrets(self) -> Iterator[str]:
        """Each text of the settings that no report may show, as a request has it."""
        for credential in (credential for roles in self.credentials.values() for credential in roles.values()):
            yield credential.secret.reveal()
            if credential.id:
                yield f"{credential.id}:{credential.secret.reveal()}"
                yield f"{credential.secret.reveal()}:{credential.id}"
        for secret in (*self.webhook_secrets.values(), *self.headers.values(), self.revoked_key):
            if secret is not None:
                yield secret.reveal()

    def roles(self, api: Api) -> Mapping[Role, Credential]:
        """Return the credentials of one API by role."""
        return self.credentials.get(api, {})

    def lacks_secret(self, api: Api) -> bool:
        """Return whether events of an API cannot be received because the secret of its endpoint is not set."""
        return PROFILES[api].endpoint is not None and api not in self.webhook_secrets

    @property
    def loopback(self) -> bool:
        """Whether the target runs on this machine, so that it can certainly reach the receiver."""
        return is_loopback(urlsplit(self.base_url).hostname or "")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, by name or number."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
