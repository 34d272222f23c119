"""What the client does in situations: lost answers, 429, an expired token."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import combinations

import pytest

from fixtures.integration import *
from pix_conformance.testing import *
from pix_conformance.testing.integration import *

pytestmark = pytest.mark.usefixtures("let_through")
PAY, BUS = Api.PAYMENTS, Api.BUSINESS
TOKEN_S = 61
"""Seconds after which every token has expired."""
PAUSE_S, TOO_MANY = 1.0, 429
ANALYSIS_S = 4.0
"""How long a transfer stays in manual_analysis: longer than a client waits that gives up."""
OPERATIONS, MOST_LOGINS = 4, 2
"""Orders in turn, and logins for them: the first, and one of another process, or of a token that is renewed early."""


@pytest.mark.parametrize(
    ("api", "path"),
    [case("BUS-CLI-02", BUS, "amount_cents", id="business"), case("PAY-CLI-07", PAY, "amountInCents", id="payments")],
)
def test_a_charge_asks_for_the_price_of_its_order(integration: Integration, api: Api, path: str) -> None:
    """The charge of an order asks for what the order costs, in cents."""
    integration.commands.require("order")
    cents = integration.next_cents()
    sent = charges(integration.sent_by(lambda: integration.order(api, cents)), api)
    expect(sent[-1], asks_for(path, cents))


@requirement("PAY-CLI-33")
def test_a_transfer_sends_what_was_asked_for(integration: Integration) -> None:
    """A transfer sends the amount that the client was to send, in cents."""
    cents = integration.next_cents()
    sent = transfers(integration.sent_by(lambda: integration.transfer(cents)))
    expect(sent[-1], asks_for("amount", cents))


MORE_THAN_LEAST = 6
"""Cents beyond the least amount: few, and no multiple of ten."""


@requirement("BUS-CLI-02")
def test_a_price_of_a_few_cents_is_charged(integration: Integration) -> None:
    """The charge of an order that costs a few cents asks for them."""
    integration.commands.require("order")
    cents = limit(BUS, "create_charge", "amount_cents", "minimum") + MORE_THAN_LEAST
    sent = charges(integration.sent_by(lambda: integration.order(BUS, cents)), BUS, least=0)
    if not sent:
        raise NotApplicable(f"the client takes no order of {cents} cents")
    expect(sent[-1], asks_for("amount_cents", cents))


@requirement("PAY-CLI-33")
def test_a_few_cents_are_transferred(integration: Integration) -> None:
    """A transfer of a few cents sends them."""
    integration.commands.require("transfer")
    cents = limit(PAY, "create_transfer", "amount", "minimum") + MORE_THAN_LEAST
    sent = transfers(integration.sent_by(lambda: integration.transfer(cents)), least=0)
    if not sent:
        raise NotApplicable(f"the client sends no transfer of {cents} cents")
    expect(sent[-1], asks_for("amount", cents))


@requirement("PAY-CLI-22")
def test_each_transfer_has_a_key_of_its_own(integration: Integration) -> None:
    """Two transfers of one amount to one PIX key have two idempotency keys."""
    cents = integration.next_cents()
    first, other = (transfers(integration.sent_by(lambda: integration.transfer(cents))) for _ in range(2))
    require_key(first[-1])
    expect(other[0], has_another_key(first[-1]))


@requirement("PAY-CLI-22")
@pytest.mark.parametrize("faults", [[], [Fault.UNAUTHORIZED]], ids=["answered", "the-first-is-answered-401"])
def test_each_of_simultaneous_transfers_has_a_key_of_its_own(integration: Integration, faults: list[Fault]) -> None:
    """Three transfers that the client is to send at the same moment have three idempotency keys, in each attempt."""
    integration.commands.require("transfer")
    amounts = [integration.next_cents() for _ in range(3)]
    integration.gateway.faults.expect("create_transfer", *faults)
    sent = transfers(integration.sent_by(lambda: side_by_side(integration.transfer, amounts)))
    require_key(sent[0])
    for transfer, other in combinations(sent, 2):
        if transfer.request.json_object.get("amount") != other.request.json_object.get("amount"):
            expect(other, has_another_key(transfer))


@requirement("BUS-CLI-17")
def test_two_orders_of_one_amount_get_two_charges(integration: Integration) -> None:
    """Two orders of one amount are charged by two charges."""
    integration.commands.require("order")
    cents = integration.next_cents()
    first, other = (integration.place(BUS, cents) for _ in range(2))
    if other.creation:
        expect(other.creation, not_field("id", first.charge.id))


CONFLICT = 409
LOST_CASES = [
    case("BUS-CLI-11", BUS, [Fault.LOST], id="charge-lost"),
    case("BUS-CLI-11", BUS, [Fault.LOST, Fault.BAD_GATEWAY], id="charge-lost-502"),
    case("BUS-CLI-11", BUS, [Fault.CUT], id="charge-cut"),
    case("BUS-CLI-12", BUS, [Fault.BAD_GATEWAY], id="charge-502"),
    case("PAY-CLI-24", PAY, [Fault.LOST], id="transfer-lost"),
    case("PAY-CLI-24", PAY, [Fault.CUT], id="transfer-cut"),
    case("PAY-CLI-24", PAY, [Fault.LOST, Fault.BAD_GATEWAY], id="transfer-lost-502"),
    case("PAY-CLI-24", PAY, [Fault.LOST, Fault.UNAUTHORIZED], id="transfer-lost-401"),
    case("PAY-CLI-24", PAY, [Fault.LOST, Fault.TOO_MANY], id="transfer-lost-429"),
    case("PAY-CLI-25", PAY, [Fault.BAD_GATEWAY], id="transfer-502"),
]


@pytest.mark.parametrize(("api", "faults"), LOST_CASES)
def test_a_repetition_has_the_same_key_and_body(integration: Integration, api: Api, faults: list[Fault]) -> None:
    """After a lost response or a 502 the client sends the same request again, with its key, or none.

    So it does if the repetition is refused: the first request may have been executed.
    """
    expect_repetitions(keyed_requests(integration, api, *faults))


@pytest.fixture(scope="module")
def unanswered_requests(integration: Integration) -> dict[Api, Future[list[Exchange]]]:
    """Give the requests for a charge and a transfer that are not answered, sent side by side, as each takes seconds."""
    with ThreadPoolExecutor(len(Api)) as pool:
        return {api: pool.submit(keyed_requests, integration, api, Fault.UNANSWERED) for api in Api}


@pytest.mark.parametrize(
    "api", [case("BUS-CLI-11", BUS, id="charge-unanswered"), case("PAY-CLI-24", PAY, id="transfer-unanswered")]
)
def test_a_request_that_is_not_answered_in_time_is_repeated_with_its_key_and_body(
    unanswered_requests: dict[Api, Future[list[Exchange]]], api: Api
) -> None:
    """When no response comes, a client that gives up waiting sends the same request again, with its key, or none."""
    expect_repetitions(unanswered_requests[api].result())


@requirement("PAY-CLI-26")
def test_a_409_to_a_repetition_leads_to_no_other_transfer(integration: Integration) -> None:
    """After 409 to the repetition of a transfer whose response was lost the client sends none with another key."""
    sent = keyed_requests(integration, PAY, Fault.LOST, Fault.CONFLICT)
    if len(sent) == 1:
        raise NotApplicable(f"the client does not repeat a transfer ({sent[0].evidence})")
    expect(sent[-1], repeats(sent[0]))


@pytest.mark.parametrize(
    ("api", "operation", "status"),
    [
        case("PAY-CLI-24", PAY, "create_transfer", None, id="transfer-lost"),
        case("PAY-CLI-25", PAY, "create_transfer", 502, id="transfer-502"),
        case("PAY-CLI-26", PAY, "create_transfer", CONFLICT, id="transfer-409"),
        case("BUS-CLI-11", BUS, "create_charge", None, id="charge-lost"),
        case("BUS-CLI-12", BUS, "create_charge", 502, id="charge-502"),
    ],
)
@pytest.mark.whole_run
def test_a_repetition_that_comes_after_its_command_has_the_same_key_and_body(
    integration: Integration, api: Api, operation: str, status: int | None
) -> None:
    """What a client sends again until the run ends, after a lost response, a 502 or a 409, has its key and body."""
    requests, is_repeated = integration.asked.by_amount(), False
    for cents in [cents for cents, commands in Counter(integration.asked.amounts).items() if commands == 1]:
        sent = of_operation(requests.get(cents, []), api, operation, least=0)
        attempts = [exchange for exchange in sent if own_key(exchange)]
        answers = [exchange.status for exchange in attempts]
        end = answers.index(CONFLICT) + 1 if CONFLICT in answers and status != CONFLICT else len(attempts)
        first = answers.index(status) if status in answers else end
        for place in range(first + 1, end):
            is_repeated = True
            original = attempts[0 if status == CONFLICT else first]
            expect(attempts[place], repeats(original, attempts[first + 1 : place]))
    if not is_repeated:
        raise NotApplicable("the client repeats no such request")


def expect_repetitions(sent: Sequence[Exchange]) -> None:
    """Expect each request after the first to repeat it. Raises NotApplicable if there is none."""
    if len(sent) == 1:
        raise NotApplicable(f"the client does not repeat a request while its command runs ({sent[0].evidence})")
    for place, repetition in enumerate(sent[1:], 1):
        expect(repetition, repeats(sent[0], sent[1:place]))


def require_key(transfer: Exchange) -> None:
    """Raise NotApplicable if a transfer has no key: PAY-CLI-20 says so, and what follows from it is no fault more."""
    if not own_key(transfer):
        raise NotApplicable(f"the transfers of the client have no x-idempotency-key ({transfer.evidence}, PAY-CLI-20)")


def keyed_requests(integration: Integration, api: Api, *faults: Fault) -> list[Exchange]:
    """Have the client send a charge with a key, or a transfer, that meets the faults; return all requests for it."""
    operation = "create_charge" if api is BUS else "create_transfer"
    cents = integration.next_cents()
    act = (lambda: integration.order(BUS, cents)) if api is BUS else (lambda: integration.transfer(cents))
    integration.commands.require("order" if api is BUS else "transfer")
    integration.gateway.faults.expect(operation, *faults, cents=cents)
    sent = of_operation(integration.sent_by(act), api, operation)
    if api is PAY:
        require_key(sent[0])
    return sent


@requirement("PAY-CLI-27")
def test_a_transfer_that_stays_in_analysis_is_not_completed(integration: Integration) -> None:
    """While queries show manual_analysis, which takes seconds here, the client completes no transfer."""
    integration.commands.require("transfer")
    cents = integration.next_cents()
    integration.gateway.statuses["get_transfer"] = "manual_analysis"
    with integration.client_requests() as sent, ThreadPoolExecutor(1) as pool:
        sending = pool.submit(integration.transfer, cents)
        wait([sending], ANALYSIS_S)
        integration.gateway.statuses.clear()
    completions = of_operation(sent, PAY, "complete_transfer", least=0)
    if not completions:
        raise NotApplicable("the client completes no transfer")
    queries = of_operation(sent, PAY, "get_transfer", least=0)
    before = [query for query in queries if query.started < completions[0].started]
    expect(completions[0], completes_after_query(before))


@pytest.mark.parametrize("kind", [case("PAY-CLI-29", kind, id=kind) for kind in ("order", "transfer")])
def test_a_pause_follows_a_429(integration: Integration, kind: str) -> None:
    """After a 429 the client sends nothing to that route for a second."""
    integration.commands.require(kind)
    operation, cents = ("create_charge" if kind == "order" else "create_transfer"), integration.next_cents()
    integration.gateway.faults.expect(operation, Fault.TOO_MANY, cents=cents)
    act = (lambda: integration.order(PAY, cents)) if kind == "order" else (lambda: integration.transfer(cents))
    limited, *later = of_operation(integration.sent_by(act), PAY, operation)
    if limited.status != TOO_MANY:
        raise NotApplicable(f"the client did not send {operation} with {cents} cents ({limited.evidence})")
    expect(limited, is_followed_by_a_pause(later, PAUSE_S))


@requirement("PAY-CLI-04")
def test_an_expired_token_is_replaced(integration: Integration) -> None:
    """A client whose token has expired gets another one, and its next order is charged."""
    integration.place(PAY)
    integration.sandbox.advance(TOKEN_S)
    cents = integration.next_cents()
    sent = integration.sent_by(lambda: integration.order(PAY, cents))
    if not sent:
        raise Inconclusive("not tested: the command order sent no request")
    logins = of_operation(sent, PAY, "authenticate", least=0)
    expect((charges(sent, PAY, least=0) or sent)[-1], goes_on_with_a_token(logins))


@requirement("PAY-CLI-04")
def test_a_query_with_an_expired_token_is_sent_again(integration: Integration) -> None:
    """A client whose token has expired gets another one for a query, which then succeeds."""
    integration.commands.require("order", "wait")
    order = integration.place(PAY)
    integration.sandbox.advance(TOKEN_S)
    sent = integration.sent_by(lambda: integration.look_after(order))
    logins = of_operation(sent, PAY, "authenticate", least=0)
    expect(charge_queries(sent)[-1], goes_on_with_a_token(logins))


@requirement("PAY-CLI-05")
def test_the_client_keeps_its_token(integration: Integration) -> None:
    """A client that sends several requests for one command logs in once for them."""
    cents = integration.next_cents()
    integration.commands.require("transfer")
    integration.gateway.faults.expect("create_transfer", Fault.BAD_GATEWAY, cents=cents)
    sent = integration.sent_by(lambda: integration.transfer(cents))
    if not sent:
        raise Inconclusive("not tested: the command transfer sent no request")
    logins = of_operation(sent, PAY, "authenticate", least=0)
    others = [exchange for exchange in sent if exchange.operation != "authenticate"]
    if len(others) == 1:
        raise NotApplicable(f"the client sent one request for the command ({others[0].evidence})")
    refusals = sum(exchange.status == 401 for exchange in others)
    expect(sent[-1], follows_few_logins(logins, 1 + refusals))


@requirement("PAY-CLI-05")
def test_orders_of_a_minute_share_a_token(integration: Integration) -> None:
    """A client that takes several orders within the life of a token does not log in for each of them."""
    command = "order" if integration.commands.has("order") else "transfer"
    integration.commands.require(command)
    act = (lambda cents: integration.order(PAY, cents)) if command == "order" else integration.transfer
    sent = [
        exchange for _ in range(OPERATIONS) for exchange in integration.sent_by(lambda: act(integration.next_cents()))
    ]
    if not sent:
        raise Inconclusive(f"not tested: the command {command} sent no request")
    logins = of_operation(sent, PAY, "authenticate", least=0)
    refusals = sum(exchange.status == 401 for exchange in sent if exchange.operation != "authenticate")
    expect(sent[-1], follows_few_logins(logins, MOST_LOGINS + refusals))


def charges(sent: Sequence[Exchange], api: Api, least: int = 1) -> list[Exchange]:
    """Return the requests for a charge. Raises Inconclusive if there are fewer than `least`."""
    return of_operation(sent, api, "create_charge", least)


def transfers(sent: Sequence[Exchange], least: int = 1) -> list[Exchange]:
    """Return the requests for a transfer. Raises Inconclusive if there are fewer than `least`."""
    return of_operation(sent, PAY, "create_transfer", least)


def of_operation(sent: Sequence[Exchange], api: Api, operation: str, least: int = 1) -> list[Exchange]:
    """Return the requests of an operation. Raises Inconclusive if there are fewer than `least`."""
    chosen = [exchange for exchange in sent if exchange.api is api and exchange.operation == operation]
    if len(chosen) < least:
        raise Inconclusive(f"not tested: the client did not send {operation} to the {api} API")
    return chosen
