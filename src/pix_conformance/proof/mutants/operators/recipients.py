"""Operators of the recipients of an event in the payments API: the webhooks that subscribe, and the postbackUrl."""

import json
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, setting
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


def not_to_webhooks(event: str, **others: Any) -> Difference:
    """Send an event to no webhook; `others` are attributes of the rules that differ too."""

    def subscribes(rules: Any, hook: Row, name: str) -> bool:
        return name != event and PaymentsRules.subscribes(rules, hook, name)

    return setting(f"No webhook receives {event}.", subscribes=subscribes, **others)


def not_to_postback(event: str, **others: Any) -> Difference:
    """Send an event to no postbackUrl; `others` are attributes of the rules that differ too."""
    return setting(f"No postbackUrl receives {event}.", posts_back=lambda _rules, name, _row: name != event, **others)


def to_webhooks_for(other: str, event: str) -> Difference:
    """Send an event to the webhooks that subscribe to another one, too."""
    return changes_result(
        f"{event} reaches the webhooks for {other} too.",
        subscribes=lambda _, right, hook, name: right or (name == event and other in json.loads(hook["events"])),
    )


def to_some_webhooks(sentence: str, choose: Callable[[list[Row]], list[Row]]) -> Difference:
    """Send an event to some of the webhooks that subscribe to it, which are in the order of their creation."""
    return changes_result(sentence, listeners=lambda _rules, right, _event, _owner: choose(right))


def to_other_url(sentence: str, change: Callable[[str], str], *, postback: bool) -> Difference:
    """Send what is for webhooks, or for a postbackUrl, to another URL."""

    def changed(_: Any, url: str, payload: dict[str, Any], hook: Row | None) -> tuple[Any, ...]:
        return change(url) if (hook is None) is postback else url, payload, hook

    return changes_arguments(sentence, send_webhook_request=changed)


def without_query(url: str) -> str:
    """Cut the query of a URL off."""
    return url.partition("?")[0]


async def sent_in_turn(rules: Any, requests: list[WebhookRequest]) -> bool:
    """Send each request when the one before has been answered 2xx; return whether the last one was.

    One that is not answered 2xx is sent again as usual, and those behind it are not sent.
    """
    for one in requests:
        if await one.pause(1) and not await rules.world.outbox.attempt(one, 1):
            rules.world.outbox.send(one)
            return False
    return True
