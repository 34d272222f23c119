"""Webhook records of the payments API: shapes, effects, lists."""

import asyncio
from typing import Any

from pix_conformance.proof.mutants.payments.tables import ChangesAnswers, RefusesOtherwise, in_answers, refusing
from pix_conformance.proof.mutants.payments.tables import shapes as shaped
from pix_conformance.proof.mutants.tabled import GONE, family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

LIST, MAKE, EACH = "list_webhooks", "create_webhook", "data.webhooks.*."


def _answer(status: int, code: str = "INVALID_REQUEST") -> Any:
    return lambda refusal: Answer(status, {"error": code, "message": refusal.message})


globals().update(
    shaped(__name__, "Hook", MAKE, {
        "success": ("PAY-WH-18", "true"),
        "data": ("PAY-WH-19 PAY-WH-01", lambda data: [data]),
        "data.name": ("PAY-WH-21", {}),
        "data.isActive": ("PAY-WH-24", 1),
        "data.mtlsCapable": ("PAY-WH-26", "no"),
        "data.createdAt": ("PAY-WH-27", 1_795_255_380),
    }),
    **shaped(__name__, "HookList", LIST, {
        "success": ("PAY-WH-41", "true"),
        "data": ("PAY-WH-42 PAY-WH-40", lambda data: data["webhooks"]),
        "data.webhooks": ("PAY-WH-43", lambda hooks: {str(hook["id"]): hook for hook in hooks}),
        "data.pagination": ("PAY-WH-44", lambda pagination: [pagination]),
        "data.pagination.offset": ("PAY-WH-45", "0"),
        "data.pagination.pageSize": ("PAY-WH-46", None),
        "data.pagination.totalCount": ("PAY-WH-47", str),
        "data.pagination.currentPage": ("PAY-WH-48", lambda page: page + 0.5),
        "data.pagination.totalPages": ("PAY-WH-49", None),
        "data.pagination.hasNext": ("PAY-WH-50", int),
        "data.pagination.hasPrevious": ("PAY-WH-51", lambda yes: str(yes).lower()),
        f"{EACH}name": ("PAY-WH-21", 7),
        f"{EACH}isActive": ("PAY-WH-24", "active"),
        f"{EACH}signatureSecret": ("PAY-WH-25", lambda secret: {"masked": secret[-4:]}),
        f"{EACH}mtlsCapable": ("PAY-WH-26", 0),
        f"{EACH}createdAt": ("PAY-WH-27", None),
    }),
    **shaped(__name__, "HookRemoval", "delete_webhook", {"success": ("PAY-WH-61", "true")}),
    **family(__name__, "schema", ChangesAnswers, {
        "HookIdText": ("The id of a webhook is a string in its creation.", "PAY-WH-20",
            in_answers(MAKE, "data.id", str)),
        "HookIdTextInList": ("The id of a webhook is a string in the list.", "PAY-WH-20",
            in_answers(LIST, f"{EACH}id", str)),
        "HookIdMissingInList": ("The list leaves out the ids.", "PAY-WH-20", in_answers(LIST, f"{EACH}id", GONE)),
        "HookUrlMissing": ("The answer of a creation leaves out the url.", "PAY-WH-22",
            in_answers(MAKE, "data.url", GONE)),
        "HookUrlInParts": ("The list shows the url in parts.", "PAY-WH-22",
            in_answers(LIST, f"{EACH}url", lambda url: url.split("/"))),
        "HookUrlMissingInList": ("The list leaves out the urls.", "PAY-WH-22", in_answers(LIST, f"{EACH}url", GONE)),
        "HookEventsInOneText": ("The events of a new webhook are one text with commas.", "PAY-WH-23",
            in_answers(MAKE, "data.events", ",".join)),
        "HookEventsAsObjects": ("The events in the list are objects with a name.", "PAY-WH-23 PAY-WH-53",
            in_answers(LIST, f"{EACH}events", lambda events: [{"name": name} for name in events])),
        "HookEventsMissingInList": ("The list leaves out the events.", "PAY-WH-23",
            in_answers(LIST, f"{EACH}events", GONE)),
        "HookSecretMissing": ("A new webhook is answered without its signatureSecret.", "PAY-WH-25",
            in_answers(MAKE, "data.signatureSecret", GONE)),
        "HookSecretNull": ("A new webhook has no secret.", "PAY-WH-31",
            in_answers(MAKE, "data.signatureSecret", None)),
        "HookUrlChanged": ("The url of a new webhook is answered with a slash at its end.", "PAY-WH-28",
            in_answers(MAKE, "data.url", lambda url: url + "/")),
        "HookUrlInCapitals": ("The url of a new webhook is answered in small letters, its path too.", "PAY-WH-28",
            in_answers(MAKE, "data.url", str.upper)),
        "HookEventsOfAll": ("A new webhook is answered with all events.", "PAY-WH-29",
            in_answers(MAKE, "data.events", list(PaymentsRules.event_names))),
        "HookEventsCut": ("A new webhook is answered with its first event only.", "PAY-WH-29",
            in_answers(MAKE, "data.events", lambda events: events[:1])),
        "HookEventsInCapitals": ("The events of a new webhook are answered in capitals.", "PAY-WH-29",
            in_answers(MAKE, "data.events", lambda events: [name.upper() for name in events])),
        "HookEventsEmptyInList": ("The list shows webhooks without events.", "PAY-WH-53",
            in_answers(LIST, f"{EACH}events", [])),
        "HookUrlCutInList": ("The list shows the host of each url only.", "PAY-WH-53",
            in_answers(LIST, f"{EACH}url", lambda url: "/".join(url.split("/")[:3]))),
        "HookInactive": ("A new webhook is not active.", "PAY-WH-30", in_answers(MAKE, "data.isActive", False)),  # noqa: FBT003 - a value in JSON, no flag
        "HookInactiveInList": ("The list shows each webhook as inactive.", "PAY-WH-30",
            in_answers(LIST, f"{EACH}isActive", False)),  # noqa: FBT003 - likewise
        "TotalOfPage": ("The totalCount is the number of webhooks, plus one.", "PAY-WH-54 PAY-WH-67",
            in_answers(LIST, "data.pagination.totalCount", lambda count: count + 1)),
        "TotalZero": ("The totalCount is never counted: it is zero.", "PAY-WH-54 PAY-WH-67",
            in_answers(LIST, "data.pagination.totalCount", 0)),
        "PageOfOne": ("The pageSize says one, whatever is listed.", "PAY-WH-54",
            in_answers(LIST, "data.pagination.pageSize", 1)),
        "AlwaysNext": ("hasNext is always true.", "PAY-WH-55 PAY-WH-67",
            in_answers(LIST, "data.pagination.hasNext", True)),  # noqa: FBT003 - likewise
        "AlwaysPrevious": ("hasPrevious is true on the first page.", "PAY-WH-55 PAY-WH-67",
            in_answers(LIST, "data.pagination.hasPrevious", True)),  # noqa: FBT003 - likewise
    }),
    **family(__name__, "state", RefusesOtherwise, {
        "UnknownRemovalBadRequest": ("The removal of an unknown webhook is refused with 400.", "PAY-WH-64",
            refusing("missing", "delete_webhook", _answer(400))),
        "UnknownRemovalConfirmed": ("The removal of an unknown webhook is confirmed.", "PAY-WH-64",
            refusing("missing", "delete_webhook", lambda _: Answer(200, {"success": True}))),
    }),
)  # fmt: skip


class HookCreated200(PaymentsRules):
    """A webhook is created with 200."""

    breaks = ("PAY-WH-01",)
    group = "state"
    webhook_created_status = 200


class HookList206(PaymentsRules):
    """The list of webhooks is answered 206, as it may go on."""

    breaks = ("PAY-WH-40",)
    group = "state"

    async def list_webhooks(self, call: Call) -> Answer:
        """Answer the other status."""
        answer = await super().list_webhooks(call)
        return Answer(206, answer.body)


class HookRemoved204(PaymentsRules):
    """A removal is answered 204 without a body."""

    breaks = ("PAY-WH-60",)
    group = "state"

    async def delete_webhook(self, call: Call) -> Answer:
        """Answer the other status."""
        await super().delete_webhook(call)
        return Answer(204, None)

    def encode(self, call: Call, body: Any) -> bytes:
        """Send no bytes for nothing."""
        return b"" if body is None else super().encode(call, body)


class HookNotRecorded(PaymentsRules):
    """A webhook is answered right, and nothing recorded."""

    breaks = ("PAY-WH-52",)
    group = "state"

    async def create_webhook(self, call: Call) -> Answer:
        """Forget it."""
        answer = await super().create_webhook(call)
        self.store.delete("webhook", id=answer.body["data"]["id"])
        return answer


class HookListLate(PaymentsRules):
    """The list shows a webhook from its second second on."""

    breaks = ("PAY-WH-52",)
    group = "state"

    def hooks_of(self, call: Call) -> list[Row]:
        """Look from a copy that lags behind."""
        now = self.clock.now()
        return [hook for hook in super().hooks_of(call) if now - hook["created_at"] > 2]  # noqa: PLR2004 - seconds


class HookListOfFirst(PaymentsRules):
    """The list shows the oldest webhook only, and says that this is all."""

    breaks = ("PAY-WH-52",)
    group = "state"

    def hooks_of(self, call: Call) -> list[Row]:
        """Stop after one."""
        return super().hooks_of(call)[:1]


class HookKeptInList(PaymentsRules):
    """A removed webhook stays in the list, and receives nothing."""

    breaks = ("PAY-WH-62", "PAY-WH-64")
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Switch it off instead."""
        return self.store.update("webhook", {"is_active": 0}, id=hook["id"]) == 1

    def is_still_registered(self, hook: Row) -> bool:
        """Look at the switch."""
        return self.store.find("webhook", id=hook["id"], is_active=1) is not None


class HookRemovedLater(PaymentsRules):
    """A webhook is removed a second after its removal was confirmed."""

    breaks = ("PAY-WH-62", "PAY-WH-64")
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Begin to wait."""
        self.world.mail.begin(self._remove(hook))
        return True

    async def _remove(self, hook: Row) -> None:
        await asyncio.sleep(1)
        self.store.delete("webhook", id=hook["id"])


class HookRemovalWithoutEffect(PaymentsRules):
    """A removal is confirmed, and removes nothing."""

    breaks = ("PAY-WH-62", "PAY-WH-63", "PAY-WH-64")
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Leave it."""
        del hook
        return True


class HookRemovalHides(PaymentsRules):
    """A removed webhook is no longer listed, and still receives events."""

    breaks = ("PAY-WH-63",)
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Hide it from its owner."""
        return self.store.update("webhook", {"name": "removed"}, id=hook["id"]) == 1

    def hooks_of(self, call: Call) -> list[Row]:
        """Leave out what is hidden."""
        return [hook for hook in super().hooks_of(call) if hook["name"] != "removed"]

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Do not find it either."""
        row = super().owned(call, table, number)
        if table == "webhook" and row["name"] == "removed":
            raise self.not_found(call)
        return row


class HookRemovalOfAll(PaymentsRules):
    """The removal of one webhook removes all of its account."""

    breaks = ("PAY-WH-66",)
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Forget the id."""
        return self.store.delete("webhook", account=hook["account"], environment=hook["environment"]) > 0


class HookRemovalOfNeighbours(PaymentsRules):
    """The removal of one webhook removes those with the same events."""

    breaks = ("PAY-WH-66",)
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Look by events."""
        return self.store.delete("webhook", account=hook["account"], events=hook["events"]) > 0


class HookSameId(PaymentsRules):
    """A second webhook takes the place and id of the first."""

    breaks = ("PAY-WH-32",)
    group = "state"

    async def create_webhook(self, call: Call) -> Answer:
        """Answer the id of the oldest."""
        answer = await super().create_webhook(call)
        oldest = self.hooks_of(call)[0]
        answer.body["data"]["id"] = oldest["id"]
        return answer


class HookSameSecret(PaymentsRules):
    """All webhooks have one secret."""

    breaks = ("PAY-WH-33",)
    group = "state"

    def new_secret(self) -> str | None:
        """Give each the same."""
        return "whsec_0123456789abcdef0123456789abcdef"


class HookWithoutSecret(PaymentsRules):
    """Webhooks have no secret at all, and their events no signature."""

    breaks = ("PAY-WH-31",)
    group = "state"

    def new_secret(self) -> str | None:
        """Make none."""
        return None


class RefusedHookRecorded(PaymentsRules):
    """A webhook that is refused for its events is recorded all the same."""

    breaks = ("PAY-WH-35",)
    group = "state"

    async def create_webhook(self, call: Call) -> Answer:
        """Record before the events are judged."""
        try:
            return await super().create_webhook(call)
        except Refusal as refusal:
            if refusal.message.startswith("events"):
                url = self.json_body(call).get("url", "")
                self.store.insert("webhook", self.new_webhook(call, {"url": url, "events": []}))
            raise


class HookEventsRecordedAsFirst(PaymentsRules):
    """Of several events of a webhook only the first is recorded."""

    breaks = ("PAY-WH-53", "PAY-WH-29", "PAY-EVT-01", "PAY-EVT-03", "PAY-EVT-04", "PAY-EVT-12")
    group = "state"

    def subscribed(self, events: list[str]) -> list[str]:
        """Keep one."""
        return super().subscribed(events)[:1]
