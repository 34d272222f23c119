"""What the document leaves open about charges: recorded, never judged."""

from typing import Any

import pytest

from fixtures.business.bodies import a_charge, a_full_charge, fresh_key
from fixtures.business.charges import a_canceled, a_paid, a_pending, creating, documented, id_of, plain_charge, shown_as
from fixtures.business.descriptions import describe_echo, describe_status, headers_seen, listed_as, refusals_for_rate
from fixtures.business.expiry import EXPIRED_AFTER_S
from fixtures.business.lists import status_in
from pix_conformance.checks.matchers import computed, field
from pix_conformance.checks.passive import server_error
from pix_conformance.harness.clients.business import CHARGES, Business
from pix_conformance.harness.clients.client import NO_AUTHORIZATION, Authorization
from pix_conformance.harness.deferred import deferred, prepare
from pix_conformance.harness.expect import Observer, expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import shown

PAYOUTS = "/v1/business/payouts"
OPTIONAL = ("description", "external_ref", "customer_email")
EXPIRED_AT, LISTED_AT = 62, EXPIRED_AFTER_S + 0.5
"""When a charge of 60 s has expired; and when a list may find that, after all that must be the first to find it."""


@prepare("business")
def unnoticed(business: Business) -> Exchange:
    """Make a charge whose expiry nobody will have noticed."""
    return a_pending(business, expires_in_seconds=60)


@prepare("business")
def unqueried(business: Business) -> Exchange:
    """Make a charge that is listed, never queried."""
    return a_pending(business, expires_in_seconds=60)


@prepare("other_business")
def unqueried_elsewhere(other_business: Business) -> Exchange:
    """Make such a charge on the account that has few of them."""
    return a_pending(other_business, expires_in_seconds=60)


@prepare("business")
def expiring(business: Business) -> Exchange:
    """Make a charge that will be paid too late."""
    return a_pending(business, expires_in_seconds=60)


@requirement("BUS-GEN-04")
@deferred()
def test_limits_of_rate(business: Business, observe: Observer) -> None:
    """Refusals for rate and headers about it, in all answers of the run."""
    business.list_charges()
    refusals, headers = refusals_for_rate(business), headers_seen(business, "ratelimit", "rate-limit", "retry-after")
    words = f"{refusals} answers were 429; headers about rate: {', '.join(headers) or 'none'}"
    observe("BUS-GEN-04", words, {"refusals": refusals, "headers": headers})


@requirement("BUS-GEN-05")
@pytest.mark.parametrize("operation", ["get_charge", "get_finance"])
def test_members_beyond_the_tables(business: Business, operation: str, observe: Observer) -> None:
    """Of the charge and of the balance answer."""
    charge = plain_charge(business)
    answer = precondition(business.get_finance() if operation == "get_finance" else business.get_charge(id_of(charge)))
    extra = sorted(set(answer.json) - set(documented(operation)))
    observe("BUS-GEN-05", f"{operation} has beyond the table: {', '.join(extra) or 'nothing'}", extra, answer)


@requirement("BUS-GEN-06")
@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/business/nowhere"), ("DELETE", CHARGES)])
def test_unknown_paths_and_methods(business: Business, method: str, path: str, observe: Observer) -> None:
    """Under the version of the API, with a key that is valid."""
    answer = business.call(method, path)
    observe("BUS-GEN-06", f"{method} {path}: {describe_status(answer)}", answer.status, answer)


@requirement("BUS-GEN-08")
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_payouts(business: Business, method: str, observe: Observer) -> None:
    """The reserved path, asked with the sandbox key."""
    more: dict[str, Any] = {"json": {"amount_cents": 1}} if method == "POST" else {}
    answer = business.call(method, PAYOUTS, headers={"idempotency-key": fresh_key()}, **more)
    observe("BUS-GEN-08", f"{method} {PAYOUTS}: {describe_status(answer)}", answer.status, answer)


@requirement("BUS-AUTH-15")
def test_the_scheme_in_lower_case(business: Business, observe: Observer) -> None:
    """The key is valid."""
    authorization = Authorization(f"bearer {business.key.reveal()}", "bearer, in lower case, with the key")
    answer = business.list_charges(authorization=authorization)
    observe("BUS-AUTH-15", f"bearer in lower case: {answer.status}", answer.status, answer)


@requirement("BUS-AUTH-16")
def test_two_mistakes_of_which_one_is_the_key(business: Business, observe: Observer) -> None:
    """An invalid body, and a charge that does not exist, both without a key."""
    invalid = business.create_charge({"amount_cents": 0}, authorization=NO_AUTHORIZATION)
    unknown = business.get_charge("nothing", authorization=NO_AUTHORIZATION)
    words = f"without a key: {invalid.status} for an invalid body, {unknown.status} for an unknown charge"
    observe("BUS-AUTH-16", words, [invalid.status, unknown.status], invalid, unknown)


@requirement("BUS-CHG-02", "BUS-CHG-60", "BUS-CHG-61")
def test_a_creation(business: Business, observe: Observer) -> None:
    """Its status, and what it shows of that which was not given or is not yet known."""
    answer = precondition(creating(business, {"amount_cents": 1050}))
    absent = {name: shown(answer.at(name)) for name in OPTIONAL}
    observe("BUS-CHG-02", f"a creation answers {answer.status}", answer.status, answer)
    observe("BUS-CHG-60", f"what was not given: {listed_as(absent)}", absent, answer)
    observe("BUS-CHG-61", f"e2e_id before payment: {shown(answer.at('e2e_id'))}", shown(answer.at("e2e_id")), answer)


@pytest.mark.parametrize(
    ("one", "change"),
    [
        pytest.param(one, change, marks=requirement(one), id="-".join(f"{k}-{what}" for k in change))
        for one, change, what in (
            ("BUS-CHG-11", {"amount_cents": 100.0}, "whole-float"),
            ("BUS-CHG-11", {"expires_in_seconds": 600.0}, "whole-float"),
            ("BUS-CHG-12", {"amount_cents": 2**53 + 1}, "huge"),
            ("BUS-CHG-36", {"description": None}, "null"),
            ("BUS-CHG-36", {"external_ref": None}, "null"),
            ("BUS-CHG-36", {"customer_email": None}, "null"),
            ("BUS-CHG-36", {"expires_in_seconds": None}, "null"),
            ("BUS-CHG-39", {"description": ""}, "empty"),
            ("BUS-CHG-39", {"external_ref": ""}, "empty"),
            ("BUS-CHG-39", {"customer_email": ""}, "empty"),
        )
    ],
)
def test_values_that_may_be_refused(business: Business, one: str, change: dict[str, Any], observe: Observer) -> None:
    """Everything else is plain."""
    answer = creating(business, a_full_charge(**change))
    back = {name: shown(answer.at(name)) for name in change} if answer.ok else {}
    observe(one, describe_echo(change, answer, back), {"status": answer.status, **back}, answer)


@requirement("BUS-CHG-37", "BUS-STATE-01")
def test_members_that_no_creation_has(business: Business, observe: Observer) -> None:
    """One that nobody knows, and two that the service alone gives: if it takes such a body, it gives them itself."""
    change = {"unheard_of": 1, "status": "paid", "expires_at": "2001-01-01T00:00:00Z"}
    answer = creating(business, a_full_charge(**change))
    back = {name: shown(answer.at(name)) for name in change} if answer.ok else {}
    observe("BUS-CHG-37", describe_echo(change, answer, back), {"status": answer.status, **back}, answer)
    if not answer.ok:
        raise not_applicable(f"members that no creation has are answered with {answer.status}")
    expect(answer, field("status", "pending"), of="BUS-STATE-01")


@requirement("BUS-CHG-38")
def test_the_same_member_twice(business: Business, observe: Observer) -> None:
    """Two amounts, of which one at most can be taken."""
    answer = creating(business, ..., content=b'{"amount_cents": 1051, "amount_cents": 1052}')
    taken = shown(answer.at("amount_cents"))
    observe("BUS-CHG-38", f"amounts 1051 and 1052: {answer.status}, taken: {taken}", taken, answer)


@requirement("BUS-CHG-42")
def test_another_media_type(business: Business, observe: Observer) -> None:
    """The body is JSON, the header says text."""
    answer = creating(business, a_charge(), headers={"content-type": "text/plain"})
    observe("BUS-CHG-42", f"a valid body as text/plain: {answer.status}", answer.status, answer)


@requirement("BUS-LIST-12")
def test_the_envelope_of_the_list(business: Business, observe: Observer) -> None:
    """An array or an object, and its members."""
    answer = precondition(business.list_charges())
    kind = f"an object with {', '.join(sorted(answer.json))}" if isinstance(answer.json, dict) else "an array"
    observe("BUS-LIST-12", f"the list is {kind}", kind, answer)


@requirement("BUS-LIST-13", "BUS-LIST-16")
@pytest.mark.parametrize("value", ["refunded", "PENDING", ""], ids=["unknown", "capitals", "empty"])
def test_a_status_that_is_none_of_the_four(business: Business, value: str, observe: Observer) -> None:
    """As the filter of the list, of a service that makes charges."""
    plain_charge(business)
    answer = business.list_charges(value)
    expect(answer, computed("it is no server error", server_error(answer)), of="BUS-LIST-16")
    words = f"status={value}: {describe_status(answer)}"
    observe("BUS-LIST-13", words, {"status": answer.status, "bytes": len(answer.body)}, answer)


@requirement("BUS-CAN-03")
def test_the_answer_to_a_cancel(business: Business, observe: Observer) -> None:
    """Its status and members."""
    answer = business.cancel_charge(id_of(a_pending(business)))
    observe("BUS-CAN-03", f"a cancel answers {describe_status(answer)}", answer.status, answer)


@requirement("BUS-CAN-09")
def test_a_body_sent_with_a_cancel(business: Business, observe: Observer) -> None:
    """An object, where none is asked for."""
    answer = business.cancel_charge(id_of(a_pending(business)), json={"reason": "none"})
    observe("BUS-CAN-09", f"a cancel with a body: {answer.status}", answer.status, answer)


@requirement("BUS-PAY-03")
def test_the_answer_to_a_payment(business: Business, observe: Observer) -> None:
    """Its status and members."""
    answer = business.pay_charge(id_of(a_pending(business)))
    observe("BUS-PAY-03", f"a payment answers {describe_status(answer)}", answer.status, answer)


@requirement("BUS-PAY-04")
def test_a_body_sent_with_a_payment(business: Business, observe: Observer) -> None:
    """An object, where none is asked for."""
    answer = business.pay_charge(id_of(a_pending(business)), json={"amount_cents": 1})
    observe("BUS-PAY-04", f"a payment with a body: {answer.status}", answer.status, answer)


@requirement("BUS-PAY-05")
def test_a_second_payment(business: Business, observe: Observer) -> None:
    """Of a charge that a query showed as paid."""
    answer = business.pay_charge(id_of(a_paid(business)))
    observe("BUS-PAY-05", f"paying a paid charge: {describe_status(answer)}", answer.status, answer)


@requirement("BUS-PAY-06")
def test_a_payment_after_the_cancel(business: Business, observe: Observer) -> None:
    """Of a charge that a query showed as canceled."""
    answer = business.pay_charge(id_of(a_canceled(business)))
    observe("BUS-PAY-06", f"paying a canceled charge: {describe_status(answer)}", answer.status, answer)


@requirement("BUS-CAN-07")
@deferred(EXPIRED_AT)
def test_a_cancel_before_anybody_noticed_the_expiry(business: Business, observe: Observer) -> None:
    """Nobody has queried the charge or tried to pay it."""
    charge_id = id_of(unnoticed.after_age(EXPIRED_AT))
    answer = business.cancel_charge(charge_id)
    after = business.get_charge(charge_id)
    words = f"canceled two seconds after expires_at: {answer.status}, then {shown(after.at('status'))}"
    observe("BUS-CAN-07", words, [answer.status, shown(after.at("status"))], answer, after)


@requirement("BUS-LIST-14")
@pytest.mark.parametrize("account", ["business", "other_business"])
@deferred(LISTED_AT)
def test_a_listing_after_the_expiry(request: pytest.FixtureRequest, account: str, observe: Observer) -> None:
    """Of charges that nobody has queried; the second account has few, so that none is crowded out."""
    client: Business = request.getfixturevalue(account)
    charge = (unqueried if account == "business" else unqueried_elsewhere).after_age(LISTED_AT)
    status, listings = status_in(client, charge)
    observe("BUS-LIST-14", f"listed after expires_at, not queried: {status} ({account})", status, *listings)


@requirement("BUS-PAY-07")
@deferred(EXPIRED_AT)
def test_a_payment_after_the_expiry(business: Business, observe: Observer) -> None:
    """Of a charge that a query showed as expired."""
    charge = shown_as(business, expiring.after_age(EXPIRED_AT), "expired")
    answer = business.pay_charge(id_of(charge))
    observe("BUS-PAY-07", f"paying an expired charge: {describe_status(answer)}", answer.status, answer)


@requirement("BUS-VER-02")
@deferred()
def test_the_end_of_the_version(business: Business, observe: Observer) -> None:
    """Headers that announce it, in all answers of the run."""
    business.list_charges()
    headers = headers_seen(business, "deprecation", "sunset")
    observe("BUS-VER-02", f"headers about the end of the version: {', '.join(headers) or 'none'}", headers)
