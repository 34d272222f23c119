"""No file of the bundle contains a credential, token or signature secret, in any encoding."""

import base64
import re
from pathlib import Path
from urllib.parse import quote

from pix_conformance.proof.suite_run import run_suite
from pix_conformance.reference.process import Running
from pix_conformance.reference.sandbox_server import variables

JWT = re.compile(rb"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+")


def forms(secret: str) -> set[bytes]:
    plain = secret.encode()
    return {
        plain,
        quote(secret, safe="").encode(),
        base64.b64encode(plain).rstrip(b"="),
        base64.urlsafe_b64encode(plain).rstrip(b"="),
    }


def test_no_file_of_the_bundle_and_no_line_of_the_terminal_contains_a_secret(server: Running, tmp_path: Path) -> None:
    given = variables(server.credentials)
    secrets = [value for name, value in given.items() if name.endswith(("SECRET", "API_KEY"))]
    done = run_suite(tmp_path / "out", "--no-waiting", "--event-deadline", "2", "--tb=long", "--quick", **given)
    texts = {path.name: path.read_bytes() for path in done.directory.rglob("*") if path.is_file()}
    leaks = [
        (name, secret[:4])
        for name, text in (texts | {"terminal": done.output.encode()}).items()
        for secret in secrets
        for form in forms(secret)
        if form in text
    ]
    tokens = [name for name, text in (texts | {"terminal": done.output.encode()}).items() if JWT.search(text)]

    assert len(secrets) >= 6
    assert texts
    assert (leaks, tokens) == ([], [])
