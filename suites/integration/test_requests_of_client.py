"""What every request of the client has to be, judged on all that it sent in the run."""

from collections.abc import Iterable

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

pytestmark = pytest.mark.whole_run
PAY, BUS = Api.PAYMENTS, Api.BUSINESS
CHARGE, TRANSFER, WEBHOOK, LOGIN = "create_charge", "create_transfer", "create_webhook", "authenticate"
ANY = ".*"
WITHOUT_BODY = "pay_charge|complete_transfer|get_.*|list_.*"
URI = r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+"
EMAIL = r"[^@\s]+@[^@\s]+\.[^@\s]+"


def longest(api: Api, operation: str, name: str) -> Matcher:
    """Return the rule about the length of a text of a body."""
    return sends_text(name, limit(api, operation, name, "maxLength"))


def row(rule: str, api: Api, operations: str, matcher: Matcher) -> object:
    """Return a row: the requirement, the operations whose requests it is about, and what they have to be."""
    return case(rule, api, operations, matcher, id=rule)


@pytest.mark.parametrize(
    ("api", "operations", "matcher"),
    [
        row("BUS-CLI-01", BUS, CHARGE, sends_integer("amount_cents", 1)),
        row("BUS-CLI-03", BUS, CHARGE, longest(BUS, CHARGE, "description")),
        row("BUS-CLI-04", BUS, CHARGE, longest(BUS, CHARGE, "external_ref")),
        row("BUS-CLI-05", BUS, CHARGE, sends_integer(
            "expires_in_seconds",
            limit(BUS, CHARGE, "expires_in_seconds", "minimum"), limit(BUS, CHARGE, "expires_in_seconds", "maximum"))),
        row("BUS-CLI-06", BUS, CHARGE, sends_form("customer_email", EMAIL, "an e-mail address")),
        row("BUS-CLI-07", BUS, ANY, has_authorization("Bearer $PIX_API_KEY")),
        row("BUS-CLI-08", BUS, CHARGE, sends_json()),
        row("BUS-CLI-09", BUS, CHARGE, has_header("Idempotency-Key")),
        row("BUS-CLI-13", BUS, "cancel_charge|pay_charge", sends_no_body()),
        row("BUS-CLI-16", BUS, ANY, has_route()),
        row("PAY-CLI-01", PAY, LOGIN, has_authorization("Basic $PIX_CLIENT_ID:$PIX_CLIENT_SECRET")),
        row("PAY-CLI-02", PAY, LOGIN, sends_no_body()),
        row("PAY-CLI-03", PAY, "(?!authenticate).*", has_authorization("Bearer token of $PIX_CLIENT_ID")),
        row("PAY-CLI-06", PAY, CHARGE, sends_integer("amountInCents", limit(PAY, CHARGE, "amountInCents", "minimum"))),
        row("PAY-CLI-08", PAY, CHARGE,
            sends_form("customer.documentType", "cpf|cnpj", "cpf or cnpj", is_required=True)),
        row("PAY-CLI-09", PAY, CHARGE, sends_form("customer.document", "[0-9]+", "digits only", is_required=True)),
        row("PAY-CLI-10", PAY, CHARGE, longest(PAY, CHARGE, "description")),
        row("PAY-CLI-11", PAY, CHARGE, sends_object("customer")),
        row("PAY-CLI-12", PAY, f"{CHARGE}|{TRANSFER}", sends_form("postbackUrl", URI, "an absolute URI")),
        row("PAY-CLI-13", PAY, CHARGE, sends_items()),
        row("PAY-CLI-14", PAY, CHARGE, sends_splits()),
        row("PAY-CLI-15", PAY, f"{CHARGE}|{TRANSFER}|{WEBHOOK}", sends_json()),
        row("PAY-CLI-16", PAY, TRANSFER, sends_pix_key("pixKey")),
        row("PAY-CLI-17", PAY, TRANSFER, sends_integer("amount", limit(PAY, TRANSFER, "amount", "minimum"))),
        row("PAY-CLI-18", PAY, TRANSFER, sends_form("currency", "BRL", "BRL")),
        row("PAY-CLI-19", PAY, TRANSFER, longest(PAY, TRANSFER, "description")),
        row("PAY-CLI-20", PAY, TRANSFER, has_header("x-idempotency-key")),
        row("PAY-CLI-21", PAY, TRANSFER, has_uuid("x-idempotency-key")),
        row("PAY-CLI-28", PAY, WITHOUT_BODY, sends_no_body()),
        row("PAY-CLI-30", PAY, WEBHOOK, sends_form("url", r"https://\S+", "an https address", is_required=True)),
        row("PAY-CLI-31", PAY, WEBHOOK, sends_event_names(list(event_names(PAY)))),
        row("PAY-CLI-32", PAY, ANY, has_route()),
    ],
)  # fmt: skip
def test_every_request_of_the_client_follows_the_document(
    requests: AllRequests, api: Api, operations: str, matcher: Matcher
) -> None:
    """Each request that the client sends in the run has credential, headers and body as the document says."""
    expect_requests(requests(api, operations), matcher)


@pytest.mark.parametrize(
    ("api", "operations"),
    [case("BUS-CLI-10", BUS, CHARGE, id="charges"), case("PAY-CLI-23", PAY, TRANSFER, id="transfers")],
)
def test_no_key_stands_for_two_bodies(requests: AllRequests, api: Api, operations: str) -> None:
    """No request has the idempotency key of an earlier one with another body."""
    sent = list(requests(api, operations))
    judge_pairs = ((exchange, has_key_of_its_body(sent[:place])) for place, exchange in enumerate(sent))
    expect_every(judge_pairs, NOTHING)


@requirement("PAY-CLI-27")
def test_a_transfer_is_completed_after_a_query(requests: AllRequests) -> None:
    """The client completes a transfer only after a query has shown that it left pending and manual_analysis."""
    queries = list(requests(PAY, "get_transfer"))

    def earlier(completion: Exchange) -> list[Exchange]:
        of_transfer = completion.request.url.removesuffix("/complete")
        return [query for query in queries if query.request.url == of_transfer and query.started < completion.started]

    completions = requests(PAY, "complete_transfer")
    expect_every(((sent, completes_after_query(earlier(sent))) for sent in completions), NOTHING)


def expect_requests(sent: Iterable[Exchange], matcher: Matcher) -> None:
    """Expect each request to meet the matcher. Raises NotApplicable if none has what it is about."""
    expect_every(((exchange, matcher) for exchange in sent), NOTHING)
