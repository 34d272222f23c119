"""The server between an integration's client and the sandbox: what it passes on, records, loses and refuses."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from fixtures.payments.charges import a_charge
from pix_conformance.integration.gateway import Fault, Gateway
from pix_conformance.integration.sandbox import Sandbox
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.process import Running, start

CHARGES = "/v1/business/pix-charges"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with start() as server:
        yield server


@pytest.fixture(scope="module")
def sandbox(server: Running) -> Iterator[Sandbox]:
    sandbox = Sandbox(server, "whsec_of_tests")
    yield sandbox
    sandbox.close()


@pytest.fixture
def gateway(sandbox: Sandbox) -> Iterator[Gateway]:
    def record(exchange: Exchange) -> Exchange:
        return exchange

    key = f"Bearer {sandbox.variables['PIX_API_KEY']}"
    gateway = Gateway(sandbox.base_url, "127.0.0.1:0", record, {key: "Bearer $PIX_API_KEY"})
    yield gateway
    gateway.stop()


@pytest.fixture
def client(gateway: Gateway, sandbox: Sandbox) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {sandbox.variables['PIX_API_KEY']}"}
    with httpx.Client(base_url=gateway.url, headers=headers, trust_env=False) as client:
        yield client


def test_a_request_is_passed_on_and_recorded(gateway: Gateway, client: httpx.Client) -> None:
    answer = client.post(CHARGES, json={"amount_cents": 1050})
    (exchange,) = gateway.exchanges
    assert answer.json() == exchange.json
    assert (exchange.api, exchange.operation) == (Api.BUSINESS, "create_charge")
    assert exchange.request.credential == "Bearer $PIX_API_KEY"


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("ApiKey ", "ApiKey $PIX_API_KEY"),
        ("", "$PIX_API_KEY without a scheme"),
        ("Bearer x", "an unknown credential of the scheme Bearer"),
    ],
)
def test_a_credential_that_is_sent_otherwise_is_named_so(
    gateway: Gateway, client: httpx.Client, sandbox: Sandbox, before: str, words: str
) -> None:
    client.get(CHARGES, headers={"Authorization": f"{before}{sandbox.variables['PIX_API_KEY']}"})
    (exchange,) = gateway.exchanges
    assert exchange.request.credential == words


@pytest.mark.parametrize(("fault", "raised"), [(Fault.CUT, "complete message body"), (Fault.UNANSWERED, "timed out")])
def test_a_response_that_is_cut_or_kept_back_leaves_a_charge(
    gateway: Gateway, client: httpx.Client, fault: Fault, raised: str
) -> None:
    before = len(client.get(CHARGES).json())
    gateway.faults.expect("create_charge", fault)
    with pytest.raises(httpx.TransportError, match=raised):
        client.post(CHARGES, json={"amount_cents": 1052}, timeout=0.5)
    gateway.faults.clear()
    assert len(client.get(CHARGES).json()) == before + 1
    exchange = gateway.exchanges[1]
    assert (exchange.response, exchange.fault) == (None, f"{fault}: the service had answered 201")


def test_a_lost_response_leaves_a_charge(gateway: Gateway, client: httpx.Client) -> None:
    gateway.faults.expect("create_charge", Fault.LOST)
    before = len(client.get(CHARGES).text)
    with pytest.raises(httpx.RemoteProtocolError):
        client.post(CHARGES, json={"amount_cents": 1051})
    assert len(client.get(CHARGES).text) > before
    assert gateway.exchanges[1].response is None
    assert gateway.exchanges[1].fault == "the suite lost the response: the service had answered 201"


@pytest.mark.parametrize(
    ("fault", "status"),
    [(Fault.BAD_GATEWAY, 502), (Fault.TOO_MANY, 429), (Fault.CONFLICT, 409), (Fault.UNAUTHORIZED, 401)],
)
def test_a_refused_request_is_not_passed_on(gateway: Gateway, client: httpx.Client, fault: Fault, status: int) -> None:
    before = client.get(CHARGES).text
    gateway.faults.expect("create_charge", fault)
    assert client.post(CHARGES, json={"amount_cents": 1052}).status_code == status
    assert client.get(CHARGES).text == before
    assert client.post(CHARGES, json={"amount_cents": 1052}).is_success


def test_a_held_response_comes_when_it_is_released(gateway: Gateway, client: httpx.Client) -> None:
    charge = client.post(CHARGES, json={"amount_cents": 1053}).json()
    gateway.faults.hold_response_of("get_charge")
    with ThreadPoolExecutor(1) as pool:
        query = pool.submit(client.get, f"{CHARGES}/{charge['id']}")
        assert gateway.faults.is_held_within(5)
        assert not query.done()
        gateway.faults.release()
        assert query.result(1).json()["status"] == "pending"


def test_a_chosen_status_is_shown_in_each_response(gateway: Gateway, client: httpx.Client) -> None:
    first, other = (client.post(CHARGES, json={"amount_cents": 1054}).json()["id"] for _ in range(2))
    gateway.statuses[first] = "refunded"
    assert client.get(f"{CHARGES}/{first}").json()["status"] == "refunded"
    assert client.get(f"{CHARGES}/{other}").json()["status"] == "pending"
    listed = client.get(CHARGES).text
    assert '"refunded"' in listed
    assert '"pending"' in listed


def test_no_event_is_sent_to_the_addresses_that_a_client_gives(
    gateway: Gateway, server: Running, sandbox: Sandbox
) -> None:
    address = "https://127.0.0.1:9/hook"
    pair = (sandbox.variables["PIX_CLIENT_ID"], sandbox.variables["PIX_CLIENT_SECRET"])
    with httpx.Client(base_url=gateway.url, trust_env=False) as client:
        client.headers["Authorization"] = f"Bearer {client.post('/api/auth', auth=pair).json()['token']}"
        body = {"url": address, "events": ["transaction_created", "transaction_paid"]}
        webhook = client.post("/api/v1/webhook", json=body).json()["data"]
        charge = client.post("/api/v1/pix/in/qrcode", json=a_charge(postbackUrl=address)).json()["data"]
    sandbox.pay(Api.PAYMENTS, charge["id"])
    sandbox.advance(3600)
    assert gateway.secrets == {address: webhook["signatureSecret"]}
    assert server.deliveries() == []


def test_an_unknown_route_has_no_operation(gateway: Gateway, client: httpx.Client) -> None:
    client.get("/v1/business/payouts")
    assert gateway.exchanges[-1].operation is None
