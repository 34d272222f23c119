"""The reference as a process: its start, its end with its parent process, and other rules."""

import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from pix_conformance.reference import sandbox_server
from pix_conformance.reference.process import start
from tests.support.reference_calls import CHARGE, CHARGES, NO_TLS, QRCODE, business, payments
from tests.support.reference_rules import AcceptsOneCentLess

RULES = "tests.support.reference_rules"


def test_it_starts_within_a_second() -> None:
    """The start takes less than a second of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    running = start()
    elapsed = time.perf_counter() - begun
    running.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{elapsed:.2f} s, {used:.2f} s of the processor")  # noqa: T201 - shown by pytest -s
    assert used < 1


def test_it_ends_with_its_parent_process() -> None:
    """It ends when its parent process is killed."""
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


def test_stop_ends_it() -> None:
    """A second call of `stop` does nothing."""
    running = start()
    running.stop()
    running.stop()
    assert not _answers(running.base_url)


def test_credentials_are_new_every_time() -> None:
    """Two starts have different credentials."""
    with start() as first, start() as second:
        assert first.credentials["payments"] != second.credentials["payments"]
        assert set(first.credentials["business"].values()).isdisjoint(second.credentials["business"].values())


def test_a_rule_changes_one_decision() -> None:
    """The rule changes one limit and nothing else."""
    least = AcceptsOneCentLess.minimum_charge
    with start([f"{RULES}:AcceptsOneCentLess"]) as running, payments(running) as client:
        asked = [
            client.post(QRCODE, json=CHARGE | {"amountInCents": cents}).status_code for cents in (least - 1, least)
        ]
    assert asked == [400, 200]


def test_without_compare_and_set_a_charge_is_paid_more_than_once() -> None:
    """Without compare and set, simultaneous requests pay a charge more than once."""
    with start([f"{RULES}:PaysTwice"]) as running, payments(running) as client, ThreadPoolExecutor(5) as pool:
        place = f"{QRCODE}/{client.post(QRCODE, json=CHARGE).json()['data']['id']}/pay"
        answers = list(pool.map(lambda _: client.post(place).status_code, range(5)))
        balance = client.get("/api/v1/balance").json()["data"]["pix"]["balance"]
    assert answers == [200] * 5
    assert balance == "52.00"


def test_a_rule_of_both_apis_applies_to_both() -> None:
    """Rules that derive from the shared classes apply to both APIs."""
    with start([f"{RULES}:Marked"]) as running, payments(running) as first, business(running) as second:
        assert first.get("/api/v1/balance").headers["x-marked"] == "get_balance"
        assert second.get(CHARGES).headers["x-marked"] == "list_charges"


def test_a_path_prefix_comes_before_everything() -> None:
    """All routes work with the prefix and none without."""
    with start(path_prefix="/a/b") as running, business(running) as client:
        assert running.base_url.endswith("/a/b")
        assert client.get(CHARGES).status_code == 200
        assert httpx.get(running.base_url.removesuffix("/a/b") + CHARGES, verify=NO_TLS).status_code == 401


def test_an_unknown_rule_prevents_the_start() -> None:
    """The process ends with an error instead of serving without the rule."""
    with pytest.raises(RuntimeError, match="before it listened"):
        start([f"{RULES}:asyncio"])


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
