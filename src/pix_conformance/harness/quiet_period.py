"""The quiet period: the wait, shared by all tests, until an event that must not be sent would have arrived."""

import time

from pix_conformance.harness.outcomes import Inconclusive
from pix_conformance.harness.webhook_channel import SHORTEST_SILENCE_S, WebhookChannel
from pix_conformance.model.why import Why


def wait_quiet_period(channel: WebhookChannel) -> None:
    """Wait until every event that must not be sent would have arrived.

    Raises Inconclusive if the absence of an event proves nothing in this run.
    """
    channel.require_reachable()
    if channel.no_delivery_seen:
        raise Inconclusive(channel.silence(), Why.NO_RECEIVER)
    state = channel.receiver_state
    if state.receiver and state.receiver.log.losses:
        raise Inconclusive(f"the receiver lost deliveries: {'; '.join(state.receiver.log.losses)}", Why.NOT_SHOWN)
    silence = max(0.0, channel.quiet_since + quiet_seconds(channel) - time.time())
    state.waits.announce(f"events of the {channel.api} API that must not be sent", silence)
    state.waits.pause(silence)


def quiet_seconds(channel: WebhookChannel) -> float:
    """Seconds after which an event counts as not sent: 2 * slowest + 1, at most the deadline."""
    return max(SHORTEST_SILENCE_S, min(channel.receiver_state.settings.event_deadline, 2 * channel.slowest + 1))
