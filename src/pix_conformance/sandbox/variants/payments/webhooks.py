"""Conforming variants where PAY-WH is silent: creation, list and removal of webhooks."""

import ipaddress
import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import Operation
from pix_conformance.reference.outbox import WebhookRequest
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.variants.common import *


def normalize_url(_rules: Any, call: Call, read: dict[str, Any]) -> tuple[Any, ...]:
    parts = urlsplit(read["url"])
    port = "" if parts.port in {None, 443} else f":{parts.port}"
    url = urlunsplit((parts.scheme, f"{parts.hostname}{port}", parts.path or "/", parts.query, ""))
    return call, read | {"url": url}


def with_host(_rules: Any, url: str) -> tuple[str]:
    return (re.sub("^https:(?=[^/])", "https://", url),)


def keep_with_host(rules: Any, call: Call, read: dict[str, Any]) -> tuple[Any, ...]:
    return call, read | {"url": with_host(rules, read["url"])[0]}


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


def send_once(rules: Any, event: str, row: Row, payload: dict[str, Any]) -> None:
    hooks = {hook["url"]: hook for hook in reversed(rules.listeners(event, owner_of(row)))}
    for url, hook in hooks.items():
        rules.send_webhook_request(url, payload, hook)
    if row["postback_url"] and row["postback_url"] not in hooks and rules.posts_back(event, row):
        rules.send_webhook_request(row["postback_url"], payload, None)


async def keep_record(rules: Any, right: Operation, call: Call) -> Answer:
    read = rules.read_body(rules.json_body(call), rules.webhook_fields)
    known = [hook["id"] for hook in rules.hooks_of(call) if hook["url"] == read["url"]]
    if not known:
        return await right(call)
    rules.store.update("webhook", {"events": json.dumps(rules.subscribed(read["events"]))}, id=known[0])
    hook = rules.store.find("webhook", id=known[0])
    return Answer(rules.webhook_created_status, {"success": True, "data": rules.webhook_view(call, hook)})


async def try_webhook(rules: Any, right: Operation, call: Call) -> Answer:
    await try_address(rules, "url", rules.read_body(rules.json_body(call), rules.webhook_fields)["url"])
    return await right(call)


async def try_postback(rules: Any, right: Operation, call: Call) -> Answer:
    body = rules.json_body(call)
    url = body.get("postbackUrl") if isinstance(body, dict) else None
    if isinstance(url, str) and formats.is_uri(url):
        await try_address(rules, "postbackUrl", url)
    return await right(call)


async def try_address(rules: Any, field: str, url: str) -> None:
    """Refuse an address that does not answer 2xx to a request that is no event."""
    ping = b'{"type": "ping"}', {"Content-Type": "application/json", "User-Agent": rules.event_user_agent}
    request = WebhookRequest(url, at_once, lambda _: ping, rules.is_delivered, 1, 10.0, "test of the address")
    if not await rules.state.outbox.attempt(request, 1):
        raise rules.invalid(field, "must answer")


async def at_once(_attempt: int) -> bool:
    return True


def noted(rules: Any, kind: str) -> set[int]:
    """Return the ids of the webhooks to which an event was sent, or whose receiver did not respond with 2xx."""
    hooks: set[int] = rules.__dict__.setdefault(f"{kind} hooks", set())
    return hooks


def note_failures(rules: Any, request: WebhookRequest, _url: str, _payload: Any, hook: Row | None) -> WebhookRequest:
    def accepts(status: int) -> bool:
        if hook and not request.accepts(status):
            noted(rules, "failing").add(hook["id"])
        return request.accepts(status)

    return replace(request, accepts=accepts)


PAGE = 10
LISTED_AFTER_S = 0.5


def page_by_number(rules: Any, call: Call, hooks: list[Row]) -> dict[str, Any]:
    size = rules.query_number(call, "limit", PAGE) or PAGE
    offset = (max(1, rules.query_number(call, "page", 1)) - 1) * size
    page = [rules.webhook_view(call, hook) for hook in hooks[::-1][offset : offset + size]]
    pagination = rules.pagination_view(offset, size, len(hooks))
    return {"webhooks": page, "pagination": pagination | {"currentPage": pagination["currentPage"] - 1}}


def first_page(rules: Any, call: Call, hooks: list[Row]) -> dict[str, Any]:
    page = [rules.webhook_view(call, hook) for hook in hooks[::-1][:PAGE]]
    return {"webhooks": page, "pagination": rules.pagination_view(0, PAGE, len(hooks))}


def listed_later(rules: Any, hooks: list[Row], call: Call) -> list[Row]:
    listing = call.operation == "list_webhooks"
    return [hook for hook in hooks if not listing or rules.clock.now() - hook["created_at"] > LISTED_AFTER_S]


def refuse_words(rules: Any, text: str) -> None:
    if not text.isdecimal():
        raise rules.invalid("id", "must be a number")


def count_removed(rules: Any, removed: object, hook: Row) -> object:
    rules.__dict__.setdefault("removed", Counter())[owner_of(hook)] += 1
    return removed


def with_removed(rules: Any, page: dict[str, Any], call: Call, _: Any) -> dict[str, Any]:
    total = page["pagination"]["totalCount"] + rules.__dict__.get("removed", {}).get(call.access, 0)
    return page | {"pagination": page["pagination"] | {"totalCount": total}}


VARIANTS = {
    "PAY-WH-13/at-most-five": setting("An account has at most five webhooks: how many it may have is not stated.",
        webhook_quota=5).also("PAY-WH-73"),
    "PAY-WH-13/at-most-four": setting("An account has at most four webhooks: how many it may have is not stated.",
        webhook_quota=4),
    "PAY-WH-13/url-normalized": changes_arguments(
        "The url of a record is normalized, as any URI may be (PAY-WH-28; RFC 3986, section 6.2).",
        new_webhook=normalize_url),
    "PAY-WH-13/one-request-for-each-url": setting(
        "An event is sent once to a URL that is registered twice: it goes to each URL.", send_event=send_once),
    "PAY-WH-13/one-record-for-each-url": overrides(
        "A url registered again keeps its record, with the new events: no second is promised.",
        create_webhook=keep_record),
    "PAY-WH-13/repetitions-refused": acts_before(
        "A registered url and an event named twice are refused: neither is stated to be accepted.",
        new_webhook=refuse_repetitions),
    "PAY-WH-14/url-must-respond": overrides("A url must respond to a request first: no sentence excludes it.",
        create_webhook=try_webhook),
    "PAY-WH-14/postback-must-respond": overrides(
        "A postbackUrl must respond to a request first: no sentence excludes it.",
        create_charge=try_postback, create_transfer=try_postback),
    "PAY-WH-14/public-hosts-only": changes_result(
        "Addresses without a public name are refused: which hosts are accepted is not stated.",
        judge_webhook_url=only_public, judge_charge_postback=only_public, judge_transfer_postback=only_public),
    "PAY-WH-14/public-postbacks-only": changes_result(
        "A postbackUrl without a public name is refused: which hosts are accepted is not stated.",
        judge_charge_postback=only_public, judge_transfer_postback=only_public),
    "PAY-WH-75/addresses-read-as-by-browsers": changes_arguments(
        "An address of https without slashes is read as one with them, as browsers do: by its syntax it is a URI.",
        judge_webhook_url=with_host, new_webhook=keep_with_host,
        judge_charge_postback=with_host, judge_transfer_postback=with_host).also("PAY-CHG-86", "PAY-TRF-92"),
    "PAY-WH-15/records-named": changes_result("Each record has a name, and mtlsCapable is false: no value is stated.",
        webhook_view=lambda _rules, view, _call, hook: view | {
            "name": f"hook {hook['id']}", "mtlsCapable": False}).also("PAY-WH-56"),
    "PAY-WH-15/list-without-secret": changes_result(
        "signatureSecret is null in the list: it may be null, and is returned on creation.",
        webhook_view=lambda _rules, view, call, _: view | (
            {"signatureSecret": None} if call.operation == "list_webhooks" else {})).also("PAY-WH-56"),
    "PAY-WH-15/list-with-masked-secret": changes_result(
        "The list masks each signatureSecret and sorts events: only creation is stated to return the secret "
        "(PAY-WH-25).", webhook_view=lambda _rules, view, call, _: view
        | {"name": "", "mtlsCapable": True, "events": sorted(view["events"])}
        | ({"signatureSecret": f"{(view['signatureSecret'] or '')[:8]}********"}
           if call.operation == "list_webhooks" else {})).also("PAY-WH-56"),
    "PAY-WH-74/inactive-once-failed": changes_result(
        "isActive is false once the receiver did not respond with 2xx: what it means is not stated.",
        webhook_request=note_failures,
        webhook_view=lambda rules, view, _call, hook: view | {"isActive": hook["id"] not in noted(rules, "failing")}),
    "PAY-WH-30/active-once-served": changes_result(
        "isActive is true once an event has been sent: what it means is not stated.",
        webhook_view=lambda rules, view, _call, hook: view | {"isActive": hook["id"] in noted(rules, "served")},
        send_webhook_request=lambda rules, _none, _url, _payload, hook: (
            noted(rules, "served").update({hook["id"]} if hook else set()))),
    "PAY-WH-54/removed-are-counted": changes_result(
        "totalCount counts removed webhooks too: the figures are named and not explained.",
        remove_webhook=count_removed, webhook_list=with_removed).also("PAY-WH-55", "PAY-WH-67", "PAY-WH-76"),
    "PAY-WH-56/no-secrets": setting("signatureSecret is null: it is a string or null.", new_secret=lambda _rules: None),
    "PAY-WH-56/one-secret-for-all": changes_result(
        "All webhooks have one signatureSecret: that each has its own is not stated.",
        new_secret=lambda rules, secret: rules.__dict__.setdefault("secret_of_all", secret)).also("PAY-WH-33"),
    "PAY-WH-57/pages-by-number": setting(
        "page and limit select a page, newest first, counted from zero: the parameters are not shown.",
        webhook_list=page_by_number),
    "PAY-WH-57/newest-ten-only": setting(
        "The list is one page of the newest ten: query parameters for paging are not shown.", webhook_list=first_page),
    "PAY-WH-57/pages-of-two": setting("A page has two webhooks: its size is not stated.", webhook_page_size=2),
    "PAY-WH-57/empty-list-has-no-page": changes_result(
        "An empty list has no page, another has pages of 20: neither figure is explained.",
        pagination_view=lambda _, view, _offset, size, total: view | {"totalPages": -(-total // size)})
        .with_settings(webhook_page_size=20),
    "PAY-WH-57/removal-names-webhook": changes_result(
        "A removal returns the webhook besides success: no sentence excludes further fields (PAY-GEN-10).",
        removed_view=lambda _rules, _view, hook: {
            "success": True, "message": "removed", "data": {"id": hook["id"], "isActive": False}},
        hooks_of=lambda _rules, hooks, _: hooks[::-1]),
    "PAY-WH-57/listed-after-half-a-second": changes_result(
        "A new webhook is listed after 0.5 s: only its removal is stated to be immediate (PAY-WH-62).",
        hooks_of=listed_later),
    "PAY-WH-63/attempts-go-on": setting(
        "An event of before the removal of a webhook is sent again after it: only later ones are excluded.",
        is_still_registered=lambda _rules, _hook: True),
    "PAY-WH-64/unknown-removal-is-not-a-success": changes_refusal(
        "Removing an unknown webhook returns 200 with success false: no error is listed.",
        delete_webhook=lambda _, refusal, _call: (
            Answer(200, {"success": False}) if refusal.kind == "missing" else None)),
    "PAY-WH-65/id-must-be-number": acts_before("An id that is no number is refused with 400: no error is listed.",
        webhook_number=refuse_words),
}  # fmt: skip
