"""POST of a charge: accepted, refused without effect, repeated with another key."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *


@quick
@requirement("BUS-CHG-01")
@pytest.mark.parametrize("body", [a_charge, a_full_charge], ids=["amount-and-external_ref", "every-field"])
def test_a_valid_creation_returns_the_charge(business: Business, body: Callable[[], dict[str, Any]]) -> None:
    """POST of a valid body returns a 2xx with the id and the status of the charge."""
    expect(business.create_charge(body(), key=fresh_key()), success(), has("id"), has("status"))


@requirement("BUS-CHG-01")
@pytest.mark.fewer_examples
@given(request=fuzzed(Api.BUSINESS, "create_charge", "positive"))
def test_random_valid_creations_succeed(business: Business, request: Generated) -> None:
    """POST succeeds with any combination of fields within the limits of the OpenAPI schema."""
    expect(send_valid_case(business, request), success(), has("id"))


@requirement("BUS-CHG-02", "BUS-CHG-60", "BUS-CHG-61")
def test_the_answer_to_a_minimal_creation_is_noted(business: Business, observe: Observer) -> None:
    """POST of an amount alone shows the 2xx status, and what optional fields and e2e_id are without a value."""
    answer = precondition(business.create_charge({"amount_cents": 1050}, key=fresh_key()))
    absent = {name: shown(answer.at(name)) for name in ("description", "external_ref", "customer_email")}
    observe("BUS-CHG-02", f"a creation answers {answer.status}", answer.status, answer)
    observe("BUS-CHG-60", f"what was not given: {listed_as(absent)}", absent, answer)
    observe("BUS-CHG-61", f"e2e_id before payment: {shown(answer.at('e2e_id'))}", shown(answer.at("e2e_id")), answer)


@requirement("BUS-CHG-37", "BUS-STATE-01")
def test_further_members_of_a_creation_do_not_set_the_status(business: Business, observe: Observer) -> None:
    """A body with an unknown member, a status and an expires_at may be refused; if not, the charge is pending."""
    change = {"unheard_of": 1, "status": "paid", "expires_at": "2001-01-01T00:00:00Z"}
    answer = business.create_charge(a_full_charge(**change), key=fresh_key())
    back = {name: shown(answer.at(name)) for name in change} if answer.ok else {}
    observe("BUS-CHG-37", describe_echo(change, answer, back), {"status": answer.status, **back}, answer)
    if not answer.ok:
        raise NotApplicable(f"members that no creation has are answered with {answer.status}")
    expect(answer, field("status", "pending"), of="BUS-STATE-01")


@requirement("BUS-CHG-38")
def test_the_answer_to_a_repeated_member_is_noted(business: Business, observe: Observer) -> None:
    """A body with amount_cents 1051 and 1052 may be refused, or one of the two is taken."""
    body = b'{"amount_cents": 1051, "amount_cents": 1052}'
    answer = business.create_charge(..., content=body, key=fresh_key())
    taken = shown(answer.at("amount_cents"))
    observe("BUS-CHG-38", f"amounts 1051 and 1052: {answer.status}, taken: {taken}", taken, answer)


@requirement("BUS-CHG-42")
def test_the_answer_to_another_media_type_is_noted(business: Business, observe: Observer) -> None:
    """POST of a valid JSON body with Content-Type text/plain may be accepted or refused."""
    answer = business.create_charge(a_charge(), key=fresh_key(), headers={"content-type": "text/plain"})
    observe("BUS-CHG-42", f"a valid body as text/plain: {answer.status}", answer.status, answer)


@requirement("BUS-CHG-43")
def test_a_refused_creation_creates_no_charge(business: Business) -> None:
    """The list has no charge of the external_refs that were sent with creations refused with 422."""
    earlier = create_pending_charge(business)
    invalid: list[dict[str, Any]] = [
        {"amount_cents": 0},
        {"description": ascii_text(limit(Api.BUSINESS, "create_charge", "description", "maxLength") + 1)},
        {"expires_in_seconds": LONGEST_LIFETIME_S + 1},
    ]
    bodies = [a_charge(**fields, external_ref=fresh_ref()) for fields in invalid]
    answers = [business.create_charge(body, key=fresh_key()) for body in bodies]
    refused = [body["external_ref"] for body, answer in zip(bodies, answers, strict=True) if answer.status == 422]
    if not refused:
        raise Inconclusive("no invalid creation was refused")
    listing, queries = list_with_refs(business, back_to=earlier)
    expect(listing, holds_no_ref(refused, back_to=earlier, queries=queries))


@requirement("BUS-CHG-44")
@pytest.mark.parametrize("state", ["paid", "canceled"])
def test_the_external_ref_of_a_paid_or_canceled_charge_creates_a_pending_one(
    business: Business, charge_in: ChargeIn, state: str
) -> None:
    """A body sent again with another key, after its charge was paid or canceled, creates a pending charge."""
    first = charge_in(state).creation
    second = business.create_charge(first.request.json_object, key=fresh_key())
    expect(second, success(), not_field("id", first.at("id")), field("status", "pending"))


@requirement("BUS-CHG-44")
def test_charges_of_one_external_ref_are_created_and_changed_each_for_itself(business: Business) -> None:
    """A body sent thrice, each time with another key, creates three charges; the first stays when others change."""
    body = a_charge()
    first = precondition(business.create_charge(body, key=fresh_key()), has("id"))
    second, third = (business.create_charge(body, key=fresh_key()) for _ in range(2))
    expect(second, success(), has("id"), not_field("id", first.at("id")))
    listing = list_charges_until_shown(business, second, until=holds_charge(first))
    require_decision(business.pay_charge(id_of(second)))
    require_decision(business.cancel_charge(id_of(precondition(third, has("id")))))
    expect(precondition(business.get_charge(id_of(first)), has("status", "string")), field("status", "pending"))
    precondition(listing, holds_charge(second))
    expect(listing, holds_charge(first))


@requirement("BUS-CHG-44")
def test_keys_that_are_nearly_the_same_create_two_charges(business: Business) -> None:
    """Two keys, the longest that is accepted, that differ in the case of their last letter create two charges."""
    body = a_charge()
    for start in (f"{fresh_key()}-".ljust(length, "0") for length in (254, 37)):
        first = business.create_charge(body, key=f"{start}a")
        if first.ok:
            break
    else:
        raise NotApplicable(f"a key of {len(start) + 1} characters is answered with {first.status}")
    second = business.create_charge(body, key=f"{start}A")
    expect(second, success(), has("id"), not_field("id", first.at("id")))


@requirement("BUS-CHG-63")
def test_every_charge_has_an_id_of_its_own(
    business: Business, charges_by_amount: dict[int, tuple[Exchange, Exchange]]
) -> None:
    """Charges that are created one after the other, or with one external_ref, have different ids."""
    others = [creation for creation, _ in charges_by_amount.values()]
    last = create_pending_charge(business, external_ref=others[0].at("external_ref"))
    expect(last, has_its_own("id", others))
