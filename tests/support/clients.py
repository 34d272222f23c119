"""Runs that have begun at an address, whose clients a test uses."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.run import Run, begin
from pix_conformance.model.reception import ReceiverSettings
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Credential, Target
from pix_conformance.model.vocabulary import Api, Role, Secret
from pix_conformance.reference.process import Running
from pix_conformance.reference.sandbox_server import variables

ACCOUNT = ("PIX_BASE_URL", "PIX_CLIENT_ID", "PIX_CLIENT_SECRET", "PIX_API_KEY")


def account(running: Running) -> dict[str, str]:
    """Return the variables of one account of both APIs, and the address."""
    return {name: variables(running.credentials)[name] for name in ACCOUNT}


@contextmanager
def run_at(
    url: str, credentials: Mapping[Api, Mapping[Role, Credential]], waits: Waits | None = None, **settings: Any
) -> Iterator[Run]:
    """Begin a run without a receiver; its connections are closed at the end of the block."""
    target = Target("target", url, credentials=credentials)
    run = begin(
        Settings(target, **{"receiver": ReceiverSettings(is_wanted=False), **settings}),
        CurrentTest(),
        (),
        waits or Waits(),
    )
    with closing(run.sender):
        yield run


@contextmanager
def business_at(url: str, role: Role = Role.MERCHANT, **settings: Any) -> Iterator[Business]:
    """Yield a client of the business API."""
    with run_at(url, {Api.BUSINESS: {role: Credential(Secret("ak_test_1"))}}, **settings) as run:
        client: Business = run.clients.of(Api.BUSINESS, role)
        yield client
