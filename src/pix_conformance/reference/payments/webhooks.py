"""Webhook records of the payments API: list, create, remove."""

import json
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.fields import Field, FieldRules
from pix_conformance.reference.http import route
from pix_conformance.reference.payments.events import EventRules
from pix_conformance.reference.store import Row


class WebhookRules(FieldRules, EventRules):
    """Webhook records and the addresses to which events are sent."""

    webhook_created_status = 201
    webhook_schemes: ClassVar[tuple[str, ...]] = ("https",)
    webhook_minimum_events = 1
    webhook_quota: int | None = None
    webhook_page_size = 1000
    webhook_fields: ClassVar[tuple[Field, ...]] = (
        Field("url", "string", required=True, rule="judge_webhook_url"),
        Field("events", "array", required=True, rule="judge_webhook_events"),
    )

    @route("GET", "/api/v1/webhook")
    async def list_webhooks(self, call: Call) -> Answer:
        """GET /api/v1/webhook."""
        return Answer(200, {"success": True, "data": self.webhook_list(call, self.hooks_of(call))})

    @route("POST", "/api/v1/webhook")
    async def create_webhook(self, call: Call) -> Answer:
        """POST /api/v1/webhook."""
        read = self.read_body(self.json_body(call), self.webhook_fields)
        await self.pause(call, "create")
        if self.webhook_quota is not None and len(self.hooks_of(call)) >= self.webhook_quota:
            raise self.invalid("url", "exceeds the maximum number of webhooks of an account")
        hook = self.new_webhook(call, read)
        hook["id"] = self.store.insert("webhook", hook)
        return Answer(self.webhook_created_status, {"success": True, "data": self.webhook_view(call, hook)})

    @route("DELETE", "/api/v1/webhook/{id}")
    async def delete_webhook(self, call: Call) -> Answer:
        """DELETE /api/v1/webhook/{id}."""
        hook = self.owned(call, "webhook", self.webhook_number(call.params["id"]))
        await self.pause(call, "delete")
        if not self.remove_webhook(hook):
            raise self.not_found(call)
        return Answer(200, self.removed_view(hook))

    def judge_webhook_url(self, value: str) -> str | None:
        """Return what is wrong with `url`, or None (PAY-WH-04, PAY-WH-05)."""
        if not formats.is_uri(value):
            return "must be a URI"
        return None if urlsplit(value).scheme in self.webhook_schemes else "must be an HTTPS address"

    def judge_webhook_events(self, value: list[Any]) -> str | None:
        """Return what is wrong with `events`, or None (PAY-WH-09, PAY-WH-11)."""
        if len(value) < self.webhook_minimum_events:
            return f"must have at least {self.webhook_minimum_events} element"
        known = all(isinstance(event, str) and self.is_event(event) for event in value)
        return None if known else "must name known events only"

    def is_event(self, name: str) -> bool:
        """Return whether the documents name an event with that name."""
        return name in self.event_names

    def new_webhook(self, call: Call, read: dict[str, Any]) -> Row:
        """Return the database row of a new webhook."""
        return {
            "account": call.access.account,
            "environment": call.access.environment,
            "name": None,
            "url": read["url"],
            "events": json.dumps(self.subscribed(read["events"])),
            "is_active": 1,
            "secret": self.new_secret(),
            "created_at": self.clock.now(),
        }

    def subscribed(self, events: list[str]) -> list[str]:
        """Return the events that are stored, each once."""
        return list(dict.fromkeys(events))

    def new_secret(self) -> str | None:
        """Return a new `signatureSecret`, or the given one of the first webhook."""
        given = self.state.first_signature_secret
        return given if given and not self.store.rows("webhook") else f"whsec_{self.state.random.hex(24)}"

    def hooks_of(self, call: Call) -> list[Row]:
        """Return all webhooks that the account sees, in the order of creation."""
        access = call.access
        return self.store.rows("webhook", "id", account=access.account, environment=access.environment)

    def webhook_number(self, text: str) -> int:
        """Return the number that the id in a path stands for; 0 for an id of another form."""
        return formats.number(text) or 0

    def remove_webhook(self, hook: Row) -> bool:
        """Delete the row; return False if another request has already done so."""
        return self.store.delete("webhook", id=hook["id"]) == 1

    def removed_view(self, hook: Row) -> dict[str, Any]:
        """Return the body of a removal."""
        del hook
        return {"success": True}

    def webhook_list(self, call: Call, hooks: list[Row]) -> dict[str, Any]:
        """Return `data` of the list: one page and the pagination object."""
        size = min(self.webhook_page_size, self.query_number(call, "pageSize", self.webhook_page_size) or 1)
        offset = self.query_number(call, "offset", 0)
        page = [self.webhook_view(call, hook) for hook in hooks[offset : offset + size]]
        return {"webhooks": page, "pagination": self.pagination_view(offset, size, len(hooks))}

    def query_number(self, call: Call, name: str, default: int) -> int:
        """Return a paging parameter as an integer; the default if it is absent or not a number."""
        number = formats.number((call.query.get(name) or [""])[-1])
        return default if number is None else number

    def pagination_view(self, offset: int, size: int, total: int) -> dict[str, Any]:
        """Return the pagination object (PAY-WH)."""
        pages = max(1, -(-total // size))
        return {
            "offset": offset,
            "pageSize": size,
            "totalCount": total,
            "currentPage": offset // size + 1,
            "totalPages": pages,
            "hasNext": offset + size < total,
            "hasPrevious": offset > 0,
        }

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Return the JSON of one webhook record (PAY-WH)."""
        del call
        return {
            "id": hook["id"],
            "name": hook["name"],
            "url": hook["url"],
            "events": json.loads(hook["events"]),
            "isActive": bool(hook["is_active"]),
            "signatureSecret": hook["secret"],
            "mtlsCapable": None,
            "createdAt": self.moment(hook["created_at"]),
        }
