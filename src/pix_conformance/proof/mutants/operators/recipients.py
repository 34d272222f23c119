"""Operators of the recipients of an event in the payments API: the webhooks that subscribe, and the postbackUrl."""

import json
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, setting
from pix_conformance.reference.store import Row


def not_to_webhooks(event: str, **others: Any) -> Difference:
    """Send an event to no webhook; `others` are attributes of the rules that differ too."""
    return setting(
        f"No webhook receives {event}.",
        subscribes=lambda _, hook, name: name != event and name in json.loads(hook["events"]),
        **others,
    )


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
    return changes_arguments(
        sentence,
        send_webhook_request=lambda _, url, payload, hook: (
            change(url) if (hook is None) is postback else url, payload, hook),
    )  # fmt: skip


def without_query(url: str) -> str:
    """Cut the query of a URL off."""
    return url.partition("?")[0]
