"""What the document leaves open about keys and repetitions (business.md, lines 98, 126-132)."""

from __future__ import annotations

import pytest

from fixtures.business.bodies import a_charge, fresh_key
from fixtures.business.charges import id_of
from fixtures.business.idempotency import rewritten, with_empty_key
from pix_conformance.checks.matchers import has
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.expect import Observer, precondition
from pix_conformance.harness.requirement import requirement


@requirement("BUS-IDEM-10")
def test_the_same_body_written_otherwise(business: Business, observe: Observer) -> None:
    """Its members in another order, with other white space."""
    key, body = fresh_key(), a_charge(description="Two tickets")
    first = precondition(business.create_charge(body, key=key), has("id"))
    second = business.call(
        "POST", "/v1/business/pix-charges", operation="create_charge", content=rewritten(body),
        headers={"idempotency-key": key},
    )  # fmt: skip
    same = "the same charge" if second.at("id") == first.at("id") else "not that charge"
    observe("BUS-IDEM-10", f"the same body written otherwise: {second.status}, {same}", second.status, first, second)


@requirement("BUS-IDEM-11")
def test_a_key_that_came_with_an_invalid_creation(business: Business, observe: Observer) -> None:
    """Spent by the refusal, or still fresh."""
    key = fresh_key()
    refused = business.create_charge(a_charge(amount_cents=0), key=key)
    valid = business.create_charge(a_charge(), key=key)
    words = f"the key of a creation answered {refused.status}, with a valid one: {valid.status}"
    observe("BUS-IDEM-11", words, valid.status, refused, valid)


@requirement("BUS-IDEM-12")
def test_keys_of_unusual_form(business: Business, observe: Observer) -> None:
    """Empty, and of 300 characters."""
    empty = with_empty_key(business, a_charge())
    long = business.create_charge(a_charge(), key=(fresh_key() * 9)[:300])
    words = f"an empty key: {empty.status}; a key of 300 characters: {long.status}"
    observe("BUS-IDEM-12", words, {"empty": empty.status, "300": long.status}, empty, long)


@requirement("BUS-IDEM-13")
@pytest.mark.parametrize("operation", ["pay_charge", "cancel_charge"])
def test_a_key_on_another_route(business: Business, operation: str, observe: Observer) -> None:
    """The second request with it may be answered as the first was."""
    charge = precondition(business.create_charge(a_charge(), key=fresh_key()), has("id"))
    headers = {"idempotency-key": fresh_key()}
    first = precondition(getattr(business, operation)(id_of(charge), headers=headers))
    second = getattr(business, operation)(id_of(charge), headers=headers)
    words = f"{operation} with a key: {first.status}; again with it: {second.status}"
    observe("BUS-IDEM-13", words, {operation: [first.status, second.status]}, first, second)
