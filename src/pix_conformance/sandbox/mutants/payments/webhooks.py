"""Mutants of PAY-WH: creation, list and removal of webhooks."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "validation"
AT_ONCE_S = 0.06
URL = "https://hooks.example.com/x"
RIGHT = {"url": URL, "events": ["infraction"]}


def holds_other_than_texts(value: Any) -> bool:
    return isinstance(value, list) and any(not isinstance(name, str) for name in value)


def known_names(value: Any) -> int:
    """Count the known names in an array of texts; -1 for what is none."""
    named = isinstance(value, list) and value and not holds_other_than_texts(value)
    return sum(name in PaymentsRules.event_names for name in set(value)) if named else -1


def record_refused(rules: Any, answer: Answer, call: Call, refusal: Refusal) -> None:
    if call.operation == "create_webhook" and refusal.message.startswith("events "):
        rules.store.insert("webhook", rules.new_webhook(call, RIGHT | {"url": rules.json_body(call)["url"]}))


EACH = "data.webhooks.*"


def shown(sentence: str, name: str, change: Callable[[Any], Any]) -> Difference:
    """Change a property of a webhook in every response that shows it."""
    return changes_result(sentence, webhook_view=lambda _, view, *_about: view | {name: change(view[name])}).of(
        "schema"
    )


def created_at(sentence: str, moment: Callable[[Any, float], float]) -> Difference:
    """Show webhooks as if they had been created at another time."""
    return changes_arguments(
        sentence,
        webhook_view=lambda rules, call, hook: (call, hook | {"created_at": moment(rules, hook["created_at"])}),
    ).of("time")


def listed(sentence: str, choose: Callable[[Any, Any], Any]) -> Difference:
    """List some of the webhooks only."""
    return changes_result(sentence, hooks_of=lambda rules, hooks, _call: choose(rules, hooks))


def with_oldest_id(rules: Any, answer: Answer, call: Call) -> Answer:
    oldest = rules.hooks_of(call)[0]["id"]
    return Answer(answer.status, changed(answer.body, "data.id", oldest))


def lists_removed(sentence: str, is_listed: Callable[[float], bool]) -> Difference:
    """List removed webhooks by the seconds since their removal."""

    def note(rules: Any, removed: Any, hook: Row) -> Any:
        rules.__dict__.setdefault("removed", []).append((rules.clock.now(), hook))
        return removed

    def hooks(rules: Any, right: list[Row], call: Call) -> list[Row]:
        removed = [hook for since, hook in rules.__dict__.get("removed", []) if is_listed(rules.clock.now() - since)]
        return right + [hook for hook in removed if owner_of(hook) == call.access]

    return changes_result(sentence, remove_webhook=note, hooks_of=hooks).of("time")


def find_unless_gone(rules: Any, right: Callable[..., Row], call: Call, table: str, number: object) -> Row:
    row = right(call, table, number)
    if table == "webhook" and row["name"] == "gone":
        raise rules.not_found(call)
    return row


def first_digits(_rules: Any, text: str) -> int:
    match = re.match(r"\d{1,17}", text)
    return int(match[0]) if match else 0


def hooks_but_gone(_rules: Any, right: Callable[[Call], list[Row]], call: Call) -> list[Row]:
    return [hook for hook in right(call) if hook["name"] != "gone"]


async def note_creation(rules: Any, right: Callable[..., Any], call: Call, place: str) -> None:
    if call.operation == "create_charge" and place == "create":
        rules.__dict__["creations"] = rules.__dict__.get("creations", 0) + 1
        await asyncio.sleep(AT_ONCE_S)
        rules.__dict__["creations"] -= 1
    await asyncio.sleep(AT_ONCE_S / 2 if place == "delete" else 0)
    await right(call, place)


def hide_during_creation(rules: Any, right: Callable[[Row], bool], hook: Row) -> bool:
    if not rules.__dict__.get("creations"):
        return right(hook)
    return bool(rules.store.update("webhook", {"name": "gone"}, id=hook["id"]) == 1)


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
    "PAY-WH-04/blank-in-path": accepts("url", matches(r"https://\S+/\S* .*"), URL)
        .says("The url of a webhook may have a blank in its path."),
    "PAY-WH-75/no-host": accepts("url", matches("https:[^/].*"), URL)
        .says("The url of a webhook may be one of https without a host."),
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
    "PAY-WH-11/unknown-beside-known": accepts("events", lambda value: 0 < known_names(value) < len(set(value)),
        ["infraction"]).says("An unknown event beside a known one is ignored."),
    "PAY-WH-11/capitals": changes_arguments(
        "The name of an event may be in capitals.", is_event=lambda _, name: (name.lower(),)),
    "PAY-WH-11/blanks-around": changes_arguments(
        "The name of an event may have blanks around it.", is_event=lambda _, name: (name.strip(),)),
    "PAY-WH-11/events-of-business-api": changes_result("The events of the business API are known, too.",
        is_event=lambda _, right, name: right or name.startswith("business.pix.")),
    "PAY-WH-11/similar-names": changes_result("Three events are known that the documents do not name.",
        is_event=lambda _, right, name: right or name in {"transaction_canceled", "transfer_paid", "transfer_refused"}),
    "PAY-WH-11/star": changes_result(
        "A star is accepted as the name of an event.", is_event=lambda _, right, name: right or name == "*"),
    "PAY-WH-12/not-all-events": refuses(
        "events", lambda names: known_names(names) == len(PaymentsRules.event_names)).of("limits")
        .says("A webhook of all events is refused."),
    "PAY-WH-70/two-events-at-least": refuses("events", lambda names: len(names) == 1).of("limits")
        .says("A webhook of a single event is refused.").also("PAY-WH-01"),
    "PAY-WH-16/not-json": accepts_body("create_webhook", is_no_json, RIGHT),
    "PAY-WH-17/no-body": accepts_body("create_webhook", is_absent, RIGHT),
    "PAY-WH-17/array": accepts_body("create_webhook", is_a("array"), RIGHT),
    "PAY-WH-35/refused-events-recorded": acts_after(
        "A webhook that is refused for its events is recorded all the same.", refused=record_refused).of("state"),
    "PAY-WH-28/last-slash-lost": shown(
        "The url of a webhook loses the slash at its end.", "url", lambda url: url.rstrip("/")),
    "PAY-WH-28/plus-is-blank": shown(
        "A plus in the url of a webhook is shown as a blank.", "url", lambda url: url.replace("+", " ")),
    "PAY-WH-28/cut-at-255": shown("The url of a webhook is cut at 255 characters.", "url", lambda url: url[:255]),
    "PAY-WH-29/all": in_response("create_webhook", "data.events", list(PaymentsRules.event_names))
        .says("The creation of a webhook returns all events."),
    "PAY-WH-29/five-at-most": shown("A webhook is shown with five of its events at most.", "events",
        lambda names: names[:5]),
    "PAY-WH-30/inactive": in_response("create_webhook", "data.isActive", lambda _: False)
        .says("The creation of a webhook returns it as inactive."),
    "PAY-WH-31/null": in_response("create_webhook", "data.signatureSecret", None),
    "PAY-WH-32/id-of-oldest": changes_result(
        "The creation of a webhook returns the id of the oldest one.", create_webhook=with_oldest_id).of("state"),
    "PAY-WH-33/constant": setting("All webhooks have the same secret.",
        new_secret=lambda _: "whsec_0123456789abcdef0123456789abcdef").of("state"),
    "PAY-WH-34/1970": created_at("The createdAt of a webhook is the beginning of 1970.", lambda _rules, _moment: 0),
    "PAY-WH-71/time-of-response": created_at("The createdAt of a webhook is the time of the response.",
        lambda rules, _: rules.clock.now()).seen_in("PAY-AUTH-11"),
    "PAY-WH-40/returns-206": responds_with("list_webhooks", 206).of("state"),
    "PAY-WH-52/one-of-each-url": listed("Of the webhooks of one url the last is listed.", lambda _, hooks: list({
            hook["url"]: hook for hook in hooks}.values())).of("state"),
    "PAY-WH-52/not-listed-after-40-s": listed(
        "A webhook is not listed later than 40 s after its creation.", lambda rules, hooks: [
            hook for hook in hooks if rules.clock.now() - hook["created_at"] < 40]).seen_in("PAY-PAYS-01").of("time"),
    "PAY-WH-52/first-10": listed("The ten oldest webhooks are listed only.", lambda _, hooks: hooks[:10]).of("state"),
    "PAY-WH-53/no-events": in_response("list_webhooks", f"{EACH}.events", []),
    "PAY-WH-54/page-size-1": in_response("list_webhooks", "data.pagination.pageSize", 1),
    "PAY-WH-55/has-next": in_response("list_webhooks", "data.pagination.hasNext", lambda _: True).also("PAY-WH-67")
        .says("The list says of its last page that it has a next one."),
    "PAY-WH-60/returns-204": changes_result("The removal of a webhook returns 204 and no body.",
        delete_webhook=lambda _rules, _answer, _call: Answer(204, None),
        encode=lambda _, right, _call, body: b"" if body is None else right).of("state"),
    "PAY-WH-62/listed-for-2-s": lists_removed(
        "A removed webhook is listed for two more seconds.", lambda seconds: seconds < 2),
    "PAY-WH-72/listed-again-after-40-s": lists_removed("A removed webhook is listed again 40 s after its removal.",
        lambda seconds: seconds > 40).seen_in("PAY-PAYS-01"),
    "PAY-WH-63/hidden-only": overrides("A removed webhook is neither listed nor found, and still receives events.",
        remove_webhook=lambda rules, _, hook: rules.store.update("webhook", {"name": "gone"}, id=hook["id"]) == 1,
        hooks_of=hooks_but_gone, owned=find_unless_gone).of("state"),
    "PAY-WH-63/removed-during-a-creation": overrides(
        "A webhook that is removed while a charge is being created is not listed any more, and still receives events.",
        pause=note_creation, remove_webhook=hide_during_creation, hooks_of=hooks_but_gone, owned=find_unless_gone)
        .of("concurrency"),
    "PAY-WH-64/huge-number-returns-500": answers_ids("delete_webhook", is_huge).also("PAY-ERR-12"),
    "PAY-WH-66/all-of-same-url": setting("The removal of one webhook removes all of the same url.",
        remove_webhook=lambda rules, hook: rules.store.delete("webhook", account=hook["account"],
        url=hook["url"]) > 0).of("state"),
    "PAY-WH-67/one-page-too-many": changes_result("The totalPages is one too many.",
        pagination_view=lambda _, view, _offset, size, total: view | {"totalPages": total // size + 2}).of("schema"),
    "PAY-WH-76/one-page-too-many-if-full": changes_result(
        "The totalPages is one too many where totalCount is a multiple of pageSize, and hasNext follows it.",
        pagination_view=lambda _, view, offset, size, total: view | {
            "totalPages": total // size + 1, "hasNext": offset // size + 1 < total // size + 1}).of("schema")
        .also("PAY-WH-55"),
    "PAY-WH-68/reversed-in-list": in_response("list_webhooks", f"{EACH}.signatureSecret", lambda secret: secret[::-1])
        .says("The list shows the signatureSecret of a webhook reversed."),
    "PAY-WH-69/number-with-more-behind": setting(
        "The removal of a webhook reads the digits that the id begins with.", webhook_number=first_digits).of("state"),
}  # fmt: skip
