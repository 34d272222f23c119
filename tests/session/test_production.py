"""What a run creates in production is said before it does, in the plan and in the run, and is what it then creates."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pix_conformance.model.openapi import production_cents
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.reference.process import Running
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.session.production import warning_of
from tests.session.test_usage import settled

ADDRESS = "http://127.0.0.1:9"
PAYMENTS = {"PIX_CLIENT_ID": "a", "PIX_CLIENT_SECRET": "b", "PIX_LIVE_CLIENT_ID": "c", "PIX_LIVE_CLIENT_SECRET": "d"}
BUSINESS = {"PIX_API_KEY": "ak_test_a", "PIX_LIVE_API_KEY": "ak_live_a"}
REAIS, BUSINESS_REAIS = (f"R$ {production_cents(api) / 100:.2f}" for api in Api)
BOTH = f"2 charges in production: payments {REAIS} (stays), business {BUSINESS_REAIS} (canceled)"
OF_PAYMENTS, OF_BUSINESS = (PROFILES[api].production_charge.fixture for api in (Api.PAYMENTS, Api.BUSINESS))


@pytest.mark.parametrize(
    ("environment", "fixtures", "said"),
    [
        (PAYMENTS | BUSINESS, (OF_PAYMENTS, OF_BUSINESS), BOTH),
        (PAYMENTS, (OF_PAYMENTS, OF_BUSINESS), f"1 charge in production: payments {REAIS} (stays)"),
        (BUSINESS, (OF_PAYMENTS, OF_BUSINESS), f"1 charge in production: business {BUSINESS_REAIS} (canceled)"),
        (PAYMENTS | BUSINESS, (OF_PAYMENTS,), f"1 charge in production: payments {REAIS} (stays)"),
        (PAYMENTS | BUSINESS, (), ""),
        ({"PIX_LIVE_API_KEY": "ak_live_a"}, (OF_PAYMENTS, OF_BUSINESS), ""),
    ],
)
def test_what_the_selected_tests_create_in_production_is_said(
    environment: dict[str, str], fixtures: tuple[str, ...], said: str
) -> None:
    target = settled(PIX_BASE_URL=ADDRESS, **environment).target
    selected: Any = [SimpleNamespace(fixturenames=[name]) for name in fixtures]
    assert warning_of(target, selected) == ([f"WARNING: THIS RUN CREATES {said}"] if said else [])


def test_nothing_is_said_of_production_where_nothing_can_be_sent(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", "PAY-ENV-02", PIX_BASE_URL=ADDRESS, **PAYMENTS)
    assert (done.exit, done.with_outcome("pass"), done.with_outcome("fail")) == (6, [], [])
    assert "no connection to" in done.output
    assert "WARNING" not in done.output
    assert "Traceback" not in done.output


def test_a_run_creates_in_production_what_it_and_its_plan_say(server: Running, tmp_path: Path) -> None:
    words = ("--only", "PAY-ENV-02,BUS-CAN-01", "--no-waiting")
    planned = run_suite(tmp_path / "plan", *words, "--plan", **variables(server.credentials))
    done = run_suite(tmp_path / "out", *words, **variables(server.credentials))
    bundle = read(tmp_path / "out")
    live = [created for created in bundle.journal if created.role == "live_merchant"]
    sent = {created.api: bundle.exchange[created.exchange].request.body for created in live}

    for output in (planned.output, done.output):
        assert f"WARNING: THIS RUN CREATES {BOTH}" in output
    assert len(live) == len(sent) == len(PROFILES)
    assert f'"amountInCents": {production_cents(Api.PAYMENTS)}'.encode() in sent[Api.PAYMENTS]
    assert f'"amount_cents": {production_cents(Api.BUSINESS)}'.encode() in sent[Api.BUSINESS]
