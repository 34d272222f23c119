"""`pix-sandbox`: help, names, fixed credentials, the request log and the scenarios."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api
from pix_conformance.receiver import ListeningPort, Receiver
from pix_conformance.reference.process import start
from pix_conformance.reference.process_main import announcement
from pix_conformance.reference.sandbox_server import introduce
from pix_conformance.reference.state import RandomSource, ServerState
from pix_conformance.sandbox.command import main
from pix_conformance.sandbox.scenarios import SCENARIOS
from tests.support.reference_calls import CHARGE, CHARGES, PIXKEY, QRCODE, business, eventually, payments, transfer

COMMAND = [sys.executable, "-c", "import sys; from pix_conformance.cli import sandbox; sys.exit(sandbox())"]
BUSINESS_CHARGE = {"amount_cents": 1050}
Printed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Return a function that returns the exit status, the output and the errors of pix-sandbox with some words."""

    def run(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as end:
            status = int(end.code or 0)
        return (status, *capsys.readouterr())

    return run


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


def new_charge(variables: dict[str, str]) -> Any:
    headers = {"Authorization": f"Bearer {variables['PIX_API_KEY']}"}
    return httpx.post(variables["PIX_BASE_URL"] + CHARGES, json=BUSINESS_CHARGE, headers=headers).json()


def test_help_shows_every_scenario_and_fits_two_screens(printed: Printed) -> None:
    _, text, _ = printed("--help")
    assert [name for name in SCENARIOS if name not in text] == []
    assert len(text.splitlines()) <= 80


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--mutant", "BUS-SIG-03/body-alon"), "did you mean BUS-SIG-03/body-alone"),
        (("--variant", "BUS-LIST-15/fifty-charge"), "did you mean BUS-LIST-15/fifty-charges"),
        (("--scenario", "late-webhok"), "did you mean late-webhook"),
        (("--mutant", "qqqqqqqq"), "--list shows them"),
        (("--mutant", "BUS-LIST-09/one-more", "--mutant", "BUS-LIST-15/one-fewer"), "one server cannot have both"),
        (("--port", "99999"), "is no port"),
        (("--business-webhook", "ftp://x"), "begins neither with http"),
    ],
)
def test_a_wrong_name_or_value_is_a_usage_error_with_a_hint(
    printed: Printed, words: tuple[str, ...], error: str
) -> None:
    status, _, errors = printed(*words)
    assert status == 4
    assert error in errors
    assert len(errors) < 500


def test_the_list_has_headings_and_says_what_each_choice_means(printed: Printed) -> None:
    lines = printed("--list", "-")[1].splitlines()
    assert "Scenarios (--scenario)" in lines
    place = catalogue()["PAY-IDEM-06"].citation
    assert f"Conforming variants (--variant) where PAY-IDEM-06 leaves a choice ({place})" in lines
    assert any(line.startswith("Mutants (--mutant) that break PAY-IDEM-02: ") for line in lines)
    assert all(": " in line for line in lines if line.startswith("  "))


def test_the_list_without_a_text_counts_the_choices_of_each_area(printed: Printed) -> None:
    status, text, errors = printed("--list")
    assert (status, errors) == (0, "")
    assert re.search(r"^  PAY-IDEM +\d+ variants +\d+ mutants  idempotency$", text, re.MULTILINE)


def test_a_list_of_nothing_is_an_error(printed: Printed) -> None:
    assert printed("--list", "zzzz") == (1, "", "--list: nothing contains 'zzzz'\n")


@pytest.mark.parametrize("api", Api)
def test_the_openapi_file_of_an_api_is_printed(printed: Printed, api: Api) -> None:
    assert printed("--openapi", api) == (0, (SPECS / api / "openapi.yaml").read_text(encoding="utf-8"), "")


def test_the_reader_of_the_list_may_close_the_pipe() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "--list"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603  # ours
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_printed_lines_can_be_pasted_into_a_shell(capsys: pytest.CaptureFixture[str]) -> None:
    signing = 's3cret $x"y'
    state = ServerState("http://127.0.0.1:9/", signing, RandomSource(7))
    introduce(announcement(state, "http://127.0.0.1:8080"))
    lines = capsys.readouterr().out + 'printf %s "$PIX_BUSINESS_WEBHOOK_SECRET"'
    assert subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True).stdout == signing  # noqa: S603, S607  # a shell


def test_a_shell_evaluates_the_output_and_a_line_of_input_advances_the_clock(tmp_path: Path) -> None:
    commands, log = tmp_path / "commands", tmp_path / "log"
    os.mkfifo(commands)
    writer = os.open(commands, os.O_RDWR)
    script = 'eval "$("${@:3}" <"$1" 2>"$2" &)"; echo "$PIX_BASE_URL $PIX_API_KEY"'
    words = ["bash", "-c", script, "bash", str(commands), str(log), *COMMAND]
    base_url, key = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.split()  # noqa: S603  # ours
    try:
        place = f"{base_url}{CHARGES}/{new_charge({'PIX_BASE_URL': base_url, 'PIX_API_KEY': key})['id']}"
        os.write(writer, b"advance -1\nadvance 3600\n")
        eventually(lambda: "advanced by 3600 s" in log.read_text())
        answer = httpx.get(place, headers={"Authorization": f"Bearer {key}"})
        assert answer.json()["status"] == "expired"
        assert "only a line such as `advance 60` is known" in log.read_text()
    finally:
        pid = re.search(r"kill (\d+) stops it", log.read_text())
        assert pid
        os.kill(int(pid[1]), signal.SIGTERM)
        os.close(writer)


def test_a_seed_gives_the_same_credentials_and_ids_at_each_start(tmp_path: Path) -> None:
    runs = []
    for number in range(2):
        with served(tmp_path / f"{number}.log", "--seed", "7") as variables:
            address = variables.pop("PIX_BASE_URL")
            runs.append((variables, new_charge(variables | {"PIX_BASE_URL": address})["id"]))
    assert runs[0] == runs[1]


@pytest.mark.parametrize(("words", "is_logged"), [((), True), (("--no-log",), False)])
def test_each_request_is_logged_unless_that_is_switched_off(
    tmp_path: Path, words: tuple[str, ...], *, is_logged: bool
) -> None:
    """The latency delays a request and its response by half of it."""
    log = tmp_path / "requests.log"
    with served(log, *words, "--latency", "400") as variables:
        began = time.time()
        created = datetime.fromisoformat(new_charge(variables)["created_at"]).timestamp()
        assert time.time() - created >= 0.2
        assert created - began >= 0.2
        httpx.get(variables["PIX_BASE_URL"] + CHARGES)
    lines = [line.split() for line in log.read_text().splitlines() if line.startswith(("GET", "POST"))]
    assert [line[:3] for line in lines] == ([["POST", CHARGES, "201"], ["GET", CHARGES, "401"]] if is_logged else [])
    assert all(line[4] == "ms" and line[3].isdigit() for line in lines)


def test_an_event_is_sent_twice_after_the_event_delay_and_each_attempt_is_logged(tmp_path: Path) -> None:
    """These two variants set the same attribute, each of its own API, so they can be joined."""
    both = ("--variant", "PAY-CHG-33/ids-have-prefixes", "--variant", "BUS-CHG-45/ids-have-prefixes")
    log = tmp_path / "log"
    with Receiver(ListeningPort(tls="off")) as receiver:
        address = receiver.at("/webhook")
        words = ("--scenario", "duplicate-webhook", "--event-delay", "0.7", "--business-webhook", address.url)
        with served(log, *words, *both) as variables:
            began = time.monotonic()
            assert new_charge(variables)["id"].startswith("chg_")
            deliveries = address.wait_for(lambda _: True, 5, count=2)
            assert time.monotonic() - began >= 0.7
            eventually(lambda: log.read_text().count(f"POST {address.url} 200") == 2)
    assert len(deliveries) == 2
    assert len({delivery.json["id"] for delivery in deliveries}) == 1
    assert "(business.pix.created, attempt 1 of" in log.read_text()


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
    assert limited[0].headers["retry-after"] == "1"


def test_a_slow_bank_delays_responses() -> None:
    with start(SCENARIOS["slow-bank"].names) as running, business(running) as client:
        begun = time.monotonic()
        client.get(CHARGES)
        assert time.monotonic() - begun >= 1
