"""`pix-sandbox`: help, names, fixed credentials, the request log and the scenarios."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.reference.process import start
from pix_conformance.reference.process_main import announcement
from pix_conformance.reference.sandbox_server import introduce
from pix_conformance.reference.state import RandomSource, ServerState
from pix_conformance.sandbox.scenarios import LATE_S, SCENARIOS, DelayedEvents
from tests.support.reference_calls import (
    CHARGE,
    CHARGES,
    PIXKEY,
    QRCODE,
    Mailbox,
    business,
    eventually,
    payments,
    transfer,
)

PROGRAM = "import sys; from pix_conformance.cli import sandbox; sys.exit(sandbox())"
COMMAND = [sys.executable, "-c", PROGRAM]
BUSINESS_CHARGE = {"amount_cents": 1050}


def output_of(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603  # ours


@contextmanager
def served(log: Path, *words: str) -> Iterator[dict[str, str]]:
    """Run pix-sandbox with these options. Yield the variables that it printed; its log goes to a file."""
    with (
        log.open("w") as errors,
        subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=errors, text=True) as process,  # noqa: S603  # ours
    ):
        try:
            variables: dict[str, str] = {}
            while "PIX_TRANSFER_KEY" not in variables:
                line = process.stdout.readline() if process.stdout else ""
                if line.startswith("export "):
                    name, _, value = line.removeprefix("export ").strip().partition("=")
                    variables[name] = value
            yield variables
        finally:
            process.terminate()


def new_charge(variables: dict[str, str]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {variables['PIX_API_KEY']}"}
    answer = httpx.post(variables["PIX_BASE_URL"] + CHARGES, json=BUSINESS_CHARGE, headers=headers)
    charge: dict[str, Any] = answer.json()
    return charge


def test_help_shows_every_option_with_its_default_and_every_scenario() -> None:
    text = output_of("--help").stdout
    names = (
        "--port",
        "--host",
        "--path-prefix",
        "--business-webhook ",
        "--business-webhook-secret",
        "--seed",
        "--log",
        "--latency",
        "--event-delay",
    )
    assert [
        name for name in (*names, "--scenario", "--mutant", "--variant", "--list", *SCENARIOS) if name not in text
    ] == []
    assert "--rules" not in text
    assert len(text.splitlines()) <= 80


def test_the_page_on_the_sandbox_names_every_scenario() -> None:
    page = (Path(__file__).parents[2] / "docs/sandbox.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `") and "--" not in line]
    assert rows == [f"| `{name}` | {scenario.meaning} |" for name, scenario in SCENARIOS.items()]


def test_a_seed_gives_the_same_credentials_and_ids_at_each_start(tmp_path: Path) -> None:
    runs = []
    for number in range(2):
        with served(tmp_path / f"{number}.log", "--seed", "7") as variables:
            address = variables.pop("PIX_BASE_URL")
            runs.append((variables, new_charge(variables | {"PIX_BASE_URL": address})["id"]))
    assert runs[0] == runs[1]


@pytest.mark.parametrize(("words", "logged"), [((), True), (("--no-log",), False)])
def test_each_request_is_logged_unless_that_is_switched_off(
    tmp_path: Path, words: Sequence[str], *, logged: bool
) -> None:
    log = tmp_path / "requests.log"
    with served(log, *words) as variables:
        new_charge(variables)
        httpx.get(variables["PIX_BASE_URL"] + CHARGES)
    lines = [line.split() for line in log.read_text().splitlines()]
    asked = [line[:3] for line in lines if line[0] in {"GET", "POST"}]
    assert asked == ([["POST", CHARGES, "201"], ["GET", CHARGES, "401"]] if logged else [])
    assert all(line[4] == "ms" and line[3].isdigit() for line in lines if line[0] in {"GET", "POST"})


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        (("--mutant", "BUS-SIG-03/body-alon"), "did you mean BUS-SIG-03/body-alone"),
        (("--variant", "BUS-LIST-15/fifty-charge"), "did you mean BUS-LIST-15/fifty-charges"),
        (("--scenario", "late-webhok"), "did you mean late-webhook"),
        (("--mutant", "qqqqqqqq"), "--list shows them"),
    ],
)
def test_a_wrong_name_gets_a_short_suggestion(words: Sequence[str], suggestion: str) -> None:
    done = output_of(*words)
    assert done.returncode == 2
    assert suggestion in done.stderr
    assert len(done.stderr) < 500


def test_the_list_has_headings_and_says_what_each_choice_means() -> None:
    lines = output_of("--list", "-").stdout.splitlines()
    assert "Scenarios (--scenario)" in lines
    place = catalogue()["PAY-IDEM-06"].place
    assert f"Conforming variants (--variant) where PAY-IDEM-06 leaves a choice ({place})" in lines
    assert any(line.startswith("Mutants (--mutant) that break PAY-IDEM-02: ") for line in lines)
    assert all(": " in line for line in lines if line.startswith("  "))
    some = output_of("--list", "BUS-SIG-03").stdout
    assert "BUS-SIG-03/body-alone" in some
    assert "PAY-IDEM" not in some


def test_the_list_without_a_text_counts_the_choices_of_each_area() -> None:
    done = output_of("--list")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^  PAY-IDEM +\d+ variants +\d+ mutants  idempotency$", done.stdout, re.MULTILINE)


def test_a_list_of_nothing_is_an_error() -> None:
    done = output_of("--list", "zzzz")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "--list: nothing contains 'zzzz'\n")


@pytest.mark.parametrize(
    ("words", "error"),
    [(("--port", "99999"), "is no port"), (("--business-webhook", "ftp://x"), "begins neither with http")],
)
def test_a_value_that_cannot_be_used_is_a_usage_error(words: Sequence[str], error: str) -> None:
    done = output_of(*words)
    assert done.returncode == 2
    assert error in done.stderr
    assert "Traceback" not in done.stderr


def test_the_printed_lines_can_be_pasted_into_a_shell(capsys: pytest.CaptureFixture[str]) -> None:
    signing = 's3cret $x"y'
    state = ServerState("http://127.0.0.1:9/", signing, RandomSource(7))
    introduce(announcement(state, "http://127.0.0.1:8080"), state.clock)
    lines = capsys.readouterr().out.partition("\n")[2] + 'printf %s "$PIX_BUSINESS_WEBHOOK_SECRET"'
    assert subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True).stdout == signing  # noqa: S603, S607  # a shell


def test_each_attempt_at_a_webhook_is_logged(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with served(log, "--business-webhook", "http://127.0.0.1:9/hook") as variables:
        new_charge(variables)
        eventually(lambda: "attempt 1" in log.read_text())
    assert "POST http://127.0.0.1:9/hook no response: [Errno 111] Connection refused (webhook, attempt 1 of" in (
        log.read_text()
    )


def test_the_reader_of_the_list_may_close_the_pipe() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "--list"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603  # ours
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_late_webhooks_arrive_after_some_seconds() -> None:
    assert DelayedEvents.event_delay_seconds == LATE_S
    mailbox = Mailbox()
    with start(SCENARIOS["late-webhook"].names, business_webhook=mailbox.url) as running, business(running) as client:
        client.post(CHARGES, json=BUSINESS_CHARGE)
        time.sleep(0.5)
        assert mailbox.letters == []
    mailbox.close()


def test_a_duplicate_webhook_has_the_same_event_id() -> None:
    mailbox = Mailbox()
    names = SCENARIOS["duplicate-webhook"].names
    with start(names, business_webhook=mailbox.url) as running, business(running) as client:
        client.post(CHARGES, json=BUSINESS_CHARGE)
        eventually(lambda: mailbox.holds(2))
    assert len({payload["id"] for payload in mailbox.payloads()}) == 1
    mailbox.close()


def test_a_conflict_is_a_409_of_each_api() -> None:
    with start(SCENARIOS["conflict"].names) as running, business(running) as client, payments(running) as other:
        place = f"{CHARGES}/{client.post(CHARGES, json=BUSINESS_CHARGE).json()['id']}"
        assert client.post(f"{place}/cancel").status_code == 409
        assert client.get(place).json()["status"] == "paid"
        paid = other.post(QRCODE, json=CHARGE).json()["data"]["id"]
        other.post(f"{QRCODE}/{paid}/pay")
        keys = [{"x-idempotency-key": f"5f2b3c1e-0000-4000-8000-00000000000{number}"} for number in range(3)]
        answers = [other.post(PIXKEY, json=transfer(running), headers=key) for key in keys]
    assert [answer.status_code for answer in answers] == [200, 409, 200]


def test_a_charge_expires_soon() -> None:
    with start(SCENARIOS["expiry"].names) as running, business(running) as client:
        place = f"{CHARGES}/{client.post(CHARGES, json=BUSINESS_CHARGE).json()['id']}"
        assert client.get(place).json()["status"] == "pending"
        running.advance(6)
        assert client.get(place).json()["status"] == "expired"


def test_a_rate_limit_has_a_retry_after() -> None:
    with start(SCENARIOS["rate-limit"].names) as running, business(running) as client:
        answers = [client.get(CHARGES) for _ in range(6)]
    limited = [answer for answer in answers if answer.status_code == 429]
    assert limited
    assert limited[0].headers["retry-after"] == "1"


def test_a_slow_bank_delays_responses_and_approval() -> None:
    with start(SCENARIOS["slow-bank"].names) as running, business(running) as client:
        begun = time.monotonic()
        client.get(CHARGES)
        assert time.monotonic() - begun >= 1


def test_latency_delays_a_request_and_its_response_by_half_of_it(tmp_path: Path) -> None:
    with served(tmp_path / "log", "--latency", "400") as variables:
        began = time.time()
        created = datetime.fromisoformat(new_charge(variables)["created_at"]).timestamp()
        assert time.time() - created >= 0.2
        assert created - began >= 0.2


def test_an_event_is_sent_after_the_event_delay(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with served(tmp_path / "log", "--event-delay", "0.7", "--business-webhook", mailbox.url) as variables:
        began = time.monotonic()
        new_charge(variables)
        eventually(lambda: mailbox.holds(1))
        assert time.monotonic() - began >= 0.7
    mailbox.close()


def test_variants_of_two_apis_that_set_one_attribute_can_be_joined(tmp_path: Path) -> None:
    both = ("--variant", "PAY-CHG-33/ids-have-prefixes", "--variant", "BUS-CHG-45/ids-have-prefixes")
    with served(tmp_path / "log", *both) as variables:
        assert new_charge(variables)["id"].startswith("chg_")


def test_two_mutants_that_set_one_attribute_cannot_be_joined() -> None:
    done = output_of("--mutant", "BUS-LIST-09/one-more", "--mutant", "BUS-LIST-15/one-fewer")
    assert done.returncode == 2
    assert "change the same decision: one server cannot have both" in done.stderr
