"""The fields of POST /api/v1/webhook."""

from typing import Any

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

EVENTS = event_names(Api.PAYMENTS)
"""All events (PAY-WH-10)."""
UNKNOWN_EVENTS = ("*", "transaction_canceled", "TRANSACTION_PAID", " transaction_paid", "business.pix.paid")
"""Names that are similar to one of them, or that another service might have."""
REFUSED = [
    case("PAY-WH-03", "url", ["https://example.com/pix-conformance"], id="url-array"),
    case("PAY-WH-04", "url", "", id="url-empty"),
    case("PAY-WH-04", "url", "/pix-conformance", id="url-path"),
    case("PAY-WH-04", "url", "example.com/pix-conformance", id="url-without-a-scheme"),
    case("PAY-WH-04", "url", "https://", id="url-without-a-host"),
    case("PAY-WH-04", "url", "https://example.com/a b", id="url-with-a-blank-in-its-path"),
    case("PAY-WH-75", "url", "https:h", id="url-of-a-scheme-alone"),
    case("PAY-WH-05", "url", "http://example.com/pix-conformance", id="url-plain-http"),
    case("PAY-WH-05", "url", "http://localhost:8080/pix-conformance", id="url-plain-http-to-localhost"),
    case("PAY-WH-05", "url", "ftp://example.com/pix-conformance", id="url-ftp"),
    case("PAY-WH-07", "events", "transaction_paid", id="events-string"),
    case("PAY-WH-08", "events", [True], id="events-with-a-boolean"),
    case("PAY-WH-08", "events", ["transaction_paid", None], id="events-with-null"),
    case("PAY-WH-11", "events", ["transaction_paid", "transaction_lost"], id="events-unknown-beside-a-known-one"),
    *(case("PAY-WH-11", "events", [name], id=f"events-{name}") for name in UNKNOWN_EVENTS),
]
NO_OBJECTS = [
    case("PAY-WH-16", b'{"url": "https://example.com/x",', id="cut-off"),
    case("PAY-WH-17", b"", id="empty", quick=True),
]
GENERATED = ("PAY-WH-02", "PAY-WH-03", "PAY-WH-06", "PAY-WH-07", "PAY-WH-09")
"""Requirements that the generated requests break, one at a time; `REFUSED` has the others."""
HOSTS = {
    "loopback": "https://127.0.0.1/pix-conformance",
    "private address": "https://10.0.0.1/pix-conformance",
    "name that does not resolve": "https://pix-conformance.invalid/hook",
}


@requirement("PAY-WH-01")
def test_a_url_without_a_path_is_accepted(payments: Payments, webhook_body: WebhookBody) -> None:
    """A webhook at https://example.com is accepted, if one at a path of this host is."""
    with_path = register_and_remove(payments, {**webhook_body(), "url": "https://example.com/pix-conformance"})
    if not with_path.ok:
        raise NotApplicable("the url is refused for its host")
    without_path = register_and_remove(payments, {**webhook_body(), "url": "https://example.com"})
    expect(without_path, *accepted_like(with_path))


@pytest.fixture(scope="session")
def webhook_of_all_events(payments: Payments, webhook_body: WebhookBody) -> Exchange:
    """Register a webhook for all events, and remove it at once; return the answer, a success or not."""
    return skip_if_full(payments, register_and_remove(payments, webhook_body(*EVENTS)), webhook_body())


@requirement("PAY-WH-12")
def test_all_events_are_accepted(plain_webhook: Exchange, webhook_of_all_events: Exchange) -> None:
    """POST /api/v1/webhook accepts an events array of all names."""
    expect(webhook_of_all_events, *accepted_like(plain_webhook))


@requirement("PAY-WH-10")
def test_each_event_is_accepted(
    payments: Payments, plain_webhook: Exchange, webhook_of_all_events: Exchange, webhook_body: WebhookBody
) -> None:
    """POST /api/v1/webhook accepts each name of an event: all of them together, or else each one alone."""
    alone = () if webhook_of_all_events.ok else EVENTS
    answers = [register_and_remove(payments, webhook_body(event)) for event in alone]
    for answer in answers or [webhook_of_all_events]:
        expect(answer, *accepted_like(plain_webhook))


@requirement("PAY-ERR-10")
@pytest.mark.usefixtures("plain_webhook")
@pytest.mark.parametrize(("name", "bad"), REFUSED)
def test_a_webhook_with_one_bad_field_is_refused(
    payments: Payments, webhook_body: WebhookBody, rule: str, name: str, bad: Any
) -> None:
    """A webhook in which one field is missing or invalid is refused with 400, and the message names the field."""
    answer = register_and_remove(payments, with_field(webhook_body(), name, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(name), of="PAY-ERR-10")


@pytest.mark.generated
@pytest.mark.parametrize("rule", rules(GENERATED, "PAY-ERR-10"))
def test_every_webhook_that_breaks_one_requirement_is_refused(
    payments: Payments, plain_webhook: Exchange, callback_url: CallbackUrl, generation: Generation, rule: str
) -> None:
    """Every generated webhook whose body breaks exactly one requirement is refused with 400."""
    precondition(plain_webhook)
    url = callback_url("generated")
    expect_refusals(
        generation, "create_webhook", rule, "PAY-ERR-10", lambda request: send_webhook(payments, request, url)
    )


@pytest.mark.parametrize("content", NO_OBJECTS)
def test_a_body_that_is_no_json_object_is_refused(payments: Payments, plain_webhook: Exchange, content: bytes) -> None:
    """A body that is empty or not JSON, sent with the Content-Type application/json, is refused with 400."""
    precondition(plain_webhook)
    expect(payments.create_webhook(..., content=content), status(400))


@requirement("PAY-WH-16")
def test_a_webhook_with_text_behind_it_is_refused(
    payments: Payments, plain_webhook: Exchange, webhook_body: WebhookBody
) -> None:
    """A valid webhook with text behind its JSON is refused with 400."""
    precondition(plain_webhook)
    expect(register_and_remove(payments, ..., content=with_text_behind(webhook_body())), status(400))


@requirement("PAY-WH-17")
def test_a_webhook_in_an_array_is_refused(
    payments: Payments, plain_webhook: Exchange, webhook_body: WebhookBody
) -> None:
    """An array that contains one valid webhook is refused with 400."""
    precondition(plain_webhook)
    expect(register_and_remove(payments, [webhook_body()]), status(400))


@requirement("PAY-WH-28")
@pytest.mark.parametrize("end", ["/Pix/?text=a+b%20c%2Fd", "/", f"/{'a' * 240}"], ids=["escapes", "slash", "long"])
def test_the_url_of_the_record_is_the_one_that_was_sent(
    payments: Payments, webhook_body: WebhookBody, callback_url: CallbackUrl, end: str
) -> None:
    """The data.url of a new webhook is the url that was sent, in normal form; a long one may be refused, not cut."""
    body = {**webhook_body(), "url": callback_url("silent", end)}
    created = register_and_remove(payments, body)
    if created.status == 400 and len(end) > 240:  # an invalid body
        raise NotApplicable("a url of this length is refused: no limit is shown")
    expect(precondition(created, has("data.url", "string")), field("data.url", body["url"]))


@requirement("PAY-WH-29")
def test_the_events_of_the_record_are_those_that_were_sent(
    plain_webhook: Exchange, webhook_of_all_events: Exchange
) -> None:
    """The data.events of a new webhook are the events that were sent, in any order: one of them, and all."""
    for created in (plain_webhook, webhook_of_all_events):
        events = created.request.json_object["events"]
        expect(precondition(created, has("data.events", "array")), has_events("data.events", events))


@requirement("PAY-WH-13", "PAY-WH-15")
def test_the_answers_to_an_event_that_is_named_twice_and_to_a_name_are_noted(
    payments: Payments, webhook_body: WebhookBody, observe: Observer
) -> None:
    """A webhook may be refused if its events name one event twice, or if it has a name, which only the record has.

    They are sent in one webhook and, if that is refused, in one each.
    """
    name = {"name": "pix-conformance"}
    twice = named = register_and_remove(payments, {**webhook_body("infraction", "infraction"), **name})
    if not twice.ok:
        twice = register_and_remove(payments, webhook_body("infraction", "infraction"))
        named = register_and_remove(payments, {**webhook_body(), **name})
    observe("PAY-WH-13", f"an event named twice: {twice.status}, events {shown(twice.at('data.events'))}", None, twice)
    words = f"{named.status}, name is {shown(named.at('data.name'))}"
    observe("PAY-WH-15", words, named.at("data.name") or None, named)


@requirement("PAY-WH-13")
def test_the_answer_to_a_url_that_is_registered_twice_is_noted(
    payments: Payments, webhook_body: WebhookBody, observe: Observer
) -> None:
    """The status of a second webhook of the same url, while the first one exists, is noted."""
    with registered_webhook(payments, webhook_body()) as first:
        answer = register_and_remove(payments, {**webhook_body(), "url": first.at("data.url")})
    note_answers(observe, "PAY-WH-13", {"the same url again": answer})


@requirement("PAY-WH-14")
def test_the_answers_to_urls_of_special_hosts_are_noted(
    payments: Payments, webhook_body: WebhookBody, observe: Observer
) -> None:
    """Whether urls of loopback, private and unknown hosts are accepted is noted: the document does not say."""
    answers = {what: register_and_remove(payments, {**webhook_body(), "url": url}) for what, url in HOSTS.items()}
    note_answers(observe, "PAY-WH-14", answers)
