"""If no webhook can reach this machine, requirements of webhooks are not applicable, and the run can be green."""

from dataclasses import replace
from pathlib import Path

import pytest

from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.harness.webhook_channel import ReceiverState, WebhookChannel
from pix_conformance.model.settings import Shard
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.recorder import Recorder
from pix_conformance.reference.process import Running
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.verdicts.missing_settings import unlocks
from tests.session.test_usage import PAIR, settled

ELSEWHERE = {"PIX_BASE_URL": "https://sandbox.example.com", **PAIR}
ACCOUNT = ("PIX_BASE_URL", "PIX_CLIENT_ID", "PIX_CLIENT_SECRET", "PIX_API_KEY")
NOT_SET, IS_OFF = "PIX_RECEIVER_URL is not set", "--receiver is off"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (ELSEWHERE, NOT_SET),
        (ELSEWHERE | {"PIX_RECEIVER_LISTEN": "0.0.0.0:8443"}, NOT_SET),
        (ELSEWHERE | {"PIX_RECEIVER_LISTEN": "192.0.2.7:8443"}, None),
        (ELSEWHERE | {"PIX_RECEIVER_URL": "https://tunnel.example"}, None),
        (ELSEWHERE | {"PIX_RECEIVER_URL": "https://tunnel.example", "PIX_RECEIVER": "off"}, IS_OFF),
        ({"PIX_BASE_URL": "http://127.0.0.2:8080", **PAIR}, None),
        ({"PIX_BASE_URL": "http://localhost:8080", **PAIR, "PIX_RECEIVER": "no"}, IS_OFF),
        ({}, None),
        ({"PIX_RECEIVER": "off"}, IS_OFF),
    ],
)
def test_a_remote_target_without_a_receiver_address_sends_no_webhook(given: dict[str, str], reason: str | None) -> None:
    """A remote target cannot send to a loopback address, nor to a receiver that is switched off."""
    remote = settled(**given)
    assert remote.no_receiver == reason
    reach = WebhookChannel(Api.PAYMENTS, ReceiverState(None, remote, Recorder(), Waits()))
    if reason:
        with pytest.raises(NotApplicable, match=reason):
            reach.require_reachable()


@pytest.mark.parametrize(
    "more",
    [
        {"PIX_RECEIVER_LISTEN": "127.0.0.1:8443"},
        {"PIX_RECEIVER": "off"},
        {"PIX_API": "payments", **PAIR},
        {"PIX_DELIVERIES": __file__},
        {"PIX_BASE_URL": "https://elsewhere.example"},
    ],
)
def test_a_secret_needs_a_port_only_where_its_events_are_received(more: dict[str, str]) -> None:
    given = {"PIX_BASE_URL": "http://127.0.0.1:1", "PIX_API_KEY": "ak_test_a", "PIX_BUSINESS_WEBHOOK_SECRET": "s"}
    assert settled(**{**given, **more}).target.webhook_secrets


def test_a_target_file_switches_the_receiver_off(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text("receiver = false")
    assert settled(PIX_TARGET=str(tmp_path / "t.toml")).no_receiver == IS_OFF


def test_what_is_missing_is_counted_by_what_it_unlocks() -> None:
    """Each line counts the requirements that need this setting and nothing else that is missing."""
    assert unlocks(settled()) == []
    lines = unlocks(settled(**ELSEWHERE))
    assert "PIX_OTHER_CLIENT_ID and PIX_OTHER_CLIENT_SECRET unlock 13 requirements" in lines
    assert "PIX_SPLIT_EMAIL unlocks up to 17 requirements" in lines
    assert any(line.startswith("PIX_RECEIVER_URL unlocks ") for line in lines)
    assert any(line.startswith("PIX_API_KEY unlocks ") for line in lines)
    assert not any(line.startswith(("PIX_OTHER_API_KEY", "PIX_BUSINESS")) for line in lines)
    assert unlocks(settled(**ELSEWHERE, PIX_API="payments")) == [line for line in lines if "PIX_API_KEY" not in line]


def test_a_file_of_deliveries_is_counted_by_what_it_unlocks(tmp_path: Path) -> None:
    """What the file decides needs no receiver. With workers, the first reads it."""
    (file := tmp_path / "deliveries.jsonl").touch()
    without, given = settled(**ELSEWHERE), settled(**ELSEWHERE, PIX_DELIVERIES=str(file))
    of_file = "--deliveries unlocks up to 46 requirements: content and signature of webhooks recorded elsewhere"
    assert [unlocks(settings)[-1] for settings in (without, given)] == [of_file] * 2
    assert "PIX_RECEIVER_URL unlocks 86 requirements" in unlocks(without)
    assert "PIX_RECEIVER_URL unlocks 50 requirements" in unlocks(given)
    assert of_file not in unlocks(settled(**ELSEWHERE, PIX_RECEIVER_URL="https://tunnel.example"))
    assert [replace(given, shard=Shard(number, 2)).recorded_deliveries for number in (1, 2)] == [file, None]
    assert of_file not in unlocks(replace(given, shard=Shard(2, 2)))


def test_a_sandbox_without_a_receiver_is_green(tmp_path: Path, server: Running) -> None:
    """One account, no tunnel: the run of the example in docs/gate.md ends with 0."""
    account = {name: text for name, text in variables(server.credentials).items() if name in ACCOUNT}
    words = ("--receiver", "off", "--no-waiting", "--require", "sandbox", "--level", "must", "--examples", "1")
    done = run_suite(tmp_path / "out", *words, **account)

    assert (done.exit, done.with_outcome("inconclusive")) == (0, [])
    assert {done.outcome(name) for name in ("PAY-EVT-01", "PAY-SIG-01", "PAY-ISO-08")} == {"not applicable"}
    reasons = [row["reason"] for row in done.results["requirements"]]
    assert reasons.count(IS_OFF) > 40
    summary = (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert summary.count(f"| {IS_OFF} |") == 1
