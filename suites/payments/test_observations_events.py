"""What events do where the document leaves it open (payments.md, lines 206, 316-361)."""

from fixtures.payments.account import account
from fixtures.payments.events import (
    PaymentsEvents,
    describe_arrival,
    describe_value,
    distinct_values,
    seconds_after_first,
)
from pix_conformance.checks.payments.signatures import read
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import Observer, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.events import event_of
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import Api
from pix_conformance.oracles.signature import parse, verify

HEADER = "Service-Signature"


@deferred(0)
@requirement("PAY-EVT-10")
def test_what_a_payment_and_a_completion_send_besides(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Both are updates to another status."""
    payments_events.channel.wait_quiet_period()
    found = {one.kind: payments_events.events_of(one) for one in payments_events.ended_sources}
    words = "; ".join(f"of one {kind}: {', '.join(sent) or 'nothing'}" for kind, sent in found.items())
    observe("PAY-EVT-10", words, found)


@deferred(0)
@requirement("PAY-EVT-14")
def test_whether_a_postback_address_hears_of_the_creation(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Two sentences differ on what is sent to the postbackUrl of a charge."""
    payments_events.channel.wait_quiet_period()
    found = payments_events.postbacks_of("transaction_created")
    observe("PAY-EVT-14", f"transaction_created {describe_arrival(found)} to the postbackUrl", bool(found), *found[:1])


@deferred(0)
@requirement("PAY-EVT-91")
def test_what_pix_holds_before_a_payment(payments_events: PaymentsEvents, observe: Observer) -> None:
    """The payload of transaction_created has the fields of a payment that has not happened."""
    quiet = payments_events.charge_without_postback
    one = payments_events.expect_event(
        "transaction_created", quiet, quiet.created, *payments_events.webhooks_for_creations
    ).delivery
    names = ("endToEndId", "payerInfo.name", "payerInfo.document")
    found = {name: describe_value(at(one.json, f"transaction.pix.{name}")) for name in names}
    words = ", ".join(f"{name} is {kind}" for name, kind in found.items())
    observe("PAY-EVT-91", f"transaction.pix before the payment: {words}", found, one)


@deferred(0)
@requirement("PAY-EVT-20")
def test_whether_a_failed_event_is_sent_again(payments_events: PaymentsEvents, observe: Observer) -> None:
    """The paid event of one charge was answered 500 twice."""
    found = payments_events.attempts
    words = (
        f"answered 500, the event came {len(found)} times, after {', '.join(map(str, seconds_after_first(found)))} s"
    )
    observe("PAY-EVT-20", words, seconds_after_first(found), *found)


@deferred(0)
@requirement("PAY-EVT-23")
def test_the_order_in_which_events_arrive(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Of one charge, at one webhook."""
    found = payments_events.at_webhook_for_all_events(payments_events.charge)
    names = [event_of(one, Api.PAYMENTS) for one in found]
    observe("PAY-EVT-23", f"the events of one charge arrived as {', '.join(map(str, names))}", names, *found)


@deferred(0)
@requirement("PAY-EVT-58")
def test_what_the_scope_says(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Of all events of the story."""
    found = distinct_values(payments_events.deliveries_with_event, "scope")
    observe("PAY-EVT-58", f"scope is {', '.join(found)}", found)


@deferred(0)
@requirement("PAY-EVT-59")
def test_whether_the_id_is_the_own_one_of_the_event(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Compared over the events of one charge."""
    found = payments_events.at_webhook_for_all_events(payments_events.charge)
    ids = distinct_values(found, "id")
    own = "the id of the charge" if ids == [payments_events.charge.id] else f"{len(ids)} different ids"
    observe("PAY-EVT-59", f"{len(found)} deliveries about one charge carry {own}", ids, *found)


@deferred(0)
@requirement("PAY-EVT-90")
def test_what_status_an_infraction_shows(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Only where one comes by itself, or was recorded elsewhere."""
    found = payments_events.deliveries_of("infraction")
    if not found:
        raise not_applicable("no infraction event was seen, and no route opens one")
    observe("PAY-EVT-90", f"infraction.status is {', '.join(distinct_values(found, 'infraction.status'))}")


@deferred(0)
@requirement("PAY-SIG-06")
def test_in_what_the_timestamp_counts(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Seconds, milliseconds or a text."""
    _, one = payments_events.with_secret("transaction_paid")
    t = parse(one.header(HEADER)).t
    observe("PAY-SIG-06", f"t is {read(t)}", {"t": t, "received": one.received}, one)


@deferred(0)
@requirement("PAY-SIG-07")
def test_whether_events_to_a_postback_address_are_signed(payments_events: PaymentsEvents, observe: Observer) -> None:
    """No secret is known for it but those of webhooks."""
    one = payments_events.expect_postback("transaction_paid").delivery
    header, secrets = one.header(HEADER), payments_events.secrets
    fits = any(verify(header, one.body, secret) is None for secret in secrets)
    words = "not signed" if header is None else f"signed, with {'a' if fits else 'no'} secret of a webhook of this run"
    observe("PAY-SIG-07", f"an event to a postbackUrl is {words}", header is not None, one)


@deferred(0)
@requirement("PAY-SIG-08")
def test_whether_a_repeated_event_is_signed_anew(payments_events: PaymentsEvents, observe: Observer) -> None:
    """Of the event that was answered 500."""
    found = payments_events.attempts
    stamps = [parse(one.header(HEADER)).t for one in found]
    same = "the same in each" if len(set(stamps)) == 1 else "another in a later one"
    told = f"t of the attempts is {same}: {', '.join(stamps)}" if len(found) > 1 else "the event was not sent again"
    observe("PAY-SIG-08", told, stamps, *found)


@deferred(0)
@requirement("PAY-ENV-18")
def test_whether_events_cross_environments(
    payments_events: PaymentsEvents, live_payments: Payments, observe: Observer
) -> None:
    """The creation of a production charge is looked for at the webhooks of the sandbox."""
    made = payments_events.channel.expect_none_after(precondition(account(live_payments).minimum_charge))
    payments_events.channel.wait_quiet_period()
    found = [
        one for one in payments_events.deliveries_with_event if at(one.json, "transaction.id") == made.at("data.id")
    ]
    words = f"an event of a production charge {describe_arrival(found)} to a webhook of the sandbox"
    observe("PAY-ENV-18", words, bool(found), made, *found[:1])
