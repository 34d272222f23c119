"""Servers and runs of the suites that tests of several files look at, without changing them."""

from collections.abc import Iterator

import pytest

from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.sandbox.mutants.registry import all_mutants

ONLY = (
    *("pay-bal-01", "PAY-BAL-02", "PAY-BAL-03", "PAY-GEN-01", "PAY-IDEM-02", "PAY-TRF-64", "PAY-WH-01"),
    *("BUS-CHG-62", "BUS-CHG-86", "BUS-EVT-18", "BUS-FIN-01", "BUS-GEN-01"),
)


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A right server of both APIs."""
    with start() as running:
        yield running


@pytest.fixture(scope="session")
def right_run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run of some requirements against the embedded reference."""
    return run_suite(tmp_path_factory.mktemp("right") / "out", "--only", ",".join(ONLY))


@pytest.fixture(scope="session")
def broken_server() -> Iterator[Running]:
    """A server that returns the first transfer for any request with a used key."""
    with start([all_mutants()["PAY-IDEM-02/any-body-matches"].rules_name]) as running:
        yield running


@pytest.fixture(scope="session")
def failed_run(broken_server: Running, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run against that server."""
    environment = variables(broken_server.credentials)
    words = ("--only", "PAY-IDEM-02", "--base-url", environment.pop("PIX_BASE_URL"))
    return run_suite(tmp_path_factory.mktemp("failed") / "out", *words, **environment)
