"""Requests whose response is lost on its way: sent again, as a client does, they have their effect once."""

from collections.abc import Iterator

import pytest

from fixtures.business import *
from fixtures.late_effects import wait_for_late_effects
from pix_conformance.testing import *
from pix_conformance.testing.business import *
from pix_conformance.testing.business import has_more

pytestmark = pytest.mark.network_faults
PATIENCE_S = 30
"""Seconds after which a service no longer executes a request whose connection was cut."""


@deferred(PATIENCE_S)
@requirement("BUS-IDEM-01", "BUS-IDEM-03")
@pytest.mark.parametrize("fault", CREATION_FAULTS[:-1], ids=lambda fault: fault.name.lower().replace("_", "-"))
def test_a_charge_whose_response_is_lost_is_created_once(
    business: Business, lost_creations: LostCreations, fault: NetworkFault
) -> Iterator[None]:
    """POST of a charge whose response is lost, sent again with its key, succeeds, and the list has one charge of both.

    Where the key is refused while the first request is being executed, it is accepted half a minute later.
    """
    lost = lost_creations.by_fault[fault]
    yield
    again, listing, queries = lost.again, lost_creations.listing, lost_creations.queries
    if not again.ok:
        again = require_decision(business.create_charge(lost.body, key=lost.key))
        expect(again, success(), of="BUS-IDEM-01")
        listing, queries = list_with_refs(business, again)
    expect(again, success(), of="BUS-IDEM-01")
    expect(listing, holds_ref_once(lost.external_ref, queries), of="BUS-IDEM-03")


@requirement("BUS-CHG-56")
def test_a_charge_whose_body_is_cut_is_not_created_of_its_beginning(lost_creations: LostCreations) -> None:
    """POST of a charge whose body breaks off within the amount creates nothing: the list shows the whole one alone."""
    lost = lost_creations.by_fault[NetworkFault.IN_BODY]
    expect(
        lost_creations.listing, holds_ref_as_sent(lost.external_ref, lost.body["amount_cents"], lost_creations.queries)
    )


@deferred(PATIENCE_S)
@requirement("BUS-CHG-01")
def test_a_charge_whose_body_is_cut_is_created_when_it_is_sent_again(
    business: Business, lost_creations: LostCreations
) -> Iterator[None]:
    """POST of a charge whose body broke off, sent again whole with its key, returns a 2xx, at the latest 30 s later."""
    lost = lost_creations.by_fault[NetworkFault.IN_BODY]
    yield
    again = lost.again if lost.again.ok else require_decision(business.create_charge(lost.body, key=lost.key))
    expect(again, success())


@requirement("BUS-CHG-64")
def test_a_query_after_a_cut_one_shows_its_own_charge(business: Business, lost_creations: LostCreations) -> None:
    """The query of a charge after that of another one was cut shows the id in its own path."""
    accepted = [lost.again for lost in lost_creations.by_fault.values() if lost.again.ok]
    if not accepted:
        raise NotApplicable("the keys are refused while the requests that were cut are executed")
    number = id_of(precondition(lost_creations.stranger))
    business.get_charge(id_of(accepted[0]), network_fault=NetworkFault.AFTER_REQUEST)
    expect(precondition(business.get_charge(number)), field("id", number))


@requirement("BUS-CHG-56", "BUS-CHG-58", "BUS-CHG-63")
def test_a_charge_that_is_created_after_a_cut_creation_is_its_own(lost_creations: LostCreations) -> None:
    """The charge that is created after a creation was cut has its own values, and another id than the repetition."""
    stranger = precondition(lost_creations.stranger, has("id"))
    for rule, name in (("BUS-CHG-56", "amount_cents"), ("BUS-CHG-58", "external_ref")):
        expect(stranger, field(name, stranger.request.json_object[name]), of=rule)
    again = [lost.again for lost in lost_creations.by_fault.values() if lost.again.ok]
    expect(stranger, has_its_own("id", again), of="BUS-CHG-63")


@requirement("BUS-CHG-01", "BUS-CHG-57", "BUS-CHG-58", "BUS-IDEM-01")
def test_charges_whose_bodies_come_in_pieces_are_created_whole(creations_in_pieces: list[CreationInPieces]) -> None:
    """Charges of two accounts whose bodies came in pieces at once are created as sent, and only once."""
    for creation in creations_in_pieces:
        expect(creation.upload, success(), of="BUS-CHG-01")
    for creation in creations_in_pieces:
        created = precondition(creation.upload, has("id"))
        for rule, name in (("BUS-CHG-57", "description"), ("BUS-CHG-58", "external_ref")):
            expect(created, field(name, created.request.json_object[name]), of=rule)
        expect(creation.again, success(), field("id", created.at("id")), of="BUS-IDEM-01")


@deferred(AT_THE_END)
@requirement("BUS-CHG-64")
def test_a_charge_whose_creation_is_cut_is_found_at_the_end(
    business: Business, lost_creations: LostCreations
) -> Iterator[None]:
    """A charge whose creation was cut and sent again with its key is found by its id at the end of the run."""
    lost = lost_creations.by_fault[NetworkFault.AFTER_REQUEST]
    again = lost.again
    yield
    wait_for_late_effects(business.sender.waits, lost.cut)
    if not again.ok:
        raise NotApplicable(f"the key is refused while the request that was cut is executed ({again.evidence})")
    expect(business.get_charge(id_of(precondition(again, has("id")))), success(), field("id", again.at("id")))


@deferred(AT_THE_END)
@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        case("BUS-STATE-03", "business_cut_payment", "paid", id="payment"),
        case("BUS-STATE-04", "cut_cancel", "canceled", id="cancel"),
    ],
)
def test_a_change_whose_request_is_cut_is_not_undone(
    request: pytest.FixtureRequest, business: Business, change: str, wanted: str
) -> Iterator[None]:
    """Once a query shows that a cut payment or cancel had its effect, each later one does, also at the end."""
    done: CutChange = request.getfixturevalue(change)
    yield
    wait_for_late_effects(business.sender.waits, done.cut)
    precondition(done.query, field("status", wanted))
    last = precondition(business.get_charge(done.charge.id), has("status"))
    expect(last, field("status", wanted))


@deferred(0)
@requirement("BUS-EVT-01", "BUS-IDEM-08")
def test_a_charge_whose_creation_is_cut_sends_one_event(
    business_events: BusinessEvents, lost_creations: LostCreations
) -> Iterator[None]:
    """POST of a charge that is cut and sent again with its key sends business.pix.created, once."""
    lost, endpoint = lost_creations.by_fault[NetworkFault.AFTER_REQUEST], business_events.endpoint
    yield
    if not lost.again.ok:
        raise NotApplicable(f"the key is refused while the request that was cut is executed ({lost.again.evidence})")
    charge = ReportedCharge(precondition(lost.again, has("id")), has_own_amount=False)
    expect(lost.cut, sends(CREATED, to=endpoint, about=charge), of="BUS-EVT-01")
    expect(lost.cut, sends_no_second(CREATED, to=endpoint, about=charge), of="BUS-IDEM-08")


@requirement("BUS-PAY-26", "BUS-STATE-11")
def test_a_charge_whose_payment_is_cut_is_paid_once(business_cut_payment: CutPayment) -> None:
    """A charge whose payment is cut and sent again is paid, and available_cents does not rise twice."""
    expect(business_cut_payment.query, field("status", "paid"), of="BUS-PAY-26")
    expect(
        business_cut_payment.after,
        credited_at_most_once(business_cut_payment.charge.amount, business_cut_payment.before),
        of="BUS-STATE-11",
    )


@requirement("BUS-PAY-15")
def test_a_payment_that_is_cut_is_posted(business: Business, business_cut_payment: CutPayment) -> None:
    """The ledger has a posting of a payment that was cut and sent again, if it has that of a later one."""
    precondition(business_cut_payment.query, field("status", "paid"))
    cents, before, finance = business_cut_payment.charge.amount, business_cut_payment.before, business_cut_payment.after
    if has_more(finance, cents, before):
        expect(finance, shows_new_posting(cents, before))
    else:
        later = pay_later(business)
        finance = ledger_after(later, business, cents, before)
        expect(finance, posted_no_later_than(later.cents, later.before, cents, before))


@deferred(AT_THE_END)
@requirement("BUS-STATE-03")
def test_a_cut_payment_that_was_shown_is_still_shown_at_the_end(
    business: Business, unrepeated_business_payment: UnrepeatedPayment
) -> Iterator[None]:
    """Once a query shows a cut payment as done, each later one does, though it is not sent again."""
    done = unrepeated_business_payment
    yield
    shows = [query for query in done.queries if query.ok and query.at("status") == "paid"]
    if not shows:
        raise NotApplicable(f"the request that was cut had no effect ({done.cut.evidence})")
    wait_for_late_effects(business.sender.waits, done.cut)
    last = precondition(business.get_charge(id_of(done.created)), has("status"))
    for query in (query for query in (*done.queries, last) if query.ok and query.started > shows[0].ended):
        expect(query, field("status", "paid"))


@requirement("BUS-CAN-16")
def test_a_charge_whose_cancel_is_cut_is_canceled(cut_cancel: CutChange) -> None:
    """A charge whose cancel is cut and sent again is canceled."""
    expect(cut_cancel.query, field("status", "canceled"))


@deferred(0)
@pytest.mark.parametrize(
    ("change", "state", "event"),
    [
        case(("BUS-EVT-02", "BUS-EVT-28"), "business_cut_payment", "paid", PAID, id="payment"),
        case(("BUS-EVT-03", "BUS-EVT-28"), "cut_cancel", "canceled", CANCELED, id="cancel"),
    ],
)
def test_a_change_whose_request_is_cut_sends_one_event(
    request: pytest.FixtureRequest, business_events: BusinessEvents, change: str, state: str, event: str
) -> Iterator[None]:
    """A payment or a cancel that is cut and sent again sends its event, once."""
    done: CutChange = request.getfixturevalue(change)
    yield
    precondition(done.query, field("status", state))
    endpoint, due = business_events.endpoint, "BUS-EVT-02" if event == PAID else "BUS-EVT-03"
    expect(done.cut, sends(event, to=endpoint, about=done.charge), of=due)
    expect(done.cut, sends_no_second(event, to=endpoint, about=done.charge), of="BUS-EVT-28")
