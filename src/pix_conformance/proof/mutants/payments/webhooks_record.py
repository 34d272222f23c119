"""Mutants of PAY-WH: the record of a webhook in its creation and in the list."""

import asyncio
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, mutant, setting
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
    "PAY-WH-23": {
        "objects-in-list": in_response(
            "list_webhooks", f"{EACH}.events", lambda events: [{"name": name} for name in events]).also("PAY-WH-53")
            .says("The events in the list are objects with a name."),
    },
    "PAY-WH-24": {
        "number": in_response("create_webhook", "data.isActive", 1),
    },
    "PAY-WH-28": {
        "slash-added": in_response("create_webhook", "data.url", lambda url: url + "/")
            .says("The creation of a webhook returns its url with a slash at the end."),
        "capitals": in_response("create_webhook", "data.url", str.upper)
            .says("The creation of a webhook returns its url in capitals."),
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
        "capitals": in_response("create_webhook", "data.events", lambda names: [name.upper() for name in names])
            .says("The creation of a webhook returns its events in capitals."),
    },
    "PAY-WH-30": {
        "inactive": in_response("create_webhook", "data.isActive", lambda _: False)
            .says("The creation of a webhook returns it as inactive."),
        "inactive-in-list": in_response("list_webhooks", f"{EACH}.isActive", lambda _: False)
            .says("The list shows each webhook as inactive."),
    },
    "PAY-WH-31": {
        "null": in_response("create_webhook", "data.signatureSecret", None),
    },
    "PAY-WH-32": {
        "id-of-oldest": changes_result(
            "The creation of a webhook returns the id of the oldest one.", create_webhook=with_oldest_id).of("state"),
    },
    "PAY-WH-33": {
        "constant": setting(
            "All webhooks have the same secret.", new_secret=lambda _: "whsec_0123456789abcdef0123456789abcdef")
            .of("state"),
    },
    "PAY-WH-34": {
        "three-hours-less": created_at(
            "The createdAt of a webhook is three hours early.", lambda _, moment: moment - 3 * 3600),
        "1970": created_at("The createdAt of a webhook is the beginning of 1970.", lambda _rules, _moment: 0),
        "time-of-response": created_at(
            "The createdAt of a webhook is the time of the response.", lambda rules, _: rules.clock.now())
            .seen_in("PAY-AUTH-11"),
    },
    "PAY-WH-40": {
        "returns-206": responds_with("list_webhooks", 206).of("state"),
    },
    "PAY-WH-50": {
        "number": in_response("list_webhooks", "data.pagination.hasNext", int)
            .says("In the response of list_webhooks, data.pagination.hasNext is 0 or 1."),
    },
    "PAY-WH-52": {
        "not-recorded": changes_result(
            "The creation of a webhook returns it and does not record it.", create_webhook=forget).of("state"),
        "one-of-each-url": listed(
            "Of the webhooks of one url the last is listed.", lambda _, hooks: list({
                hook["url"]: hook for hook in hooks}.values())),
        "listed-after-2-s": listed(
            "A webhook is listed 2 s after its creation.", lambda rules, hooks: [
                hook for hook in hooks if rules.clock.now() - hook["created_at"] > 2]),
        "not-listed-after-40-s": listed(
            "A webhook is not listed later than 40 s after its creation.", lambda rules, hooks: [
                hook for hook in hooks if rules.clock.now() - hook["created_at"] < 40])
            .seen_in("PAY-PAYS-01").of("time"),
        "first-10": listed("The ten oldest webhooks are listed only.", lambda _, hooks: hooks[:10]),
        "last-20": listed("The twenty newest webhooks are listed only.", lambda _, hooks: hooks[-20:]),
    },
    "PAY-WH-53": {
        "no-events": in_response("list_webhooks", f"{EACH}.events", []),
        "url-without-query": in_response("list_webhooks", f"{EACH}.url", lambda url: url.partition("?")[0])
            .says("The list shows the url of a webhook without its query."),
        "first-event-recorded": changes_result(
            "Only the first event of a webhook is recorded.", subscribed=lambda _, names, _events: names[:1])
            .also("PAY-WH-29", "PAY-EVT-01", "PAY-EVT-03", "PAY-EVT-04", "PAY-EVT-12").of("state"),
    },
    "PAY-WH-54": {
        "total-off-by-one": in_response("list_webhooks", "data.pagination.totalCount", lambda count: count + 1)
            .says("The totalCount is one more than the number of webhooks.").also("PAY-WH-67"),
        "page-size-1": in_response("list_webhooks", "data.pagination.pageSize", 1),
    },
    "PAY-WH-55": {
        "has-next": in_response("list_webhooks", "data.pagination.hasNext", lambda _: True).also("PAY-WH-67")
            .says("The list says of its last page that it has a next one."),
        "has-previous": in_response("list_webhooks", "data.pagination.hasPrevious", lambda _: True).also("PAY-WH-67")
            .says("The list says of its first page that it has a previous one."),
    },
    "PAY-WH-67": {
        "full-pages-only": pages("The totalPages counts full pages only.", lambda size, total: total // size),
        "one-page-too-many": pages("The totalPages is one too many.", lambda size, total: total // size + 2),
    },
    "PAY-WH-68": {
        "reversed-in-list": in_response("list_webhooks", f"{EACH}.signatureSecret", lambda secret: secret[::-1])
            .says("The list shows the signatureSecret of a webhook reversed."),
    },
}  # fmt: skip


@mutant(
    "PAY-WH-32/simultaneous-share-an-id",
    "PAY-WH-52", "PAY-EVT-01", "PAY-EVT-02", "PAY-EVT-03", "PAY-EVT-04", "PAY-WH-60", "PAY-WH-66",
    group="concurrency",
)  # fmt: skip
class SimultaneousShareAnId(PaymentsRules):
    """Webhooks that are created simultaneously share an id, and one of them is kept."""

    async def create_webhook(self, call: Call) -> Answer:
        free = 1 + max((row["id"] for row in self.store.rows("webhook")), default=0)
        await asyncio.sleep(OPEN_S)
        answer = await super().create_webhook(call)
        made = answer.body["data"]["id"]
        if made == free:
            return answer
        self.store.delete("webhook", id=made)
        return Answer(answer.status, {**answer.body, "data": answer.body["data"] | {"id": free}})
