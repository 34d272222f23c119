"""Servers that break HTTP: nothing passes, the suite has no error, and time and memory are bounded."""

from __future__ import annotations

import gzip
import resource
from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import Finished, run_suite
from tests.support import hostile_servers as hostile
from tests.support.hostile_servers import OK, Treatment, raw

pytestmark = pytest.mark.battery
KEY = {"PIX_API_KEY": "ak_test_1"}
PAIR = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1"}
QUICK = ("--no-waiting", "--event-deadline", "1")
SOME = ("--api", "business", "-k", "test_finance or test_charges or test_charge_queries")
MOST_MEMORY_KB = 600_000
JSON = "content-type: application/json"
NO_ANSWER: dict[str, tuple[Treatment, str]] = {
    "endless body": (hostile.endless, "the response body is larger than"),
    "100 MB": (hostile.huge, "the response body is larger than"),
    "length too long": (hostile.saying(OK + b"content-length: 99\r\n\r\n{}"), "without sending complete message body"),
    "invalid gzip": (hostile.closing("200 OK", b"no gzip", JSON, "content-encoding: gzip"), "DecodingError"),
    "bomb": (hostile.closing("200 OK", hostile.bomb(256), "content-encoding: gzip, gzip"), "several content codings"),
    "small bomb": (
        hostile.closing("200 OK", gzip.compress(b" " * 256_000_000, 1), "content-encoding: gzip"),
        "larger than",
    ),
    "reset": (hostile.reset, "ReadError"),
    "noise": (hostile.noise, "RemoteProtocolError"),
}
AN_ANSWER: dict[str, tuple[Treatment, str]] = {
    "length too short": (hostile.saying(OK + b'content-length: 1\r\n\r\n{"id": "x"}'), "not JSON"),
    "cut gzip": (
        hostile.closing("200 OK", gzip.compress(b" " * 999)[:-9], JSON, "content-encoding: gzip"),
        "not JSON",
    ),
    "invalid UTF-8": (hostile.closing("200 OK", b'{"id": "\xff\xfe"}', JSON), "not JSON"),
    "header beyond ASCII": (hostile.closing("500 X", b"{}", "x-name: \xe9\xff", JSON), "status is 500"),
    "nested": (hostile.closing("200 OK", b"[" * 900 + b"]" * 900, JSON), "not JSON"),
    "cookies": (hostile.closing("200 OK", b"{}", "set-cookie: a=b; expires=" + "9" * 60, JSON), "fail"),
}
ANOTHER_THING: dict[str, tuple[Treatment, str]] = {
    "portal": (
        hostile.closing(
            "200 OK", b"<html><script>alert(1)</script>Log in to the network</html>", "content-type: text/html"
        ),
        "returned a web page",
    ),
    "circle": (hostile.closing("302 Found", b"", "location: /v1/business/finance"), "is redirected to /v1/business"),
    "other host": (hostile.closing("302 Found", b"", "location: http://example.com/"), "redirected to http://example"),
    "no address": (hostile.closing("302 Found", b"", "location: http://[::1/\x7f"), "is redirected to http://[::1/"),
}


def against(url: str, directory: Path, *words: str, **environment: str) -> tuple[Finished, float]:
    """Run the suite. Return also the seconds of its requests, without the time of its start."""
    done = run_suite(directory, *QUICK, *words, PIX_BASE_URL=url, **environment)
    return done, float(done.results["run"]["seconds"])


def well(done: Finished, status: int) -> None:
    """Check what holds for every run. The memory is the greatest of all child processes."""
    assert done.with_outcome("pass") == []
    assert done.with_outcome("error") == []
    assert "Traceback" not in done.output
    assert "INTERNALERROR" not in done.output
    assert done.exit == status
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MOST_MEMORY_KB


@pytest.mark.parametrize("name", NO_ANSWER)
def test_a_broken_response_gives_no_verdict(name: str, tmp_path: Path) -> None:
    treatment, words = NO_ANSWER[name]
    with raw(treatment) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", *SOME, **KEY)

    well(done, 6)
    assert done.with_outcome("fail") == []
    assert words in done.output
    assert seconds < 150


@pytest.mark.parametrize("name", AN_ANSWER)
def test_a_wrong_response_fails(name: str, tmp_path: Path) -> None:
    treatment, words = AN_ANSWER[name]
    with raw(treatment) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", *SOME, **KEY)

    well(done, 1)
    assert words in done.output
    assert seconds < 150


@pytest.mark.parametrize("name", ANOTHER_THING)
def test_a_response_of_another_service_gives_no_verdict(name: str, tmp_path: Path) -> None:
    treatment, words = ANOTHER_THING[name]
    with raw(treatment) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", *SOME, **KEY)

    well(done, 6)
    assert done.with_outcome("fail") == []
    assert words in done.output
    assert seconds < 30


@pytest.mark.parametrize("head", [OK + b"\r\n", OK + b"x-slow: ", b"HTTP/1.1 2"], ids=["body", "headers", "status"])
def test_an_answer_byte_by_byte_ends_with_the_deadline(head: bytes, tmp_path: Path) -> None:
    with raw(hostile.dripping(head)) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", *SOME, **KEY)

    well(done, 6)
    assert "not complete after 20 s" in done.output
    assert seconds < 220


def test_a_whole_run_against_a_mute_server_ends_soon(tmp_path: Path) -> None:
    with raw(hostile.mute) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", "--tb=no", **KEY, **PAIR)

    well(done, 6)
    assert f"no response from http://{address}: check PIX_BASE_URL" in done.output
    assert seconds < 280


def test_a_whole_run_against_an_echo_passes_nothing(tmp_path: Path) -> None:
    with raw(hostile.echo) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", "--tb=no", **KEY, **PAIR)

    well(done, 1)
    assert seconds < 280


def test_tls_to_a_plain_port_is_named(tmp_path: Path) -> None:
    with raw(hostile.answering_anything(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as address:
        done, _ = against(f"https://{address}", tmp_path / "out", *SOME, **KEY)

    well(done, 6)
    assert "SSL" in done.output


def test_an_untrusted_certificate_is_named(tmp_path: Path) -> None:
    with raw(hostile.saying(OK + b"\r\n{}"), hostile.self_signed()) as address:
        done, _ = against(f"https://{address}", tmp_path / "out", *SOME, **KEY)

    well(done, 6)
    assert "CERTIFICATE_VERIFY_FAILED" in done.output
