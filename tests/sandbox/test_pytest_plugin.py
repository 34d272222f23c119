"""The fixture `pix_sandbox`: the tests of a client that docs/sandbox.md shows, and what a test may ask of it."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import httpx
import pytest

from pix_conformance.model.openapi import source
from pix_conformance.model.paths import TEST_TREE, without_settings
from pix_conformance.model.vocabulary import Api, UsageError
from pix_conformance.receiver import ListeningPort, Receiver
from pix_conformance.reference.process import Running, start
from pix_conformance.sandbox.pytest_plugin import PixSandbox, pytest_configure, right_servers
from tests.support.reference_calls import CHARGES, eventually

PAGE = (TEST_TREE / "docs/sandbox.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (`(?:GET|POST) /.*?`) \| (?:`(.*?)` )?\| (.*) \|$", re.MULTILINE)

LOADED = """
import sys, pix_conformance.sandbox.pytest_plugin
print(*sorted(name for name in sys.modules if name.startswith("pix_conformance")))
"""
MARKED = """
import pytest
pytestmark = pytest.mark.pix_sandbox(variant="BUS-CHG-02/returns-200", scenario="late-webhok")

@pytest.mark.pix_sandbox(scenario="expiry")
def test_keywords(pix_sandbox):
    assert pix_sandbox.base_url.startswith("http://127.0.0.1:")

@pytest.mark.pix_sandbox("expiry")
def test_no_keyword(pix_sandbox):
    pass
"""
NOWHERE = "http://127.0.0.1:9/webhook"


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with start() as running:
        yield running


def charge(sandbox: PixSandbox) -> str:
    headers = {"Authorization": f"Bearer {sandbox.api_key}"}
    return str(httpx.post(sandbox.base_url + CHARGES, json={"amount_cents": 1050}, headers=headers).json()["id"])


def output_of(directory: Path, text: str) -> str:
    """Return what pytest prints of a file of tests in a directory of its own."""
    (directory / "test_shop.py").write_text(text)
    (directory / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers -p no:cacheprovider\n")
    words, clean = [sys.executable, "-m", "pytest", "-q"], without_settings()
    return subprocess.run(words, cwd=directory, env=clean, capture_output=True, text=True, check=False).stdout  # noqa: S603  # ours


def test_the_tests_of_a_client_on_the_page_pass(tmp_path: Path) -> None:
    block = re.search(r"^```python test_shop.py\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert block
    output = output_of(tmp_path, block[1])
    assert re.search(r"^\d{3} passed, 2 skipped in", output, re.MULTILINE), output  # two variants have no transfer_key


def test_the_events_on_the_page_are_those_of_openapi() -> None:
    block = re.search(r"^```json\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE)
    assert block
    for api, text in zip((Api.BUSINESS, Api.PAYMENTS), re.split(r"\n(?=\{)", block[1]), strict=True):
        event = json.loads(text)
        described = source(api)["webhooks"][event.get("event", event["type"])]["post"]["requestBody"]["content"]
        assert event == described["application/json"]["example"]


class RequestsOfPage:
    """The requests that the page lists, to a sandbox."""

    def __init__(self, sandbox: PixSandbox) -> None:
        self.rows = [(re.findall("`(.*?) (.*?)`", calls), body, text) for calls, body, text in ROW.findall(PAGE)]
        self.bodies = {path: json.loads(body) for calls, body, _ in self.rows for _, path in calls if body}
        self.base_url, self.login = sandbox.base_url, (sandbox.client_id, sandbox.client_secret)
        token = httpx.post(f"{sandbox.base_url}/api/auth", auth=self.login).json()["token"]
        self.credentials = {"v1": sandbox.api_key, "api": token}

    def success(self, method: str, path: str) -> Any:
        """Send a request, to a new object if its path has an id, until it succeeds. Return the body of the response."""
        if "{id}" in path:
            created = self.success("POST", path.partition("/{id}")[0])
            path = path.replace("{id}", created.get("data", created)["id"])
        headers = {"Authorization": f"Bearer {self.credentials[path.split('/')[1]]}"}
        body, login = self.bodies.get(path) if method == "POST" else None, self.login if path == "/api/auth" else None
        responses: list[httpx.Response] = []

        def succeeds() -> bool:
            responses.append(httpx.request(method, self.base_url + path, json=body, headers=headers, auth=login))
            return responses[-1].is_success

        eventually(succeeds)
        return responses[-1].json()


def test_the_requests_on_the_page_succeed_and_their_responses_have_its_fields(running: Running) -> None:
    requests = RequestsOfPage(PixSandbox(running))
    assert len(requests.rows) == PAGE.count("| `POST /") + PAGE.count("| `GET /") > 8
    for calls, _, text in requests.rows:
        for method, path in calls:
            response = requests.success(method, path)
            for name in re.findall("`(.*?)`", text):
                reduce(getitem, name.split("."), response)  # KeyError if it is not there


def test_a_marker_takes_keywords_and_the_closest_counts(tmp_path: Path) -> None:
    output = output_of(tmp_path, MARKED)
    assert re.search(r"^1 passed, 1 error in", output, re.MULTILINE), output
    assert "TypeError: pix_sandbox(scenario=" in output


def test_a_run_without_the_fixture_loads_no_other_module_and_the_suites_do_without_it(
    pytestconfig: pytest.Config,
) -> None:
    words = [sys.executable, "-c", LOADED]
    modules = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()  # noqa: S603  # ours
    assert modules == ["pix_conformance", "pix_conformance.sandbox", "pix_conformance.sandbox.pytest_plugin"]
    assert not pytestconfig.pluginmanager.has_plugin("pix_sandbox")


def test_each_test_begins_with_an_empty_sandbox_and_the_same_ids(running: Running) -> None:
    charges = []
    for _ in range(2):
        sandbox = PixSandbox(running)
        charges.append(charge(sandbox))
        sandbox.advance(10**6)
        assert sandbox.now() > time.time() + 10**5
        with pytest.raises(ValueError, match="0 or more seconds, not by -1"):
            sandbox.advance(-1)
    assert charges[0] == charges[1]
    other = PixSandbox(running, variant="BUS-CHG-45/ids-have-prefixes", seed=1)
    assert charge(other).startswith("chg_")
    assert other.api_key != sandbox.api_key


def test_a_reset_drops_events_that_are_not_yet_sent(running: Running) -> None:
    with Receiver(ListeningPort(tls="off")) as receiver:
        address, sandbox = receiver.at("/webhook"), PixSandbox(running, scenario=["late-webhook", "duplicate-webhook"])
        sandbox.reset(business_webhook=address.url)
        charge(sandbox)
        sandbox = PixSandbox(running)
        sandbox.reset(business_webhook=address.url)
        charge(sandbox)
        (delivery,) = address.wait_for(lambda _: True, 5)
        [attempt] = sandbox.deliveries(at_least=1)
    assert (attempt.answer, attempt.attempt, attempt.body) == (200, 1, delivery.body)


def test_a_failed_delivery_says_why_and_is_repeated_when_the_clock_is_advanced(running: Running) -> None:
    sandbox = PixSandbox(running, variant="BUS-EVT-22/sent-in-pieces")
    sandbox.reset(business_webhook=NOWHERE)
    charge(sandbox)
    sandbox.deliveries(at_least=1)
    sandbox.advance(300)
    attempts = sandbox.deliveries(at_least=2)
    assert [attempt.attempt for attempt in attempts[:2]] == [1, 2]
    assert str(attempts[0].answer).startswith("no response: ")
    assert json.loads(attempts[0].body)["type"] == "business.pix.created"
    with pytest.raises(TimeoutError, match=r"of 99 deliveries within 0 s"):
        sandbox.deliveries(at_least=99, within=0)
    assert sandbox.deliveries("business.pix.created") == sandbox.deliveries()
    with pytest.raises(TimeoutError, match=r"0 of 1 deliveries with 'business.pix.paid' within 0 s"):
        sandbox.deliveries("business.pix.paid", at_least=1, within=0)


def test_right_servers_are_the_reference_and_the_variants_of_a_requirement_or_an_area(
    pytestconfig: pytest.Config,
) -> None:
    pytest_configure(pytestconfig)  # the marker
    assert [str(row.id) for row in right_servers("BUS-CHG-02")] == [
        "reference",
        "BUS-CHG-02/returns-200",
        "BUS-CHG-02/returns-202",
    ]
    assert len(right_servers("BUS-CHG")) > len(right_servers("BUS-CHG-45")) > 5
    assert len(right_servers("BUS", "PAY-IDEM")) > len(right_servers("BUS")) > len(right_servers("BUS-CHG"))
    assert [str(row.id) for row in right_servers("BUS-EXP", "PAY-ISO")] == ["reference"]  # areas without variants
    with pytest.raises(UsageError, match="no requirement is called BUS-CHG-4: did you mean BUS-CHG-04"):
        right_servers("BUS-CHG-4")


def test_several_threads_may_ask(running: Running) -> None:
    sandbox = PixSandbox(running)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask) for _ in range(100) for ask in (sandbox.now, sandbox.deliveries)]
    assert [type(question.result()) for question in asked] == [float, list] * 100


def test_an_address_that_is_none_is_refused(running: Running) -> None:
    with pytest.raises(ValueError, match="not to 'webhook'"):
        PixSandbox(running).reset(business_webhook="webhook")


def test_an_unknown_name_is_an_error_with_a_hint(running: Running) -> None:
    with pytest.raises(ValueError, match="did you mean late-webhook"):
        PixSandbox(running, scenario="late-webhok")
