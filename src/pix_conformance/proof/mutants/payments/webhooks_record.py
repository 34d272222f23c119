"""Mutants of PAY-WH: the record of a webhook in its creation and in the list."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, setting
from pix_conformance.proof.mutants.operators.json_values import changed
from pix_conformance.proof.mutants.operators.responses import in_response, responds_with
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules

GROUP = "schema"
EACH = "data.webhooks.*"
OPEN_S = 0.05
"""Seconds between looking and acting: others come meanwhile."""


def shown(sentence: str, name: str, change: Callable[[Any], Any]) -> Difference:
    """Change a property of a webhook wherever it is shown."""
    return changes_result(sentence, webhook_view=lambda _, view, _call, _hook: view | {name: change(view[name])})


def created_at(sentence: str, moment: Callable[[Any, float], float]) -> Difference:
    """Show webhooks as if they had been created at another time."""
    return changes_arguments(
        sentence,
        webhook_view=lambda rules, call, hook: (call, hook | {"created_at": moment(rules, hook["created_at"])}),
    ).of("time")


def listed(sentence: str, choose: Callable[[Any, Any], Any]) -> Difference:
    """List some of the webhooks only."""
    return changes_result(sentence, hooks_of=lambda rules, hooks, _call: choose(rules, hooks)).of("state")


def pages(sentence: str, count: Callable[[int, int], int]) -> Difference:
    """Count the pages of a page size and a number of webhooks."""
    return changes_result(
        sentence, pagination_view=lambda _, view, _offset, size, total: view | {"totalPages": count(size, total)}
    )


def with_oldest_id(rules: Any, answer: Answer, call: Call) -> Answer:
    oldest = rules.hooks_of(call)[0]["id"]
    return Answer(answer.status, changed(answer.body, ["data", "id"], lambda _: oldest))


def forget(rules: Any, answer: Answer, _call: Call) -> Answer:
    rules.store.delete("webhook", id=answer.body["data"]["id"])
    return answer


MUTANTS = {
    "PAY-WH-23": {"objects-in-list": in_response(
            "list_webhooks", f"{EACH}.events", lambda events: [{"name": name} for name in events]).also("PAY-WH-53")
            .says("The events in the list are objects with a name.")},
    "PAY-WH-24": {"number": in_response("create_webhook", "data.isActive", 1)},
    "PAY-WH-28": {
        "last-slash-lost": shown(
            "The url of a webhook loses the slash at its end.", "url", lambda url: url.rstrip("/")),
        "plus-is-blank": shown(
            "A plus in the url of a webhook is shown as a blank.", "url", lambda url: url.replace("+", " ")),
        "cut-at-255": shown("The url of a webhook is cut at 255 characters.", "url", lambda url: url[:255]),
    },
    "PAY-WH-29": {
        "all": in_response("create_webhook", "data.events", list(PaymentsRules.event_names))
            .says("The creation of a webhook returns all nine events."),
        "five-at-most": shown("A webhook is shown with five of its events at most.", "events", lambda names: names[:5]),
    },
    "PAY-WH-30": {"inactive": in_response("create_webhook", "data.isActive", lambda _: False)
            .says("The creation of a webhook returns it as inactive.")},
    "PAY-WH-31": {"null": in_response("create_webhook", "data.signatureSecret", None)},
    "PAY-WH-32": {"id-of-oldest": changes_result(
            "The creation of a webhook returns the id of the oldest one.", create_webhook=with_oldest_id).of("state")},
    "PAY-WH-33": {"constant": setting(
            "All webhooks have the same secret.", new_secret=lambda _: "whsec_0123456789abcdef0123456789abcdef")
            .of("state")},
    "PAY-WH-34": {
        "1970": created_at("The createdAt of a webhook is the beginning of 1970.", lambda _rules, _moment: 0),
        "time-of-response": created_at(
            "The createdAt of a webhook is the time of the response.", lambda rules, _: rules.clock.now())
            .seen_in("PAY-AUTH-11"),
    },
    "PAY-WH-40": {"returns-206": responds_with("list_webhooks", 206).of("state")},
    "PAY-WH-50": {"number": in_response("list_webhooks", "data.pagination.hasNext", int)
            .says("In the response of list_webhooks, data.pagination.hasNext is 0 or 1.")},
    "PAY-WH-52": {
        "one-of-each-url": listed(
            "Of the webhooks of one url the last is listed.", lambda _, hooks: list({
                hook["url"]: hook for hook in hooks}.values())),
        "not-listed-after-40-s": listed(
            "A webhook is not listed later than 40 s after its creation.", lambda rules, hooks: [
                hook for hook in hooks if rules.clock.now() - hook["created_at"] < 40])
            .seen_in("PAY-PAYS-01").of("time"),
        "first-10": listed("The ten oldest webhooks are listed only.", lambda _, hooks: hooks[:10]),
    },
    "PAY-WH-53": {"no-events": in_response("list_webhooks", f"{EACH}.events", [])},
    "PAY-WH-54": {"page-size-1": in_response("list_webhooks", "data.pagination.pageSize", 1)},
    "PAY-WH-55": {"has-next": in_response("list_webhooks", "data.pagination.hasNext", lambda _: True).also("PAY-WH-67")
            .says("The list says of its last page that it has a next one.")},
    "PAY-WH-67": {"one-page-too-many": pages("The totalPages is one too many.", lambda size, total: total // size + 2)},
    "PAY-WH-68": {
        "reversed-in-list": in_response("list_webhooks", f"{EACH}.signatureSecret", lambda secret: secret[::-1])
            .says("The list shows the signatureSecret of a webhook reversed."),
    },
}  # fmt: skip
