"""Events in a replay: what a request caused is waited for again, since the new deliveries are others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.harness.run import Run
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_of, mentions
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Api, Judgement

RECEIVED = "events.event_received"
"""The relation of a request and the event that it sends."""
Received = dict[str, Exchange | Delivery]
"""What was sent and received again, by evidence."""


def with_events_again(
    judgement: Judgement, again: Exchange, names: Sequence[str], run: Run, received: Received
) -> Judgement:
    """Wait for each event that a judgement is about, add its deliveries, and return the judgement of these.

    `names` are the texts by which an event names its charge. Raises Inconclusive or NotApplicable where no event can
    be seen: the webhooks of the payments API are not registered again.
    """
    return replace(judgement, matchers=tuple(_of_new(one, again, names, run, received) for one in judgement.matchers))


def _of_new(row: dict[str, Any], again: Exchange, names: Iterable[str], run: Run, received: Received) -> dict[str, Any]:
    if row.get("name") != RECEIVED:
        return row
    came = _await(row["arguments"]["event"], again, names, run)
    received.update((one.evidence, one) for one in came)
    return row | {"arguments": row["arguments"] | {"deliveries": [{"evidence": one.evidence} for one in came]}}


def _await(event: str, again: Exchange, names: Iterable[str], run: Run) -> list[Delivery]:
    api, texts = Api(again.api), tuple(names)
    channel = run.webhook_channel[api]
    channel.expect_event_after(again)
    channel.require_reachable()
    if channel.no_delivery_seen and api is Api.PAYMENTS:
        raise Inconclusive("its webhooks are not registered again")

    def wanted(one: Delivery) -> bool:
        return one.api == api and event_of(one, api) == event and any(mentions(one, text) for text in texts)

    return channel.wait_for(wanted, again.started)
