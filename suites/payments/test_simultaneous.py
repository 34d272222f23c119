"""Requests of every operation at the same time, by two accounts: each has its own answer, its effect and its event."""

import pytest

from fixtures.payments import *
from fixtures.simultaneous import answers_to
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

pytestmark = pytest.mark.concurrent


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        case("PAY-CHG-71", "get_charge", "id", id="get_charge"),
        case("PAY-PAYS-08", "pay_charge", "id", id="pay_charge"),
        case("PAY-TRF-63", "get_transfer", "id", id="get_transfer"),
        case("PAY-TRF-64", "get_transfer", "amount", id="amount"),
        case("PAY-CMP-08", "complete_transfer", "id", id="complete_transfer"),
    ],
)
def test_simultaneous_requests_for_several_ids_have_their_own_answers(
    simultaneous_requests: SimultaneousRequests, operation: str, name: str
) -> None:
    """Each response to simultaneous requests for several charges or transfers shows the one that its path names."""
    due = {
        (account.client, source.id): {"id": source.created.at("data.id"), "amount": source.amount}[name]
        for account in simultaneous_requests.accounts
        for source in account.sources
    }
    expect_every(
        (sent.answer, field(f"data.{name}", due[sent.client, sent.number]))
        for sent in simultaneous_requests.sent
        if sent.row.name == operation and sent.answer.ok and sent.answer.at(f"data.{name}") is not MISSING
        if (sent.client, sent.number) in due
    )


@requirement("PAY-TRF-41", "PAY-TRF-78")
def test_simultaneous_transfers_are_answered_with_their_own_amounts_and_keys(
    simultaneous_requests: SimultaneousRequests,
) -> None:
    """Each response to simultaneous creations of transfers has the amount and the pixKey of its request."""
    answers = [answer for answer in answers_to(simultaneous_requests.sent, "create_transfer") if answer.ok]
    for answer in answers:
        body = precondition(answer, has("data.amount", "integer"), has("data.pixKey")).request.json_object
        expect(answer, field("data.amount", body["amount"]), of="PAY-TRF-41")
        expect(answer, shows_no_other_key(body["pixKey"]), of="PAY-TRF-78")
    if not answers:
        raise NotApplicable("no transfer is accepted")


@pytest.mark.parametrize(
    "operation",
    [
        case("PAY-CHG-41", "create_charge", id="charges"),
        case("PAY-TRF-45", "create_transfer", id="transfers"),
        case("PAY-WH-32", "create_webhook", id="webhooks"),
    ],
)
def test_what_is_created_at_once_has_an_id_of_its_own(
    simultaneous_requests: SimultaneousRequests, operation: str
) -> None:
    """Charges, transfers and webhooks that one account creates at the same time have different ids."""
    own = simultaneous_requests.own
    removed = own.webhooks_removed(removed=True)
    groups = [
        answers_to(sent, operation, own.payments)
        for sent in (simultaneous_requests.creations, simultaneous_requests.changes)
    ]
    created, later = ([it for it in group if it.ok and it.at("data.id") is not MISSING] for group in groups)
    if len(created) < 2:
        raise NotApplicable("no two creations were accepted at once")
    expect(created[0], has_an_id_of_its_own(created))
    others = [it for it in created if it not in removed]  # the id of a removed one may be given again (PAY-WH-77)
    if later and others:
        expect(later[0], has_an_id_of_its_own([*others, *later]))


@requirement("PAY-IDEM-09")
def test_equal_transfers_that_are_created_at_once_are_two(payments: Payments, a_transfer: TransferBody) -> None:
    """Of two POST of one transfer with two idempotency keys at the same time, each creates a transfer of its own."""
    body = a_transfer()
    answers = repeat_concurrently(
        2, lambda **more: payments.create_transfer(body, key=fresh_key(), group="equal-transfers", **more)
    )
    first, second = (precondition(answer, has("data.id")) for answer in answers)
    expect(second, has_another_id_than(first))


@pytest.mark.parametrize(
    "operation",
    [
        case("PAY-PAYS-10", "pay_charge", id="pay_charge"),
        case("PAY-CMP-20", "complete_transfer", id="complete_transfer"),
    ],
)
def test_what_is_changed_at_once_has_an_end_to_end_id_of_its_own(
    simultaneous_requests: SimultaneousRequests, operation: str
) -> None:
    """Charges that an account pays at the same time, and transfers that it completes, have different endToEndIds."""
    changes = [answer for _, answer in simultaneous_requests.own.accepted(simultaneous_requests.changes, operation)]
    shown = [answer for answer in changes if isinstance(answer.at("data.endToEndId"), str)]
    if len(shown) < 2:
        raise NotApplicable("no two such requests were accepted at once")
    expect(shown[-1], has_its_own("data.endToEndId", shown[:-1]))


@pytest.mark.parametrize(
    ("operation", "change"),
    [
        case("PAY-CHG-70", "get_charge", "pay_charge", id="charges"),
        case("PAY-TRF-50", "get_transfer", "complete_transfer", id="transfers"),
    ],
)
def test_simultaneous_queries_find_what_a_change_has_shown(
    simultaneous_requests: SimultaneousRequests, operation: str, change: str
) -> None:
    """Simultaneous queries by two accounts return 200 for what each of them has paid or completed before."""
    changes = [sent for sent in simultaneous_requests.changes if sent.row.name == change and sent.answer.ok]
    shown = {(sent.client, sent.number) for sent in changes}
    reads = [sent for sent in simultaneous_requests.reads if sent.row.name == operation]
    queries = [sent.answer for sent in reads if (sent.client, sent.number) in shown]
    expect_every((answer, status(200)) for answer in queries if is_decided(answer))


@pytest.mark.parametrize(
    ("kind", "hidden"),
    [
        case("PAY-CHG-70", "transaction", None, id="own-charge"),
        case("PAY-TRF-50", "transfer", None, id="own-transfer"),
        case("PAY-ISO-01", "transaction", 404, id="charge-of-the-other"),
        case("PAY-ISO-03", "transfer", 404, id="transfer-of-the-other"),
    ],
)
def test_what_two_accounts_create_at_once_is_found_by_its_own_one(
    simultaneous_requests: SimultaneousRequests, kind: str, hidden: int | None
) -> None:
    """The charges and transfers of each account are found by it, one of each of the other account is not."""
    accounts = simultaneous_requests.accounts
    owned = [(account, source) for account in accounts for source in account.of_kind(kind)]
    if hidden:
        others = [
            other.foreign_query_of(source) for account, source in owned for other in accounts if other is not account
        ]
        expect_every((query, status(hidden)) for query in others if query)
    else:
        expect_every((account.queries[source.created.id], status(200)) for account, source in owned)


@requirement("PAY-ENV-03")
def test_a_charge_that_is_queried_at_once_in_production_is_not_found_there(
    simultaneous_requests: SimultaneousRequests, live_payments: Payments
) -> None:
    """GET of a sandbox charge with a production token, while its account pays and queries it, returns 404."""
    if not simultaneous_requests.own.charges:
        raise NotApplicable("no charge was created at once with others")
    foreign_id(live_payments, simultaneous_requests.own.charges[0].created)
    for answer in answers_to(simultaneous_requests.changes, "get_charge", live_payments):
        expect(answer, status(404))


@pytest.mark.parametrize(
    ("operation", "wanted"),
    [
        case("PAY-PAYS-11", "pay_charge", "paid", id="pay_charge"),
        case("PAY-CMP-10", "complete_transfer", "completed", id="complete_transfer"),
    ],
)
def test_simultaneous_changes_of_several_objects_all_have_their_effect(
    simultaneous_requests: SimultaneousRequests, operation: str, wanted: str
) -> None:
    """Each of several charges that were paid at once is paid, and each of several transfers is completed."""
    changed = simultaneous_requests.queries_after(operation)
    expect_every((precondition(query), field("data.status", wanted)) for query in changed)


@pytest.mark.parametrize(
    ("operation", "other"),
    [
        case("PAY-PAYS-19", "create_charge", "paid", id="charge"),
        case("PAY-CMP-19", "create_transfer", "completed", id="transfer"),
    ],
)
def test_what_is_created_while_others_are_changed_is_not_changed(
    simultaneous_requests: SimultaneousRequests, operation: str, other: str
) -> None:
    """A charge that is created while others are paid is not paid, and a transfer likewise not completed."""
    created = simultaneous_requests.queries_after(operation)
    expect_every((precondition(query), not_field("data.status", other)) for query in created)


@pytest.fixture
def registrations(simultaneous_requests: SimultaneousRequests) -> list[Exchange]:
    """The simultaneous registrations of webhooks by both accounts; NotApplicable if not two were accepted."""
    accepted = [created for account in simultaneous_requests.accounts for created in account.webhooks]
    if len(accepted) < 2:
        raise NotApplicable("no two registrations were accepted at once")
    return accepted


@requirement("PAY-WH-28")
def test_webhooks_that_are_registered_at_once_have_their_own_urls(registrations: list[Exchange]) -> None:
    """The record of a webhook that is registered at the same time as others has the url of none of these."""
    for created in registrations:
        others = [other.request.json_object["url"] for other in registrations if other is not created]
        expect(precondition(created, has("data.url")), *(not_field("data.url", url) for url in others))


@requirement("PAY-WH-29")
def test_webhooks_that_are_registered_at_once_have_their_own_events(registrations: list[Exchange]) -> None:
    """The record of a webhook that is registered at the same time as one for other events has its own events."""
    for created in registrations:
        sent_events = created.request.json_object["events"]
        expect(precondition(created, has("data.events", "array")), has_events("data.events", sent_events))


@requirement("PAY-WH-33")
def test_webhooks_that_are_registered_at_once_have_their_own_secrets(registrations: list[Exchange]) -> None:
    """The signatureSecret of a webhook that is registered at the same time as others is that of none of these."""
    for place, created in enumerate(registrations[1:], start=1):
        expect(
            precondition(created, has("data.signatureSecret")),
            differs_in("data.signatureSecret", registrations[:place]),
        )


@requirement("PAY-WH-52", "PAY-WH-62", "PAY-WH-66")
def test_the_list_of_webhooks_has_what_its_account_registered_at_once(
    simultaneous_requests: SimultaneousRequests,
) -> None:
    """The list has the webhooks that its account registered at once, also beside removals, and not what it removed."""
    for account in simultaneous_requests.accounts:
        listing = account.listed
        if not listing.complete:
            raise Inconclusive(f"not all pages of the list are to be had ({listing.first.evidence})")
        for created in account.webhooks_removed(removed=False):
            expect(listing.first, lists_webhook(created, listing.pages), of=("PAY-WH-52", "PAY-WH-66"))
        for created in account.webhooks_removed(removed=True):
            expect(listing.first, does_not_list_webhook(created, listing.pages), of="PAY-WH-62")


@requirement("PAY-WH-52")
def test_a_list_of_webhooks_has_those_that_were_there_before_simultaneous_registrations(
    simultaneous_requests: SimultaneousRequests,
) -> None:
    """A list that is asked for while webhooks are registered has the older one, which the list has after it too."""
    lists = [
        (answer, lists_webhook(account.webhook.created, [answer]))
        for account in simultaneous_requests.accounts
        if account.webhook and account.webhook.created and len(account.listed.pages) == 1
        if is_met(lists_webhook(account.webhook.created, account.listed.pages), account.listed.first)
        for answer in answers_to(simultaneous_requests.sent, "list_webhooks", account.payments)
        if answer.ok
    ]
    expect_every(lists)


@requirement("PAY-ISO-05")
def test_no_list_of_webhooks_has_what_another_account_registers_at_once(
    simultaneous_requests: SimultaneousRequests,
) -> None:
    """No list of webhooks, of those during the requests and after them, has one that the other account registered."""
    for account, other in simultaneous_requests.each_with_other():
        during = answers_to(simultaneous_requests.sent, "list_webhooks", account.payments)
        pages = [*(answer for answer in during if answer.ok), *account.listed.pages]
        for created in other.webhooks:
            expect(account.listed.first, does_not_list_webhook(created, pages))


@deferred(AT_THE_END)
@requirement("PAY-WH-72")
def test_webhooks_that_were_removed_at_once_with_other_requests_stay_so(
    simultaneous_requests: SimultaneousRequests,
) -> None:
    """Webhooks of each account that were removed while others were registered or removed are in no list at the end."""
    accounts = simultaneous_requests.accounts
    removed = [(account, account.webhooks_removed(removed=True) + account.removed_at_once) for account in accounts]
    if not any(webhooks for _, webhooks in removed):
        raise NotApplicable("no webhook was removed at once with other requests")
    for account, webhooks in removed:
        listing = list_all_pages(account.payments)
        for created in webhooks:
            expect(listing.first, does_not_list_webhook(created, listing.pages))


@requirement("PAY-ISO-09")
def test_simultaneous_queries_show_each_account_its_own_balance(simultaneous_requests: SimultaneousRequests) -> None:
    """The balance that is queried by two accounts at the same time is not, for one of them, that of the other."""
    own, theirs = simultaneous_requests.balances if len(simultaneous_requests.balances) > 1 else (None, None)
    if own is None or theirs is None:
        raise NotApplicable("there is no second account")
    before = {
        account.payments.role: query
        for account, query in zip(simultaneous_requests.accounts, (own, theirs), strict=True)
    }
    for account, other in simultaneous_requests.each_with_other():
        for answer in answers_to(simultaneous_requests.reads, "get_balance", account.payments):
            expected = is_not_the_balance_of(before[account.payments.role], before[other.payments.role])
            expect(precondition(answer), expected)


@requirement("PAY-ISO-11")
def test_a_key_that_two_accounts_use_at_once_shows_neither_the_transfer_of_the_other(
    payments: Payments, other_payments: Payments, a_transfer: TransferBody, other_plain_transfer: Transfer
) -> None:
    """Two accounts send the same transfer with one key at the same time: they are not both answered with one id.

    Where ids look sequential, a transfer of the second account shows how far its own ids have come.
    """
    body, key = {**other_plain_transfer.body, **a_transfer()}, fresh_key()
    is_counted = looks_sequential(other_plain_transfer.id)
    earlier = other_payments.create_transfer(body, key=fresh_key()) if is_counted else None
    own, theirs = run_concurrently(
        *[lambda it=it: it.create_transfer(body, key=key, group="key-of-two") for it in (payments, other_payments)]
    )
    expect(theirs, shows_no_transfer_of_another_account(own, earlier))


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    ("operation", "wanted"),
    [
        case(("PAY-PAYS-11", "PAY-PAYS-29"), "pay_charge", "paid", id="pay_charge"),
        case(("PAY-TRF-73", "PAY-CMP-30"), "complete_transfer", "completed", id="complete_transfer"),
    ],
)
def test_what_was_changed_at_once_is_still_so_at_the_end(
    simultaneous_requests: SimultaneousRequests, operation: str, wanted: str
) -> None:
    """Charges that were paid at once are paid at the end of the run, and transfers are completed."""
    account = simultaneous_requests.own
    changed = [source for source, _ in account.accepted(simultaneous_requests.changes, operation)]
    if not changed:
        raise NotApplicable("no such request was accepted")
    for source in changed:
        first = precondition(account.queries[source.created.id], field("data.status", wanted))
        own = [sent for sent in simultaneous_requests.sent if sent.client is account.client]
        during = [sent.answer for sent in own if is_query_of(source, sent)]
        last = precondition(account.query(source), has("data.status", "string"))
        expect(last, status_is_kept(wanted, [*during, first, last], first.ended))
