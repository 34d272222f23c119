"""Whether the target can reach the receiver, and what prevents it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from pix_conformance.model.profile import PROFILES
from pix_conformance.model.reach import NotArrived
from pix_conformance.model.reception import Reception
from pix_conformance.model.target import is_loopback
from pix_conformance.model.vocabulary import Api
from pix_conformance.receiver import Receiver
from pix_conformance.recording.owners import OwnDeliveries


@dataclass(frozen=True)
class Arrivals:
    """The APIs of which a webhook came to any worker, as files in the directory that the workers share."""

    directory: Path | None = None
    """None for a process without other workers."""

    def note(self, api: Api) -> None:
        """Note that a webhook of an API came to this process."""
        if self.directory:
            self._file(self.directory, api).touch()

    def has(self, api: Api) -> bool:
        """Return whether a webhook of an API came to any worker."""
        return bool(self.directory and self._file(self.directory, api).exists())

    def _file(self, directory: Path, api: Api) -> Path:
        return directory / f"webhook-of-{api}-came"


@dataclass
class ReceiverReach:
    """The way from the target to the receiver, the same for both APIs."""

    receiver: Receiver | None
    reception: Reception
    own: OwnDeliveries
    arrivals: Arrivals = Arrivals()

    @cached_property
    def probe_problem(self) -> NotArrived | None:
        """Why our own request through the public address failed; None if it reached the receiver."""
        return self.receiver.probe() if self.receiver else None

    def is_at_fault(self, api: Api) -> bool:
        """Return whether the target can certainly reach the receiver, so that a missing delivery is its fault.

        The embedded reference can. Another target can once it has delivered anything, where the tests register the
        addresses themselves. Nothing else is certain. A target at a loopback address may be in a container or at the
        other end of an SSH tunnel, where the loopback address of the receiver is another machine, or one port of it
        alone; and an endpoint is a setting of the target, which may name another address.
        """
        if self.receiver is None or self.receiver.log.handshake_failures:
            return False
        if self.reception.settings.url and self.probe_problem:
            return False
        if self.reception.target.embedded:
            return True
        return PROFILES[api].endpoint is None and any(map(self.own.has, self.receiver.deliveries()))

    def cause(self, api: Api) -> str:
        """Say what prevents deliveries, and which setting, port or endpoint to look at."""
        if self.receiver is None:
            return "the receiver could not listen (see --receiver-listen)"
        if failures := self.receiver.log.handshake_failures:
            remedy = "give --receiver-tls CERT,KEY that the target trusts, or off behind a tunnel that ends TLS"
            return f"the TLS handshake failed ({failures[-1]}): {remedy}"
        if is_loopback(urlsplit(self.receiver.url).hostname or "") and not self.reception.target.loopback:
            return "only this machine can reach that address: give --receiver-url, the https address of a tunnel"
        if self.reception.settings.url and self.probe_problem:
            return f"that address does not reach the receiver ({self.probe_problem}): open it, or change --receiver-url"
        if PROFILES[api].endpoint and self.receiver.deliveries():
            return "is this the endpoint that the target is configured with?"
        insecure = "-k " if self.receiver.url.startswith("https:") else ""
        attempt = f"curl -i {insecure}{self.receiver.url}/ (404 is right)"
        return f"on the target's machine, while a run lasts, try: {attempt}"

    def sentence(self, api: Api) -> str:
        """Say that no delivery of an API came, to which address, and why; the same of every API if nothing came."""
        receiver = self.receiver
        if receiver is None:
            return self.cause(api)
        paths = {api: profile.endpoint.path for api, profile in PROFILES.items() if profile.endpoint}
        within = f"within {self.reception.settings.event_deadline:g} s: {self.cause(api)}"
        if receiver.deliveries():
            return f"no webhook of the {api} API came to {receiver.url}{paths.get(api, '')} {within}"
        own = "".join(
            f", nor of the {api} API to {receiver.url}{paths[api]},"
            for api in filter(self.reception.receives, self.reception.target.webhook_secrets)
        )
        return f"no webhook came to {receiver.url}{own} {within}"
