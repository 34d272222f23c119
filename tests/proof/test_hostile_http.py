"""Servers that break HTTP: nothing passes, the suite has no error, and time and memory are bounded."""

import gzip
import resource
import ssl
from pathlib import Path

import pytest

from pix_conformance.proof.suite_run import Finished, run_suite
from tests.support import hostile_servers as hostile
from tests.support.hostile_servers import OK, Treatment, closing, raw, saying

pytestmark = pytest.mark.battery
KEY = {"PIX_API_KEY": "ak_test_1"}
PAIR = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1"}
QUICK = ("--no-waiting", "--event-deadline", "1")
SOME = ("--api", "business", "-k", "test_finance or test_charges or test_charge_queries")
OF_ANY_RESPONSE = {"PAY-GEN-19", "PAY-GEN-20", "BUS-GEN-18", "BUS-GEN-19", "BUS-GEN-20"}
"""The requirements that ask for a response of each route, with any status and body."""
MOST_MEMORY_KB = 600_000
JSON = "content-type: application/json"
ENCODED = "content-encoding: gzip"
PORTAL = b"<html><script>alert(1)</script>Log in to the network</html>"
HOSTILE: dict[str, tuple[int, Treatment, str]] = {
    "endless body": (6, hostile.endless, "the response body is larger than"),
    "100 MB": (6, hostile.huge, "the response body is larger than"),
    "length too long": (6, saying(OK + b"content-length: 99\r\n\r\n{}"), "without sending complete message body"),
    "invalid gzip": (6, closing("200 OK", b"no gzip", JSON, ENCODED), "DecodingError"),
    "bomb": (6, closing("200 OK", hostile.bomb(256), f"{ENCODED}, gzip"), "several content codings"),
    "small bomb": (6, closing("200 OK", gzip.compress(b" " * 256_000_000, 1), ENCODED), "larger than"),
    "reset": (6, hostile.reset, "ReadError"),
    "noise": (6, hostile.noise, "the response is not valid HTTP/1.1"),
    "length too short": (1, saying(OK + b'content-length: 1\r\n\r\n{"id": "x"}'), "not JSON"),
    "cut gzip": (1, closing("200 OK", gzip.compress(b" " * 999)[:-9], JSON, ENCODED), "not JSON"),
    "invalid UTF-8": (1, closing("200 OK", b'{"id": "\xff\xfe"}', JSON), "the body is not in UTF-8"),
    "header beyond ASCII": (1, closing("500 X", b"{}", "x-name: \xe9\xff", JSON), "status is 500"),
    "nested": (1, closing("200 OK", b"[" * 900 + b"]" * 900, JSON), "nested more than 100 levels deep"),
    "cookies": (1, closing("200 OK", b"{}", "set-cookie: a=b; expires=" + "9" * 60, JSON), "fail"),
    "portal": (6, closing("200 OK", PORTAL, "content-type: text/html"), "returned a web page"),
    "circle": (6, closing("302 Found", b"", "location: /v1/business/finance"), "is redirected to /v1/business"),
    "other host": (6, closing("302 Found", b"", "location: http://example.com/"), "redirected to http://example"),
    "no address": (6, closing("302 Found", b"", "location: http://[::1/\x7f"), "is redirected to http://[::1/"),
}
"""What a server does with each request, the exit status of the run, and words of its output.

A response that is broken, or of another service, decides nothing; a wrong one fails.
"""


def against(url: str, directory: Path, *words: str, **environment: str) -> tuple[Finished, float]:
    """Run the suite. Return also the seconds of its requests, without the time of its start."""
    done = run_suite(directory, *QUICK, *words, PIX_BASE_URL=url, **environment)
    return done, float(done.results["run"]["seconds"])


def well(done: Finished, status: int) -> None:
    """Check what holds for every run. The memory is the greatest of all child processes."""
    assert set(done.with_outcome("pass")) <= OF_ANY_RESPONSE
    assert done.with_outcome("error") == []
    assert "Traceback" not in done.output
    assert "INTERNALERROR" not in done.output
    assert done.exit == status
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MOST_MEMORY_KB


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_response_passes_nothing(name: str, tmp_path: Path) -> None:
    status, treatment, words = HOSTILE[name]
    with raw(treatment) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", *SOME, **KEY)
    well(done, status)
    assert bool(done.with_outcome("fail")) == (status == 1)
    assert words in done.output
    assert seconds < 150


@pytest.mark.parametrize("head", [OK + b"\r\n", OK + b"x-slow: ", b"HTTP/1.1 2"], ids=["body", "headers", "status"])
def test_an_answer_byte_by_byte_ends_with_the_deadline(head: bytes, tmp_path: Path) -> None:
    with raw(hostile.dripping(head)) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", *SOME, **KEY)

    well(done, 6)
    assert "not complete after 20 s" in done.output
    assert seconds < 220


@pytest.mark.parametrize(("treatment", "status"), [(hostile.mute, 6), (hostile.echo, 1)], ids=["mute", "echo"])
def test_a_whole_run_ends_soon(treatment: Treatment, status: int, tmp_path: Path) -> None:
    with raw(treatment) as address:
        done, seconds = against(f"http://{address}", tmp_path / "out", "--tb=no", **KEY, **PAIR)
    well(done, status)
    assert (f"no response from http://{address}, which accepts the connection" in done.output) == (status == 6)
    assert seconds < 280


@pytest.mark.parametrize(
    ("treatment", "tls", "words"),
    [
        (saying(b"HTTP/1.1 400 Bad Request\r\n\r\n", reads_head=False), None, "answers in plain HTTP, without TLS"),
        (saying(OK + b"\r\n{}"), hostile.self_signed(), "its certificate is of an unknown authority"),
    ],
    ids=["plain port", "self-signed"],
)
def test_what_is_wrong_with_tls_is_named(
    treatment: Treatment, tls: ssl.SSLContext | None, words: str, tmp_path: Path
) -> None:
    with raw(treatment, tls) as address:
        done, _ = against(f"https://{address}", tmp_path / "out", *SOME, **KEY)
    well(done, 6)
    assert words in done.output
