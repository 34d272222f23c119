"""The requests that cause an event: what changed its object, and what gave the address of the receiver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pix_conformance.model.areas import AREAS, area
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import name_in
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.operations import Effect, of
from pix_conformance.model.vocabulary import Api, Judgement
from pix_conformance.report.dependency_chain import CHANGES, RecordedExchanges, leaves


@dataclass(frozen=True)
class EventCauses:
    """The causes of the events of one recording."""

    recorded: RecordedExchanges

    def causing(self, delivery: Delivery, *, only_named: bool) -> Iterator[int]:
        """Yield the requests that changed what a delivery is about, and the one that gave the address of its receiver.

        That is what it names; else what has its address as postbackUrl; else, unless `only_named`, the newest request
        that may have caused it.
        """
        addressed = self._addressed(delivery.path)
        hooks = [exchange.id for exchange in addressed if exchange.operation == "create_webhook"][-1:]
        names = self.recorded.names_in(text for _, text in leaves(delivery.parsed_body))
        names = names or [
            name for exchange in addressed for name in self.recorded.ids_made(exchange.id) if exchange.id not in hooks
        ]
        changes = {number for name in names for number in self.recorded.changes_before(name, delivery.received)}
        if changes or only_named:
            yield from (*changes, *hooks)
        else:
            yield from self._nameless(delivery, hooks)

    def _addressed(self, path: str) -> list[Exchange]:
        """Return the requests that gave the receiver's address with this path, as a webhook's url or as postbackUrl."""
        addresses = f'{path}"'.encode(), f"{path}?".encode()
        changes = (
            exchange
            for exchange in self.recorded.bundle.exchanges
            if exchange.request.method in CHANGES and exchange.ok
        )
        return [change for change in changes if path != "/" and any(part in change.request.body for part in addresses)]

    def _nameless(self, delivery: Delivery, hooks: list[int]) -> Iterator[int]:
        """Yield the newest request that may have caused a delivery; of a webhook, by the test that made it."""
        event = name_in(delivery.parsed_body) or ""
        tests = {self.recorded.bundle.exchange[number].test for number in hooks}
        kind = "transfer" if event.startswith("transfer") else "charge"
        causing = {row.name for api in Api for row in of(api) if event and row.event == event}
        acts = {row.name for api in Api for row in of(api, Effect.CREATES, Effect.CHANGES) if row.kind == kind}
        before = [
            exchange for exchange in reversed(self.recorded.bundle.exchanges) if exchange.started <= delivery.received
        ]
        before = [exchange for exchange in before if not tests or exchange.test in tests]
        for operations in (causing, acts):
            if cause := next((exchange.id for exchange in before if exchange.operation in operations), None):
                yield from (*hooks, cause)
                return

    def hooks_of(self, exchange: Exchange, judgement: Judgement) -> Iterator[int]:
        """Yield the requests that registered the webhooks of the test of a judgement on what an exchange sends."""
        if is_about_events(judgement):
            hooks = [
                hook
                for hook in self.recorded.bundle.exchanges
                if hook.operation == "create_webhook"
                and hook.ok
                and hook.role == exchange.role
                and hook.id < exchange.id
            ]
            event = next(
                (str(matcher["arguments"]["event"]) for matcher in judgement.matchers if _has_event(matcher)), ""
            )
            fitting = (
                [hook for hook in hooks if event in hook.request.json_object.get("events", ())] if event else hooks
            )
            own = [hook.id for hook in fitting if hook.test == judgement.test]
            yield from own or [hook.id for hook in fitting[-1:]]


def is_about_events(judgement: Judgement) -> bool:
    """Whether a judgement is on the events that a request sends."""
    return area(judgement.requirement) == AREAS["EVT"] or any(
        str(matcher.get("name", "")).startswith("events.") for matcher in judgement.matchers
    )


def _has_event(row: Mapping[str, Any]) -> bool:
    """Whether a recorded matcher is about an event of one name."""
    return isinstance(row.get("arguments"), dict) and "event" in row["arguments"]
