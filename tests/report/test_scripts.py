"""The scripts of failures: which requests they send, what they wait for, and what bash makes of them."""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.exchange import Created, Exchange, NetworkFault
from pix_conformance.model.vocabulary import Api, Judgement, Role
from pix_conformance.proof.suite_run import Finished
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.curl import curl
from pix_conformance.report.pages import write_pages
from pix_conformance.report.recorded_exchanges import RecordedExchanges
from pix_conformance.report.script_requests import easiest_first
from pix_conformance.report.scripts import Script, Scripts
from tests.support import bundles
from tests.support.exchanges import exchange

BASE = "http://h"
CHARGES, CHARGE = "/v1/business/pix-charges", "/v1/business/pix-charges/chg_0123456789"
CREATED = {"id": "chg_0123456789"}


def line(body: bytes, *headers: tuple[str, str]) -> str:
    return curl(exchange(status=0, sent=body, sends=("POST", f"{BASE}/a[1]/../b?c={{d}}", headers)), BASE)


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


def sent(number: int, method: str, path: str, second: float, body: Any = None, **fields: Any) -> Exchange:
    """Return an exchange of the business API that took 10 ms."""
    sends = (method, f"{BASE}{path}", (("authorization", "<Bearer $PIX_API_KEY>"),))
    own: dict[str, Any] = {"id": number, "api": Api.BUSINESS, "test": "t", "started": second, "elapsed_ms": 10}
    answer = exchange(CREATED, sent=body, sends=sends, operation="create_charge" if body else None, **(own | fields))
    return replace(answer, request=replace(answer.request, credential="Bearer $PIX_API_KEY"))


CREATION = sent(1, "POST", CHARGES, 0, {"amount_cents": 1})


def recorded_in(directory: Path, exchanges: Sequence[Exchange]) -> RecordedExchanges:
    """Return a recording of these exchanges, the first of which created a charge."""
    created = Created(Api.BUSINESS, Role.MERCHANT, "charge", CREATED["id"], 1)
    bundle = replace(read(bundles.write(directory)), base_url=BASE, journal=(created,), exchanges=tuple(exchanges))
    return RecordedExchanges(bundle)


def script_for(directory: Path, exchanges: Sequence[Exchange], *also: str) -> Script | None:
    """Return the script of a failure of the last of these exchanges, which is compared with others."""
    recorded = recorded_in(directory, exchanges)
    compared = {"matcher": "relation", "name": "x", "arguments": {"others": [{"evidence": name} for name in also]}}
    failed = Judgement("BUS-CAN-06", "t", exchanges[-1].evidence, (compared,), ("wrong",))
    entry = replace(recorded.bundle.entries[0], id="BUS-CAN-06", judgements=(failed,))
    return Scripts(recorded).of(entry)


def lines_for(directory: Path, exchanges: Sequence[Exchange], *also: str) -> list[str]:
    script = script_for(directory, exchanges, *also)
    assert script
    return list(script.lines)


@pytest.mark.parametrize(
    ("creation", "second", "pauses"),
    [
        (sent(1, "POST", CHARGES, 0, {"expires_in_seconds": 60}, test="other"), 145, ["sleep 65"]),
        (sent(1, "POST", CHARGES, 0, {"expires_in_seconds": 60}), 62, ["sleep 62"]),
        (replace(CREATION, test="other"), 145, []),
        (CREATION, 4.01, ["sleep 4"]),
        (CREATION, 0.02, []),
    ],
    ids=["the end of another test's charge", "the end of the charge", "other tests ran", "a pause", "nothing"],
)
def test_a_script_waits_for_what_ages_and_not_for_other_tests(
    tmp_path: Path, creation: Exchange, second: float, pauses: list[str]
) -> None:
    lines = lines_for(tmp_path, [creation, sent(2, "POST", f"{CHARGE}/cancel", second)])
    assert [text for text in lines if text.startswith("sleep")] == pauses


def test_simultaneous_requests_are_sent_simultaneously(tmp_path: Path) -> None:
    race = [sent(2, "POST", f"{CHARGE}/pay", 1.0), sent(3, "POST", f"{CHARGE}/cancel", 1.001)]
    lines = lines_for(tmp_path, [CREATION, *race, sent(4, "GET", CHARGE, 1.1)])
    assert [text.endswith(" &") for text in lines if text.startswith("send")] == [False, True, True, False]
    assert lines.index("wait") < next(place for place, text in enumerate(lines) if text.startswith("send 4"))
    assert any("several tries" in text for text in lines)


def test_the_tokens_of_simultaneous_logins_are_read_from_their_responses(tmp_path: Path) -> None:
    pair = "$PIX_CLIENT_ID:$PIX_CLIENT_SECRET"
    login = sent(1, "POST", "/api/auth", 0, group="logins")
    request = replace(login.request, body=b"", credential=f"Basic {pair}", headers=())
    login = replace(login, api=Api.PAYMENTS, operation="authenticate", request=request)
    query = sent(3, "GET", "/api/v1/balance", 1)
    query = replace(
        query, api=Api.PAYMENTS, request=replace(query.request, login=2, credential=f"Bearer token of {pair}")
    )
    lines = lines_for(tmp_path, [login, replace(login, id=2), query])
    assert lines.index("wait") < lines.index("TOKEN_2=$(value 2 token 1)")


def test_requests_of_one_group_are_sent_simultaneously_though_the_first_was_answered_before_the_second(
    tmp_path: Path,
) -> None:
    race = [sent(number, "POST", f"{CHARGE}/pay", 1 + number / 10, group="g") for number in (2, 3)]
    lines = lines_for(tmp_path, [CREATION, *race])
    assert [text.endswith(" &") for text in lines if text.startswith("send")] == [False, True, True]
    assert "sleep 0.100" in lines


def test_a_request_that_a_proxy_sends_twice_is_sent_twice(tmp_path: Path) -> None:
    twice = sent(2, "POST", f"{CHARGE}/pay", 1)
    twice = replace(twice, response=None, fault=str(NetworkFault.SENT_TWICE))
    lines = lines_for(tmp_path, [CREATION, twice, sent(3, "GET", CHARGE, 2)])
    assert [text.endswith(" &") for text in lines if text.startswith("send")] == [False, True, True, False]


def test_a_script_has_the_requests_of_its_test_and_those_that_made_what_they_name(tmp_path: Path) -> None:
    others = [sent(number, "POST", CHARGES, number, {"amount_cents": number}, test="other") for number in (2, 3)]
    script = script_for(tmp_path, [replace(CREATION, test="setup"), *others, sent(4, "GET", CHARGE, 5)])
    assert script
    assert script.requests == len((CREATION, "the query"))
    assert "ID_1=$(value 1 id 1)" in script.lines
    assert any('send 2 GET "/v1/business/pix-charges/${ID_1}"' in text for text in script.lines)


@pytest.mark.parametrize("answer", [[], [{"amount_cents": 1}], [CREATED]], ids=["empty", "without-ids", "with-id"])
def test_before_a_failing_list_what_it_lists_is_created(answer: list[dict[str, Any]], tmp_path: Path) -> None:
    listing = replace(sent(4, "GET", CHARGES, 5), operation="list_charges", response=exchange(answer).response)
    script = script_for(tmp_path, [replace(CREATION, test="setup"), listing])
    assert script
    assert [text.split()[2] for text in script.lines if text.startswith("send")] == ["POST", "GET"]


def test_of_the_same_query_again_and_again_the_last_is_sent_unless_the_failure_is_about_another(tmp_path: Path) -> None:
    queries = [sent(number, "GET", "/v1/business/finance", number) for number in (2, 3, 4)]
    counts = [
        sum(text.startswith("send") for text in lines_for(tmp_path, [CREATION, *queries], *also))
        for also in ((), ("exchange 2",))
    ]
    assert counts == [2, 3]


def test_a_masked_secret_leaves_a_failure_without_a_script(tmp_path: Path) -> None:
    assert script_for(tmp_path, [sent(1, "POST", CHARGES, 0, {"external_ref": "***"})]) is None


def test_keys_and_labels_are_new_and_differ_as_they_did(tmp_path: Path) -> None:
    keys = ("1f0e2d3c-aaaa-4bbb-8ccc-0123456789ab", "1f0e2d3c-aaaa-4bbb-8ccc-0123456789ac")
    requests = [
        sent(number, "POST", CHARGES, number, {"external_ref": f"run-{key}"}) for number, key in enumerate(keys, 1)
    ]
    text = "\n".join(lines_for(tmp_path, requests))
    assert re.findall(r"run-1f0e2d3c-'\"\$\{RUN\}\"'-4bbb-8ccc-(\w+)", text) == ["0123456789ab", "0123456789ac"]
    assert "aaaa" not in text


def test_a_script_ends_with_what_was_expected_what_came_and_what_comes_now(tmp_path: Path) -> None:
    lines = lines_for(tmp_path, [CREATION, sent(2, "GET", CHARGE, 1)])
    end = "\n".join(lines[lines.index("") :])
    assert "expected: " in end
    assert "the run got: status 200" in end
    assert 'cat "$answers/2"' in end


def test_the_failure_that_is_easiest_to_show_is_the_first(tmp_path: Path) -> None:
    late = [sent(11, "POST", CHARGES, 0, test="late"), sent(12, "GET", CHARGES, 70, test="late")]
    race = [sent(number, "POST", CHARGES, 1.001, test="race") for number in (21, 22)]
    plain = [sent(number, "GET", CHARGES, number, test="plain") for number in (31, 32)]
    recorded = recorded_in(tmp_path, [CREATION, *late, *race, *plain])
    names = ("exchange 99", "delivery 1", "exchange 22", "exchange 12", "exchange 32")
    missed = [Judgement("BUS-CAN-06", "t", name, (), ("wrong",)) for name in names]
    assert [judgement.evidence for judgement in easiest_first(recorded, missed)] == [
        *("exchange 32", "exchange 12", "exchange 22", "delivery 1", "exchange 99")
    ]


def test_every_failed_requirement_has_its_script_in_the_report(failed_run: Finished) -> None:
    """`test_scripts_of_mutants.py` runs the scripts of many failures."""
    failed = {entry.id for entry in read(failed_run.directory).entries if entry.missed}
    assert {path.stem for path in (failed_run.directory / "reproduce").iterdir()} == failed
    text = (failed_run.directory / "reproduce" / "PAY-IDEM-02.sh").read_text("utf-8")
    keys = re.findall(r'x-idempotency-key: ([^"]+)"', text)
    assert len(keys) > len(set(keys))
    assert "expected: status" in text


def test_what_a_server_sends_is_no_command_of_a_script(tmp_path: Path) -> None:
    """Texts with quotes, line breaks and substitutions stay texts."""
    mark = tmp_path / "mark"
    text = f"'; touch {mark} #\n$(touch {mark}) `touch {mark}` \" ; touch {mark} \ue000(touch {mark})\ue001"
    write_pages(bundles.write(tmp_path / "report", text=text))
    scripts = list((tmp_path / "report" / "reproduce").iterdir())
    assert scripts
    environment = {"PATH": os.environ["PATH"], "PIX_BASE_URL": "http://127.0.0.1:1", "PIX_TOKEN": "x"}
    environment |= dict.fromkeys(("PIX_CLIENT_ID", "PIX_CLIENT_SECRET", "PIX_API_KEY"), "x")
    for script in scripts:
        subprocess.run(["/bin/bash", str(script)], env=environment, capture_output=True, check=True, cwd=tmp_path)  # noqa: S603  # ours
    assert not mark.exists()
