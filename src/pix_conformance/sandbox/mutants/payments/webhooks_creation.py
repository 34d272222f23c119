"""Mutants of PAY-WH: what the creation of a webhook accepts and refuses."""

from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.sandbox.mutants.operators import *

GROUP = "validation"
URL = "https://hooks.example.com/x"
RIGHT = {"url": URL, "events": ["infraction"]}


def holds_other_than_texts(value: Any) -> bool:
    return isinstance(value, list) and any(not isinstance(name, str) for name in value)


def known_names(value: Any) -> int:
    """Count the known names in an array of texts; -1 for what is none."""
    named = isinstance(value, list) and value and not holds_other_than_texts(value)
    return sum(name in PaymentsRules.event_names for name in set(value)) if named else -1


def record_refused(rules: Any, answer: Answer, call: Call, refusal: Refusal) -> Answer:
    if call.operation == "create_webhook" and refusal.message.startswith("events "):
        rules.store.insert("webhook", rules.new_webhook(call, RIGHT | {"url": rules.json_body(call)["url"]}))
    return answer


MUTANTS = {
    "PAY-WH-01/returns-200": responds_with("create_webhook", 200).of("state"),
    "PAY-WH-01/path-required": refuses("url", lambda url: not matches(r"https://[^/]+/.+")(url)).of("limits")
        .says("A webhook whose url has no path is refused."),
    "PAY-WH-02/without-url": accepts("url", is_absent, URL),
    "PAY-WH-03/number": accepts("url", is_a("number"), URL),
    "PAY-WH-03/array": accepts("url", is_a("array"), URL),
    "PAY-WH-04/path": accepts("url", matches(r"/.*"), URL).says("The url of a webhook may be a path."),
    "PAY-WH-04/https-and-any-text": changes_result("The url of a webhook may be any text that begins with https://.",
        judge_webhook_url=lambda _, right, url: None if url.startswith("https://") else right),
    "PAY-WH-05/http-to-localhost": changes_result(
        "The url of a webhook may be of the scheme http if its host is localhost.",
        judge_webhook_url=lambda _, right, url: None if url.startswith("http://localhost") else right),
    "PAY-WH-05/ftp-and-ws": setting(
        "The url of a webhook may be of the scheme ftp, ws or wss.", webhook_schemes=("https", "ftp", "ws", "wss")),
    "PAY-WH-06/without-events": accepts("events", is_absent, ["infraction"]),
    "PAY-WH-07/string": accepts("events", is_a("string"), ["infraction"]),
    "PAY-WH-07/object": accepts("events", is_a("object"), ["infraction"]),
    "PAY-WH-08/other-than-strings": accepts("events", holds_other_than_texts, ["infraction"])
        .says("An element of events that is no string is ignored."),
    "PAY-WH-09/none": accepts("events", lambda value: value == [], []).says("A webhook of no event is created."),
    "PAY-WH-10/infraction-refused": refuses("events", lambda names: "infraction" in names)
        .also("PAY-WH-12").of("limits").says("A webhook of the event infraction is refused."),
    "PAY-WH-11/unknown-beside-known": accepts(
        "events", lambda value: 0 < known_names(value) < len(set(value)), ["infraction"])
        .says("An unknown event beside a known one is ignored."),
    "PAY-WH-11/capitals": changes_arguments(
        "The name of an event may be in capitals.", is_event=lambda _, name: (name.lower(),)),
    "PAY-WH-11/blanks-around": changes_arguments(
        "The name of an event may have blanks around it.", is_event=lambda _, name: (name.strip(),)),
    "PAY-WH-11/events-of-business-api": changes_result("The events of the business API are known, too.",
        is_event=lambda _, right, name: right or name.startswith("business.pix.")),
    "PAY-WH-11/similar-names": changes_result(
        "Three events are known that the documents do not name.", is_event=lambda _, right, name: right or name in {
            "transaction_canceled", "transfer_paid", "transfer_refused"}),
    "PAY-WH-11/star": changes_result(
        "A star is accepted as the name of an event.", is_event=lambda _, right, name: right or name == "*"),
    "PAY-WH-12/eight-events-at-most": refuses("events", lambda names: len(names) > 8).of("limits")
        .says("A webhook of nine events is refused."),
    "PAY-WH-70/two-events-at-least": refuses("events", lambda names: len(names) == 1).of("limits")
        .says("A webhook of a single event is refused.").also("PAY-WH-01"),
    "PAY-WH-16/not-json": accepts_body("create_webhook", is_no_json, RIGHT)
        .says("A webhook is created of a body that is not JSON."),
    "PAY-WH-17/no-body": accepts_body("create_webhook", is_absent, RIGHT).says("A webhook is created without a body."),
    "PAY-WH-17/array": accepts_body("create_webhook", is_a("array"), RIGHT)
        .says("A webhook is created of a body that is an array."),
    "PAY-WH-35/refused-events-recorded": changes_result(
        "A webhook that is refused for its events is recorded all the same.", refused=record_refused).of("state"),
}  # fmt: skip
