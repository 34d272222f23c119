"""Webhooks of somebody else at the address of the receiver: they decide nothing of the target."""

import csv
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from pix_conformance.oracles.signature import sign
from pix_conformance.proof.served_sandbox import serve
from pix_conformance.proof.suite_run import run_suite

ONLY = "BUS-SIG-01,BUS-SIG-03,BUS-SIG-04,BUS-EVT-01,BUS-EVT-10,BUS-EVT-27,PAY-EVT-41,PAY-EVT-94"
MOST, EVERY_S = 300, 0.5
"""Rounds of a stranger at the most; seconds between two of them."""
EVENT: dict[str, Any] = {
    "id": "evt_stray",
    "type": "business.pix.created",
    "created_at": "2026-11-28T15:28:02Z",
    "data": {"amount_cents": 777, "e2e_id": None, "external_ref": "somebody else"},
}
OF_ANOTHER_RUN = EVENT | {
    "data": EVENT["data"] | {"external_ref": "pix-conformance-0b6d2f0e-1df6-4e3c-8f9a-2d1d3c9a1c11"}
}
OF_PAYMENTS = {
    "id": "0b6d2f0e-1df6-4e3c-8f9a-2d1d3c9a1c11",
    "type": "transaction",
    "event": "transaction_paid",
    "scope": "?",
    "transaction": {"id": "tx_of_somebody_else", "amount": "many", "status": "gone", "pix": {}},
}
NAMES_NOTHING = {"id": "evt_bare", "type": "business.pix.paid", "created_at": "yesterday", "data": {}}
BODIES = [
    *(json.dumps(event).encode() for event in (EVENT, OF_ANOTHER_RUN, OF_PAYMENTS, NAMES_NOTHING, {"hello": "world"})),
    b"",
    b"not JSON",
    b"\xff\xfe",
]


@contextmanager
def beside_the_run(send: Callable[[threading.Event], None]) -> Iterator[None]:
    """Call a function in a thread; the event that it gets is set at the end."""
    ended = threading.Event()
    thread = threading.Thread(target=send, args=(ended,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def stranger(*addresses: str) -> AbstractContextManager[None]:
    """Send each body again and again, signed with another secret, with an old t, and not signed at all."""

    def send(ended: threading.Event) -> None:
        with httpx.Client(verify=False, timeout=2) as client:  # noqa: S501  # a receiver of ours on this machine
            for number in range(MOST):
                address = addresses[number % len(addresses)]
                for body in BODIES:
                    t = str(int(time.time()) - 1_074)
                    for signature in (f"t={t},v1={sign(t, body, 'another secret')}", "t=1795879682,v1=7b30daaa", ""):
                        headers = {"X-Service-Signature": signature, "user-agent": "somebody/1.0"}
                        try:
                            client.post(address, content=body, headers=headers)
                        except httpx.HTTPError:
                            continue  # the receiver does not listen yet, or no more
                if ended.wait(EVERY_S):
                    return

    return beside_the_run(send)


def charges_of_others(base_url: str, client_id: str, secret: str) -> AbstractContextManager[None]:
    """Create and pay a charge of an account again and again, as a colleague does who uses it too."""
    charge = {"amountInCents": 777, "customer": {"documentType": "cpf", "document": "52998224725"}}

    def create(ended: threading.Event) -> None:
        with httpx.Client(base_url=base_url, timeout=5) as client:
            login = client.post("/api/auth", auth=(client_id, secret)).json()
            headers = {"authorization": f"Bearer {login['token']}"}
            for _ in range(MOST):
                created = client.post("/api/v1/pix/in/qrcode", json=charge, headers=headers).json()
                client.post(f"/api/v1/pix/in/qrcode/{created['data']['id']}/pay", headers=headers)
                if ended.wait(EVERY_S / 5):
                    return

    return beside_the_run(create)


def test_charges_that_others_create_with_the_second_account_decide_nothing(tmp_path: Path) -> None:
    with serve(("--latency", "60")) as server:
        pair = server.variables["PIX_OTHER_CLIENT_ID"], server.variables["PIX_OTHER_CLIENT_SECRET"]
        with charges_of_others(server.base_url, *pair):
            finished = run_suite(tmp_path, "--only", "PAY-ISO-08", **server.variables)
    assert (finished.exit, finished.with_outcome("fail")) == (0, []), finished.output


def test_payments_of_others_are_not_counted_at_an_open_point(tmp_path: Path) -> None:
    with serve(("--latency", "60")) as server:
        pair = server.variables["PIX_CLIENT_ID"], server.variables["PIX_CLIENT_SECRET"]
        with charges_of_others(server.base_url, *pair):
            finished = run_suite(tmp_path, "--only", "PAY-EVT-27", **server.variables)
    answers = list(csv.DictReader((finished.directory / "open-points.csv").read_text("utf-8").splitlines()))
    assert [(row["requirement"], row["answer"]) for row in answers] == [
        ("PAY-EVT-27", "transaction_paid came 2 times to the one url")
    ]


@pytest.mark.parametrize(
    ("words", "exit_status", "failed"),
    [
        ((), 0, []),
        (("--mutant", "BUS-SIG-03/body-alone"), 1, ["BUS-SIG-03"]),
    ],
    ids=["right-server", "wrong-signature"],
)
def test_strangers_decide_nothing(
    words: tuple[str, ...], exit_status: int, failed: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serve(words) as server:
        address = f"https://{server.variables['PIX_RECEIVER_LISTEN']}/business"
        with stranger(address, f"{address.removesuffix('/business')}/hook/guessed"):
            finished = run_suite(tmp_path_factory.mktemp("out"), "--only", ONLY, **server.variables)
    notices = [notice for notice in finished.results["notices"] if "cannot have sent" in notice]
    assert (finished.exit, finished.with_outcome("fail")) == (exit_status, failed), finished.output
    assert len(notices) == 1
    assert "webhooks came that this target cannot have sent: from 127.0.0.1 (somebody/1.0), first at" in notices[0]
    assert "somebody else" not in (finished.directory / "deliveries.jsonl").read_text("utf-8")
