"""POST /api/v1/webhook registers a webhook, DELETE /api/v1/webhook/{id} removes it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *


@dataclass(frozen=True)
class RemovedWebhook:
    """The creation of a webhook, and the response to its DELETE, a success or not."""

    created: Exchange
    removal: Exchange


@pytest.fixture(scope="session")
def removed_webhook(payments: Payments, plain_webhook: Exchange, webhook_body: WebhookBody) -> RemovedWebhook:
    """Register a webhook beside the plain one and send its DELETE."""
    precondition(plain_webhook)
    created = precondition(payments.create_webhook(webhook_body()))
    return RemovedWebhook(created, payments.delete_webhook(id_of(created)))


@quick
@requirement("PAY-WH-01", "PAY-WH-70")
def test_a_webhook_of_url_and_event_is_created(answer_to_plain_webhook: Exchange) -> None:
    """POST /api/v1/webhook with an https url and one event returns 201 and an object as data."""
    plain = answer_to_plain_webhook
    answer = skip_if_host_unknown(plain, plain.request.json_object["url"])
    expect(answer, status(201), has("data", "object"))


@requirement("PAY-WH-30")
def test_a_webhook_that_receives_events_is_active(payments: Payments, payments_events: PaymentsEvents) -> None:
    """The isActive of a webhook that receives events is true in its creation and in the list, where it is shown."""
    payments_events.creation.value.event_at(payments_events.webhooks)
    webhook = payments_events.webhook.value
    if not webhook.deliveries():
        raise NotApplicable("no event came to the webhook that lasts the run")
    listed = find_in_list(payments, webhook.created)
    expect(webhook.created, not_field("data.isActive", unwanted=False))
    expect(listed.page, not_field(f"{listed.path}.isActive", unwanted=False))


@requirement("PAY-WH-31")
def test_a_new_webhook_has_a_secret(plain_webhook: Exchange) -> None:
    """POST /api/v1/webhook returns a data.signatureSecret that is a string, not null or empty."""
    expect(plain_webhook, has("data.signatureSecret"))


@requirement("PAY-WH-32")
def test_two_webhooks_have_different_ids(plain_webhook: Exchange, removed_webhook: RemovedWebhook) -> None:
    """Two webhooks that exist at the same time have different values of data.id."""
    second = precondition(removed_webhook.created, has("data.id", "integer"))
    expect(second, has_its_own("data.id", [plain_webhook]))


@requirement("PAY-WH-33")
def test_two_webhooks_have_different_secrets(plain_webhook: Exchange, removed_webhook: RemovedWebhook) -> None:
    """Two webhooks have different values of data.signatureSecret: the receiver of one could sign for the other."""
    first = precondition(plain_webhook, has("data.signatureSecret"))
    second = precondition(removed_webhook.created, has("data.signatureSecret"))
    expect(second, differs_in("data.signatureSecret", [first]))


@requirement("PAY-WH-34")
def test_created_at_is_the_time_of_the_creation(clock: Clock, removed_webhook: RemovedWebhook) -> None:
    """The data.createdAt of a new webhook is the time of the request, but for 5 minutes between the clocks."""
    created = precondition(removed_webhook.created, has("data.createdAt"))
    expect(created, is_dated("createdAt", clock.at(created.started)))


@requirement("PAY-WH-35")
def test_a_refused_webhook_is_not_registered(
    payments: Payments, plain_webhook: Exchange, webhook_body: WebhookBody
) -> None:
    """No webhook that was refused with 400 is in the list: of an unknown event, of no event, of plain http."""
    precondition(plain_webhook)
    bad = (
        webhook_body("transaction_lost", name="lost"),
        {**webhook_body(name="none"), "events": []},
        {**webhook_body(name="http"), "url": "http://example.com/pix-conformance"},
    )
    marked = [{**body, "url": f"{body['url']}?refused={place}"} for place, body in enumerate(bad)]
    refused = [body["url"] for body in marked if register_and_remove(payments, body).status == 400]  # what is due
    if not refused:
        raise Inconclusive("none of the bad webhooks was refused")
    listing = list_all_pages(payments)
    shown = [number for number, row in listing.rows.items() if row.get("url") in refused]
    for number in shown:
        payments.delete_webhook(number)
    if not shown and not listing.complete:
        raise Inconclusive(f"not all pages of the list are to be had ({listing.first.evidence})")
    expect(listing.first, lists_no_url(refused, listing.pages))


@quick
@requirement("PAY-WH-60", "PAY-GEN-06")
def test_a_webhook_is_removed_by_its_id(removed_webhook: RemovedWebhook) -> None:
    """DELETE of a webhook by the id of its record returns 200 and success with the value true."""
    removal = removed_webhook.removal
    expect(removal, status(200), of="PAY-WH-60")
    expect(precondition(removal, has("success", "boolean")), field("success", expected=True), of="PAY-GEN-06")


@deferred(AT_THE_END)
@requirement("PAY-WH-72")
def test_a_removed_webhook_is_still_missing_at_the_end_of_the_run(
    payments: Payments, removed_webhook: RemovedWebhook
) -> Iterator[None]:
    """A webhook that was removed when the run began is not in the list at its end."""
    precondition(removed_webhook.removal)
    yield
    listing = list_all_pages(payments)
    expect(listing.first, does_not_list_webhook(removed_webhook.created, listing.pages))


@requirement("PAY-WH-64")
def test_a_webhook_is_not_removed_twice(payments: Payments, removed_webhook: RemovedWebhook) -> None:
    """A second DELETE of a webhook returns 404."""
    precondition(removed_webhook.removal)
    expect(payments.delete_webhook(id_of(removed_webhook.created)), status(404))


@quick
@requirement("PAY-WH-64")
def test_a_webhook_that_does_not_exist_is_not_removed(payments: Payments, plain_webhook: Exchange) -> None:
    """DELETE with an id that has the form of real ids, and that no webhook has, returns 404."""
    expect(payments.delete_webhook(nonexistent_id_like(id_of(plain_webhook))), status(404))


@requirement("PAY-WH-52", "PAY-WH-66")
def test_two_webhooks_of_one_url_are_listed_until_each_is_removed(
    payments: Payments, webhook_body: WebhookBody
) -> None:
    """Two webhooks of one url with ids of their own are both in the list, and the first is after the other's DELETE."""
    with registered_webhook(payments, webhook_body()) as first:
        second = payments.create_webhook({**webhook_body(), "url": first.request.json_object["url"]})
        if not second.ok or second.at("data.id") == first.at("data.id"):
            raise NotApplicable("a url is not registered twice")
        listing = list_webhooks_until_shown(payments, first, second)
        removal = payments.delete_webhook(id_of(second))
        later = list_webhooks_until_shown(payments, first)
    expect(listing.first, lists_webhook(first, listing.pages), lists_webhook(second, listing.pages), of="PAY-WH-52")
    precondition(removal)
    expect(later.first, lists_webhook(first, later.pages), of="PAY-WH-66")


@requirement("PAY-WH-69")
def test_the_removal_of_an_unknown_id_leaves_a_webhook_whose_id_begins_like_it(
    payments: Payments, webhook_body: WebhookBody
) -> None:
    """A webhook of id 17 is still in the list after DELETE with the id 17abc, accepted or refused."""
    with registered_webhook(payments, webhook_body()) as webhook:
        payments.delete_webhook(f"{id_of(webhook)}abc")
        listing = list_webhooks_until_shown(payments, webhook)
        require_own_removal(payments, webhook, listing)
    expect(listing.first, lists_webhook(webhook, listing.pages))


@requirement("PAY-WH-65")
def test_the_answers_to_ids_that_are_not_whole_numbers_are_noted(
    payments: Payments, plain_webhook: Exchange, observe: Observer
) -> None:
    """The statuses of DELETE with the ids no-number, 1.5 and -1 are noted: the id of a record is an integer."""
    precondition(plain_webhook)
    note_answers(
        observe, "PAY-WH-65", {number: payments.delete_webhook(number) for number in ("no-number", "1.5", "-1")}
    )
