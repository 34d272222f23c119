"""The reference loses no webhook on a connection that the receiver has closed meanwhile."""

import asyncio
import time
from contextlib import closing

import pytest

from pix_conformance.receiver import Limits, Receiver
from pix_conformance.reference.outbox import Outbox, WebhookRequest, Written

IDLE_S = 0.2


async def at_once(_attempt: int) -> bool:
    """Do not wait."""
    return True


def written(_attempt: int) -> Written:
    """Return an empty object as body."""
    return b"{}", {"Content-Type": "application/json"}


async def send_some(outbox: Outbox, url: str) -> None:
    """Send four webhook requests simultaneously, with one attempt each."""
    letter = WebhookRequest(url, at_once, written, lambda status: status == 200, 1, 5.0, "an event")
    await asyncio.gather(*(outbox.deliver(letter) for _ in range(4)))


@pytest.mark.parametrize("tls", ["off", "self-signed"])
def test_a_webhook_is_sent_again_if_its_kept_connection_is_closed(tls: str) -> None:
    """It is sent on a new connection, which does not count as another attempt."""
    with closing(Outbox()) as outbox, Receiver(tls=tls, limits=Limits(idle_s=IDLE_S)) as receiver:
        url = receiver.new_path().url
        asyncio.run(send_some(outbox, url))
        time.sleep(2 * IDLE_S)
        asyncio.run(send_some(outbox, url))
        assert len(receiver.deliveries()) == 8
        assert not outbox.undeliverable
