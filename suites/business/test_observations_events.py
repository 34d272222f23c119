"""What events carry and follow where the document leaves it open (business.md, lines 81, 145-153)."""

from fixtures.business.bodies import a_charge, fresh_key
from fixtures.business.events import BusinessEvents, describe_field
from pix_conformance.checks.business.event_history import CANCELED, CREATED
from pix_conformance.checks.matchers import field, has
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import Observer, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import at

LIFE = 60


@prepare("business")
def a_short_charge(business: Business) -> Exchange:
    """A charge that expires after the shortest life."""
    return precondition(business.create_charge(a_charge(expires_in_seconds=LIFE), key=fresh_key()), has("id"))


@requirement("BUS-EVT-15")
def test_the_end_to_end_id_without_a_payment(business_events: BusinessEvents, observe: Observer) -> None:
    """Of a created and of a canceled event."""
    found = [business_events.expect_webhook_event(name).delivery for name in (CREATED, CANCELED)]
    seen = {
        name: describe_field(at(one.json, "data.e2e_id")) for name, one in zip((CREATED, CANCELED), found, strict=True)
    }
    words = ", ".join(f"{value} in {name}" for name, value in seen.items())
    observe("BUS-EVT-15", f"data.e2e_id is {words}", seen, *found)


@requirement("BUS-EVT-16")
def test_the_label_of_a_charge_without_one(business_events: BusinessEvents, observe: Observer) -> None:
    """Known by its amount."""
    one = business_events.expect_event(CREATED, business_events.charge_without_ref).delivery
    found = describe_field(at(one.json, "data.external_ref"))
    observe("BUS-EVT-16", f"data.external_ref is {found}", found, one)


@deferred(LIFE + 2)
@requirement("BUS-EVT-17")
def test_whether_an_expiry_sends_an_event(
    business_events: BusinessEvents, business: Business, observe: Observer
) -> None:
    """The query detects it."""
    charge = a_short_charge.after_age(LIFE + 2)
    query = precondition(business.get_charge(charge.at("id")), field("status", "expired"))
    found = business_events.deliveries_after(query, charge.at("external_ref"))
    names = ", ".join(sorted({str(at(one.json, "type")) for one in found})) or "no event"
    observe("BUS-EVT-17", f"the detection of an expiry was followed by {names}", names, query, *found)


@deferred(0)
@requirement("BUS-EVT-22")
def test_members_beyond_those_named(business_events: BusinessEvents, observe: Observer) -> None:
    """Of every event that came so far."""
    found = business_events.undocumented_fields()
    observe("BUS-EVT-22", f"members beyond those named: {', '.join(found) or 'none'}", found)
