"""The list of webhooks (payments.md, lines 150-152 and 277-281); it may have pages, and other webhooks fill them."""

from __future__ import annotations

import json
import re
from typing import TypeGuard

from fixtures.payments.account import LAST
from fixtures.payments.charges import id_of
from fixtures.payments.events import PaymentsEvents
from fixtures.payments.webhooks import (
    agreed,
    in_list,
    listed_in_time,
    many_registered,
    paging_problem,
    registered,
    shown_webhook,
    total_problem,
)
from pix_conformance.checks.matchers import computed, has, status
from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.checks.relations import timestamp_changed
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange


@requirement("PAY-WH-40")
def test_the_webhooks_are_listed(payments: Payments) -> None:
    """The route is called without a query."""
    expect(payments.list_webhooks(), status(200), has("data", "object"))


@requirement("PAY-WH-52")
def test_a_webhook_that_exists_is_in_the_list(payments: Payments) -> None:
    """On whichever page."""
    with registered(payments) as made:
        listing, row = shown_webhook(payments, id_of(made))
        words = None if row else f"the webhook {id_of(made)} is not among the {len(listing.rows)} of the list"
        expect(listing.first, computed("the webhook is in the list", words))


@requirement("PAY-WH-52")
def test_each_of_many_webhooks_is_in_the_list(payments: Payments) -> None:
    """One more than a page of twenty holds, or as many as a quota leaves."""
    with many_registered(payments, 21) as made:
        listing = listed_in_time(payments, *made)
    lost = sum(not listing.holds(one) for one in made)
    if lost and not listing.complete:
        raise not_applicable(f"not all pages of a long list are to be had ({listing.first.evidence})")
    words = f"{lost} of {len(made)} webhooks are missing" if lost else None
    expect(listing.first, computed("each webhook is in the list", words))


def oldest(acts: PaymentsEvents) -> Exchange:
    """Return the creation of the webhook that lasts the run; NotApplicable where events cannot be seen."""
    if (why := acts.channel.unavailable_reason()) is not None:
        raise not_applicable(f"there is no webhook that lasts a run: {why}")
    return acts.webhook_all_events.record


@deferred(LAST)
@requirement("PAY-WH-52")
def test_the_oldest_webhook_of_the_run_is_still_in_the_list(
    payments: Payments, payments_event_scenario: PaymentsEvents
) -> None:
    """Last of all: it was made before the first charge, and nobody removed it."""
    made = oldest(payments_event_scenario)
    listing, row = shown_webhook(payments, id_of(made))
    words = None if row else f"the webhook {id_of(made)} is not among the {len(listing.rows)} of the list"
    expect(listing.first, computed("the webhook is in the list", words))


@deferred(LAST)
@requirement("PAY-WH-34")
def test_the_oldest_webhook_of_the_run_keeps_its_first_moment(
    payments: Payments, payments_event_scenario: PaymentsEvents
) -> None:
    """Last of all, the list shows the moment that its creation answered."""
    made = precondition(oldest(payments_event_scenario), has("data.createdAt"))
    listing, row = in_list(payments, id_of(made))
    words = timestamp_changed(made.at("data.createdAt"), row.get("createdAt"))
    expect(listing.first, computed("createdAt is as it was", words))


@requirement("PAY-WH-53")
def test_the_list_repeats_url_and_events(payments: Payments) -> None:
    """As sent or as answered, in any order of events."""
    with registered(payments, "infraction", "transaction_refunded", end="?source=pix&kind=a") as made:
        listing, row = in_list(payments, id_of(precondition(made, has("data.url", "string"))))
    url, events = row.get("url"), row.get("events")
    if not isinstance(url, str) or not isinstance(events, list):
        raise Inconclusive("not tested: url is no string or events is no array, which is another question")
    wrong = [] if url in (made.at("data.url"), json.loads(made.request.body)["url"]) else [f"url is {url}"]
    wrong += [] if sorted(map(str, events)) == ["infraction", "transaction_refunded"] else [f"events are {events}"]
    expect(listing.first, computed("url and events are those of the record", "; ".join(wrong) or None))


def whole_secret(text: object) -> TypeGuard[str]:
    """Whether a secret is there and not masked: signs that hide nothing, no sign more often than all others."""
    if not isinstance(text, str) or not re.fullmatch(r"[\w+/=-]+", text):
        return False
    return 2 * max(map(text.count, text)) <= len(text)


@requirement("PAY-WH-68")
def test_a_secret_that_the_list_shows_is_that_of_the_creation(payments: Payments) -> None:
    """Where it is shown whole, and not masked."""
    with registered(payments) as made:
        listing, row = in_list(payments, id_of(made))
    answered, again = made.at("data.signatureSecret"), row.get("signatureSecret")
    if not whole_secret(again) or not isinstance(answered, str) or len(again) != len(answered):
        raise not_applicable(f"the list shows no whole secret ({listing.first.evidence})")
    words = None if again == answered else "the secret in the list is another"
    expect(listing.first, computed("the secret is that of the creation", words))


@requirement("PAY-WH-54")
def test_the_total_is_the_number_of_webhooks(payments: Payments) -> None:
    """On one page; of several, each lists no more than its size."""
    with registered(payments), registered(payments, name="second"):
        for query in ("", "?pageSize=1", "?limit=1"):
            page = payments.list_webhooks(query)
            if page.ok or not query:
                precondition(page, has("data.webhooks", "array"))
                expect(page, computed("totalCount and pageSize agree with the webhooks listed", total_problem(page)))


@requirement("PAY-WH-67")
def test_the_figures_of_the_first_page_agree_with_it(payments: Payments) -> None:
    """A page that starts at 0 is asked for until its figures agree, for 1.5 s: others may register or remove."""
    with registered(payments):
        page, problem = agreed(payments)
    expect(page, computed("totalCount, totalPages, hasNext and hasPrevious agree with the page", problem))


@requirement("PAY-WH-55")
def test_the_pagination_agrees_with_itself(payments: Payments) -> None:
    """Also where pages of one webhook are to be had."""
    with registered(payments), registered(payments, name="second"):
        for query in ("", "?pageSize=1", "?limit=1", "?pageSize=1&offset=1", "?limit=1&offset=1"):
            page = payments.list_webhooks(query)
            if page.ok or not query:
                precondition(page, has("data.webhooks", "array"))
                expect(page, computed("hasNext and hasPrevious agree with the figures", paging_problem(page)))
