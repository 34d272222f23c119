"""Registering and removing webhooks (payments.md, lines 283-292)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fixtures.bodies import with_field, without_field
from fixtures.ids import nonexistent_id_like
from fixtures.payments.account import LAST
from fixtures.payments.callback_urls import skip_if_host_unknown, with_suffix
from fixtures.payments.charges import as_plain, id_of
from fixtures.payments.events import PaymentsEvents
from fixtures.payments.refusals import LACKS
from fixtures.payments.webhooks import (
    EVENTS,
    a_hook,
    in_list,
    kept,
    listed,
    not_removed,
    plain_hook,
    registered,
    registering,
    shown_webhook,
)
from pix_conformance.checks.matchers import Matcher, computed, field, has, message_names, not_field, status
from pix_conformance.checks.outcomes import NotApplicable
from pix_conformance.checks.relations import clock_differs, moment, timestamp_changed
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred, prepare_early
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import case, requirement
from pix_conformance.model.exchange import Exchange

NAMED = "PAY-ERR-10"
CREATED: tuple[Matcher, ...] = (status(201), has("data", "object"))
HTTP = "http://example.com/pix-conformance"
LONG = 200
"""Characters beyond which a right server may refuse a url."""
ENDS = {
    "path": "",
    "query": "?source=pix&kind=a",
    "escapes": "/Pix/?text=a+b%20c%2Fd",
    "slash": "/",
    "long": f"/{'a' * 240}",
}
"""Ends of a url, each in normal form."""


NO_EVENTS = (
    *("*", "transaction_*", "transaction_canceled", "transfer_paid", "TRANSACTION_PAID", "charge_paid"),
    *("transaction_paid,infraction", " transaction_paid", "business.pix.paid"),
)
"""Names that stand near the nine, or that another service might have."""


REFUSED = [
    case("PAY-WH-02", "url", LACKS, id="url-missing"),
    case("PAY-WH-03", "url", 443, id="url-number"),
    case("PAY-WH-03", "url", True, id="url-boolean"),
    case("PAY-WH-03", "url", ["https://example.com/pix-conformance"], id="url-array"),
    case("PAY-WH-03", "url", {"href": "https://example.com/pix-conformance"}, id="url-object"),
    case("PAY-WH-03", "url", None, id="url-null"),
    case("PAY-WH-04", "url", "no uri at all", id="url-words"),
    case("PAY-WH-04", "url", "", id="url-empty"),
    case("PAY-WH-04", "url", "/pix-conformance", id="url-path"),
    case("PAY-WH-04", "url", "example.com/pix-conformance", id="url-no-scheme"),
    case("PAY-WH-04", "url", "https://", id="url-no-host"),
    case("PAY-WH-04", "url", "https://exam ple.com/x", id="url-blank"),
    case("PAY-WH-05", "url", HTTP, id="url-plain-http"),
    case("PAY-WH-05", "url", "http://example.com:443/pix-conformance", id="url-plain-http-at-443"),
    case("PAY-WH-05", "url", "http://localhost:8080/pix-conformance", id="url-plain-http-to-this-machine"),
    case("PAY-WH-05", "url", "ftp://example.com/pix-conformance", id="url-ftp"),
    case("PAY-WH-06", "events", LACKS, id="events-missing"),
    case("PAY-WH-07", "events", "transaction_paid", id="events-string"),
    case("PAY-WH-07", "events", 1, id="events-number"),
    case("PAY-WH-07", "events", True, id="events-boolean"),
    case("PAY-WH-07", "events", {"0": "transaction_paid"}, id="events-object"),
    case("PAY-WH-07", "events", None, id="events-null"),
    case("PAY-WH-08", "events", [1], id="events-number-inside"),
    case("PAY-WH-08", "events", [True], id="events-boolean-inside"),
    case("PAY-WH-08", "events", ["transaction_paid", None], id="events-null-inside"),
    case("PAY-WH-08", "events", [["transaction_paid"]], id="events-array-inside"),
    case("PAY-WH-08", "events", [{"name": "transaction_paid"}], id="events-object-inside"),
    case("PAY-WH-09", "events", [], id="events-none"),
    case("PAY-WH-11", "events", ["transaction_lost"], id="events-unknown"),
    case("PAY-WH-11", "events", ["transaction_paid", "transaction_lost"], id="events-unknown-beside"),
    case("PAY-WH-11", "events", [""], id="events-empty"),
    *(case("PAY-WH-11", "events", [name], id=f"events-{name}") for name in NO_EVENTS),
]
NO_JSON = {"cut": b'{"url": "https://example.com/x",', "form": b"url=https://example.com/x", "quotes": b"{'url': 'x'}"}
NO_OBJECT = {"array": b"[]", "string": b'"1"', "number": b"1", "boolean": b"true", "null": b"null", "empty": b""}


@prepare_early("payments")
def a_webhook_removed_early(payments: Payments) -> Exchange:
    """A webhook that was there, and removed at once."""
    made = precondition(payments.create_webhook(a_hook(payments, name="early")))
    precondition(payments.delete_webhook(id_of(made)))
    return made


@requirement("PAY-WH-01")
def test_a_host_alone_is_a_url(payments: Payments) -> None:
    """Where a url of this host that has a path is accepted."""
    control = registering(payments, a_hook(payments) | {"url": "https://example.com/pix-conformance"})
    if not control.ok:
        raise NotApplicable("the url is refused for its host")
    expect(registering(payments, a_hook(payments) | {"url": "https://example.com"}), *as_plain(control))


@requirement("PAY-WH-01")
def test_a_webhook_of_url_and_event_is_created(payments: Payments) -> None:
    """Both are all that a webhook needs."""
    body = a_hook(payments)
    expect(skip_if_host_unknown(registering(payments, body), body["url"]), *CREATED)


@requirement("PAY-WH-10")
@pytest.mark.parametrize("event", EVENTS)
def test_each_event_is_accepted(payments: Payments, event: str) -> None:
    """Alone in its array, as a plain one is."""
    expect(registering(payments, a_hook(payments, event)), *as_plain(plain_hook(payments)))


@requirement("PAY-WH-12")
@pytest.mark.parametrize("events", [EVENTS, EVENTS[:1]], ids=["nine", "one"])
def test_all_events_and_a_single_one_are_accepted(payments: Payments, events: tuple[str, ...]) -> None:
    """One element is the least, and no most is stated."""
    expect(registering(payments, a_hook(payments, *events)), *as_plain(plain_hook(payments)))


@requirement(NAMED)
@pytest.mark.parametrize(("name", "bad"), REFUSED)
def test_a_webhook_with_a_bad_field_is_refused(payments: Payments, rule: str, name: str, bad: Any) -> None:
    """One field is bad in one way, and the message names it."""
    plain_hook(payments)
    body = without_field(a_hook(payments), name) if bad is LACKS else with_field(a_hook(payments), name, bad)
    answer = registering(payments, body)
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(name), of=NAMED)


@requirement("PAY-WH-16")
@pytest.mark.parametrize("what", NO_JSON)
def test_a_webhook_body_that_is_no_json_is_refused(payments: Payments, what: str) -> None:
    """It is labelled as JSON all the same."""
    plain_hook(payments)
    expect(payments.create_webhook(..., content=NO_JSON[what]), status(400))


@requirement("PAY-WH-17")
@pytest.mark.parametrize("what", NO_OBJECT)
def test_a_webhook_body_that_is_no_object_is_refused(payments: Payments, what: str) -> None:
    """Other JSON values, and no body at all, hold no webhook."""
    plain_hook(payments)
    expect(payments.create_webhook(..., content=NO_OBJECT[what]), status(400))


@requirement("PAY-WH-17")
def test_a_webhook_in_an_array_is_refused(payments: Payments) -> None:
    """An array is no object, whatever it holds."""
    plain_hook(payments)
    expect(registering(payments, [a_hook(payments)]), status(400))


@requirement("PAY-WH-28")
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_the_url_is_the_one_that_was_sent(payments: Payments, end: str) -> None:
    """It is in normal form already; a long one may be refused, but not be cut."""
    body = a_hook(payments)
    body["url"] = with_suffix(payments, body["url"], end)
    answer = registering(payments, body)
    if len(end) > LONG and answer.status == 400:  # an invalid body
        raise NotApplicable("a url of this length is refused: no limit is shown")
    expect(precondition(answer, has("data.url", "string")), field("data.url", body["url"]))


@requirement("PAY-WH-29")
@pytest.mark.parametrize("sent", [("transfer_canceled", "infraction", "transaction_created"), EVENTS], ids=["3", "9"])
def test_the_events_are_those_that_were_sent(payments: Payments, sent: tuple[str, ...]) -> None:
    """In any order."""
    record = precondition(registering(payments, a_hook(payments, *sent)), has("data.events", "array"))
    found = sorted(map(str, record.at("data.events")))
    expect(
        record, computed("data.events are those sent", None if found == sorted(sent) else f"data.events are {found}")
    )


@requirement("PAY-WH-30")
def test_a_webhook_that_hears_is_active(payments_events: PaymentsEvents) -> None:
    """It heard of a charge; the answer to its creation and the list may show it."""
    _ = payments_events.expect_webhook_event("transaction_created").delivery
    made = payments_events.webhook_all_events.record
    if not payments_events.webhook_all_events.path.deliveries():
        raise NotApplicable("no event came to the webhook that lasts the run")
    listing, row = in_list(payments_events.payments, id_of(made))
    for shown_in, active in ((made, made.at("data.isActive")), (listing.first, row.get("isActive"))):
        expect(
            shown_in, computed("a webhook that is served is active", "isActive is false" if active is False else None)
        )


@requirement("PAY-WH-31")
def test_a_new_webhook_has_a_secret(payments: Payments) -> None:
    """It is returned for validating signatures."""
    expect(plain_hook(payments), has("data.signatureSecret"))


@requirement("PAY-WH-32")
def test_two_webhooks_have_different_ids(payments: Payments) -> None:
    """Both exist at the same time."""
    with registered(payments) as first:
        second = precondition(registering(payments, a_hook(payments)), has("data.id", "integer"))
        expect(second, not_field("data.id", first.at("data.id")))


@requirement("PAY-WH-33")
def test_two_webhooks_have_different_secrets(payments: Payments) -> None:
    """One receiver could sign for another else."""
    first = precondition(plain_hook(payments), has("data.signatureSecret"))
    second = precondition(registering(payments, a_hook(payments)), has("data.signatureSecret"))
    equal = first.at("data.signatureSecret") == second.at("data.signatureSecret")
    expect(second, computed("the secrets of two webhooks differ", "both have the same secret" if equal else None))


@requirement("PAY-WH-34")
def test_created_at_is_the_time_of_the_creation(payments: Payments) -> None:
    """Clocks may differ by minutes."""
    record = precondition(registering(payments, a_hook(payments)), has("data.createdAt"))
    expect(
        record,
        computed(
            "createdAt is the time of the creation",
            clock_differs(moment(record, "createdAt"), record, payments.run.clock),
        ),
    )


@requirement("PAY-WH-34")
def test_created_at_stays(payments: Payments) -> None:
    """Two lists show the same moment."""
    with registered(payments) as made:
        first, second = (in_list(payments, id_of(made)) for _ in range(2))
    words = timestamp_changed(first[1].get("createdAt"), second[1].get("createdAt"))
    expect(second[0].first, computed("createdAt is as it was", words))


@requirement("PAY-WH-35")
def test_a_refused_webhook_is_not_registered(payments: Payments) -> None:
    """None with a bad event, without events or of plain http is in the list, where a valid one is."""
    with registered(payments) as made:
        in_list(payments, id_of(made))
        bad = [a_hook(payments, "transaction_lost", name="lost"), {**a_hook(payments, name="none"), "events": []}]
        bad.append({**a_hook(payments, name="http"), "url": HTTP})
        marked = [{**one, "url": f"{one['url']}?refused={place}"} for place, one in enumerate(bad)]
        listing, problem = not_removed(payments, *marked)
    expect(listing.first, computed("no refused webhook is in the list", problem))


@requirement("PAY-WH-60", "PAY-GEN-06")
def test_a_webhook_is_removed_by_its_id(payments: Payments) -> None:
    """The removal of a webhook by the id of its record is answered with success."""
    made = precondition(payments.create_webhook(a_hook(payments)))
    answer = payments.delete_webhook(id_of(made))
    expect(answer, status(200), of="PAY-WH-60")
    expect(precondition(answer, has("success", "boolean")), field("success", True), of="PAY-GEN-06")  # noqa: FBT003  # a value in JSON


@requirement("PAY-WH-62")
def test_a_removed_webhook_is_at_once_out_of_the_list(payments: Payments) -> None:
    """It was there before."""
    made = precondition(payments.create_webhook(a_hook(payments)))
    in_list(payments, id_of(made))
    precondition(payments.delete_webhook(id_of(made)))
    listing = listed(payments, id_of(made))
    words = "the removed webhook is in the list" if listing.holds(made) else None
    expect(listing.first, computed("the removed webhook is not in the list", words))


@deferred(LAST)
@requirement("PAY-WH-62")
def test_a_removed_webhook_does_not_come_back(payments: Payments) -> None:
    """Last of all, the one that was removed first is still out of the list."""
    listing = listed(payments)
    words = "the removed webhook is in the list" if listing.holds(a_webhook_removed_early.value()) else None
    expect(listing.first, computed("the removed webhook is not in the list", words))


@requirement("PAY-WH-64")
def test_a_webhook_is_not_removed_twice(payments: Payments) -> None:
    """The second time there is none."""
    made = id_of(precondition(payments.create_webhook(a_hook(payments))))
    precondition(payments.delete_webhook(made))
    expect(payments.delete_webhook(made), status(404))


@requirement("PAY-WH-64")
def test_a_webhook_that_never_was_is_not_removed(payments: Payments) -> None:
    """The id has the form of a real one."""
    expect(payments.delete_webhook(nonexistent_id_like(id_of(plain_hook(payments)))), status(404))


@requirement("PAY-WH-66")
def test_the_removal_of_one_webhook_leaves_the_others(payments: Payments) -> None:
    """Two are there, one is removed."""
    with registered(payments) as kept:
        precondition(registering(payments, a_hook(payments, name="gone")))
        listing, row = shown_webhook(payments, id_of(kept))
        words = "the other webhook is gone too" if row is None else None
        expect(listing.first, computed("the other webhook is still in the list", words))


@requirement("PAY-WH-66")
def test_the_removal_of_one_webhook_leaves_another_of_its_url(payments: Payments) -> None:
    """Where one url may be registered twice, each has an id of its own."""
    with registered(payments) as kept:
        again = registering(payments, a_hook(payments) | {"url": kept.at("data.url")})
        if not again.ok or again.at("data.id") == kept.at("data.id"):
            raise NotApplicable("a url is not registered twice")
        listing, row = shown_webhook(payments, id_of(kept))
    words = "the other webhook is gone too" if row is None else None
    expect(listing.first, computed("the other webhook is still in the list", words))


@requirement("PAY-WH-52")
def test_two_webhooks_of_one_url_are_both_in_the_list(payments: Payments) -> None:
    """Where the second is answered with an id of its own."""
    with registered(payments) as first:
        second = payments.create_webhook(a_hook(payments) | {"url": json.loads(first.request.body)["url"]})
        if not second.ok or second.at("data.id") == first.at("data.id"):
            raise NotApplicable("a url is not registered twice")
        found = [shown_webhook(payments, id_of(one)) for one in (first, second)]
        payments.delete_webhook(id_of(second))
    lost = sum(row is None for _, row in found)
    expect(found[-1][0].first, computed("both are in the list", f"{lost} of them is not in the list" if lost else None))


@requirement("PAY-WH-69")
def test_the_removal_of_an_id_that_begins_like_another_leaves_that_one(payments: Payments) -> None:
    """Whatever it is answered."""
    with registered(payments) as made:
        payments.delete_webhook(f"{id_of(made)}abc")
        seen, problem = kept(payments, made)
    expect(seen, computed("the webhook is still in the list", problem))
