"""Creating a charge: fields, limits, types (business.md, lines 17-27, 96-100, 182, 188-191)."""

from typing import Any

import pytest

from fixtures.bodies import without_field
from fixtures.business.bodies import a_charge, a_full_charge, fresh_key, fresh_ref
from fixtures.business.charges import (
    a_canceled,
    a_paid,
    a_pending,
    creating,
    id_of,
    lifetime_problem,
    plain_charge,
)
from fixtures.business.concurrency import decided
from fixtures.business.lists import holds, left_by, listing_with, missing_from
from fixtures.texts import ascii_text, precomposed
from pix_conformance.checks.matchers import computed, detail_names, field, has, not_field, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.concurrency import repeat_concurrently
from pix_conformance.harness.expect import expect, inconclusive, not_applicable, precondition
from pix_conformance.harness.requirement import case, requirement

FEW, REFUSED = 4, 422
WRONGS: tuple[dict[str, Any], ...] = (
    {"amount_cents": 0},
    {"amount_cents": "1050"},
    {"description": ascii_text(301)},
    {"customer_email": 1050},
    {"customer_email": "player"},
    {"expires_in_seconds": 59},
)


@requirement("BUS-CHG-01")
@pytest.mark.parametrize("body", [a_charge, a_full_charge], ids=["amount-and-label", "every-field"])
def test_a_valid_creation_answers_with_the_charge(business: Business, body: Any) -> None:
    """Some 2xx, and a charge to be found by its id."""
    expect(creating(business, body()), success(), has("id"), has("status"))


@requirement("BUS-CHG-03", "BUS-ERR-04")
def test_a_creation_without_an_amount_is_refused(business: Business) -> None:
    """The amount is the one field that is required."""
    plain_charge(business)
    answer = creating(business, without_field(a_full_charge(), "amount_cents"))
    expect(answer, status(422), of="BUS-CHG-03")
    expect(answer, detail_names("amount_cents"), of="BUS-ERR-04")


@requirement("BUS-ERR-04")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        case("BUS-CHG-04", "amount_cents", 0, id="amount_cents-zero"),
        case("BUS-CHG-05", "amount_cents", -1, id="amount_cents-negative"),
        case("BUS-CHG-05", "amount_cents", -1050, id="amount_cents-very-negative"),
        case("BUS-CHG-07", "amount_cents", "1050", id="amount_cents-digits"),
        case("BUS-CHG-07", "amount_cents", "10.50", id="amount_cents-reais"),
        case("BUS-CHG-07", "amount_cents", "", id="amount_cents-empty"),
        case("BUS-CHG-07", "amount_cents", {"value": 1050}, id="amount_cents-object"),
        case("BUS-CHG-07", "amount_cents", [1050], id="amount_cents-array"),
        case("BUS-CHG-08", "amount_cents", 10.5, id="amount_cents-fraction"),
        case("BUS-CHG-08", "amount_cents", 0.5, id="amount_cents-half-a-cent"),
        case("BUS-CHG-08", "amount_cents", 1050.5, id="amount_cents-larger-fraction"),
        case("BUS-CHG-08", "amount_cents", 1999.999, id="amount_cents-almost-whole"),
        case("BUS-CHG-09", "amount_cents", True, id="amount_cents-boolean"),
        case("BUS-CHG-10", "amount_cents", None, id="amount_cents-null"),
        case("BUS-CHG-14", "description", 1050, id="description-number"),
        case("BUS-CHG-14", "description", True, id="description-boolean"),
        case("BUS-CHG-14", "description", ["Two tickets"], id="description-array"),
        case("BUS-CHG-14", "description", {"text": "Two tickets"}, id="description-object"),
        case("BUS-CHG-14", "description", 0, id="description-zero"),
        case("BUS-CHG-14", "description", [], id="description-empty-array"),
        case("BUS-CHG-16", "description", ascii_text(301), id="description-301"),
        case("BUS-CHG-16", "description", precomposed(301), id="description-301-accents"),
        case("BUS-CHG-16", "description", f"{ascii_text(300)} ", id="description-300-and-a-blank"),
        case("BUS-CHG-19", "external_ref", 1050, id="external_ref-number"),
        case("BUS-CHG-19", "external_ref", False, id="external_ref-boolean"),
        case("BUS-CHG-19", "external_ref", ["order-1001"], id="external_ref-array"),
        case("BUS-CHG-19", "external_ref", {"id": "order-1001"}, id="external_ref-object"),
        case("BUS-CHG-21", "external_ref", ascii_text(121), id="external_ref-121"),
        case("BUS-CHG-21", "external_ref", precomposed(121), id="external_ref-121-accents"),
        case("BUS-CHG-21", "external_ref", f"{ascii_text(120)} ", id="external_ref-120-and-a-blank"),
        case("BUS-CHG-24", "customer_email", 1050, id="customer_email-number"),
        case("BUS-CHG-24", "customer_email", True, id="customer_email-boolean"),
        case("BUS-CHG-24", "customer_email", ["player@example.com"], id="customer_email-array"),
        case("BUS-CHG-24", "customer_email", {"address": "player@example.com"}, id="customer_email-object"),
        case("BUS-CHG-24", "customer_email", False, id="customer_email-false"),
        case("BUS-CHG-26", "customer_email", "player", id="customer_email-no-at"),
        case("BUS-CHG-26", "customer_email", "player@", id="customer_email-no-domain"),
        case("BUS-CHG-26", "customer_email", "@example.com", id="customer_email-no-name"),
        case("BUS-CHG-28", "expires_in_seconds", "600", id="expires_in_seconds-digits"),
        case("BUS-CHG-28", "expires_in_seconds", [600], id="expires_in_seconds-array"),
        case("BUS-CHG-29", "expires_in_seconds", 600.5, id="expires_in_seconds-fraction"),
        case("BUS-CHG-31", "expires_in_seconds", 59, id="expires_in_seconds-59"),
        case("BUS-CHG-31", "expires_in_seconds", 0, id="expires_in_seconds-0"),
        case("BUS-CHG-31", "expires_in_seconds", -600, id="expires_in_seconds-negative"),
        case("BUS-CHG-33", "expires_in_seconds", 86401, id="expires_in_seconds-86401"),
        case("BUS-CHG-33", "expires_in_seconds", 31_536_000, id="expires_in_seconds-year"),
    ],
)
def test_an_invalid_value_is_refused(business: Business, rule: str, name: str, value: Any) -> None:
    """A single field is wrong, and the detail names it."""
    plain_charge(business)
    answer = creating(business, a_full_charge(**{name: value}))
    expect(answer, status(422), of=rule)
    expect(answer, detail_names(name), of="BUS-ERR-04")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("amount_cents", 0, marks=requirement("BUS-CHG-04")),
        pytest.param("description", ascii_text(301), marks=requirement("BUS-CHG-16")),
        pytest.param("external_ref", ascii_text(121), marks=requirement("BUS-CHG-21")),
        pytest.param("expires_in_seconds", 59, marks=requirement("BUS-CHG-31")),
    ],
)
def test_an_invalid_value_is_refused_without_a_key_too(business: Business, name: str, value: Any) -> None:
    """The key is only recommended; the plain creation has none either."""
    precondition(business.create_charge(a_charge()))
    expect(business.create_charge(a_charge(**{name: value})), status(422))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        case("BUS-CHG-06", "amount_cents", 1, id="amount_cents-1"),
        case("BUS-CHG-15", "description", ascii_text(300), id="description-300"),
        case("BUS-CHG-17", "description", precomposed(300), id="description-300-accents"),
        case("BUS-CHG-20", "external_ref", ascii_text(120), id="external_ref-120"),
        case("BUS-CHG-25", "customer_email", "player@example.com", id="customer_email-plain"),
        case("BUS-CHG-25", "customer_email", "player.one+tickets@mail.example.com", id="customer_email-tagged"),
        case("BUS-CHG-25", "customer_email", "Player.ONE@example.com", id="customer_email-capitals"),
        case(
            "BUS-CHG-25", "customer_email", f"{'player' * 6}@tickets.concert-hall.example.com", id="customer_email-long"
        ),
        case(("BUS-CHG-30", "BUS-CHG-35"), "expires_in_seconds", 60, id="expires_in_seconds-60"),
        case(("BUS-CHG-32", "BUS-CHG-35"), "expires_in_seconds", 86400, id="expires_in_seconds-86400"),
    ],
)
def test_a_value_at_its_limit_is_accepted(business: Business, rule: str, name: str, value: Any) -> None:
    """What a limit includes makes a charge."""
    plain_charge(business)
    charge = creating(business, a_charge(**{name: value}))
    expect(charge, success(), has("id"), of=rule)
    if name == "expires_in_seconds":
        life = lifetime_problem(charge, value, charge.elapsed_ms / 1000)
        expect(charge, computed(f"it lives {value} seconds", life), of="BUS-CHG-35")


@requirement("BUS-CHG-22")
def test_a_label_of_120_accented_letters_is_accepted(business: Business) -> None:
    """Where one alone is: of which letters a label may be is not said."""
    plain_charge(business)
    label = precomposed(120)
    charge = creating(business, a_charge(external_ref=label))
    if not charge.ok and creating(business, a_charge(external_ref=label[0])).status == REFUSED:
        raise not_applicable(f"a label is of other letters ({charge.evidence})")
    expect(charge, success(), has("id"))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("description", marks=requirement("BUS-CHG-13")),
        pytest.param("external_ref", marks=requirement("BUS-CHG-18")),
        pytest.param("customer_email", marks=requirement("BUS-CHG-23")),
        pytest.param("expires_in_seconds", marks=requirement("BUS-CHG-27")),
    ],
)
def test_an_optional_field_may_be_left_out(business: Business, name: str) -> None:
    """Every other field is there, and with all of them a charge is made."""
    precondition(creating(business, a_full_charge()))
    expect(creating(business, without_field(a_full_charge(), name)), success(), has("id"))


@requirement("BUS-CHG-40")
@pytest.mark.parametrize(
    "content",
    [b'{"amount_cents": 1050', b'{"amount_cents": 1050} 1', b"amount_cents=1050", b""],
    ids=["cut-off", "gone-on", "form", "empty"],
)
def test_a_body_that_is_no_json_is_refused(business: Business, content: bytes) -> None:
    """The media type says JSON, the body is none."""
    plain_charge(business)
    json = {"content-type": "application/json"}
    expect(creating(business, ..., content=content, headers=json), status(422))


@requirement("BUS-CHG-41")
@pytest.mark.parametrize(
    "content",
    [b"[]", b'[{"amount_cents": 1050}]', b'"1050"', b'"{\\"amount_cents\\": 1050}"', b"1050", b"null", b"true"],
    ids=["array", "array-of-one", "text", "object-as-text", "number", "null", "true"],
)
def test_a_json_body_that_is_no_object_is_refused(business: Business, content: bytes) -> None:
    """An amount in an array or by itself is no creation."""
    plain_charge(business)
    expect(creating(business, ..., content=content), status(422))


@requirement("BUS-CHG-43")
def test_a_refused_creation_leaves_nothing(business: Business) -> None:
    """The list, which reaches back to an earlier charge, holds none of them."""
    before, refs = a_pending(business), {fresh_ref(): wrong for wrong in WRONGS}
    answers = {ref: creating(business, a_charge(external_ref=ref, **wrong)) for ref, wrong in refs.items()}
    out = [ref for ref, answer in answers.items() if answer.status == 422]
    if not out:
        raise inconclusive("no invalid creation was refused")
    listing = listing_with(business, before)
    expect(listing, computed("the list is free of them", left_by(business, listing, out, before)))


@requirement("BUS-CHG-44")
def test_a_label_used_again_makes_another_charge(business: Business) -> None:
    """Only the idempotency key differs between the two creations; a list that reaches further back holds both."""
    a_pending(business)
    body = a_charge()
    first = precondition(creating(business, body), has("id"))
    second = creating(business, body)
    expect(second, success(), has("id"), not_field("id", first.at("id")))
    expect(precondition(business.get_charge(id_of(first)), has("status", "string")), field("status", "pending"))
    listing = listing_with(business, second, enough=lambda one: holds(one, first))
    precondition(listing, computed("holds the second", missing_from(listing, second)))
    expect(listing, computed("the list holds the first too", missing_from(listing, first)))


@requirement("BUS-CHG-44")
@pytest.mark.parametrize("make", [a_paid, a_canceled], ids=["paid", "canceled"])
def test_the_label_of_a_charge_that_is_done_with_makes_another(business: Business, make: Any) -> None:
    """What became of the first does not matter to the second, which is pending."""
    body = a_charge()
    first = make(business, **body)
    second = creating(business, body)
    expect(second, success(), not_field("id", first.at("id")), field("status", "pending"))


@requirement("BUS-CHG-44")
def test_what_is_done_to_a_charge_is_not_done_to_another_of_its_label(business: Business) -> None:
    """A charge is known by its id: of three the first is left alone."""
    body = a_charge()
    first, second, third = (precondition(creating(business, body), has("id")) for _ in range(3))
    precondition(business.pay_charge(id_of(second)))
    decided(business.cancel_charge(id_of(third)))
    expect(precondition(business.get_charge(id_of(first)), has("status", "string")), field("status", "pending"))


@requirement("BUS-CHG-44")
@pytest.mark.parametrize(
    ("length", "ends"), [(37, ("1", "2")), (37, ("a", "A")), (254, ("1", "2"))], ids=["last-sign", "case", "long"]
)
def test_keys_that_are_nearly_the_same_make_two_charges(business: Business, length: int, ends: tuple[str, str]) -> None:
    """A key is the same if all of it is; where such keys are accepted, for their form is not stated."""
    body, start = a_charge(), f"{fresh_key()}-".ljust(length, "0")
    first, second = (business.create_charge(body, key=start + end) for end in ends)
    if not first.ok:
        raise not_applicable(f"a key of {len(start) + 1} signs is answered with {first.status}")
    expect(second, success(), has("id"), not_field("id", first.at("id")))


@requirement("BUS-CHG-63")
def test_every_charge_has_an_id_of_its_own(business: Business) -> None:
    """Nor do two that were asked for in the same words under two keys, nor such as were made at the same moment."""
    made = [a_pending(business) for _ in range(4)]
    made.append(a_pending(business, external_ref=made[0].at("external_ref")))
    made += [one for one in repeat_concurrently(FEW, lambda: creating(business, a_charge())) if one.ok]
    again = sorted({id_of(one) for one in made if [id_of(two) for two in made].count(id_of(one)) > 1})
    expect(made[-1], computed("ids are distinct", f"charges share the id {again[0]}" if again else None))
