"""Conforming variants where PAY-WH is silent: the list of webhooks, and their removal."""

from typing import Any

from pix_conformance.proof.difference import changes_result, setting, variant
from pix_conformance.proof.variants.common.checks import checks_arguments
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row

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
    return [one for one in hooks if not listing or rules.clock.now() - one["created_at"] > LISTED_AFTER_S]


def refuse_words(rules: Any, text: str) -> None:
    if not text.isdecimal():
        raise rules.invalid("id", "must be a number")


VARIANTS = {
    "PAY-WH-56": {
        "no-secrets": setting(
            "signatureSecret is null: it is a string or null (payments.md, line 146).", new_secret=lambda _rules: None),
    },
    "PAY-WH-57": {
        "pages-by-number": setting(
            "page and limit select a page, newest first, counted from zero: the parameters are not shown "
            "(payments.md, line 280).", webhook_list=page_by_number),
        "newest-ten-only": setting(
            "The list is one page of the newest ten: query parameters for paging are not shown "
            "(payments.md, line 280).", webhook_list=first_page),
        "pages-of-two": setting(
            "A page has two webhooks: its size is not stated (payments.md, lines 152 and 280).", webhook_page_size=2),
        "removal-names-webhook": changes_result(
            "A removal returns the webhook besides success: no sentence excludes further fields "
            "(payments.md, line 292).",
            removed_view=lambda _rules, _view, hook: {
                "success": True, "message": "removed", "data": {"id": hook["id"], "isActive": False}},
            hooks_of=lambda _rules, hooks, _: hooks[::-1]),
        "listed-after-half-a-second": changes_result(
            "A new webhook is listed after 0.5 s: only its removal is stated to be immediate "
            "(payments.md, lines 279 and 291).", hooks_of=listed_later),
    },
    "PAY-WH-65": {"id-must-be-number": checks_arguments(
            "An id that is no number is refused with 400: no error is listed (payments.md, lines 141 and 291).",
            webhook_number=refuse_words)},
}  # fmt: skip


@variant("PAY-WH-54/removed-are-counted", "PAY-WH-55", "PAY-WH-67")
class CountsRemoved(PaymentsRules):
    """totalCount counts removed webhooks too: the figures are named and not explained (payments.md, line 152)."""

    def remove_webhook(self, hook: Row) -> bool:
        owner = owner_of(hook)
        self._removed[owner] = self._removed.get(owner, 0) + 1
        return super().remove_webhook(hook)

    def webhook_list(self, call: Call, hooks: list[Row]) -> dict[str, Any]:
        found = super().webhook_list(call, hooks)
        total = found["pagination"]["totalCount"] + self._removed.get(call.access, 0)
        return found | {"pagination": found["pagination"] | {"totalCount": total}}

    @property
    def _removed(self) -> dict[Access, int]:
        removed: dict[Access, int] = self.__dict__.setdefault("_removed_of", {})
        return removed


@variant("PAY-WH-56/one-secret-for-all")
class OneSecretForAll(PaymentsRules):
    """All webhooks have one signatureSecret: that each has its own is not stated (payments.md, line 146)."""

    def new_secret(self) -> str | None:
        secret: str | None = self.__dict__.setdefault("secret_of_all", super().new_secret())
        return secret


@variant("PAY-WH-57/empty-list-has-no-page")
class EmptyListHasNoPage(PaymentsRules):
    """An empty list has no page, another has pages of 20: neither figure is explained (payments.md, line 152)."""

    webhook_page_size = 20

    def pagination_view(self, offset: int, size: int, total: int) -> dict[str, Any]:
        return super().pagination_view(offset, size, total) | {"totalPages": -(-total // size)}


@variant("PAY-WH-64/unknown-removal-is-not-a-success")
class UnknownRemovalIsNoSuccess(PaymentsRules):
    """Removing an unknown webhook returns 200 with success false: no error is listed (payments.md, line 292)."""

    async def delete_webhook(self, call: Call) -> Answer:
        try:
            return await super().delete_webhook(call)
        except Refusal as refusal:
            if refusal.kind != "missing":
                raise
            return Answer(200, {"success": False})
