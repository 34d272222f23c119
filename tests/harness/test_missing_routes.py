"""A test does not wait for its objects to be old where the route that it needs then is not built."""

import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.missing_routes import require_built_routes
from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.model.exchange import Created
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why
from pix_conformance.proof.served_sandbox import serve
from pix_conformance.proof.suite_run import run_suite
from tests.support.exchanges import exchange
from tests.support.servers import always, pass_on, serving

CHARGE, AGE_S = "c-1", 62
PAYMENT = f"http://localhost/api/v1/pix/in/qrcode/{CHARGE}/pay"
ERROR = b'{"error": "NOT_FOUND", "message": "route not found"}'


def asked(*requirements: str, status: int = 404) -> CurrentTest:
    """Return a test of a run that has sent the payment of its own charge."""
    test = CurrentTest()
    test.facts.add(Created(Api.PAYMENTS, Role.MERCHANT, "charge", CHARGE, 1))
    sends = ("POST", PAYMENT, (("authorization", "Bearer $PIX"),))
    test.facts.add(exchange({"error": "NOT_FOUND"}, status, sends=sends, operation="pay_charge"))
    test.begin("t", requirements)
    return test


def test_a_test_that_cannot_be_asked_ends_before_it_waits() -> None:
    with pytest.raises(Inconclusive, match=r"^not asked: POST .*/pay is not built$") as raised:
        require_built_routes(asked("PAY-PAYS-01", "PAY-PAYS-08"))
    assert raised.value.why is Why.NOT_BUILT


@pytest.mark.parametrize(
    ("requirements", "status"),
    [(("PAY-PAYS-01",), 500), (("PAY-PAYS-01", "PAY-CHG-90"), 404), (("PAY-AUTH-10",), 404), ((), 404)],
    ids=["a route that is built", "another requirement", "another route", "no requirement"],
)
def test_a_test_that_can_be_asked_waits(requirements: tuple[str, ...], status: int) -> None:
    require_built_routes(asked(*requirements, status=status))


def test_a_run_in_real_time_ends_before_a_charge_would_be_old(tmp_path: Path) -> None:
    """The payment of a charge of a minute is among its tests."""
    with serve() as served:

        def without_payments(handler: BaseHTTPRequestHandler) -> None:
            if handler.path.endswith("/pay"):
                always(404, ERROR)(handler)
            else:
                pass_on(handler, urlsplit(served.base_url).netloc, handler.path)

        with serving(without_payments) as url:
            begun = time.monotonic()
            words = ("--only", "PAY-PAYS-01", "--base-url", url)
            done = run_suite(tmp_path / "out", *words, **served.variables | {"PIX_BASE_URL": url})
    assert time.monotonic() - begun < AGE_S
    assert (done.exit, done.with_outcome("fail")) == (1, ["PAY-PAYS-01"])
    assert f"{AGE_S} s old" not in done.output
    assert "/pay is not built: 404 to each of" in done.output
