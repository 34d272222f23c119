"""The curl lines of a failure, and the requests on which an exchange depends."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.exchange import Created, Exchange
from pix_conformance.model.vocabulary import Api, Judgement, Role
from pix_conformance.proof.suite_run import Finished
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import numbered
from pix_conformance.recording.curl import curl
from pix_conformance.report.dependency_chain import RecordedExchanges
from pix_conformance.report.reproduction import in_order, reproduction
from pix_conformance.report.requests_of_failure import Causes
from tests.support import bundles
from tests.support.exchanges import exchange


def test_a_failure_depends_on_requests_that_made_its_objects_and_used_its_keys(failed_run: Finished) -> None:
    """The lines say in what two bodies differ. `test_printed_lines.py` runs the lines of many failures."""
    recorded = RecordedExchanges(read(failed_run.directory))
    (failed,) = [entry for entry in recorded.bundle.entries if entry.id == "PAY-IDEM-02"]
    lines = [judgement.curl or "" for judgement in failed.missed]
    assert any('the body of 1, with description: "Prize of May" -> "Prize of July"' in text for text in lines)
    assert not any("base64" in text for text in lines)
    for judgement in failed.missed:
        number = numbered(judgement.evidence)
        chain = recorded.chain(number or 0) or []
        assert len(chain) > 1
        assert chain[-1].id == number


def line(body: bytes, *headers: tuple[str, str]) -> str:
    return curl(exchange(status=0, sent=body, sends=("POST", "http://h/a[1]/../b?c={d}", headers)), "http://h")


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


CREATED = {"id": "chg_0123456789"}


def sent(number: int, method: str, path: str, second: float, body: Any = None) -> Exchange:
    """Return an exchange of the business API that took 10 ms."""
    sends = (method, f"http://h{path}", (("authorization", "<Bearer $PIX_API_KEY>"),))
    fields: dict[str, Any] = {"id": number, "api": Api.BUSINESS, "test": "t", "started": second, "elapsed_ms": 10}
    answer = exchange(CREATED, sent=body, sends=sends, operation="create_charge" if body else None, **fields)
    return replace(answer, request=replace(answer.request, credential="Bearer $PIX_API_KEY"))


def lines_for(tmp_path: Path, exchanges: Sequence[Exchange], ages: Mapping[str, float], *also: str) -> str:
    """Return the lines for a failure of the last of these exchanges, the first of which created a charge."""
    created = Created(Api.BUSINESS, Role.MERCHANT, "charge", "chg_0123456789", 1)
    bundle = replace(read(bundles.write(tmp_path)), base_url="http://h", journal=(created,), exchanges=tuple(exchanges))
    others = [{"evidence": evidence} for evidence in also]
    compared = {"matcher": "relation", "name": "x", "arguments": {"others": others}}
    failed = Judgement("BUS-CAN-06", "t", exchanges[-1].evidence, (compared,), ("wrong",))
    return reproduction(Causes(RecordedExchanges(bundle), ages), failed)


CHARGES, CHARGE = "/v1/business/pix-charges", "/v1/business/pix-charges/chg_0123456789"
CREATION = sent(1, "POST", CHARGES, 0, {"amount_cents": 1})


@pytest.mark.parametrize(
    ("creation", "ages", "waits"),
    [
        (sent(1, "POST", CHARGES, 0, {"expires_in_seconds": 60}), {"t": 62}, ["sleep 63"]),
        (CREATION, {}, []),
        (CREATION, {"t": 25}, ["sleep 25"]),
    ],
    ids=["the end of the charge", "nothing ages", "the age that the test asks for"],
)
def test_the_lines_wait_for_what_ages_and_not_for_other_tests(
    tmp_path: Path, creation: Exchange, ages: dict[str, float], waits: list[str]
) -> None:
    lines = lines_for(tmp_path, [creation, sent(2, "POST", f"{CHARGE}/cancel", 145)], ages)
    assert re.findall("(?:.*)sleep.*", lines) == waits


def test_requests_of_a_race_are_sent_at_the_same_time(tmp_path: Path) -> None:
    race = [sent(2, "POST", f"{CHARGE}/pay", 1.0), sent(3, "POST", f"{CHARGE}/cancel", 1.001)]
    lines = lines_for(tmp_path, [CREATION, *race, sent(4, "GET", CHARGE, 1.1)], {}).splitlines()
    assert [line[-1] for line in lines if line.startswith("curl") and ">answer_" in line] == ["&", "&"]
    assert lines[lines.index("wait") + 1] == "cat answer_2 answer_3"


def test_a_read_that_a_failure_is_compared_with_is_among_the_lines(tmp_path: Path) -> None:
    reads = [sent(2, "GET", "/v1/business/finance", 1), sent(3, "GET", "/v1/business/finance", 2)]
    assert lines_for(tmp_path, [CREATION, *reads], {}, "exchange 2").count("-X GET") == 2


def test_a_masked_secret_is_no_line(tmp_path: Path) -> None:
    text = lines_for(tmp_path, [sent(1, "POST", CHARGES, 0, {"external_ref": "***"})], {})
    assert text == "none: run --only BUS-CAN-06 (a secret or another's data in exchange 1 is masked)"


def test_the_failure_whose_lines_wait_least_is_the_first() -> None:
    def failed(lines: str) -> Judgement:
        return Judgement("BUS-CAN-06", "t", "exchange 1", (), ("wrong",), curl=lines)

    none, late = failed("none: run --only BUS-CAN-06 (why)"), failed("sleep 63\ncurl")
    race, plain = failed("a &\nwait\ncat a"), failed("curl\n" * 9)
    assert in_order([none, late, race, plain]) == [plain, late, race, none]
