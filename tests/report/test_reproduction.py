"""The curl lines of a failure, and the requests on which an exchange depends."""

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.exchange import Created, Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Judgement, Role
from pix_conformance.proof.suite_run import Finished
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import numbered
from pix_conformance.recording.curl import curl
from pix_conformance.report.dependency_chain import RecordedExchanges
from pix_conformance.report.reproduction import in_order, reproduction
from pix_conformance.report.requests_of_failure import Causes
from tests.support import bundles


def test_a_failure_depends_on_requests_that_made_its_objects_and_used_its_keys(failed_run: Finished) -> None:
    """The lines say in what two bodies differ. `test_printed_lines.py` runs the lines of many failures."""
    recorded = RecordedExchanges(read(failed_run.directory))
    (failed,) = [entry for entry in recorded.bundle.entries if entry.id == "PAY-IDEM-02"]
    lines = [judgement.curl or "" for judgement in failed.missed]
    assert any('the body of 1, with description: "Prize of May" -> "Prize of July"' in text for text in lines)
    assert not any("base64" in text for text in lines)
    for judgement in failed.missed:
        number = numbered(judgement.evidence)
        assert number
        chain = recorded.chain(number)
        assert chain
        assert chain[-1].id == number
        assert len(chain) > 1


def line(body: bytes, *headers: tuple[str, str]) -> str:
    sent = Request("POST", "http://h/a[1]/../b?c={d}", headers, body, "none")
    return curl(Exchange(1, Api.BUSINESS, Role.MERCHANT, None, None, 0, 0, sent), "http://h")


@pytest.mark.parametrize("body", [b"@/etc/hostname", b'it\'s "so" $HOME `x`\n', b"\xe4\xb8\xad", b"\x00\xff%\\"])
def test_a_body_leaves_bash_as_it_went_in(body: bytes, tmp_path: Path) -> None:
    catcher = tmp_path / "curl"
    catcher.write_text('#!/bin/bash\nfor last; do :; done\n[ "$last" = @- ] && cat || printf %s "$last"\n')
    catcher.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(["/bin/bash", "-c", line(body)], env=environment, capture_output=True, check=True)  # noqa: S603  # ours
    assert done.stdout == body


def test_curl_changes_neither_url_nor_path() -> None:
    text = line(b"{}")
    assert "-g --path-as-is" in text
    assert "-H 'content-type:'" in text


def sent(number: int, method: str, path: str, second: float, body: Any = None) -> Exchange:
    """Return an exchange of the business API that took 10 ms."""
    request = Request(method, f"http://h{path}", (), json.dumps(body).encode() if body else b"", "Bearer $PIX_API_KEY")
    request = replace(request, headers=(("authorization", "<Bearer $PIX_API_KEY>"),))
    operation = "create_charge" if body else None
    response = Response(200, (), b'{"id": "chg_0123456789"}', 24)
    return Exchange(number, Api.BUSINESS, Role.MERCHANT, operation, "t", second, 10, request, response)


def lines_for(tmp_path: Path, exchanges: Sequence[Exchange], ages: Mapping[str, float], *also: str) -> str:
    """Return the lines for a failure of the last of these exchanges, the first of which created a charge."""
    created = Created(Api.BUSINESS, Role.MERCHANT, "charge", "chg_0123456789", 1)
    bundle = replace(read(bundles.write(tmp_path)), base_url="http://h", journal=(created,), exchanges=tuple(exchanges))
    compared = {
        "matcher": "relation",
        "name": "x",
        "arguments": {"others": [{"evidence": evidence} for evidence in also]},
    }
    failed = Judgement("BUS-CAN-06", "t", exchanges[-1].evidence, (compared,), ("wrong",))
    return reproduction(Causes(RecordedExchanges(bundle), ages), failed)


CHARGE = "/v1/business/pix-charges/chg_0123456789"


def test_the_lines_wait_for_the_end_of_a_charge_and_not_for_other_tests(tmp_path: Path) -> None:
    created = sent(1, "POST", "/v1/business/pix-charges", 0, {"expires_in_seconds": 60})
    lines = lines_for(tmp_path, [created, sent(2, "POST", f"{CHARGE}/cancel", 145)], {"t": 62})
    assert re.findall(r"(?m)^sleep (\d+)$", lines) == ["63"]


def test_the_lines_do_not_wait_where_nothing_ages(tmp_path: Path) -> None:
    created = sent(1, "POST", "/v1/business/pix-charges", 0, {"amount_cents": 1})
    assert "sleep" not in lines_for(tmp_path, [created, sent(2, "POST", f"{CHARGE}/cancel", 145)], {})


def test_the_lines_wait_as_long_as_the_test_asks_for(tmp_path: Path) -> None:
    created = sent(1, "POST", "/v1/business/pix-charges", 0, {"amount_cents": 1})
    lines = lines_for(tmp_path, [created, sent(2, "POST", f"{CHARGE}/cancel", 145)], {"t": 25})
    assert re.findall(r"(?m)^sleep (\d+)$", lines) == ["25"]


def test_requests_of_a_race_are_sent_at_the_same_time(tmp_path: Path) -> None:
    created = sent(1, "POST", "/v1/business/pix-charges", 0, {"amount_cents": 1})
    race = [sent(2, "POST", f"{CHARGE}/pay", 1.0), sent(3, "POST", f"{CHARGE}/cancel", 1.001)]
    lines = lines_for(tmp_path, [created, *race, sent(4, "GET", CHARGE, 1.1)], {}).splitlines()
    assert [line[-1] for line in lines if line.startswith("curl") and ">answer_" in line] == ["&", "&"]
    assert lines[lines.index("wait") + 1] == "cat answer_2 answer_3"


def test_a_read_that_a_failure_is_compared_with_is_among_the_lines(tmp_path: Path) -> None:
    reads = [sent(2, "GET", "/v1/business/finance", 1), sent(3, "GET", "/v1/business/finance", 2)]
    created = sent(1, "POST", "/v1/business/pix-charges", 0, {"amount_cents": 1})
    assert lines_for(tmp_path, [created, *reads], {}, "exchange 2").count("-X GET") == 2


def test_a_masked_secret_is_no_line(tmp_path: Path) -> None:
    masked = sent(1, "POST", "/v1/business/pix-charges", 0, {"external_ref": "***"})
    text = lines_for(tmp_path, [masked], {})
    assert text == "none: run --only BUS-CAN-06 (a secret or another's data in exchange 1 is masked)"


def test_the_failure_whose_lines_wait_least_is_the_first() -> None:
    def failed(lines: str) -> Judgement:
        return Judgement("BUS-CAN-06", "t", "exchange 1", (), ("wrong",), curl=lines)

    none, late = failed("none: run --only BUS-CAN-06 (why)"), failed("sleep 63\ncurl")
    race, plain = failed("a &\nwait\ncat a"), failed("curl\n" * 9)
    assert in_order([none, late, race, plain]) == [plain, late, race, none]
