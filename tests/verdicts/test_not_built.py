"""Routes that a service does not have: one failure each, and nothing that needs them passes."""

import json
import shutil
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from pix_conformance.checks.built_routes import unbuilt_routes
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.exchange import Created, Exchange, Request, Response
from pix_conformance.model.operations import Operation, by_name, of, required_by
from pix_conformance.model.vocabulary import Api, Outcome, Role
from pix_conformance.model.why import Why
from pix_conformance.proof.suite_run import Finished, run_suite
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report.cards import cards_of
from pix_conformance.verdicts.rejudge import rejudge
from tests.support.servers import always, serving

ROWS = [row for api in Api for row in of(api)]
EVERY = [pytest.param(row, id=f"{row.api}-{row.name}") for row in ROWS]
OF_ALL = ("PAY-GEN-05", "PAY-ERR-01", "PAY-ERR-02", "PAY-AUTH-08", "PAY-AUTH-11", "PAY-VER-01")
GENERAL = (*OF_ALL, "BUS-GEN-01", "BUS-ERR-01")
FURTHER = (
    *("PAY-TRF-41", "PAY-CHG-41", "PAY-PAYS-12", "PAY-EVT-01", "PAY-WH-72", "PAY-CMP-03"),
    *("BUS-CAN-04", "BUS-LIST-22"),
)
ASKED = (*(row.success for row in ROWS), *GENERAL, *FURTHER)
ACCOUNT = {"PIX_CLIENT_ID": "id-1", "PIX_CLIENT_SECRET": "secret-1", "PIX_API_KEY": "ak_test_1"}
NO_API_ERROR, NO_TRANSFER_KEY = b"404 page not found\n", b'{"error": "NOT_FOUND", "message": "no such key"}'
ID = "6f1c1a52-0000-4000-8000-000000000000"


def outcomes(bundle: Bundle, outcome: Outcome) -> set[str]:
    return {entry.id for entry in bundle.entries if entry.outcome is outcome}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run of each operation, and of rules about every message, against the embedded reference."""
    return run_suite(tmp_path_factory.mktemp("recorded") / "out", "--only", ",".join(ASKED))


def without(recorded: Finished, row: Operation, directory: Path) -> Bundle:
    """Judge the recording again as if each request of an operation had been answered with 404."""
    shutil.copytree(recorded.directory, directory)
    path = directory / "exchanges.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for exchange in rows:
        if (exchange["api"], exchange["operation"]) == (row.api, row.name) and exchange["response"]:
            exchange["response"] |= {"status": 404, "body": NO_API_ERROR.decode(), "headers": []}
    path.write_text("".join(json.dumps(exchange) + "\n" for exchange in rows))
    return rejudge(directory).bundle


@pytest.mark.parametrize("row", EVERY)
def test_a_route_that_is_not_built_is_one_failure(recorded: Finished, row: Operation, tmp_path: Path) -> None:
    judged = without(recorded, row, tmp_path / "out")
    (failed,) = (entry for entry in judged.entries if entry.outcome is Outcome.FAIL)
    assert failed.id == row.success
    assert failed.reason.startswith(f"{row.route} is not built: 404 to ")
    (card,) = (card for card in cards_of(judged) if card.outcome is Outcome.FAIL)
    assert card.requirements == [row.success]
    assert card.headline == failed.reason
    unasked = {entry.id: entry for entry in judged.entries if entry.why is Why.NOT_BUILT}
    assert {entry.reason for entry in unasked.values()} <= {f"not asked: {row.route} is not built"}
    own = {rule.id for rule in catalogue().of(row.api) if rule.operation == row.name}
    assert not own & outcomes(judged, Outcome.PASS)


def test_all_that_was_recorded_passes(recorded: Finished) -> None:
    assert outcomes(read(recorded.directory), Outcome.PASS) >= {*ASKED} - {"PAY-WH-72"}


@pytest.mark.parametrize(
    ("rules", "fails", "passes"),
    [
        ("payments_create_transfer", "PAY-TRF-01", {"PAY-BAL-01", "PAY-ERR-01", "PAY-AUTH-11", "PAY-PAYS-12"}),
        ("business_list_charges", "BUS-LIST-01", {"BUS-CHG-01", "BUS-GEN-01", "BUS-ERR-01", "BUS-CAN-04"}),
        ("payments_get_balance", "PAY-BAL-01", {*OF_ALL, "PAY-TRF-01", "PAY-CMP-01"} - {"PAY-AUTH-08", "PAY-VER-01"}),
    ],
)
def test_all_else_is_judged(rules: str, fails: str, passes: set[str], tmp_path: Path) -> None:
    """The key of a transfer, the money and the address are no reasons: the route is."""
    given = {"WRONG": f"tests.support.unbuilt_routes:{rules}"}
    done = run_suite(tmp_path / "out", "-p", "tests.support.altered_run", "--only", ",".join(ASKED), **given)
    bundle = read(done.directory)
    assert (done.exit, outcomes(bundle, Outcome.FAIL)) == (1, {fails})
    assert passes <= outcomes(bundle, Outcome.PASS)
    row = by_name(Api(rules.partition("_")[0]))[rules.partition("_")[2]]
    reasons = {entry.reason for entry in bundle.entries if entry.outcome is Outcome.INCONCLUSIVE}
    assert reasons == ({f"not asked: {row.route} is not built"} if reasons else set())


def test_a_server_without_any_route_fails_once_for_each(tmp_path: Path) -> None:
    with serving(always(404, b"<!doctype html><pre>Cannot GET /</pre>", "text/html")) as url:
        done = run_suite(tmp_path / "out", "--base-url", url, **ACCOUNT)
    bundle = read(done.directory)
    assert done.exit == 1
    assert outcomes(bundle, Outcome.FAIL) == {row.success for row in ROWS}
    assert not outcomes(bundle, Outcome.PASS) | outcomes(bundle, Outcome.WARN)
    cards = cards_of(bundle)
    assert {card.id for card in cards} == {row.success for row in ROWS}
    assert all(len(card.requirements) == 1 for card in cards)
    assert len(bundle.exchanges) < 3 * len(ROWS)
    assert "check PIX_BASE_URL" in done.output


def login_only(handler: BaseHTTPRequestHandler) -> None:
    """Issue a token to the right credentials, and answer every other path with 404."""
    right = handler.headers.get("authorization") == "Basic aWQtMTpzZWNyZXQtMQ=="
    token = b'{"success": true, "token": "eyJh.eyJz.c2ln", "tokenType": "Bearer", "expiresIn": 60000}'
    refusal = always(401, b'{"error": "UNAUTHORIZED", "message": "wrong credentials"}')
    login = always(200, token) if right else refusal
    (login if handler.path == "/api/auth" else always(404, NO_API_ERROR, "text/plain"))(handler)


def test_a_server_with_nothing_but_the_login_is_judged_by_it(tmp_path: Path) -> None:
    asked = (row.success for row in of(Api.PAYMENTS))
    words = ("--only", ",".join([*asked, *OF_ALL]), "--api", "payments")
    with serving(login_only) as url:
        done = run_suite(tmp_path / "out", *words, "--base-url", url, **ACCOUNT)
    bundle = read(done.directory)
    built = required_by(by_name(Api.PAYMENTS)["authenticate"])
    without_objects = [row for row in of(Api.PAYMENTS) if len(required_by(row)) == 2]  # the login, and itself
    assert done.exit == 1
    assert {row.success for row in without_objects} <= outcomes(bundle, Outcome.FAIL)
    assert outcomes(bundle, Outcome.FAIL) <= {row.success for row in of(Api.PAYMENTS) if row not in built}
    assert all(len(card.requirements) == 1 for card in cards_of(bundle))
    assert "PAY-AUTH-01" in outcomes(bundle, Outcome.PASS)
    why = {entry.why for entry in bundle.entries if entry.outcome is Outcome.INCONCLUSIVE}
    assert why == {Why.NOT_BUILT}


def answered(row: Operation, status: int, body: bytes, *, sent: bytes = b"", login: bool = True) -> Exchange:
    """Return one exchange of an operation."""
    headers = (("authorization", "<Bearer $PIX>"),) if login else ()
    request = Request(row.method, f"http://h{row.path_of(ID)}", headers, sent, "Bearer $PIX")
    response = Response(status, (), body, len(body))
    return Exchange(7, row.api, Role.MERCHANT, row.name, "t", 1.0, 1.0, request, response)


PAYMENTS = by_name(Api.PAYMENTS)
VALID, INVALID = b'{"pixKey": "6f1c1a52-0000-4000-8000-000000000000", "amount": 1}', b"{}"
OWN = (Created(Api.PAYMENTS, Role.MERCHANT, "charge", ID, 1),)
NOT_FOUND = b'{"error": "NOT_FOUND", "message": "no"}'


TRANSFER, QUERY, BALANCE = (PAYMENTS[name] for name in ("create_transfer", "get_charge", "get_balance"))
CHARGE, WEBHOOK = (PAYMENTS[name] for name in ("create_charge", "create_webhook"))
VALID_WEBHOOK = b'{"url": "https://h/hook", "events": ["transaction_paid"]}'
VALID_CHARGE = b'{"amountInCents": 100, "customer": {"documentType": "cpf", "document": "52998224725"}}'
SPLIT_CHARGE = VALID_CHARGE[:-1] + b', "splits": [{"email": "a@example.com", "percentage": 10}]}'
ABSENT = {
    "invalid body": (TRANSFER, answered(TRANSFER, 404, NO_TRANSFER_KEY, sent=INVALID), ()),
    "no error of the API": (TRANSFER, answered(TRANSFER, 404, NO_API_ERROR, sent=VALID), ()),
    "valid webhook": (WEBHOOK, answered(WEBHOOK, 404, NOT_FOUND, sent=VALID_WEBHOOK), ()),
    "valid charge": (CHARGE, answered(CHARGE, 404, NOT_FOUND, sent=VALID_CHARGE), ()),
    "own object": (QUERY, answered(QUERY, 404, NOT_FOUND), OWN),
    "no credential": (QUERY, answered(QUERY, 404, NOT_FOUND, login=False), ()),
    "method": (QUERY, answered(QUERY, 405, b""), ()),
    "not implemented": (QUERY, answered(QUERY, 501, b""), ()),
    "nothing in the path": (BALANCE, answered(BALANCE, 404, NOT_FOUND), ()),
}
BUILT = {
    "unknown PIX key": (answered(TRANSFER, 404, NO_TRANSFER_KEY, sent=VALID),),
    "unknown partner": (answered(CHARGE, 404, NOT_FOUND, sent=SPLIT_CHARGE),),
    "refused": (answered(TRANSFER, 404, NO_API_ERROR, sent=VALID), answered(TRANSFER, 400, NOT_FOUND, sent=INVALID)),
    "unknown id": (answered(QUERY, 404, NOT_FOUND), answered(QUERY, 404, NO_API_ERROR)),
    "error": (answered(QUERY, 500, b""),),
    "no token": (answered(BALANCE, 401, NOT_FOUND),),
}


@pytest.mark.parametrize("case", ABSENT)
def test_a_route_is_not_built_by_an_answer_that_no_service_gives_there(case: str) -> None:
    row, exchange, created = ABSENT[case]
    assert [route.operation for route in unbuilt_routes([exchange], created)] == [row]


@pytest.mark.parametrize("case", BUILT)
def test_an_answer_that_a_right_service_may_give_shows_nothing(case: str) -> None:
    """It may answer an id, or a PIX key, that it does not know with 404."""
    assert unbuilt_routes(BUILT[case], ()) == []
