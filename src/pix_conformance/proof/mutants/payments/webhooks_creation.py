"""Mutants of PAY-WH: what the creation of a webhook accepts and refuses."""

from typing import Any

from pix_conformance.proof.mutants.operators.payments.fields import (
    NULL,
    NUMBERS,
    Accepts,
    Refuses,
    a,
    absent,
    failing,
    like,
    passing,
    unlike,
)
from pix_conformance.proof.mutants.operators.payments.refusals import (
    CREATE_WEBHOOK,
    HOOK_RULES,
    RefusesOtherwise,
    refusing,
)
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

URL = "https://hooks.example.com/x"


globals().update(
    family(__name__, "limits", Refuses, {
        "HookUrlNeedsPath": ("The url of a webhook has a path.", "PAY-WH-01",
            failing("url", unlike(r"https://[^/]+/.+"))),
        "HookOfTwoEvents": ("A webhook subscribes to two events at least.", "PAY-WH-01",
            failing("events", lambda value: len(value) == 1)),
        "HookOfDirectory": ("A webhook's url may have no path.", "PAY-WH-01",
            failing("url", lambda value: value.count("/") > 2)),
        "HookWithoutInfraction": ("No webhook can subscribe to infraction.", "PAY-WH-10 PAY-WH-12",
            failing("events", lambda value: "infraction" in value)),
        "HookWithoutUpdates": ("No webhook can subscribe to transaction_updated.", "PAY-WH-10 PAY-WH-12",
            failing("events", lambda value: "transaction_updated" in value)),
        "HookWithoutCanceled": ("The event is spelled transfer_cancelled only.", "PAY-WH-10 PAY-WH-12",
            failing("events", lambda value: "transfer_canceled" in value)),
        "HookOfOneEvent": ("A webhook subscribes to one event only.", "PAY-WH-12",
            failing("events", lambda value: len(value) > 1)),
        "HookOfFewEvents": ("A webhook subscribes to eight events at most.", "PAY-WH-12",
            failing("events", lambda value: len(value) > 8)),
    })
)  # fmt: skip


class HookCreated200(PaymentsRules):
    """A webhook is created with 200."""

    breaks = ("PAY-WH-01",)
    group = "state"
    webhook_created_status = 200


globals().update(
    family(__name__, "error bodies", RefusesOtherwise, {
        "InvalidUnprocessable": ("An invalid webhook is refused with 422.",
            HOOK_RULES,
            refusing("invalid", CREATE_WEBHOOK,
                lambda r: Answer(422, {"error": "INVALID_REQUEST", "message": r.message}))),
    })
)  # fmt: skip


def _holds_no_text(value: Any) -> bool:
    return isinstance(value, list) and any(not isinstance(name, str) for name in value)


def _names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not _holds_no_text(value)


def _known(names: list[str]) -> set[str]:
    return set(names) & set(Accepts.event_names)


globals().update(
    family(__name__, "validation", Accepts, {
        "HookUrlOptional": ("A webhook without url is created.", "PAY-WH-02", passing("url", absent, URL)),
        "HookUrlFromNumber": ("A webhook's url that is a number is accepted.", "PAY-WH-03",
            passing("url", NUMBERS, URL)),
        "HookUrlNull": ("A webhook's url may be null.", "PAY-WH-03", passing("url", NULL, URL)),
        "HookUrlFromList": ("A webhook's url may be an array of addresses.", "PAY-WH-03", passing("url", a(list), URL)),
        "HookUrlAnyText": ("A webhook's url is not checked to be a URI.", "PAY-WH-04",
            passing("url", lambda value: isinstance(value, str) and ":" not in value, URL)),
        "HookUrlRelative": ("A webhook's url may be a path alone.", "PAY-WH-04", passing("url", like(r"/.*"), URL)),
        "HookEventsOptional": ("A webhook without events is created, for all of them.", "PAY-WH-06",
            passing("events", absent, ["infraction"])),
        "HookEventsFromText": ("A webhook's events may be one name without an array.", "PAY-WH-07",
            passing("events", a(str), ["infraction"])),
        "HookEventsFromObject": ("A webhook's events may be an object of switches.", "PAY-WH-07",
            passing("events", a(dict), ["infraction"])),
        "HookEventsNull": ("A webhook's events may be null, for all of them.", "PAY-WH-07",
            passing("events", NULL, ["infraction"])),
        "HookEventNumber": ("An event that is no string is ignored.", "PAY-WH-08",
            passing("events", _holds_no_text, ["infraction"])),
        "HookEventsEmpty": ("A webhook without any event is created.", "PAY-WH-09",
            passing("events", lambda value: value == [], [])),
        "HookEventUnknown": ("Any name is accepted as an event.", "PAY-WH-11",
            passing("events", lambda v: _names(v) and not _known(v), [])),
        "HookEventUnknownBesideKnown": ("An unknown event beside a known one is ignored.", "PAY-WH-11",
            passing("events", lambda v: _names(v) and 0 < len(_known(v)) < len(set(v)), ["infraction"])),
    })
)  # fmt: skip


class HookByBeginning(PaymentsRules):
    """The url of a webhook needs to begin with https only."""

    breaks = ("PAY-WH-04",)
    group = "validation"

    def judge_webhook_url(self, value: str) -> str | None:
        """Look at the scheme."""
        return None if value.startswith("https://") else super().judge_webhook_url(value)


class PlainHttpToThisMachine(PaymentsRules):
    """A webhook's url may be of plain http where its host is localhost."""

    breaks = ("PAY-WH-05",)
    group = "validation"

    def judge_webhook_url(self, value: str) -> str | None:
        """Let developers in."""
        return None if value.startswith("http://localhost") else super().judge_webhook_url(value)


class HookOfPlainHttp(PaymentsRules):
    """A webhook may have an address of plain http."""

    breaks = ("PAY-WH-05",)
    group = "validation"
    webhook_schemes = ("https", "http")


class HookOfAnyScheme(PaymentsRules):
    """A webhook's url is checked not to be plain http, which lets ftp pass."""

    breaks = ("PAY-WH-05",)
    group = "validation"
    webhook_schemes = ("https", "ftp", "ws", "wss")


class TakesEventsInCapitals(PaymentsRules):
    """Event names are compared without regard to capitals."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Write it in small letters."""
        return super().is_event(name.lower())


class TrimmedEventNames(PaymentsRules):
    """Blanks around the name of an event are allowed."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Take them off."""
        return super().is_event(name.strip())


class TakesEventsOfBothApis(PaymentsRules):
    """A webhook may ask for the events of the business charge API."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Know them."""
        return super().is_event(name) or name.startswith("business.pix.")


class TakesEventsNearby(PaymentsRules):
    """Event names that look like the nine are accepted."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Look at the beginning."""
        return super().is_event(name) or name in {"transaction_canceled", "transfer_paid", "transfer_refused"}


class TakesEveryEvent(PaymentsRules):
    """A star stands for every event."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Know the star."""
        return super().is_event(name) or name == "*"


class HookFromNoJson(PaymentsRules):
    """A webhook body that is no JSON is read as a form."""

    breaks = ("PAY-WH-16",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for what cannot be read."""
        try:
            return super().json_body(call)
        except Refusal:
            if call.operation == "create_webhook" and call.body:
                return {"url": URL, "events": ["infraction"]}
            raise


class HookFromNothing(PaymentsRules):
    """A webhook without any body is created."""

    breaks = ("PAY-WH-17",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for an empty body."""
        empty = call.operation == "create_webhook" and not call.body
        return {"url": URL, "events": ["infraction"]} if empty else super().json_body(call)


class HookFromArray(PaymentsRules):
    """A webhook body that is a JSON array is accepted."""

    breaks = ("PAY-WH-17",)
    group = "validation"

    def read_body(self, value: Any, fields: Any) -> dict[str, Any]:
        """Stand in for its element."""
        own = fields is self.webhook_fields and isinstance(value, list)
        return super().read_body({"url": URL, "events": ["infraction"]} if own else value, fields)


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


class RefusedHttpHookRecorded(PaymentsRules):
    """A webhook that is refused for its scheme is recorded all the same."""

    breaks = ("PAY-WH-35",)
    group = "state"

    async def create_webhook(self, call: Call) -> Answer:
        """Record before the url is looked at."""
        body = self.json_body(call)
        if isinstance(body, dict) and str(body.get("url")).startswith("http://"):
            self.store.insert("webhook", self.new_webhook(call, body))
        return await super().create_webhook(call)
