"""Delivers events to the webhook endpoint of an integration, as a service does, and records its answers."""

import time
from collections.abc import Callable, Mapping, Sequence

from pix_conformance.harness.outcomes import NotApplicable
from pix_conformance.integration.at_once import HookAnswer
from pix_conformance.integration.events import SignedEvent
from pix_conformance.integration.hook import Hook
from pix_conformance.model.exchange import DELIVERS_EVENT, Exchange, Request
from pix_conformance.model.vocabulary import SUCCESS, Api, Role
from pix_conformance.model.why import Why

AGAIN_S, FAILED = 0.1, 500
"""Seconds before an event is delivered again; the least status of an answer after which it surely is."""


class HookEndpoint:
    """The webhook endpoint of an integration, at an address for each API."""

    def __init__(self, addresses: Mapping[Api, str], record: Callable[[Exchange], Exchange]) -> None:
        """Take the address for each API, if there is one. `record` keeps a delivery and gives it its number."""
        self.addresses, self._record = addresses, record
        self._hooks = {api: Hook(address) for api, address in addresses.items()}

    def close(self) -> None:
        """Close the connections to it."""
        for hook in self._hooks.values():
            hook.close()

    def require(self, api: Api) -> str:
        """Return the address of the endpoint for an API. Raises NotApplicable without one."""
        if api not in self.addresses:
            raise NotApplicable(f"hook has no address for {api}", Why.NOT_SET)
        return self.addresses[api]

    def deliver(self, event: SignedEvent) -> Exchange:
        """Deliver an event to the endpoint; record and return it with the answer."""
        request, hook, started = self._request(event), self._hooks[event.api], time.time()
        answer = hook.post_and_close(request) if event.is_cut else hook.post(request)
        return self._delivered(event, request, started, answer)

    def deliver_at_once(self, events: Sequence[SignedEvent]) -> list[Exchange]:
        """Deliver events of one API so that they arrive at the same moment; record and return them."""
        return self._all_delivered(events, self._hooks[events[0].api].post_at_once)

    def deliver_within(self, event: SignedEvent, other: SignedEvent) -> list[Exchange]:
        """Deliver an event whose last byte comes when another one has been delivered; record and return both."""
        post_within = self._hooks[event.api].post_within
        return self._all_delivered([event, other], lambda requests: post_within(*requests))

    def _all_delivered(
        self, events: Sequence[SignedEvent], post: Callable[[Sequence[Request]], Sequence[HookAnswer]]
    ) -> list[Exchange]:
        requests, started = [self._request(event) for event in events], time.time()
        return [
            self._delivered(event, request, started, answer)
            for event, request, answer in zip(events, requests, post(requests), strict=True)
        ]

    def _request(self, event: SignedEvent) -> Request:
        headers = {"Content-Type": "application/json", "User-Agent": "Service"}
        headers |= {event.header_name: event.header} if event.header is not None else {}
        return Request("POST", self.require(event.api), tuple(headers.items()), event.body, formula=event.recipe)

    def _delivered(self, event: SignedEvent, request: Request, started: float, answer: HookAnswer) -> Exchange:
        elapsed, role = (time.time() - started) * 1000, Role.MERCHANT
        return self._record(
            Exchange(0, event.api, role, DELIVERS_EVENT, None, started, elapsed, request, answer.response, answer.fault)
        )

    def deliver_until_accepted(self, event: SignedEvent, attempts: int = 3) -> list[Exchange]:
        """Deliver an event again as a service does, until the answer is a 2xx; return all deliveries."""
        delivered = [self.deliver(event)]
        while delivered[-1].status not in SUCCESS and len(delivered) < attempts:
            time.sleep(AGAIN_S)
            delivered.append(self.deliver(event))
        return delivered

    def deliver_again(self, events: Sequence[SignedEvent], answers: Sequence[Exchange]) -> list[Exchange]:
        """Deliver those events again, as a service does, that were answered with a 5xx; return these deliveries."""
        failed = [event for event, answer in zip(events, answers, strict=True) if (answer.status or 0) >= FAILED]
        return [delivery for event in failed for delivery in self.deliver_until_accepted(event)]
