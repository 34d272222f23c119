"""What the reference sends: nothing is lost on a connection that the receiver has closed meanwhile."""

import asyncio
import time

import pytest

from pix_conformance.harness.receiver import Limits, Receiver
from pix_conformance.reference.outbox import Outbox, WebhookRequest, Written

IDLE_S = 0.2


async def at_once(_attempt: int) -> bool:
    """Wait for nothing."""
    return True


def written(_attempt: int) -> Written:
    """Write an empty object."""
    return b"{}", {"Content-Type": "application/json"}


async def send_some(mail: Outbox, url: str) -> None:
    """Send four letters at once, with one attempt each."""
    letter = WebhookRequest(url, at_once, written, lambda status: status == 200, 1, 5.0)
    await asyncio.gather(*(mail.deliver(letter) for _ in range(4)))


# Mail has no end of its own: its connections stay until its process ends.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("tls", ["off", "self-signed"])
def test_a_letter_outlives_a_kept_connection(tls: str) -> None:
    """It is sent on a new one, and that is not another attempt."""
    mail = Outbox()
    with Receiver(tls=tls, limits=Limits(idle_s=IDLE_S)) as receiver:
        url = receiver.hook().url
        asyncio.run(send_some(mail, url))
        time.sleep(2 * IDLE_S)
        asyncio.run(send_some(mail, url))
        assert len(receiver.deliveries()) == 8
    assert not mail.undeliverable
