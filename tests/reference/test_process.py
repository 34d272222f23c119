"""The reference as a process: quick to start, gone with its owner, changed by rules."""

import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from pix_conformance.reference import cli
from pix_conformance.reference.process import start
from tests.support.reference_calls import CHARGE, CHARGES, NO_TLS, QRCODE, business, payments

RULES = "tests.support.reference_rules"


def test_it_starts_within_a_second() -> None:
    """A second of the processor: what it takes on a machine that has nothing else to do."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    running = start()
    elapsed = time.perf_counter() - begun
    running.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{elapsed:.2f} s, {used:.2f} s of the processor")  # noqa: T201 - shown by pytest -s
    assert used < 1


def test_it_dies_with_its_owner() -> None:
    """An owner that is killed cannot say goodbye."""
    program = (
        "import time; from pix_conformance.reference.process import start\n"
        "running = start(); print(running.process.pid, running.base_url, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as owner:  # noqa: S603 - our own words
        assert owner.stdout
        base_url = owner.stdout.readline().split()[1]
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


def test_it_stops_when_told() -> None:
    """More than once is fine."""
    running = start()
    running.stop()
    running.stop()
    assert not _answers(running.base_url)


def test_credentials_are_new_every_time() -> None:
    """Nothing to remember, nothing to leak."""
    with start() as first, start() as second:
        assert first.credentials["payments"] != second.credentials["payments"]
        assert set(first.credentials["business"].values()).isdisjoint(second.credentials["business"].values())


def test_a_rule_departs_in_its_one_way() -> None:
    """A limit of 99, and no more."""
    with start([f"{RULES}:AcceptsNinetyNine"]) as running, payments(running) as client:
        asked = [client.post(QRCODE, json=CHARGE | {"amountInCents": cents}).status_code for cents in (98, 99)]
    assert asked == [400, 200]


def test_races_are_real() -> None:
    """Without its guard a charge is paid more than once."""
    with start([f"{RULES}:PaysTwice"]) as running, payments(running) as client, ThreadPoolExecutor(5) as pool:
        place = f"{QRCODE}/{client.post(QRCODE, json=CHARGE).json()['data']['id']}/pay"
        answers = list(pool.map(lambda _: client.post(place).status_code, range(5)))
        balance = client.get("/api/v1/balance").json()["data"]["pix"]["balance"]
    assert answers == [200] * 5
    assert balance == "52.00"


def test_a_rule_of_both_apis_departs_in_both() -> None:
    """What is built on shared rules fits either."""
    with start([f"{RULES}:Marked"]) as running, payments(running) as first, business(running) as second:
        assert first.get("/api/v1/balance").headers["x-marked"] == "get_balance"
        assert second.get(CHARGES).headers["x-marked"] == "list_charges"


def test_a_path_prefix_comes_before_everything() -> None:
    """With it all is there, without it nothing."""
    with start(path_prefix="/a/b") as running, business(running) as client:
        assert running.base_url.endswith("/a/b")
        assert client.get(CHARGES).status_code == 200
        assert httpx.get(running.base_url.removesuffix("/a/b") + CHARGES, verify=NO_TLS).status_code == 401


def test_an_unknown_rule_is_no_start() -> None:
    """Not a reference that conforms in silence."""
    with pytest.raises(RuntimeError, match="before it listened"):
        start([f"{RULES}:asyncio"])


def test_by_hand_it_names_every_variable() -> None:
    """As many as the interface has for a reference; the secret of an endpoint only where there is one."""
    with start() as running:
        assert len(cli.variables(running.credentials)) == 13
    with start(business_webhook="https://127.0.0.1:9/business") as running:
        named = cli.variables(running.credentials)
    assert named["PIX_BASE_URL"] == running.base_url
    assert named["PIX_LIVE_API_KEY"].startswith("ak_live_")
    assert len(named) == 14
