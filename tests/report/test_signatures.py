"""A user can compute the signature of a failed delivery by hand, from what its card shows."""

import json
import os
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.oracles import signature
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report.cards import cards
from pix_conformance.report.pages import render_index
from pix_conformance.report.traffic import signed
from tests.support import bundles

SECRET = "whsec_of the test"  # noqa: S105  # of this test alone
BODIES = {
    "plain": '{"id": "evt_1", "data": {"amount_cents": 100}}',
    "a quote, an escape, a percent sign": """{"it's": "\\u00e9 %s $HOME `id` \\\\"}""",
    "a control character and lines": '{\r\n\t"id": "\x07"\n}\n',
}


def recorded(directory: Path, body: str, **more: Any) -> Bundle:
    """Return a bundle of one delivery whose `v1` signs the body alone."""
    bundles.write(directory)
    wrong = signature.sign("", body.encode(), SECRET)
    row = bundles.delivery(1) | {"headers": [["X-Service-Signature", f"t=1795397816,v1={wrong}"]], "body": body}
    (directory / "deliveries.jsonl").write_text(json.dumps(row | more) + "\n")
    return read(directory)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the line needs openssl")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_the_command_computes_the_right_signature(tmp_path: Path, body: str) -> None:
    result = signed(recorded(tmp_path, body), "delivery 1")
    assert result is not None
    assert result.variable == "PIX_BUSINESS_WEBHOOK_SECRET"
    assert SECRET not in result.command
    done = subprocess.run(  # noqa: S602  # the line is for a shell
        result.command,
        shell=True,
        env=os.environ | {result.variable: SECRET},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == signature.sign("1795397816", body.encode(), SECRET)


@pytest.mark.parametrize(
    ("masked", "reason"),
    [
        ({"masked": "an object this run did not create"}, "an object this run did not create"),
        ({"headers": [["Service-Signature", "t=1,v1=ab"]]}, "names the right v1"),  # the secret of a webhook is masked
    ],
)
def test_what_is_masked_has_a_reason_instead_of_a_command(tmp_path: Path, masked: dict[str, Any], reason: str) -> None:
    result = signed(recorded(tmp_path, "{}", **masked), "delivery 1")
    assert result is not None
    assert result.command == ""
    assert reason in result.hindrance


def test_an_exchange_and_an_unsigned_delivery_have_no_signature(tmp_path: Path) -> None:
    bundle = recorded(tmp_path, "{}", headers=[])
    assert signed(bundle, "delivery 1") is None
    assert signed(bundle, "exchange 1") is None


def test_the_card_shows_header_signed_text_and_command(tmp_path: Path) -> None:
    recorded(tmp_path, BODIES["plain"])
    failed = {"test": "", "target": "delivery 1", "matchers": [], "mismatches": ["no v1 fits"], "curl": ""}
    results = bundles.results()
    results["requirements"] = [bundles.requirement(4, id="BUS-SIG-03", judgements=[failed], tests=[])]
    (tmp_path / "results.json").write_text(json.dumps(results))
    page = unescape(render_index(read(tmp_path), cards(read(tmp_path))))
    assert "X-Service-Signature: t=1795397816,v1=" in page
    assert f"1795397816.{BODIES['plain']}" in page
    assert 'openssl dgst -sha256 -hmac "$PIX_BUSINESS_WEBHOOK_SECRET"' in page
    assert "--only BUS-SIG-03" in page
