"""What the document leaves open about webhooks: asked and noted, never judged."""

from __future__ import annotations

from fixtures.payments.charges import id_of
from fixtures.payments.descriptions import note_answers
from fixtures.payments.webhooks import a_hook, in_list, plain_hook, registered, registering
from pix_conformance.checks.matchers import has
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import Observer, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.subject import shown

HOSTS = {
    "loopback": "https://127.0.0.1/pix-conformance",
    "localhost": "https://localhost/pix-conformance",
    "private address": "https://10.0.0.1/pix-conformance",
    "name that does not resolve": "https://pix-conformance.invalid/hook",
    "port of its own": "https://example.com:8443/pix-conformance",
}
PAGINGS = ("?offset=1", "?pageSize=1", "?page=2", "?limit=1", "?page=2&pageSize=1", "?offset=1&pageSize=1")


@requirement("PAY-WH-13")
def test_an_event_named_twice_is_noted(payments: Payments, observe: Observer) -> None:
    """In one array."""
    answer = registering(payments, a_hook(payments, "infraction", "infraction"))
    observe(
        "PAY-WH-13", f"an event named twice: {answer.status}, events {shown(answer.at('data.events'))}", None, answer
    )


@requirement("PAY-WH-13")
def test_an_address_registered_twice_is_noted(payments: Payments, observe: Observer) -> None:
    """While the first webhook is there."""
    with registered(payments) as made:
        answer = registering(payments, {**a_hook(payments), "url": made.at("data.url")})
    note_answers(observe, "PAY-WH-13", {"the same url again": answer})


@requirement("PAY-WH-14")
def test_the_hosts_of_urls_are_noted(payments: Payments, observe: Observer) -> None:
    """For an event that no test causes, and removed at once."""
    note_answers(
        observe,
        "PAY-WH-14",
        {what: registering(payments, {**a_hook(payments), "url": url}) for what, url in HOSTS.items()},
    )


@requirement("PAY-WH-15")
def test_a_name_on_creation_is_noted(payments: Payments, observe: Observer) -> None:
    """The record has one."""
    answer = registering(payments, {**a_hook(payments), "name": "pix-conformance"})
    words = f"{answer.status}, name is {shown(answer.at('data.name'))}"
    observe("PAY-WH-15", words, answer.at("data.name") or None, answer)


@requirement("PAY-WH-56")
def test_whether_the_list_repeats_the_secret_is_noted(payments: Payments, observe: Observer) -> None:
    """It is not written down here."""
    with registered(payments) as made:
        listing, row = in_list(payments, id_of(made))
    found, known = row.get("signatureSecret", "no such field"), made.at("data.signatureSecret")
    words = "null" if found is None else "the same text" if found == known else "another text"
    observe("PAY-WH-56", f"signatureSecret in the list: {words}", words, listing.first)


@requirement("PAY-WH-57")
def test_the_effects_of_paging_parameters_are_noted(payments: Payments, observe: Observer) -> None:
    """Two webhooks are there at least."""
    with registered(payments), registered(payments, name="second"):
        plain = precondition(payments.list_webhooks(), has("data.webhooks", "array"))
        pages = {query: payments.list_webhooks(query) for query in PAGINGS}
    counts = {query: len(page.at("data.webhooks") or ()) if page.ok else page.status for query, page in pages.items()}
    words = ", ".join(f"{query} {count}" for query, count in counts.items())
    whole = len(plain.at("data.webhooks"))
    observe("PAY-WH-57", f"webhooks listed: {whole} without a query; {words}", counts, plain, *pages.values())


@requirement("PAY-WH-65")
def test_an_id_that_is_no_number_is_noted(payments: Payments, observe: Observer) -> None:
    """The record's id is an integer."""
    plain_hook(payments)
    note_answers(observe, "PAY-WH-65", {one: payments.delete_webhook(one) for one in ("no-number", "1.5", "-1")})
