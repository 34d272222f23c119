"""No file of the bundle contains a credential, token or signature secret, in any encoding."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.reference.process import start
from pix_conformance.reference.sandbox_server import variables

JWT = re.compile(rb"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Finished, list[str]]]:
    with start() as running:
        given = variables(running.credentials)
        secret = [value for name, value in given.items() if name.endswith(("SECRET", "API_KEY"))]
        words = ("--no-waiting", "--event-deadline", "2", "--tb=long", "-k", "auth or charge or webhook or signature")
        yield run_suite(tmp_path_factory.mktemp("run") / "out", *words, **given), secret


def forms(secret: str) -> set[bytes]:
    plain = secret.encode()
    return {
        plain,
        quote(secret, safe="").encode(),
        base64.b64encode(plain).rstrip(b"="),
        base64.urlsafe_b64encode(plain).rstrip(b"="),
    }


def test_no_file_of_the_bundle_contains_a_secret(finished: tuple[Finished, list[str]]) -> None:
    done, secrets = finished
    files = {path: path.read_bytes() for path in done.directory.rglob("*") if path.is_file()}

    leaks = [
        (path.name, secret[:4])
        for path, text in files.items()
        for secret in secrets
        for form in forms(secret)
        if form in text
    ]
    tokens = [path.name for path, text in files.items() if JWT.search(text)]

    assert len(secrets) >= 6
    assert files
    assert (leaks, tokens) == ([], [])


def test_the_terminal_shows_no_secret(finished: tuple[Finished, list[str]]) -> None:
    done, secrets = finished

    assert [secret[:4] for secret in secrets if secret in done.output] == []
    assert not JWT.search(done.output.encode())
