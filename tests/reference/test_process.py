"""The reference as a process: its start, its speed, its end with its parent process, and other rules."""

import resource
import subprocess
import sys
import time

import httpx
import pytest

from pix_conformance.reference import sandbox_server
from pix_conformance.reference.process import start
from tests.support.reference_calls import CHARGE, CHARGES, NO_TLS, QRCODE, business, payments


def test_it_starts_within_a_second_of_the_processor() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start().stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1


def test_charges_are_fast() -> None:
    """An idle machine creates over 200 a second; 80 still shows that no response waits for a TCP acknowledgement."""
    rates = []
    with start() as running, payments(running) as client:
        for _ in range(5):
            begun = time.perf_counter()
            for _ in range(40):
                client.post(QRCODE, json=CHARGE)
            rates.append(40 / (time.perf_counter() - begun))
    assert max(rates) > 80


def test_it_ends_with_its_parent_process() -> None:
    program = (
        "import time; from pix_conformance.reference.process import start\n"
        "running = start(); print(running.base_url, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as owner:  # noqa: S603 - our own words
        assert owner.stdout
        base_url = owner.stdout.readline().strip()
        assert _answers(base_url)
        owner.kill()
    deadline = time.monotonic() + 5
    while _answers(base_url):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _answers(base_url: str) -> bool:
    try:
        httpx.get(base_url, timeout=1, verify=NO_TLS)
    except httpx.TransportError:
        return False
    return True


def test_stop_ends_it_and_a_second_stop_does_nothing() -> None:
    running = start()
    running.stop()
    running.stop()
    assert not _answers(running.base_url)


def test_an_unknown_rule_prevents_the_start() -> None:
    """The process ends with an error instead of serving without the rule."""
    with pytest.raises(RuntimeError, match="before it listened"):
        start(["tests.support.reference_rules:asyncio"])


def test_it_restarts_with_an_empty_store_and_goes_on_if_it_cannot() -> None:
    with start(seed="7") as running, business(running) as client:
        place = f"{CHARGES}/{client.post(CHARGES, json={'amount_cents': 1050}).json()['id']}"
        with pytest.raises(RuntimeError, match="did not restart"):
            running.restart(["tests.support.reference_rules:asyncio"])
        assert client.get(place).status_code == 200
        assert running.restart(seed=7) == running
        assert client.get(place).status_code == 404
        assert f"{CHARGES}/{client.post(CHARGES, json={'amount_cents': 1050}).json()['id']}" == place


def test_by_hand_it_names_every_variable() -> None:
    """It prints all variables that the reference can fill; the webhook secret only with a webhook address."""
    with start() as running:
        assert len(sandbox_server.variables(running.credentials)) == 13
    with start(business_webhook="https://127.0.0.1:9/business") as running:
        named = sandbox_server.variables(running.credentials)
    assert named["PIX_BASE_URL"] == running.base_url
    assert named["PIX_LIVE_API_KEY"].startswith("ak_live_")
    assert named["PIX_RECEIVER_LISTEN"] == "127.0.0.1:9"
    assert len(named) == 15
