"""Conforming variants where PAY-WH is silent: the creation of a webhook."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


class OnceForEachAddress(PaymentsRules):
    """Each registered URL is sent an event (payments.md, line 316): once, however often it is registered."""

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Leave out the second webhook of a URL, and a postback to it."""
        hooks = {hook["url"]: hook for hook in reversed(self.listeners(event, owner_of(row)))}
        for url, hook in hooks.items():
            self.send_webhook_request(url, payload, hook)
        if row["postback_url"] and row["postback_url"] not in hooks and self.posts_back(event, row):
            self.send_webhook_request(row["postback_url"], payload, None)


class WebhookQuota(PaymentsRules):
    """How many webhooks an account may have is not shown: five."""

    webhook_quota = 5


class NormalAddresses(PaymentsRules):
    """The url of a record may be normalised (RFC 3986, section 6.2): small letters, no usual port, a path."""

    def new_webhook(self, call: Call, read: dict[str, Any]) -> Row:
        """Write it so."""
        parts = urlsplit(read["url"])
        port = "" if parts.port in {None, 443} else f":{parts.port}"
        url = urlunsplit((parts.scheme, f"{parts.hostname}{port}", parts.path or "/", parts.query, ""))
        return super().new_webhook(call, read | {"url": url})


class OneRecordEach(PaymentsRules):
    """Whether an address may be registered twice is not shown: it keeps its record, with the new events."""

    async def create_webhook(self, call: Call) -> Answer:
        """Answer the record that is there."""
        read = self.read_body(self.json_body(call), self.webhook_fields)
        known = [hook["id"] for hook in self.hooks_of(call) if hook["url"] == read["url"]]
        if not known:
            return await super().create_webhook(call)
        self.store.update("webhook", {"events": json.dumps(self.subscribed(read["events"]))}, id=known[0])
        hook = self.store.find("webhook", id=known[0]) or {}
        return Answer(self.webhook_created_status, {"success": True, "data": self.webhook_view(call, hook)})


class FewWebhooks(PaymentsRules):
    """How many webhooks an account may have is not shown: four."""

    webhook_quota = 4


class UniqueWebhooks(PaymentsRules):
    """Whether an address or an event may be named twice is not shown."""

    def new_webhook(self, call: Call, read: dict[str, Any]) -> Row:
        """Refuse both."""
        if any(hook["url"] == read["url"] for hook in self.hooks_of(call)):
            raise self.invalid("url", "is registered already")
        if len(set(read["events"])) < len(read["events"]):
            raise self.invalid("events", "must differ")
        return super().new_webhook(call, read)


class AsksPostbacks(PaymentsRules):
    """Whether a postbackUrl is asked before it is taken is not shown: it must answer 2xx to what is no event."""

    async def create_charge(self, call: Call) -> Answer:
        """Ask it first."""
        await self._ask(call)
        return await super().create_charge(call)

    async def create_transfer(self, call: Call) -> Answer:
        """Ask it first."""
        await self._ask(call)
        return await super().create_transfer(call)

    async def _ask(self, call: Call) -> None:
        body = self.json_body(call)
        url = body.get("postbackUrl") if isinstance(body, dict) else None
        if not isinstance(url, str) or not formats.is_uri(url):
            return
        ping = b'{"type": "ping"}', {"Content-Type": "application/json", "User-Agent": self.event_user_agent}
        letter = WebhookRequest(url, self._at_once, lambda _: ping, self.is_delivered, 1, 3.0)
        loop, post = asyncio.get_running_loop(), self.world.outbox._post  # noqa: SLF001  # one attempt, and its answer
        status = await loop.run_in_executor(None, post, letter, ping)
        if status is None or not self.is_delivered(status):
            raise self.invalid("postbackUrl", "must answer")

    async def _at_once(self, attempt: int) -> bool:
        return attempt == 1


def _not_public(value: str) -> str | None:
    parts = urlsplit(value)
    host = parts.hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        public = "." in host and not host.endswith((".invalid", ".local")) and parts.port in {None, 443}
        return None if public else "must be a public address"
    return "must be a public address"


class PublicHosts(PaymentsRules):
    """Whether an address is refused for its host is not shown: only public names at the usual port are taken."""

    def judge_webhook_url(self, value: str) -> str | None:
        """Refuse this machine and addresses of numbers."""
        return super().judge_webhook_url(value) or _not_public(value)

    def judge_charge_postback(self, value: str) -> str | None:
        """Likewise."""
        return super().judge_charge_postback(value) or _not_public(value)

    def judge_transfer_postback(self, value: str) -> str | None:
        """Likewise."""
        return super().judge_transfer_postback(value) or _not_public(value)


class PublicPostbacks(PublicHosts):
    """Whether an address is refused for its host is not shown: that of a webhook is not."""

    def judge_webhook_url(self, value: str) -> str | None:
        """Take this machine too."""
        return PaymentsRules.judge_webhook_url(self, value)


class AsksAddresses(PaymentsRules):
    """Whether an address is asked before it is registered is not shown: it must answer 2xx to what is no event."""

    async def create_webhook(self, call: Call) -> Answer:
        """Ask it."""
        url = self.read_body(self.json_body(call), self.webhook_fields)["url"]
        ping = b'{"type": "ping"}', {"Content-Type": "application/json", "User-Agent": self.event_user_agent}
        letter = WebhookRequest(url, self._at_once, lambda _: ping, self.is_delivered, 1, 3.0)
        loop, post = asyncio.get_running_loop(), self.world.outbox._post  # noqa: SLF001  # one attempt, and its answer
        status = await loop.run_in_executor(None, post, letter, ping)
        if status is None or not self.is_delivered(status):
            raise self.invalid("url", "must answer")
        return await super().create_webhook(call)

    async def _at_once(self, attempt: int) -> bool:
        return attempt == 1


class NamesWebhooks(PaymentsRules):
    """A webhook record has a name, a string or null."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Give it one, and say that mTLS works."""
        return super().webhook_view(call, hook) | {"name": f"hook {hook['id']}", "mtlsCapable": False}


class HidesSecretInList(PaymentsRules):
    """Whether the list repeats the secret is not shown; the field may be null."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Hide it in the list."""
        view = super().webhook_view(call, hook)
        return view | {"signatureSecret": None} if call.operation == "list_webhooks" else view


class MasksSecrets(PaymentsRules):
    """Whether the list repeats the secret is not shown: masked; the events are sorted, the name is empty."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Show the head of it."""
        view = super().webhook_view(call, hook) | {"name": "", "mtlsCapable": True}
        masked = {"signatureSecret": f"{(view['signatureSecret'] or '')[:8]}********"}
        return view | {"events": sorted(view["events"])} | (masked if call.operation == "list_webhooks" else {})


class ActiveOnceServed(PaymentsRules):
    """What isActive is about is not spelled out: whether an event has been sent to the webhook."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Look among those to which one was."""
        return super().webhook_view(call, hook) | {"isActive": hook["id"] in self._served}

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Remember it."""
        if hook:
            self._served.add(hook["id"])
        super().send_webhook_request(url, payload, hook)

    @property
    def _served(self) -> set[int]:
        served: set[int] = self.__dict__.setdefault("_served_hooks", set())
        return served


VARIANTS = [
    Variant("payments-addresses-told", ("PAY-WH-13",), {"once": OnceForEachAddress}),
    Variant("payments-quota", ("PAY-WH-13",), {"five": WebhookQuota}),
    Variant("payments-normal-addresses", ("PAY-WH-13",), {"normal": NormalAddresses}),
    Variant("payments-registered-again", ("PAY-WH-13",), {"same-record": OneRecordEach}),
    Variant("payments-few-webhooks", ("PAY-WH-13",), {"four": FewWebhooks}),
    Variant("payments-unique-webhooks", ("PAY-WH-13",), {"unique": UniqueWebhooks}),
    Variant(
        "payments-hosts",
        ("PAY-WH-14",),
        {"public": PublicHosts, "postbacks": PublicPostbacks, "asked": AsksAddresses, "asked-back": AsksPostbacks},
    ),
    Variant("payments-records", ("PAY-WH-15", "PAY-WH-56"), {"named": NamesWebhooks, "secretive": HidesSecretInList}),
    Variant("payments-masks", ("PAY-WH-15", "PAY-WH-56"), {"secrets": MasksSecrets}),
    Variant("payments-activity", ("PAY-WH-30",), {"served": ActiveOnceServed}),
]
