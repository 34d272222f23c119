"""Whole runs: the example shop passes, an address alone gives a verdict, and a service's run asks nothing of them."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from pix_conformance.integration.description import SHOP
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Party
from pix_conformance.proof.integration_proof import SUITE, changed, run_shop
from pix_conformance.proof.shop_mutants import MUTANTS
from pix_conformance.proof.suite_run import run_suite
from tests.integration.served_endpoint import endpoint

OF = {party: {row.id for row in catalogue().values() if row.party is party} for party in Party}


def load_factor() -> float:
    """Return how many programs want a processor for each that there is, 1 or more."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
    return port


def exit_of(script: Path) -> int:
    command = ["bash", str(script)]
    return subprocess.run(command, check=False, timeout=60, capture_output=True).returncode  # noqa: S603  # our script


def test_the_example_shop_passes_and_only_its_requirements_are_judged(tmp_path: Path) -> None:
    run = run_suite(tmp_path, SUITE, "-q")
    assert run.exit == 0, run.output
    assert {row["id"] for row in run.results["requirements"]} == OF[Party.INTEGRATION]
    musts = [row for row in run.results["requirements"] if row["level"] == "must"]
    assert [row["id"] for row in musts if row["outcome"] != "pass"] == []


def test_an_endpoint_without_commands_is_judged_by_its_answers(tmp_path: Path) -> None:
    program = tmp_path / "shop.py"
    program.write_text(changed(MUTANTS["BUS-HOOK-11/parsed-first"].changes), "utf-8")
    port = free_port()
    start = f'SHOP_DB="$PIX_DIRECTORY/shop.sqlite3" SHOP_PORT={port} exec {sys.executable} {program}'
    hook = f"business=http://127.0.0.1:{port}/hooks/business"
    run = run_suite(tmp_path / "report", SUITE, "-q", "--hook", hook, "--start", start)
    assert run.exit == 1, run.output
    assert run.with_outcome("fail") == ["BUS-HOOK-01", "BUS-HOOK-11"] or run.with_outcome("fail") == ["BUS-HOOK-11"]
    assert "--credited" in next(row["reason"] for row in run.results["requirements"] if row["id"] == "BUS-HOOK-06")
    assert "not tested (BUS-" in run.output


def test_a_service_is_asked_nothing_of_an_integration(tmp_path: Path) -> None:
    run = run_suite(tmp_path, "-q", "--only", "BUS-FIN-01")
    assert run.exit == 0, run.output
    assert {row["id"] for row in run.results["requirements"]} == OF[Party.SERVICE]


def test_an_integration_is_tested_against_no_given_service(tmp_path: Path) -> None:
    run = run_suite(tmp_path, SUITE, "-q", "--base-url", "http://127.0.0.1:1")
    assert run.exit == 4, run.output
    assert "an integration is tested against our own sandbox: unset PIX_BASE_URL" in run.output


def test_both_parties_in_one_run_are_a_usage_error(tmp_path: Path) -> None:
    run = run_suite(tmp_path, "-q", SUITE, "suites/business/test_finance.py")
    assert run.exit == 4, run.output
    assert "one run tests a service or an integration" in run.output


def test_the_failure_of_a_shop_says_what_was_credited(tmp_path: Path) -> None:
    program = tmp_path / "shop.py"
    program.write_text(changed(MUTANTS["BUS-HOOK-08/by-event-id"].changes), "utf-8")
    target = tmp_path / "target.toml"
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    rows = {
        "start": f'SHOP_DB="$PIX_DIRECTORY/shop.sqlite3" SHOP_PORT={port} exec {sys.executable} {program}',
        "order": f'curl -sSf -X POST "{address}/orders?api=$PIX_API&cents=$PIX_AMOUNT"',
        "credited": f'curl -sSf "{address}/orders/$PIX_ORDER/credited"',
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in rows.items()]
    target.write_text("\n".join(["[integration]", f'hook = {{ business = "{address}/hooks/business" }}', *lines, ""]))
    run = run_suite(tmp_path / "report", SUITE, "--target", str(target), "--only", "BUS-HOOK-08,BUS-HOOK-25")
    assert run.with_outcome("fail") == ["BUS-HOOK-08", "BUS-HOOK-25"], run.output
    assert run.output.index("FAIL BUS-HOOK-08") < run.output.index("FAIL BUS-HOOK-25")
    assert "the same payment under another event id" in run.output
    script = tmp_path / "report" / "reproduce" / "BUS-HOOK-08.sh"
    assert "openssl dgst -sha256 -hmac" in script.read_text("utf-8")
    assert exit_of(script) == 1
    program.write_text(SHOP.read_text("utf-8"), "utf-8")
    assert exit_of(script) == 0
    assert "whsec_" not in (tmp_path / "report" / "index.html").read_text("utf-8")


def test_what_an_integration_has_kept_of_an_earlier_run_does_no_harm(tmp_path: Path) -> None:
    """Its credentials are the same in each run, the ids of charges are not."""
    path = 'os.environ.get("SHOP_DB", "shop.sqlite3")'
    program = changed(((path, repr(str(tmp_path / "kept"))), ("charge TEXT, state", "charge TEXT UNIQUE, state")))
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        run = run_shop(tmp_path / name, program, {}, "--only", "PAY-HOOK-03,BUS-HOOK-03")
        assert run.outcome("PAY-HOOK-03") == run.outcome("BUS-HOOK-03") == "pass", run.output


def answers_after_half_a_second(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(0.5)
    handler.send_response(200)
    handler.end_headers()


def test_an_address_alone_gives_a_verdict_within_ten_seconds_though_each_answer_takes_half_a_second(
    tmp_path: Path,
) -> None:
    begun = time.monotonic()
    with endpoint(answers_after_half_a_second) as address:
        run = run_suite(tmp_path, SUITE, "-q", "--hook", f"business={address}", "--secret", "business=whsec_test")
    passed = time.monotonic() - begun
    assert run.outcome("BUS-HOOK-01") == "pass", run.output
    assert run.outcome("BUS-HOOK-13") == "not applicable"
    assert passed < 10 * load_factor()  # 10 s on an idle machine


def test_an_endpoint_that_never_answers_is_waited_for_once(tmp_path: Path) -> None:
    """10 s for the first event, a second for one of the next test; the rest is not sent."""
    begun = time.monotonic()
    with endpoint(lambda _handler: time.sleep(60)) as address:
        run = run_suite(tmp_path, SUITE, "-q", "--hook", f"business={address}")
    assert run.exit == 1, run.output
    assert run.with_outcome("fail") == ["BUS-HOOK-01", "BUS-HOOK-02"]
    assert time.monotonic() - begun < 18 * load_factor()


ORDERED = (
    'curl -sSf -H "Authorization: Bearer $PIX_API_KEY" -H "Content-Type: application/json" '
    '-d "{\\"amount_cents\\": $PIX_AMOUNT}" "$PIX_BASE_URL/v1/business/pix-charges" >&2; echo order'
)


def test_the_first_verdict_on_an_endpoint_that_never_answers_comes_before_any_order(tmp_path: Path) -> None:
    options = ("--order", ORDERED, "--credited", "echo 0", "--only", "BUS-HOOK-02,BUS-HOOK-06")
    with endpoint(lambda _handler: time.sleep(60)) as address:
        run = run_suite(tmp_path, SUITE, "--hook", f"business={address}", *options)
    words = r"^1/\d+, 1 failed, (\d+) requests.*: failed BUS-HOOK-02 .*: the endpoint did not answer within 10 s$"
    line = re.search(words, run.output, re.MULTILINE)
    assert line, run.output
    assert "s left" not in run.output  # how long commands take is not known before
    assert int(line[1]) < 10  # those of the preflight, and one event
    lines = (tmp_path / "exchanges.jsonl").read_text("utf-8").splitlines()
    assert sum(json.loads(line)["operation"] == "create_charge" for line in lines) > 1
