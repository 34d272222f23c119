"""The payments API of the reference behaves as payments.md states."""

import base64
import binascii
import hashlib
import hmac
import io
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
import zxingcpp
from PIL import Image

from pix_conformance.reference.process import Running, start
from tests.support.reference_calls import CHARGE, HOOK, PIXKEY, QRCODE, Mailbox, eventually, payments, transfer


@pytest.fixture(scope="module")
def client(running: Running) -> Iterator[httpx.Client]:
    """Yield a client of the first account's sandbox."""
    with payments(running) as opened:
        yield opened


def charge(client: httpx.Client, **fields: Any) -> dict[str, Any]:
    """Create a charge and return its `data`."""
    answer = client.post(QRCODE, json=CHARGE | fields)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def test_the_image_holds_the_code_and_the_code_its_checksum(client: httpx.Client) -> None:
    """A QR decoder reads the image, and the code has a right checksum."""
    pix = charge(client)["pix"]
    image = Image.open(io.BytesIO(base64.b64decode(pix["qrCode"], validate=True)))
    assert [barcode.text for barcode in zxingcpp.read_barcodes(image)] == [pix["emv"]]
    assert pix["emv"][-4:] == f"{binascii.crc_hqx(pix['emv'][:-4].encode(), 0xFFFF):04X}"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"amountInCents": 99}, "amountInCents"),
        ({"amountInCents": "100"}, "amountInCents"),
        ({"amountInCents": 100.5}, "amountInCents"),
        ({"amountInCents": True}, "amountInCents"),
        ({"customer": None}, "customer"),
        ({"customer": {"documentType": "rg", "document": "1"}}, "customer.documentType"),
        ({"customer": {"documentType": "cpf", "document": "529.982.247-25"}}, "customer.document"),
        ({"description": "x" * 141}, "description"),
        ({"postbackUrl": "not a uri"}, "postbackUrl"),
        ({"items": [{"title": "a", "tangible": 1, "quantity": 1, "amountInCents": 1}]}, "items[0].tangible"),
        ({"splits": [{"email": "a@example.com", "percentage": 0.009}]}, "splits[0].percentage"),
        ({"splits": [{"email": "a@example.com", "percentage": 50.01}] * 2}, "splits"),
    ],
)
def test_a_bad_field_is_refused_by_name(client: httpx.Client, change: dict[str, Any], field: str) -> None:
    """The response is 400 INVALID_REQUEST, and the message begins with the name of the field."""
    answer = client.post(QRCODE, json=CHARGE | change)
    assert (answer.status_code, answer.json()["error"]) == (400, "INVALID_REQUEST")
    assert answer.json()["message"].startswith(f"{field} ")


def test_the_limits_themselves_are_accepted(client: httpx.Client) -> None:
    """Values at the limits are valid."""
    shares = [{"email": "a@example.com", "percentage": share} for share in (0.01, 99.99)]
    item = {"title": "a", "tangible": False, "quantity": 1, "amountInCents": 1, "shippingAddress": {}}
    charge(client, amountInCents=100, description="é" * 140, splits=shares, items=[item])


def test_a_payment_happens_once_and_funds_the_balance(running: Running) -> None:
    """Of ten simultaneous payments one succeeds, and the wallet grows once."""
    with payments(running, "other_merchant") as client:
        number, fees = (charge(client)[name] for name in ("id", "fees"))
        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda _: client.post(f"{QRCODE}/{number}/pay"), range(10)))
        assert sorted(answer.status_code for answer in answers) == [200] + [400] * 9
        assert client.get(f"{QRCODE}/{number}").json()["data"]["status"] == "paid"
        wallets = client.get("/api/v1/balance").json()["data"]
        assert wallets["pix"]["balance"] == f"{(1050 - fees) / 100:.2f}"


def test_a_split_reaches_the_other_company(running: Running, client: httpx.Client) -> None:
    """The other company gets half of the net amount, rounded down."""
    with payments(running, "other_merchant") as other:
        before = float(other.get("/api/v1/balance").json()["data"]["pix"]["balance"])
        shares = [{"email": running.credentials["split_email"], "percentage": 50}]
        client.post(f"{QRCODE}/{charge(client, splits=shares)['id']}/pay")
        after = float(other.get("/api/v1/balance").json()["data"]["pix"]["balance"])
    assert after - before == pytest.approx(5.20)


def test_a_transfer_is_created_once_for_a_key(running: Running, client: httpx.Client) -> None:
    """Ten simultaneous requests return one id; another body gives 409; another account may use the key."""
    headers, body = {"x-idempotency-key": "3f1c1a52-8f5e-4b4e-9a86-5f6d5a2b7c11"}, transfer(running)
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: client.post(PIXKEY, json=body, headers=headers), range(10)))
    numbers = {answer.json()["data"]["id"] for answer in answers}
    assert len(numbers) == 1
    conflict = client.post(PIXKEY, json=transfer(running, amount=6), headers=headers)
    assert (conflict.status_code, conflict.json()["error"]) == (409, "IDEMPOTENCY_CONFLICT")
    with payments(running, "other_merchant") as other:
        assert other.post(PIXKEY, json=body, headers=headers).json()["data"]["id"] not in numbers


def test_a_transfer_is_completed_after_its_approval(running: Running, client: httpx.Client) -> None:
    """The completion is refused while pending, succeeds once, and is refused again."""
    place = f"{PIXKEY}/{client.post(PIXKEY, json=transfer(running)).json()['data']['id']}"
    assert client.post(f"{place}/complete").status_code == 400
    eventually(lambda: client.get(place).json()["data"]["status"] == "processing")
    done = client.post(f"{place}/complete").json()["data"]
    shown = client.get(place).json()["data"]
    assert (done["status"], shown["endToEndId"]) == ("completed", done["endToEndId"])
    assert shown["processedAt"] == shown["updatedAt"] > shown["createdAt"]
    assert client.post(f"{place}/complete").status_code == 400


@pytest.mark.parametrize(
    ("key", "status"),
    [
        ("52998224725", 200),
        ("11222333000181", 200),
        ("a.b@example.com", 200),
        ("+5511999998888", 200),
        ("3F1C1A52-8f5e-4b4e-9a86-5f6d5a2b7c11", 200),
        ("+1 555 0100", 400),
        ("529.982.247-25", 400),
        ("", 400),
    ],
)
def test_a_key_is_one_of_five_types(client: httpx.Client, key: str, status: int) -> None:
    """Only the format of a PIX key is checked."""
    assert client.post(PIXKEY, json={"pixKey": key, "amount": 1}).status_code == status


def test_events_are_signed_only_with_a_secret(client: httpx.Client) -> None:
    """A postback has no webhook record, so it has no signature. The User-Agent is `Service`."""
    mailbox = Mailbox()
    number = charge(client, postbackUrl=mailbox.url)["id"]
    client.post(f"{QRCODE}/{number}/pay")
    eventually(lambda: len(mailbox.letters) == 2)
    by_event = {payload["event"]: payload for payload in mailbox.payloads()}
    assert by_event["transaction_paid"]["transaction"]["status"] == "paid"
    headers = mailbox.letters[0][0]
    assert headers["user-agent"] == "Service"
    assert "service-signature" not in headers
    mailbox.close()


def test_a_webhook_is_signed_over_its_bytes_until_it_is_removed(client: httpx.Client) -> None:
    """Events arrive over TLS with a self-signed certificate; after the removal none arrives."""
    mailbox = Mailbox(tls=True)
    hook = client.post(HOOK, json={"url": mailbox.url, "events": ["transaction_created"]}).json()["data"]
    charge(client, customer=CHARGE["customer"] | {"name": "João"})  # type: ignore[operator]  # a dict
    eventually(lambda: len(mailbox.letters) == 1)
    client.delete(f"{HOOK}/{hook['id']}")
    charge(client)
    headers, body = mailbox.letters[0]
    moment, _, given = headers["service-signature"].removeprefix("t=").partition(",v1=")
    text = f"{moment}.".encode() + body
    assert given == hmac.new(hook["signatureSecret"].encode(), text, hashlib.sha256).hexdigest()
    assert mailbox.holds(1)
    mailbox.close()


def test_a_failed_delivery_is_sent_again(client: httpx.Client) -> None:
    """There are four attempts with the same bytes."""
    mailbox = Mailbox(status=500)
    charge(client, postbackUrl=mailbox.url)
    eventually(lambda: len(mailbox.letters) == 4)
    assert len({body for _, body in mailbox.letters}) == 1
    mailbox.close()


def test_webhooks_are_listed_until_they_are_removed(client: httpx.Client) -> None:
    """Only HTTPS addresses and documented events are accepted; a removed webhook gives 404."""
    answer = client.post(HOOK, json={"url": "https://127.0.0.1:9/x", "events": ["infraction"]})
    assert answer.status_code == 201
    record = answer.json()["data"]
    assert record in client.get(HOOK).json()["data"]["webhooks"]
    assert client.delete(f"{HOOK}/{record['id']}").json() == {"success": True}
    assert client.delete(f"{HOOK}/{record['id']}").status_code == 404
    changes: list[dict[str, Any]] = [{"url": "http://127.0.0.1:9/x"}, {"events": []}, {"events": ["unknown"]}]
    for change in changes:
        body = {"url": "https://127.0.0.1:9/x", "events": ["infraction"]} | change
        assert client.post(HOOK, json=body).status_code == 400


@pytest.mark.parametrize("role", ["other_merchant", "live_merchant"])
def test_others_see_nothing(running: Running, client: httpx.Client, role: str) -> None:
    """Another account and the other environment get 404."""
    number = charge(client)["id"]
    hook = client.post(HOOK, json={"url": "https://127.0.0.1:9/x", "events": ["infraction"]}).json()["data"]["id"]
    moved = client.post(PIXKEY, json=transfer(running)).json()["data"]["id"]
    with payments(running, role) as other:
        places = [("GET", f"{QRCODE}/{number}"), ("POST", f"{QRCODE}/{number}/pay"), ("DELETE", f"{HOOK}/{hook}")]
        places += [("GET", f"{PIXKEY}/{moved}"), ("POST", f"{PIXKEY}/{moved}/complete")]
        assert {other.request(*place).status_code for place in places} == {404}
        assert hook not in [record["id"] for record in other.get(HOOK).json()["data"]["webhooks"]]


def test_production_cannot_be_simulated(running: Running) -> None:
    """The account's own production objects give 403."""
    with payments(running, "live_merchant") as live:
        assert live.post(f"{QRCODE}/{charge(live)['id']}/pay").status_code == 403
        moved = live.post(PIXKEY, json=transfer(running)).json()["data"]["id"]
        assert live.post(f"{PIXKEY}/{moved}/complete").status_code == 403


def test_a_token_is_valid_for_sixty_seconds() -> None:
    """The token expires when the clock is advanced by 60 s."""
    with start() as reference, payments(reference) as client:
        reference.advance(57)
        assert client.get("/api/v1/balance").status_code == 200
        reference.advance(3)
        assert client.get("/api/v1/balance").json()["error"] == "UNAUTHORIZED"


def test_charges_are_fast(client: httpx.Client) -> None:
    """An idle machine creates over 200 a second; 80 still shows that no response waits for a TCP acknowledgement."""
    charge(client)
    rates = []
    for _ in range(5):
        begun = time.perf_counter()
        for _ in range(40):
            charge(client)
        rates.append(40 / (time.perf_counter() - begun))
    print(f"{max(rates):.0f} charges per second")  # noqa: T201 - shown by pytest -s
    assert max(rates) > 80
