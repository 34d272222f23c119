"""Conforming variants where PAY-WH is silent: the creation of a webhook."""

import asyncio
import ipaddress
import json
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pix_conformance.proof.difference import changes_arguments, changes_result, setting, variant
from pix_conformance.proof.variants.common.checks import checks_arguments
from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row


def normalize_url(_rules: Any, call: Call, read: dict[str, Any]) -> tuple[Any, ...]:
    parts = urlsplit(read["url"])
    port = "" if parts.port in {None, 443} else f":{parts.port}"
    url = urlunsplit((parts.scheme, f"{parts.hostname}{port}", parts.path or "/", parts.query, ""))
    return call, read | {"url": url}


def refuse_repetitions(rules: Any, call: Call, read: dict[str, Any]) -> None:
    if any(hook["url"] == read["url"] for hook in rules.hooks_of(call)):
        raise rules.invalid("url", "is registered already")
    if len(set(read["events"])) < len(read["events"]):
        raise rules.invalid("events", "must differ")


def only_public(_rules: Any, complaint: str | None, value: str) -> str | None:
    return complaint or (None if is_public(value) else "must be a public address")


def is_public(value: str) -> bool:
    parts = urlsplit(value)
    host = parts.hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "." in host and not host.endswith((".invalid", ".local")) and parts.port in {None, 443}
    return False


VARIANTS = {
    "PAY-WH-13": {
        "at-most-five": setting(
            "An account has at most five webhooks: how many it may have is not stated (payments.md, line 285).",
            webhook_quota=5),
        "at-most-four": setting(
            "An account has at most four webhooks: how many it may have is not stated (payments.md, line 285).",
            webhook_quota=4),
        "url-normalized": changes_arguments(
            "The url of a record is normalized, as any URI may be (payments.md, line 143; RFC 3986, section 6.2).",
            new_webhook=normalize_url),
        "repetitions-refused": checks_arguments(
            "A registered url and an event named twice are refused: neither is stated to be accepted "
            "(payments.md, line 285).", new_webhook=refuse_repetitions),
    },
    "PAY-WH-14": {
        "public-hosts-only": changes_result(
            "Addresses without a public name are refused: which hosts are accepted is not stated "
            "(payments.md, lines 35, 94 and 285).",
            judge_webhook_url=only_public, judge_charge_postback=only_public, judge_transfer_postback=only_public),
        "public-postbacks-only": changes_result(
            "A postbackUrl without a public name is refused: which hosts are accepted is not stated "
            "(payments.md, lines 35 and 94).",
            judge_charge_postback=only_public, judge_transfer_postback=only_public),
    },
    "PAY-WH-15": {
        "records-named": changes_result(
            "Each record has a name, and mtlsCapable is false: no value is stated (payments.md, lines 142 and 147).",
            webhook_view=lambda _rules, view, _call, hook: view | {
                "name": f"hook {hook['id']}", "mtlsCapable": False}).also("PAY-WH-56"),
        "list-without-secret": changes_result(
            "signatureSecret is null in the list: it may be null, and is returned on creation "
            "(payments.md, lines 146 and 286).",
            webhook_view=lambda _rules, view, call, _: view | (
                {"signatureSecret": None} if call.operation == "list_webhooks" else {})).also("PAY-WH-56"),
        "list-with-masked-secret": changes_result(
            "The list masks each signatureSecret and sorts events: only creation is stated to return the secret "
            "(payments.md, line 286).",
            webhook_view=lambda _rules, view, call, _: view
            | {"name": "", "mtlsCapable": True, "events": sorted(view["events"])}
            | ({"signatureSecret": f"{(view['signatureSecret'] or '')[:8]}********"}
               if call.operation == "list_webhooks" else {})).also("PAY-WH-56"),
    },
}  # fmt: skip


@variant("PAY-WH-13/one-request-for-each-url")
class OneRequestForEachUrl(PaymentsRules):
    """An event is sent once to a URL that is registered twice: it goes to each URL (payments.md, line 316)."""

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        hooks = {hook["url"]: hook for hook in reversed(self.listeners(event, owner_of(row)))}
        for url, hook in hooks.items():
            self.send_webhook_request(url, payload, hook)
        if row["postback_url"] and row["postback_url"] not in hooks and self.posts_back(event, row):
            self.send_webhook_request(row["postback_url"], payload, None)


@variant("PAY-WH-13/one-record-for-each-url")
class OneRecordForEachUrl(PaymentsRules):
    """A url registered again keeps its record, with the new events: no second is promised (payments.md, line 286)."""

    async def create_webhook(self, call: Call) -> Answer:
        read = self.read_body(self.json_body(call), self.webhook_fields)
        known = [hook["id"] for hook in self.hooks_of(call) if hook["url"] == read["url"]]
        if not known:
            return await super().create_webhook(call)
        self.store.update("webhook", {"events": json.dumps(self.subscribed(read["events"]))}, id=known[0])
        hook = self.store.find("webhook", id=known[0]) or {}
        return Answer(self.webhook_created_status, {"success": True, "data": self.webhook_view(call, hook)})


class TriesAddresses(PaymentsRules):
    """Sends a request that is no event to an address, and refuses it without a 2xx."""

    async def try_address(self, field: str, url: str) -> None:
        """Refuse an address that does not respond."""
        ping = b'{"type": "ping"}', {"Content-Type": "application/json", "User-Agent": self.event_user_agent}
        request = WebhookRequest(url, self._at_once, lambda _: ping, self.is_delivered, 1, 3.0)
        loop, post = asyncio.get_running_loop(), self.world.outbox._post  # noqa: SLF001  # one attempt, and its answer
        status = await loop.run_in_executor(None, post, request, ping)
        if status is None or not self.is_delivered(status):
            raise self.invalid(field, "must answer")

    async def _at_once(self, attempt: int) -> bool:
        return attempt == 1


@variant("PAY-WH-14/url-must-respond")
class TriesWebhooks(TriesAddresses):
    """A url must respond to a request first: no sentence excludes it (payments.md, line 285)."""

    async def create_webhook(self, call: Call) -> Answer:
        await self.try_address("url", self.read_body(self.json_body(call), self.webhook_fields)["url"])
        return await super().create_webhook(call)


@variant("PAY-WH-14/postback-must-respond")
class TriesPostbacks(TriesAddresses):
    """A postbackUrl must respond to a request first: no sentence excludes it (payments.md, lines 35 and 94)."""

    async def create_charge(self, call: Call) -> Answer:
        await self._try(call)
        return await super().create_charge(call)

    async def create_transfer(self, call: Call) -> Answer:
        await self._try(call)
        return await super().create_transfer(call)

    async def _try(self, call: Call) -> None:
        body = self.json_body(call)
        url = body.get("postbackUrl") if isinstance(body, dict) else None
        if isinstance(url, str) and formats.is_uri(url):
            await self.try_address("postbackUrl", url)


@variant("PAY-WH-30/active-once-served")
class ActiveOnceServed(PaymentsRules):
    """isActive is true once an event has been sent: what it means is not stated (payments.md, line 145)."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        return super().webhook_view(call, hook) | {"isActive": hook["id"] in self._served}

    def send_webhook_request(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        if hook:
            self._served.add(hook["id"])
        super().send_webhook_request(url, payload, hook)

    @property
    def _served(self) -> set[int]:
        served: set[int] = self.__dict__.setdefault("_served_hooks", set())
        return served
