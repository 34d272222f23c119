"""The curl lines of a failure, and the requests on which an exchange depends."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pix_conformance.model.exchange import Exchange, Request
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.proof.mutants.registry import load
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.reference.process import Running, start
from pix_conformance.reference.sandbox_server import variables
from pix_conformance.results.bundle.reader import read
from pix_conformance.results.bundle.values import numbered
from pix_conformance.results.curl import curl
from pix_conformance.results.dependency_chain import Recording
from pix_conformance.results.redaction import Redactor
from tests.support import bundles

IDS = "PAY-IDEM-02,PAY-BAL-01"
ANSWERED = re.compile(rb"HTTP/1.1 (\d+)")
STATUS = re.compile(r"status is (\d+), not")


@pytest.fixture(scope="module")
def broken() -> Iterator[Running]:
    """A server that returns the first transfer for any request with a used key."""
    with start([load()["PAY-IDEM-02/any-body-matches"].rules]) as running:
        yield running


@pytest.fixture(scope="module")
def bundle(broken: Running, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """The bundle of a run against that server."""
    return run_suite(tmp_path_factory.mktemp("run") / "out", "--only", IDS, **variables(broken.credentials))


def curls(bundle: Finished) -> list[tuple[str, str]]:
    rows = [one for one in bundle.results["requirements"] if one["outcome"] == "fail"]
    judged = [one for row in rows for one in row["judgements"] if one["mismatches"] and one["curl"]]
    return [(one["curl"], one["mismatches"][0]) for one in judged]


def in_bash(line: str, path: str = "/usr/bin:/bin", **environment: str) -> bytes:
    words = ["/bin/bash", "-c", line]
    return subprocess.run(words, env={"PATH": path, **environment}, capture_output=True, check=True).stdout  # noqa: S603  # our own line


def test_each_curl_line_shows_the_failure_again(bundle: Finished, broken: Running) -> None:
    lines = curls(bundle)
    assert bundle.exit == 1
    assert lines
    for line, problem in lines[:4]:
        wrong = STATUS.match(problem)
        assert wrong
        assert statuses(line, broken)[-1] == wrong[1].encode()


def statuses(lines: str, running: Running) -> list[bytes]:
    """Return the statuses that a server returns for the lines, in order."""
    return ANSWERED.findall(in_bash(lines, **variables(running.credentials)))


def test_the_lines_of_a_failure_show_no_failure_on_a_right_server(bundle: Finished) -> None:
    with start() as mended:
        for line, _ in curls(bundle)[:4]:
            assert statuses(line, mended)[-1] == b"409"


def test_the_lines_say_in_what_two_bodies_differ(bundle: Finished) -> None:
    lines = [line for line, _ in curls(bundle)]
    assert any('the body of 1, with description: "Prize of May" -> "Prize of July"' in one for one in lines)
    assert not any("base64" in one for one in lines)


def test_a_line_reads_the_id_that_a_later_one_needs(tmp_path: Path) -> None:
    with start([load()["BUS-CAN-01/not-with-description"].rules]) as running:
        words = ("--only", "BUS-CAN-01", "--api", "business")
        done = run_suite(tmp_path / "out", *words, **variables(running.credentials))
        lines = [line for line, _ in curls(done) if "ID_1" in line]
        assert lines
        assert statuses(lines[0], running)[-1] != b"200"
    with start() as mended:
        assert statuses(lines[0], mended)[-1] == b"200"


def test_a_failure_depends_on_requests_that_made_its_objects_and_used_its_keys(bundle: Finished) -> None:
    recorded = Recording(read(bundle.directory))
    (failed,) = [one for one in recorded.bundle.entries if one.id == "PAY-IDEM-02"]
    for judgement in failed.missed:
        number = numbered(judgement.evidence)
        assert number
        chain = recorded.chain(number)
        assert chain
        assert chain[-1].id == number
        assert len(chain) > 1


def test_a_query_of_an_account_depends_on_the_changes_since_the_previous_query(tmp_path: Path) -> None:
    balance, transfers = "http://h/api/v1/balance", "http://h/api/v1/pix/out/pixkey"

    def sent(number: int, method: str, url: str, key: str = "", test: str = "t") -> Exchange:
        request = Request(method, url, (("x-idempotency-key", key),) if key else ())
        return Exchange(number, Api.PAYMENTS, Role.MERCHANT, None, test, 0, 0, request)

    exchanges = (
        sent(1, "GET", balance),
        sent(2, "POST", transfers, "key-of-2"),
        sent(3, "GET", balance),
        sent(4, "POST", transfers, "key-of-4", test="another"),
        sent(5, "POST", transfers, "key-of-2"),
        sent(6, "GET", balance),
    )
    bundle = read(bundles.write(tmp_path))
    recorded = Recording(replace(bundle, base_url="http://h", journal=(), exchanges=exchanges))
    chain = recorded.account_chain(6)
    assert chain is not None
    assert [one.id for one in chain] == [2, 3, 5, 6]
    assert recorded.account_chain(5) is None


def line(body: bytes, *headers: tuple[str, str]) -> str:
    sent = Request("POST", "http://h/a[1]/../b?c={d}", headers, body, "none")
    return curl(Exchange(1, Api.BUSINESS, Role.MERCHANT, None, None, 0, 0, sent), "http://h", Redactor())


@pytest.mark.parametrize("body", [b"@/etc/hostname", b'it\'s "so" $HOME `x`\n', b"\xe4\xb8\xad", b"\x00\xff%\\"])
def test_a_body_leaves_bash_as_it_went_in(body: bytes, tmp_path: Path) -> None:
    catcher = tmp_path / "curl"
    catcher.write_text('#!/bin/bash\nfor last; do :; done\n[ "$last" = @- ] && cat || printf %s "$last"\n')
    catcher.chmod(0o755)
    assert in_bash(line(body), f"{tmp_path}:/usr/bin:/bin") == body


def test_curl_changes_neither_url_nor_path() -> None:
    found = line(b"{}")
    assert "-g --path-as-is" in found
    assert "-H 'content-type:'" in found
