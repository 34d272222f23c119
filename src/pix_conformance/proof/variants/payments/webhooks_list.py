"""Conforming variants where PAY-WH is silent: the list of webhooks, and their removal."""

from __future__ import annotations

from typing import Any

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row

PAGE = 10


class CountsRemovedWebhooks(PaymentsRules):
    """The figures of the pagination are named only: totalCount counts the webhooks that were ever registered."""

    def remove_webhook(self, hook: Row) -> bool:
        """Count it."""
        owner = owner_of(hook)
        self._gone[owner] = self._gone.get(owner, 0) + 1
        return super().remove_webhook(hook)

    def webhook_list(self, call: Call, hooks: list[Row]) -> dict[str, Any]:
        """Add those that are gone."""
        found = super().webhook_list(call, hooks)
        total = found["pagination"]["totalCount"] + self._gone.get(call.access, 0)
        return found | {"pagination": found["pagination"] | {"totalCount": total}}

    @property
    def _gone(self) -> dict[Access, int]:
        gone: dict[Access, int] = self.__dict__.setdefault("_gone_of", {})
        return gone


class OneSecretForAll(PaymentsRules):
    """Whether each webhook has a secret of its own is not shown: all have one."""

    def new_secret(self) -> str | None:
        """Make it once."""
        secret: str | None = self.__dict__.setdefault("secret_of_all", super().new_secret())
        return secret


class NoSecrets(PaymentsRules):
    """The signatureSecret of a record is a string or null (payments.md, line 146)."""

    def new_secret(self) -> str | None:
        """Give none."""
        return None


class PagesByNumber(PaymentsRules):
    """Query parameters for paging are not shown (payments.md, line 280): page and limit, newest first, pages from 0."""

    def webhook_list(self, call: Call, hooks: list[Row]) -> dict[str, Any]:
        """Cut the list into pages of ten, or of the limit."""
        size = self.query_number(call, "limit", PAGE) or PAGE
        offset = (max(1, self.query_number(call, "page", 1)) - 1) * size
        page = [self.webhook_view(call, hook) for hook in hooks[::-1][offset : offset + size]]
        pagination = self.pagination_view(offset, size, len(hooks))
        return {"webhooks": page, "pagination": pagination | {"currentPage": pagination["currentPage"] - 1}}


class FirstPageOnly(PaymentsRules):
    """Query parameters for paging are not shown (payments.md, line 280), and none has to be: the newest ten."""

    def webhook_list(self, call: Call, hooks: list[Row]) -> dict[str, Any]:
        """Show one page."""
        page = [self.webhook_view(call, hook) for hook in hooks[::-1][:PAGE]]
        return {"webhooks": page, "pagination": self.pagination_view(0, PAGE, len(hooks))}


class SmallPages(PaymentsRules):
    """The size of a page of webhooks is not shown: two."""

    webhook_page_size = 2


class PagesOfNothing(PaymentsRules):
    """How many pages an empty list has is not shown: none. Twenty records are on a page."""

    webhook_page_size = 20

    def pagination_view(self, offset: int, size: int, total: int) -> dict[str, Any]:
        """Count the pages."""
        return super().pagination_view(offset, size, total) | {"totalPages": -(-total // size)}


class NamesWhatWasRemoved(PaymentsRules):
    """A removal may say more than success, and the newest records come first."""

    def removed_view(self, hook: Row) -> dict[str, Any]:
        """Name it."""
        return {"success": True, "message": "removed", "data": {"id": hook["id"], "isActive": False}}

    def hooks_of(self, call: Call) -> list[Row]:
        """Turn them round."""
        return super().hooks_of(call)[::-1]


class ListsLater(PaymentsRules):
    """How soon a new webhook is in the list is not shown, only that a removed one is out at once: after 0.5 s."""

    def hooks_of(self, call: Call) -> list[Row]:
        """Know the youngest not yet."""
        found = super().hooks_of(call)
        listing = call.operation == "list_webhooks"
        return [one for one in found if not listing or self.clock.now() - one["created_at"] > 0.5]  # as said


class DeniesUnknownRemovals(PaymentsRules):
    """The removal lists no errors, but a boolean: an unknown webhook is answered 200 with success false."""

    async def delete_webhook(self, call: Call) -> Answer:
        """Answer false where there is none."""
        try:
            return await super().delete_webhook(call)
        except Refusal as refusal:
            if refusal.kind != "missing":
                raise
            return Answer(200, {"success": False})


class NumbersOnly(PaymentsRules):
    """What an id that is no number gets is not shown."""

    def webhook_number(self, text: str) -> int:
        """Refuse it as no id."""
        if not text.isdecimal():
            raise self.invalid("id", "must be a number")
        return super().webhook_number(text)


VARIANTS = [
    Variant("payments-totals", ("PAY-WH-54", "PAY-WH-55", "PAY-WH-67"), {"ever": CountsRemovedWebhooks}),
    Variant("payments-one-secret", ("PAY-WH-56",), {"all": OneSecretForAll}),
    Variant("payments-secrets", ("PAY-WH-56",), {"none": NoSecrets}),
    Variant("payments-pages", ("PAY-WH-57",), {"numbered": PagesByNumber, "first": FirstPageOnly}),
    Variant("payments-paging", ("PAY-WH-57",), {"two": SmallPages}),
    Variant("payments-empty-pages", ("PAY-WH-57",), {"none": PagesOfNothing}),
    Variant("payments-removals", ("PAY-WH-57",), {"named": NamesWhatWasRemoved}),
    Variant("payments-list-lag", ("PAY-WH-57",), {"half-a-second": ListsLater}),
    Variant("payments-unknown-removal", ("PAY-WH-64",), {"denied": DeniesUnknownRemovals}),
    Variant("payments-webhook-ids", ("PAY-WH-65",), {"numbers": NumbersOnly}),
]
