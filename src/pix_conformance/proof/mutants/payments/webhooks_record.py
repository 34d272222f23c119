"""Mutants of PAY-WH: the record of a webhook."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.payments.refusals import CREATE_WEBHOOK, LIST_WEBHOOKS
from pix_conformance.proof.mutants.operators.payments.responses import EACH_WEBHOOK, ChangesAnswers, in_answers, shapes
from pix_conformance.proof.mutants.operators.payments.time import LONG, behind_utc
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

MOST = 5
COLUMN = 255


globals().update(
    shapes(__name__, "Hook", CREATE_WEBHOOK, {
        "success": ("PAY-WH-18", "true"),
        "data": ("PAY-WH-19 PAY-WH-01", lambda data: [data]),
        "data.name": ("PAY-WH-21", {}),
        "data.isActive": ("PAY-WH-24", 1),
        "data.mtlsCapable": ("PAY-WH-26", "no"),
        "data.createdAt": ("PAY-WH-27", 1_795_255_380),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "HookIdText": ("The id of a webhook is a string in its creation.", "PAY-WH-20",
            in_answers(CREATE_WEBHOOK, "data.id", str)),
        "HookIdTextInList": ("The id of a webhook is a string in the list.", "PAY-WH-20",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}id", str)),
        "HookIdMissingInList": (
            "The list leaves out the ids.",
            "PAY-WH-20",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}id", GONE),
        ),
        "HookUrlMissing": ("The answer of a creation leaves out the url.", "PAY-WH-22",
            in_answers(CREATE_WEBHOOK, "data.url", GONE)),
        "HookUrlInParts": ("The list shows the url in parts.", "PAY-WH-22",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}url", lambda url: url.split("/"))),
        "HookUrlMissingInList": (
            "The list leaves out the urls.",
            "PAY-WH-22",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}url", GONE),
        ),
        "HookEventsInOneText": ("The events of a new webhook are one text with commas.", "PAY-WH-23",
            in_answers(CREATE_WEBHOOK, "data.events", ",".join)),
        "HookEventsAsObjects": ("The events in the list are objects with a name.", "PAY-WH-23 PAY-WH-53",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}events", lambda events: [{"name": name} for name in events])),
        "HookEventsMissingInList": ("The list leaves out the events.", "PAY-WH-23",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}events", GONE)),
        "HookSecretMissing": ("A new webhook is answered without its signatureSecret.", "PAY-WH-25",
            in_answers(CREATE_WEBHOOK, "data.signatureSecret", GONE)),
        "HookUrlChanged": ("The url of a new webhook is answered with a slash at its end.", "PAY-WH-28",
            in_answers(CREATE_WEBHOOK, "data.url", lambda url: url + "/")),
        "HookUrlInCapitals": ("The url of a new webhook is answered in small letters, its path too.", "PAY-WH-28",
            in_answers(CREATE_WEBHOOK, "data.url", str.upper)),
        "HookEventsOfAll": ("A new webhook is answered with all events.", "PAY-WH-29",
            in_answers(CREATE_WEBHOOK, "data.events", list(PaymentsRules.event_names))),
        "HookEventsCut": ("A new webhook is answered with its first event only.", "PAY-WH-29",
            in_answers(CREATE_WEBHOOK, "data.events", lambda events: events[:1])),
        "HookEventsInCapitals": ("The events of a new webhook are answered in capitals.", "PAY-WH-29",
            in_answers(CREATE_WEBHOOK, "data.events", lambda events: [name.upper() for name in events])),
        "HookInactive": (
            "A new webhook is not active.",
            "PAY-WH-30",
            in_answers(CREATE_WEBHOOK, "data.isActive", False),  # noqa: FBT003 - a value in JSON, no flag
        ),
        "HookInactiveInList": ("The list shows each webhook as inactive.", "PAY-WH-30",
            in_answers(LIST_WEBHOOKS, f"{EACH_WEBHOOK}isActive", False)),  # noqa: FBT003 - a value in JSON, no flag
        "HookSecretNull": ("A new webhook has no secret.", "PAY-WH-31",
            in_answers(CREATE_WEBHOOK, "data.signatureSecret", None)),
    })
)  # fmt: skip


globals().update(
    shapes(__name__, "HookList", LIST_WEBHOOKS, {
        f"{EACH_WEBHOOK}name": ("PAY-WH-21", 7),
        f"{EACH_WEBHOOK}isActive": ("PAY-WH-24", "active"),
        f"{EACH_WEBHOOK}signatureSecret": ("PAY-WH-25", lambda secret: {"masked": secret[-4:]}),
        f"{EACH_WEBHOOK}mtlsCapable": ("PAY-WH-26", 0),
        f"{EACH_WEBHOOK}createdAt": ("PAY-WH-27", None),
    })
)  # fmt: skip


class HookUrlWithoutSlash(PaymentsRules):
    """The url of a webhook loses the slash at its end."""

    breaks = ("PAY-WH-28",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> Row:
        """Cut it off."""
        view = super().webhook_view(call, hook)
        return view | {"url": view["url"].rstrip("/")}


class HookUrlUnescaped(PaymentsRules):
    """A plus in the url of a webhook is shown as a blank."""

    breaks = ("PAY-WH-28",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> Row:
        """Read it as a form would."""
        view = super().webhook_view(call, hook)
        return view | {"url": view["url"].replace("+", " ")}


class HookUrlCut(PaymentsRules):
    """The url of a webhook is cut to the length of its column."""

    breaks = ("PAY-WH-28",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> Row:
        """Cut it."""
        view = super().webhook_view(call, hook)
        return view | {"url": view["url"][:COLUMN]}


class HookShowsFiveEvents(PaymentsRules):
    """The record of a webhook shows five of its events at most."""

    breaks = ("PAY-WH-29",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Cut the others off."""
        view = super().webhook_view(call, hook)
        return view | {"events": view["events"][:MOST]}


class HookWithoutSecret(PaymentsRules):
    """Webhooks have no secret at all, and their events no signature."""

    breaks = ("PAY-WH-31",)
    group = "state"

    def new_secret(self) -> str | None:
        """Make none."""
        return None


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


class HooksAtOnceShareAnId(PaymentsRules):
    """Webhooks that are made at once are one: each looks for a free id before the other has taken it."""

    breaks = (
        "PAY-WH-32",
        "PAY-WH-52",
        "PAY-EVT-01",
        "PAY-EVT-02",
        "PAY-EVT-03",
        "PAY-EVT-04",
        "PAY-WH-60",
        "PAY-WH-66",
    )
    group = "concurrency"

    async def create_webhook(self, call: Call) -> Answer:
        """Look, wait, act."""
        free = 1 + max((row["id"] for row in self.store.rows("webhook")), default=0)
        await asyncio.sleep(LONG)
        answer = await super().create_webhook(call)
        made = answer.body["data"]["id"]
        if made == free:
            return answer
        self.store.delete("webhook", id=made)
        return Answer(answer.status, {**answer.body, "data": answer.body["data"] | {"id": free}})


class HookSameSecret(PaymentsRules):
    """All webhooks have one secret."""

    breaks = ("PAY-WH-33",)
    group = "state"

    def new_secret(self) -> str | None:
        """Give each the same."""
        return "whsec_0123456789abcdef0123456789abcdef"


class HookCreatedInLocalTime(PaymentsRules):
    """The createdAt of a webhook is the time of Brasilia, called UTC."""

    breaks = ("PAY-WH-34",)
    group = "time"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Write three hours less."""
        return super().webhook_view(call, hook) | {"createdAt": behind_utc(hook["created_at"], 3)}


class HookCreatedAtEpoch(PaymentsRules):
    """The createdAt of a webhook is never set."""

    breaks = ("PAY-WH-34",)
    group = "time"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Write the beginning of time."""
        return super().webhook_view(call, hook) | {"createdAt": "1970-01-01T00:00:00.000Z"}


class HookCreatedAlwaysNow(PaymentsRules):
    """The createdAt of a webhook is the time at which it is shown."""

    breaks = ("PAY-WH-34",)
    seen_in = ("PAY-AUTH-11",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> Row:
        """Look at the clock."""
        return super().webhook_view(call, hook) | {"createdAt": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"}


class ListedSecretIsAnother(PaymentsRules):
    """The list shows another signatureSecret than the one that signs."""

    breaks = ("PAY-WH-68",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Turn it round."""
        view = super().webhook_view(call, hook)
        return view | {"signatureSecret": view["signatureSecret"][::-1]} if call.operation == "list_webhooks" else view
