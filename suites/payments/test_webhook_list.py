"""GET /api/v1/webhook lists webhooks. The list may have pages.

Other clients of the account may register and remove webhooks while the suite runs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

TWO_EVENTS = ("infraction", "transaction_refunded")
PAGES = (
    *("", "?pageSize=1", "?offset=1"),
    *("?pageSize=1&offset=1", "?limit=1&offset=1", "?page=2&pageSize=1"),
)
"""Queries for pages, by names that are common: the document shows none."""
STABLE_S = 5.0
"""For how many seconds a list that others change is requested again."""


RegisteredAndListed = tuple[Exchange, ListedWebhook]
"""The creation of a webhook, and its record in the list."""


@pytest.fixture(scope="module")
def webhook_of_two_events(payments: Payments, webhook_body: WebhookBody) -> Iterator[Exchange]:
    """Register a webhook of two events, whose url has a query, while the tests of this file are run."""
    body = webhook_body(*TWO_EVENTS)
    body["url"] += "?source=pix&kind=a"
    with registered_webhook(payments, body) as created:
        yield created


@pytest.fixture(scope="module")
def registered(payments: Payments, webhook_of_two_events: Exchange) -> RegisteredAndListed:
    """Find that webhook in the list."""
    return webhook_of_two_events, find_in_list(payments, webhook_of_two_events)


@dataclass(frozen=True)
class Pages:
    """A page of the list for each query, and the one without a query once more."""

    by_query: dict[str, Exchange]
    last: Exchange

    @property
    def is_list_unchanged(self) -> bool:
        """Whether no other test, or client, has registered or removed a webhook meanwhile, as far as these show.

        A webhook that was registered and removed meanwhile is counted by the totalCount of one of them.
        """
        totals = [page.at("data.pagination.totalCount") for page in (*self.by_query.values(), self.last) if page.ok]
        return count_of(self.by_query[""]) == count_of(self.last) and all(total == totals[0] for total in totals)


def count_of(page: Exchange) -> int | None:
    """Return how many webhooks a page has; None if it is not a page."""
    rows = page.at("data.webhooks")
    return len(rows) if isinstance(rows, list) else None


@pytest.fixture(scope="module")
def pages(payments: Payments, webhook_of_two_events: Exchange, webhook_body: WebhookBody) -> Pages:
    """Return pages of the list while that webhook and a second one exist at least; again if the list has changed."""
    precondition(webhook_of_two_events)

    def request() -> Pages:
        return Pages({query: payments.list_webhooks(query) for query in PAGES}, payments.list_webhooks())

    with registered_webhook(payments, webhook_body(name="second")):
        return poll_until(payments.sender.waits, STABLE_S, request, lambda pages: pages.is_list_unchanged)


def is_alone(page: Exchange) -> bool:
    """Return whether a page has one webhook, and says that it is a page of one and not the first."""
    rows, size, offset = (page.at(f"data.{name}") for name in ("webhooks", "pagination.pageSize", "pagination.offset"))
    return isinstance(rows, list) and len(rows) == 1 and size == 1 and offset == 1


def first_and_accepted(pages: Pages) -> list[Exchange]:
    """Return the page without a query, and those whose query was not refused."""
    return [page for query, page in pages.by_query.items() if not query or page.ok]


@quick
@pytest.mark.generated
@requirement("PAY-WH-40")
def test_the_webhooks_are_listed(payments: Payments) -> None:
    """Every generated GET /api/v1/webhook, none of which has a query, returns 200 and an object as data."""
    for request in cases(Api.PAYMENTS, "list_webhooks", "positive"):
        expect(send_generated(payments, request), status(200), has("data", "object"))


@deferred(AT_THE_END)
@requirement("PAY-WH-52")
def test_the_oldest_webhook_of_the_run_is_still_in_the_list(
    optional_receiver: PaymentsReceiver, payments: Payments, webhook_all_events: Webhook
) -> Iterator[None]:
    """The webhook that was registered when the run began is in the list at its end."""
    yield
    optional_receiver.require_events()
    listing = list_webhooks_until_shown(payments, webhook_all_events.created)
    expect(listing.first, lists_webhook(webhook_all_events.created, listing.pages))


@deferred(AT_THE_END)
@requirement("PAY-WH-71")
def test_the_oldest_webhook_of_the_run_keeps_its_created_at(
    optional_receiver: PaymentsReceiver, payments: Payments, webhook_all_events: Webhook
) -> Iterator[None]:
    """At the end of the run the list shows the createdAt that the creation of the oldest webhook returned."""
    yield
    optional_receiver.require_events()
    created = precondition(webhook_all_events.created, has("data.createdAt"))
    listed = find_in_list(payments, created)
    expect(listed.page, is_still_the_time(f"{listed.path}.createdAt", created.at("data.createdAt")))


@requirement("PAY-WH-53")
def test_the_list_shows_url_and_events_of_a_webhook(registered: RegisteredAndListed) -> None:
    """The list shows a webhook with its url, as it was sent or returned, and with its events, in any order."""
    created, listed = registered
    precondition(created, has("data.url", "string"))
    if not isinstance(listed.at("url"), str) or not isinstance(listed.at("events"), list):
        raise Inconclusive("not tested: url is no string or events is no array, which is another question")
    expect(
        listed.page,
        field_in(f"{listed.path}.url", created.request.json_object["url"], created.at("data.url")),
        has_events(f"{listed.path}.events", TWO_EVENTS),
    )


@requirement("PAY-WH-68")
def test_a_secret_in_the_list_is_that_of_the_creation(registered: RegisteredAndListed) -> None:
    """A signatureSecret that the list shows whole is the one that the creation returned; it may be masked."""
    created, listed = registered
    if not is_whole_secret(listed.at("signatureSecret"), created):
        raise NotApplicable(f"the list shows no whole secret ({listed.page.evidence})")
    expect(listed.page, has_secret_of(f"{listed.path}.signatureSecret", created))


@requirement("PAY-WH-68")
@pytest.mark.concurrent
def test_a_listed_secret_of_webhooks_that_are_registered_at_once_is_that_of_the_creation(
    simultaneous_requests: SimultaneousRequests,
) -> None:
    """A signatureSecret that the list shows whole, of webhooks registered at once, is the one of their creation."""
    whole = [
        (row, created)
        for account in simultaneous_requests.accounts
        for created in account.webhooks_removed(removed=False)
        for row in rows_of(account.listed.pages, created)
        if is_whole_secret(row.at("signatureSecret"), created)
    ]
    if not whole:
        raise NotApplicable("the lists show no whole secret")
    for row, created in whole:
        expect(row.page, has_secret_of(f"{row.path}.signatureSecret", created))


@pytest.mark.parametrize(
    "relation",
    [
        case("PAY-WH-54", counts_its_webhooks, id="totalCount"),
        case("PAY-WH-55", has_agreeing_neighbours, id="hasNext-and-hasPrevious"),
        case("PAY-WH-76", counts_its_pages, id="totalPages"),
    ],
)
def test_the_figures_of_a_page_agree(pages: Pages, relation: Callable[[], Relation]) -> None:
    """A page lists pageSize webhooks at most, a single one totalCount; its other figures agree with these."""
    for page in first_and_accepted(pages):
        expect(precondition(page, has("data.webhooks", "array")), relation())


@requirement("PAY-WH-67")
def test_the_figures_of_each_page_at_offset_0_agree_with_it(pages: Pages) -> None:
    """The figures of the first page, and of each other one at offset 0, agree with its webhooks."""
    for page in first_and_accepted(pages):
        if page is pages.by_query[""] or page.at("data.pagination.offset") == 0:
            expect(precondition(page, has("data.webhooks", "array")), is_a_consistent_first_page())


@requirement("PAY-WH-55", "PAY-WH-76")
def test_the_figures_of_the_last_of_several_full_pages_agree_with_it(payments: Payments, pages: Pages) -> None:
    """The last webhook, on a page of its own, has none behind it; not asked where pageSize and offset select no page.

    Others may register a webhook meanwhile: then it is asked again.
    """

    def last_page() -> Exchange:
        total = precondition(payments.list_webhooks("?pageSize=1"), has("data.pagination.totalCount", "integer"))
        return payments.list_webhooks(f"?pageSize=1&offset={total.at('data.pagination.totalCount') - 1}")

    if not is_alone(pages.by_query["?pageSize=1&offset=1"]):
        raise NotApplicable("the list takes no pageSize and offset")
    is_last = has_agreeing_neighbours()
    page = poll_until(payments.sender.waits, SETTLING_S, last_page, lambda page: is_met(is_last, page))
    precondition(page, has("data.webhooks", "array"))
    expect(page, has_agreeing_neighbours(), of="PAY-WH-55")
    expect(page, counts_its_pages(), of="PAY-WH-76")


@requirement("PAY-WH-56")
def test_whether_the_list_shows_the_secret_is_noted(registered: RegisteredAndListed, observe: Observer) -> None:
    """Whether the list shows the signatureSecret of a webhook is noted, but not the secret itself."""
    created, listed = registered
    secret, known = listed.at("signatureSecret"), created.at("data.signatureSecret")
    words = "null" if secret is None else "the same text" if secret == known else "another text or no such field"
    observe("PAY-WH-56", f"signatureSecret in the list: {words}", words, listed.page)


@requirement("PAY-WH-57")
def test_the_effects_of_paging_parameters_are_noted(pages: Pages, observe: Observer) -> None:
    """The number of webhooks on the page for usual paging parameters, while at least two exist, is noted."""
    plain = precondition(pages.by_query[""], has("data.webhooks", "array"))
    if not pages.is_list_unchanged:
        raise NotApplicable("webhooks were registered or removed while the pages of the list were requested")
    further = {query: page for query, page in pages.by_query.items() if query}
    counts = {query: len(page.at("data.webhooks") or ()) if page.ok else page.status for query, page in further.items()}
    total = len(plain.at("data.webhooks"))
    shares = {total: "all", total - 1: "all but one", 1: "one"}  # how many there are depends on what other tests made
    words = ", ".join(f"{query} {shares.get(count or 0, count)}" for query, count in counts.items())
    observe("PAY-WH-57", f"webhooks listed: {words}", counts, *pages.by_query.values())
