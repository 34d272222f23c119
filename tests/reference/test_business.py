"""The business API of the reference behaves as business.md states."""

import hashlib
import hmac
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import httpx
import pytest

from pix_conformance.reference.process import Running, start
from tests.support.reference_calls import CHARGES, Mailbox, business, eventually


@pytest.fixture(scope="module")
def client(running: Running) -> Iterator[httpx.Client]:
    """Yield a client of the first account's sandbox."""
    with business(running) as opened:
        yield opened


def charge(client: httpx.Client, **fields: Any) -> dict[str, Any]:
    """Create a charge and return it."""
    answer = client.post(CHARGES, json={"amount_cents": 500} | fields)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_a_charge_is_echoed_and_found_again(client: httpx.Client) -> None:
    """Creation, query and list show the same charge, the newest first."""
    created = charge(client, description="d", external_ref="é" * 120, customer_email="a@example.com")
    assert (created["status"], created["external_ref"]) == ("pending", "é" * 120)
    assert client.get(f"{CHARGES}/{created['id']}").json() == created
    assert client.get(CHARGES).json()[0] == created


@pytest.mark.parametrize(("sent", "seconds"), [({}, 3600), ({"expires_in_seconds": 60}, 60)])
def test_expiry_counts_from_creation(client: httpx.Client, sent: dict[str, int], seconds: int) -> None:
    """A charge expires after an hour, or after `expires_in_seconds`."""
    created = charge(client, **sent)
    lifetime = datetime.fromisoformat(created["expires_at"]) - datetime.fromisoformat(created["created_at"])
    assert lifetime.total_seconds() == pytest.approx(seconds, abs=0.002)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"amount_cents": 0}, "amount_cents"),
        ({"amount_cents": None}, "amount_cents"),
        ({"amount_cents": 1.5}, "amount_cents"),
        ({"description": "x" * 301}, "description"),
        ({"external_ref": "x" * 121}, "external_ref"),
        ({"customer_email": "nobody"}, "customer_email"),
        ({"expires_in_seconds": 59}, "expires_in_seconds"),
        ({"expires_in_seconds": 86_401}, "expires_in_seconds"),
    ],
)
def test_a_bad_field_is_refused_by_name(client: httpx.Client, change: dict[str, Any], field: str) -> None:
    """The status is 422, and `detail`, the only field, begins with the name of the field."""
    answer = client.post(CHARGES, json={"amount_cents": 1} | change)
    assert answer.status_code == 422
    assert list(answer.json()) == ["detail"]
    assert answer.json()["detail"].startswith(f"{field} ")


def test_a_payment_is_captured_once(running: Running) -> None:
    """Ten simultaneous payments give one capture with a balanced posting."""
    with business(running, "other_merchant") as client:
        place = f"{CHARGES}/{charge(client)['id']}"
        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda _: client.post(f"{place}/pay"), range(10)))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 9
        finance = client.get("/v1/business/finance").json()
        assert (finance["available_cents"], len(finance["transactions"])) == (500, 1)
        sides = {entry["direction"]: entry["amount_cents"] for entry in finance["transactions"][0]["entries"]}
        assert sides == {"debit": 500, "credit": 500}


@pytest.mark.parametrize("ending", ["pay", "cancel"])
def test_an_ended_charge_stays_ended(client: httpx.Client, ending: str) -> None:
    """A charge that was paid, canceled or expired is neither canceled nor paid."""
    place = f"{CHARGES}/{charge(client)['id']}"
    ended = client.post(f"{place}/{ending}").json()
    assert [client.post(f"{place}/{action}").status_code for action in ("pay", "cancel")] == [409, 409]
    assert client.get(place).json() == ended


def test_expiry_is_detected_by_queries_and_payments() -> None:
    """A query, a payment attempt and a list set `expired`; a cancel does not."""
    with start() as reference, business(reference) as client:
        numbers = [charge(client, expires_in_seconds=60)["id"] for _ in range(4)]
        reference.advance(60)
        assert client.post(f"{CHARGES}/{numbers[0]}/cancel").json()["status"] == "canceled"
        assert client.get(f"{CHARGES}/{numbers[1]}").json()["status"] == "expired"
        assert client.post(f"{CHARGES}/{numbers[2]}/pay").status_code == 409
        assert client.get(CHARGES, params={"status": "pending"}).json() == []
        listed = client.get(CHARGES, params={"status": "expired"}).json()
    assert [row["id"] for row in listed] == [numbers[3], numbers[2], numbers[1]]


def test_a_key_gives_the_original_answer(client: httpx.Client) -> None:
    """Ten simultaneous requests with one key create one charge; another body gives 409."""
    headers, body = {"Idempotency-Key": "once"}, {"amount_cents": 7}
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: client.post(CHARGES, json=body, headers=headers), range(10)))
    assert len({answer.content for answer in answers}) == 1
    assert client.post(CHARGES, json={"amount_cents": 8}, headers=headers).status_code == 409


@pytest.mark.parametrize("role", ["other_merchant", "live_merchant"])
def test_others_see_nothing(running: Running, client: httpx.Client, role: str) -> None:
    """Another account and the other environment get 404, and a production key cannot simulate a payment."""
    number = charge(client)["id"]
    with business(running, role) as other:
        assert other.get(f"{CHARGES}/{number}").status_code == 404
        assert other.post(f"{CHARGES}/{number}/cancel").status_code == 404
        assert other.post(f"{CHARGES}/{number}/pay").status_code == (404 if role == "other_merchant" else 403)
        assert number not in [row["id"] for row in other.get(CHARGES).json()]


def test_list_and_ledger_have_their_bounds(running: Running) -> None:
    """A list has at most 200 charges, a ledger at most 50 postings."""
    with business(running, "other_merchant") as client:
        numbers = [charge(client)["id"] for _ in range(201)]
        for number in numbers[:51]:
            client.post(f"{CHARGES}/{number}/pay")
        assert [row["id"] for row in client.get(CHARGES).json()] == numbers[:0:-1]
        assert len(client.get("/v1/business/finance").json()["transactions"]) == 50


def test_events_are_signed_and_have_the_external_ref() -> None:
    """The events of creation and payment are signed and have the external_ref."""
    mailbox = Mailbox()
    with start(business_webhook=mailbox.url, business_webhook_secret="s3") as reference:  # noqa: S106 - a test's own
        with business(reference) as client:
            client.post(f"{CHARGES}/{charge(client, external_ref='r-1')['id']}/pay")
        eventually(lambda: len(mailbox.letters) == 2)
    assert {payload["type"] for payload in mailbox.payloads()} == {"business.pix.created", "business.pix.paid"}
    assert {payload["data"]["external_ref"] for payload in mailbox.payloads()} == {"r-1"}
    for headers, body in mailbox.letters:
        moment, _, given = headers["x-service-signature"].removeprefix("t=").partition(",v1=")
        assert given == hmac.new(b"s3", f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    mailbox.close()


def test_an_event_has_eight_attempts() -> None:
    """After the eighth attempt there is no ninth, although the clock is advanced past each wait."""
    mailbox = Mailbox(status=503)
    with start(business_webhook=mailbox.url) as reference, business(reference) as client:
        charge(client)

        def advanced_to_the_last() -> bool:
            # A wait begins when the refusal has been read, which may be after an advance of the clock.
            reference.advance(300)
            return mailbox.holds(8)

        eventually(advanced_to_the_last)
        reference.advance(300)
        client.get(CHARGES)
        assert len({payload["id"] for payload in mailbox.payloads()}) == 1
        assert len(mailbox.letters) == 8
    mailbox.close()
