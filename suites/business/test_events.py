"""Events: what sends which, what is in them, and what sends none (business.md, lines 67, 78-81, 119, 130, 145-153)."""

import pytest

from fixtures.business.events import BusinessEvents, date_off_by_hours, date_problem
from pix_conformance.checks.business.event_history import CANCELED, CREATED, PAID
from pix_conformance.checks.events import require_field
from pix_conformance.checks.matchers import computed, field, has
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect, inconclusive, not_applicable, precondition
from pix_conformance.harness.requirement import case, requirement
from pix_conformance.model.subject import at

EVENTS = [CREATED, PAID, CANCELED]


@pytest.mark.parametrize(
    "name",
    [
        case("BUS-EVT-01", CREATED, id=CREATED),
        case("BUS-EVT-02", PAID, id=PAID),
        case("BUS-EVT-03", CANCELED, id=CANCELED),
    ],
)
def test_a_change_of_state_is_announced(business_events: BusinessEvents, name: str) -> None:
    """The endpoint hears of it."""
    expect(*business_events.expect_webhook_event(name).check)


@requirement("BUS-EVT-03")
def test_the_cancel_of_a_charge_that_was_queried_is_announced(business_events: BusinessEvents) -> None:
    """Looking at a charge takes nothing from it."""
    expect(*business_events.expect_event(CANCELED, business_events.canceled_charge_with_special_ref).check)


@requirement("BUS-EVT-01")
def test_a_charge_without_a_label_is_announced(business_events: BusinessEvents) -> None:
    """Known by its amount, where amounts are right at all."""
    charge = business_events.charge_of_event(CREATED)
    if at(business_events.expect_webhook_event(CREATED).delivery.json, "data.amount_cents") != charge.amount:
        raise inconclusive("not tested: the amounts of events tell no charge")
    expect(*business_events.expect_event(CREATED, business_events.charge_without_ref).check)


@requirement("BUS-EVT-11")
@pytest.mark.parametrize("name", EVENTS)
def test_the_label_of_a_labeled_charge_is_there(business_events: BusinessEvents, name: str) -> None:
    """A string, whatever it says."""
    expect(
        require_field(business_events.expect_webhook_event(name).delivery, "data", "object"),
        has("data.external_ref", "string"),
    )


@requirement("BUS-EVT-12")
@pytest.mark.parametrize("name", EVENTS)
def test_the_amount_is_that_of_the_charge(business_events: BusinessEvents, name: str) -> None:
    """In cents, whatever happened to the charge."""
    charge = business_events.charge_of_event(name)
    heard = require_field(business_events.expect_webhook_event(name).delivery, "data.amount_cents", "integer")
    expect(heard, field("data.amount_cents", charge.amount))


@requirement("BUS-EVT-13")
@pytest.mark.parametrize("name", EVENTS)
def test_the_label_is_that_of_the_charge(business_events: BusinessEvents, name: str) -> None:
    """The receiver credits by it."""
    charge = business_events.charge_of_event(name)
    heard = require_field(business_events.expect_webhook_event(name).delivery, "data.external_ref", "string")
    expect(heard, field("data.external_ref", charge.external_ref))


@requirement("BUS-EVT-13")
@pytest.mark.parametrize("name", EVENTS)
def test_a_label_with_signs_of_other_syntaxes_is_unchanged(business_events: BusinessEvents, name: str) -> None:
    """Letters beyond ASCII, quotes, slashes of both kinds, blanks, and what HTML and URLs escape."""
    charge = (
        business_events.canceled_charge_with_special_ref
        if name == CANCELED
        else business_events.charge_with_special_ref
    )
    cause = business_events.payment_with_special_ref if name == PAID else None
    heard = require_field(business_events.expect_event(name, charge, cause).delivery, "data.external_ref", "string")
    expect(heard, field("data.external_ref", charge.external_ref))


@requirement("BUS-EVT-14")
def test_the_end_to_end_id_is_that_of_the_charge(business_events: BusinessEvents) -> None:
    """As the query of the paid charge shows it."""
    heard = require_field(business_events.expect_webhook_event(PAID).delivery, "data.e2e_id", "string")
    query = precondition(business_events.business.get_charge(business_events.paid.id), has("e2e_id", "string"))
    expect(heard, field("data.e2e_id", query.at("e2e_id")))


@requirement("BUS-EVT-21")
@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_dated_within_the_life_of_its_charge(business_events: BusinessEvents, name: str) -> None:
    """Its created_at is a timestamp in UTC, of the present."""
    heard = business_events.expect_webhook_event(name).delivery
    wrong = date_problem(heard, business_events.charge_of_event(name))
    expect(heard, computed("created_at is the present time", wrong))


@requirement("BUS-EVT-26")
@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_not_dated_hours_off(business_events: BusinessEvents, name: str) -> None:
    """Local time with the Z of UTC is."""
    heard = business_events.expect_webhook_event(name).delivery
    expect(
        heard,
        computed(
            "created_at is a moment of the charge's life",
            date_off_by_hours(heard, business_events.charge_of_event(name)),
        ),
    )


@requirement("BUS-EVT-18")
def test_different_events_have_different_ids(business_events: BusinessEvents) -> None:
    """Three kinds of event, two charges."""
    found = [business_events.expect_webhook_event(name).delivery for name in EVENTS]
    found.append(business_events.expect_event(CREATED, business_events.charge_with_special_ref).delivery)
    ids = [require_field(require_field(one, "data.external_ref", "string"), "id", "string").json["id"] for one in found]
    problem = None if len(set(ids)) == len(ids) else f"{len(ids)} events have the ids {', '.join(sorted(set(ids)))}"
    expect(found[-1], computed("each event has an id of its own", problem))


@deferred(0)
@requirement("BUS-EVT-19")
@pytest.mark.parametrize(
    "part", ["refused_creation", "refused_ref", "conflict", "refused_cancel", "second_cancel", "foreign_cancel"]
)
def test_a_refused_operation_sends_no_event(business_events: BusinessEvents, part: str) -> None:
    """Nothing changed its state."""
    expect(*business_events.after_quiet_period(part).check)


@deferred(0)
@requirement("BUS-EVT-19")
@pytest.mark.parametrize("part", ["second_pay", "refused_pay"])
def test_a_payment_sends_no_event_where_it_was_refused(business_events: BusinessEvents, part: str) -> None:
    """That it is refused at all is not promised."""
    unwanted = business_events.after_quiet_period(part)
    if unwanted.cause.ok:
        raise not_applicable("a payment of a charge that is not pending was not refused")
    expect(*unwanted.check)


@deferred(0)
@requirement("BUS-IDEM-08")
def test_a_repeated_creation_sends_no_event_of_its_own(business_events: BusinessEvents) -> None:
    """The first event may come twice, but there is no second one with another id."""
    expect(*business_events.after_quiet_period("repeated").check)


@deferred(0)
@pytest.mark.parametrize(
    "part",
    [
        pytest.param("simultaneous_payments", marks=requirement("BUS-STATE-06"), id="at-once"),
        pytest.param("second_pay", marks=requirement("BUS-STATE-08"), id="one-after-the-other"),
    ],
)
def test_several_payments_of_one_charge_send_one_event(business_event_scenario: BusinessEvents, part: str) -> None:
    """Where events can be seen, they show how often an amount was captured."""
    if (why := business_event_scenario.channel.unavailable_reason()) is not None:
        raise not_applicable(f"the effect by events: {why}")
    expect(*business_event_scenario.completed_scenario.after_quiet_period(part).check)
