"""What a run creates in production is said before it does, in the plan and in the run, and is what it then creates."""

from __future__ import annotations

from pathlib import Path

import pytest

from pix_conformance.model.openapi import production_cents
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.reference.process import start

ADDRESS = "http://127.0.0.1:9"
PAYMENTS = {"PIX_CLIENT_ID": "a", "PIX_CLIENT_SECRET": "b", "PIX_LIVE_CLIENT_ID": "c", "PIX_LIVE_CLIENT_SECRET": "d"}
BUSINESS = {"PIX_API_KEY": "ak_test_a", "PIX_LIVE_API_KEY": "ak_live_a"}
REAIS = f"R$ {production_cents(Api.PAYMENTS) / 100:.2f}"
BOTH = f"2 charges in production: payments {REAIS} (stays), business R$ 0.01 (canceled)"


@pytest.mark.parametrize(
    ("environment", "words", "said"),
    [
        (PAYMENTS | BUSINESS, (), BOTH),
        (PAYMENTS, (), f"1 charge in production: payments {REAIS} (stays)"),
        (BUSINESS, (), "1 charge in production: business R$ 0.01 (canceled)"),
        (PAYMENTS | BUSINESS, ("--only", "PAY-ENV-02"), f"1 charge in production: payments {REAIS} (stays)"),
        (PAYMENTS | BUSINESS, ("--only", "PAY-ENV-01"), ""),
        ({"PIX_LIVE_API_KEY": "ak_live_a"}, (), ""),
    ],
)
def test_the_plan_says_what_is_created_in_production(
    environment: dict[str, str], words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = run_suite(tmp_path / "out", "--plan", *words, PIX_BASE_URL=ADDRESS, **environment)

    assert done.exit == 0
    assert [line for line in done.output.splitlines() if "WARNING" in line] == (
        [f"WARNING: THIS RUN CREATES {said}"] if said else []
    )


def test_nothing_is_said_of_production_where_nothing_can_be_sent(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", "--only", "PAY-ENV-02", PIX_BASE_URL=ADDRESS, **PAYMENTS)

    assert done.exit == 6
    assert "WARNING" not in done.output


def test_a_run_creates_in_production_what_it_says(tmp_path: Path) -> None:
    running = start()
    try:
        given = running.credentials
        pairs = {
            name: dict(zip((f"{prefix}CLIENT_ID", f"{prefix}CLIENT_SECRET"), given["payments"][name], strict=True))
            for name, prefix in (("merchant", "PIX_"), ("live_merchant", "PIX_LIVE_"))
        }
        keys = {"PIX_API_KEY": given["business"]["merchant"], "PIX_LIVE_API_KEY": given["business"]["live_merchant"]}
        environment = {**pairs["merchant"], **pairs["live_merchant"], **keys, "PIX_BASE_URL": running.base_url}
        done = run_suite(tmp_path / "out", "--only", "PAY-ENV-02,BUS-CAN-01", **environment)
    finally:
        running.stop()
    bundle = read(tmp_path / "out")
    live = [created for created in bundle.journal if created.role == "live_merchant"]
    sent = {created.api: bundle.exchange[created.exchange].request.body for created in live}

    assert f"WARNING: THIS RUN CREATES {BOTH}" in done.output
    assert len(live) == len(sent) == len(PROFILES)
    assert f'"amountInCents": {production_cents(Api.PAYMENTS)}'.encode() in sent[Api.PAYMENTS]
    assert f'"amount_cents": {production_cents(Api.BUSINESS)}'.encode() in sent[Api.BUSINESS]
