"""Conforming variants where PAY-WH is silent: the list of webhooks, and their removal."""

from collections import Counter
from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.variants.common import *

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
    "PAY-WH-54/removed-are-counted": changes_result(
        "totalCount counts removed webhooks too: the figures are named and not explained.",
        remove_webhook=count_removed, webhook_list=with_removed).also("PAY-WH-55", "PAY-WH-67"),
    "PAY-WH-56/no-secrets": setting("signatureSecret is null: it is a string or null.", new_secret=lambda _rules: None),
    "PAY-WH-56/one-secret-for-all": changes_result(
        "All webhooks have one signatureSecret: that each has its own is not stated.",
        new_secret=lambda rules, secret: rules.__dict__.setdefault("secret_of_all", secret)),
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
    "PAY-WH-64/unknown-removal-is-not-a-success": changes_refusal(
        "Removing an unknown webhook returns 200 with success false: no error is listed.",
        delete_webhook=lambda _, refusal, _call: (
            Answer(200, {"success": False}) if refusal.kind == "missing" else None)),
    "PAY-WH-65/id-must-be-number": checks_arguments("An id that is no number is refused with 400: no error is listed.",
        webhook_number=refuse_words),
}  # fmt: skip
