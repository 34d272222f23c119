"""Signatures of events; form, hash and age are judged on every delivery (business.md, lines 157-160)."""

from fixtures.expect import observe
from fixtures.requirement import requirement
from fixtures.stories.business_acts import CREATED
from fixtures.stories.business_events import BusinessEvents
from specs.formats.signature import parse, unit


@requirement("BUS-SIG-05")
def test_in_what_the_timestamp_counts(business_events: BusinessEvents) -> None:
    """An epoch, which the sample compares in seconds."""
    one = business_events.announced(CREATED).delivery
    t = parse(one.header("X-Service-Signature")).t
    observe("BUS-SIG-05", f"t counts {unit(t) or 'something else'}", {"t": t, "received": one.received}, one)
