"""Fields of a charge creation: required, types, limits, bodies that are no JSON."""

import json
from typing import Any

import pytest

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

LONGEST, LONGEST_REF = (
    limit(Api.BUSINESS, "create_charge", name, "maxLength") for name in ("description", "external_ref")
)
SHORTEST_S, LONGEST_S = (
    limit(Api.BUSINESS, "create_charge", "expires_in_seconds", keyword) for keyword in ("minimum", "maximum")
)
GENERATED = ("BUS-CHG-03", "BUS-CHG-10", "BUS-CHG-14", "BUS-CHG-19", "BUS-CHG-24", "BUS-CHG-33")
"""Requirements on an invalid creation that the generator of schemathesis breaks by more than the values below."""


@pytest.fixture(scope="session")
def creation_without_key(business: Business) -> Exchange:
    """The response to a valid creation without idempotency key."""
    return business.create_charge(a_charge())


@pytest.fixture(scope="session")
def minimal_creation(business: Business) -> Exchange:
    """The response to a creation of an amount alone, which lacks each of the other fields."""
    return business.create_charge({"amount_cents": 1050}, key=fresh_key())


@requirement("BUS-ERR-04")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        case("BUS-CHG-05", "amount_cents", -LEAST, id="amount_cents-negative", quick=True),
        case("BUS-CHG-07", "amount_cents", "1050", id="amount_cents-digits", quick=True),
        case("BUS-CHG-07", "amount_cents", "10.50", id="amount_cents-reais"),
        case("BUS-CHG-07", "amount_cents", "", id="amount_cents-empty"),
        case("BUS-CHG-07", "amount_cents", [1050], id="amount_cents-array"),
        case("BUS-CHG-08", "amount_cents", 1999.999, id="amount_cents-almost-whole"),
        case("BUS-CHG-09", "amount_cents", True, id="amount_cents-boolean"),
        case("BUS-CHG-16", "description", accented_letters(LONGEST + 1), id="description-too-long"),
        case("BUS-CHG-16", "description", f"{ascii_text(LONGEST)} ", id="description-longest-and-a-space"),
        case("BUS-CHG-21", "external_ref", accented_letters(LONGEST_REF + 1), id="external_ref-too-long"),
        case("BUS-CHG-21", "external_ref", f"{ascii_text(LONGEST_REF)} ", id="external_ref-longest-and-a-space"),
        case("BUS-CHG-26", "customer_email", "player", id="customer_email-no-at", quick=True),
        case("BUS-CHG-26", "customer_email", "player@", id="customer_email-no-domain"),
        case("BUS-CHG-28", "expires_in_seconds", "600", id="expires_in_seconds-digits", quick=True),
        case("BUS-CHG-29", "expires_in_seconds", 600.5, id="expires_in_seconds-fraction"),
        case("BUS-CHG-31", "expires_in_seconds", 0, id="expires_in_seconds-0"),
        case("BUS-CHG-33", "expires_in_seconds", 31_536_000, id="expires_in_seconds-year"),
    ],
)
def test_an_invalid_value_is_refused(
    business: Business, plain_charge: Exchange, rule: str, name: str, value: Any
) -> None:
    """POST with one field of a wrong type or beyond its limit is refused with 422, and the detail names the field."""
    precondition(plain_charge)
    answer = business.create_charge(a_full_charge(**{name: value}), key=fresh_key())
    expect(answer, status(422), of=rule)
    expect(answer, detail_names(name), of="BUS-ERR-04")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        case("BUS-CHG-04", "amount_cents", LEAST - 1, id="amount_cents-too-low", quick=True),
        case("BUS-CHG-16", "description", ascii_text(LONGEST + 1), id="description-too-long", quick=True),
        case("BUS-CHG-21", "external_ref", ascii_text(LONGEST_REF + 1), id="external_ref-too-long", quick=True),
        case("BUS-CHG-31", "expires_in_seconds", SHORTEST_S - 1, id="expires_in_seconds-too-short", quick=True),
    ],
)
def test_an_invalid_value_is_refused_without_an_idempotency_key(
    business: Business, creation_without_key: Exchange, name: str, value: Any
) -> None:
    """POST without an idempotency key is refused with 422 for a field beyond its limit, where a valid one succeeds."""
    precondition(creation_without_key)
    expect(business.create_charge(a_charge(**{name: value})), status(422))


@pytest.mark.generated
@pytest.mark.parametrize("rule", [case((rule, "BUS-ERR-04"), rule, id=rule[-2:]) for rule in GENERATED])
def test_generated_creations_that_break_one_rule_are_refused(business: Business, rule: str) -> None:
    """POST of a generated body that breaks one rule of the OpenAPI schema is refused with 422.

    Booleans and arrays in the place of a text are left out: what converts them converts numbers and objects too.
    """
    for request in cases(Api.BUSINESS, "create_charge", "negative"):
        if request.violation is None or request.rule != rule:
            continue
        if isinstance(json.loads(request.body or b"{}").get(request.violation.name), bool | list):
            continue
        answer = send_generated(business, request)
        expect(answer, status(422), of=rule)
        if request.violation.names_member and request.is_reduced:
            expect(answer, detail_names(request.violation.name), of="BUS-ERR-04")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        case("BUS-CHG-06", "amount_cents", LEAST, id="amount_cents-least"),
        case("BUS-CHG-15", "description", ascii_text(LONGEST), id="description-longest"),
        case("BUS-CHG-17", "description", accented_letters(LONGEST), id="description-longest-of-accents"),
        case("BUS-CHG-20", "external_ref", ascii_text(LONGEST_REF), id="external_ref-longest"),
        case("BUS-CHG-25", "customer_email", "player.one+tickets@mail.example.com", id="customer_email-tagged"),
        case("BUS-CHG-25", "customer_email", "Player.ONE@example.com", id="customer_email-capitals"),
        case(
            "BUS-CHG-25", "customer_email", f"{'player' * 6}@tickets.concert-hall.example.com", id="customer_email-long"
        ),
    ],
)
def test_a_value_at_its_limit_is_accepted(business: Business, plain_charge: Exchange, name: str, value: Any) -> None:
    """POST with the lowest amount, the longest texts or an ordinary e-mail address creates a charge."""
    precondition(plain_charge)
    expect(business.create_charge(a_charge(**{name: value}), key=fresh_key()), success(), has("id"))


@pytest.mark.parametrize(
    "seconds",
    [
        case(("BUS-CHG-30", "BUS-CHG-35"), SHORTEST_S, id="shortest"),
        case(("BUS-CHG-32", "BUS-CHG-35"), LONGEST_S, id="longest"),
    ],
)
def test_the_shortest_and_the_longest_lifetime_are_accepted(
    business: Business, plain_charge: Exchange, rule: str, seconds: int
) -> None:
    """POST with the shortest or the longest expires_in_seconds creates a charge that expires after so many seconds."""
    precondition(plain_charge)
    charge = business.create_charge(a_charge(expires_in_seconds=seconds), key=fresh_key())
    expect(charge, success(), has("id"), of=rule)
    expect(charge, expires_after(seconds, charge), of="BUS-CHG-35")


@requirement("BUS-CHG-22")
def test_the_longest_external_ref_of_accented_letters_is_accepted(business: Business, plain_charge: Exchange) -> None:
    """POST with the longest external_ref of accented letters creates a charge, unless one such letter is refused."""
    precondition(plain_charge)
    charge = business.create_charge(a_charge(external_ref=accented_letters(LONGEST_REF)), key=fresh_key())
    if not charge.ok and _is_invalid(
        business.create_charge(a_charge(external_ref=accented_letters(1)), key=fresh_key())
    ):
        raise NotApplicable(f"no external_ref may have accented letters ({charge.evidence})")
    expect(charge, success(), has("id"))


@pytest.mark.parametrize(
    ("name", "longest"),
    [
        case("BUS-CHG-15", "description", LONGEST, id="description"),
        case("BUS-CHG-20", "external_ref", LONGEST_REF, id="external_ref"),
    ],
)
def test_the_longest_text_of_special_characters_is_accepted(
    business: Business, plain_charge: Exchange, name: str, longest: int
) -> None:
    """POST with the longest text of characters that HTML escapes creates a charge, unless six of them are refused."""
    precondition(plain_charge)
    charge = business.create_charge(a_charge(**{name: texts.special_characters(longest)}), key=fresh_key())
    if not charge.ok and _is_invalid(
        business.create_charge(a_charge(**{name: texts.special_characters(6)}), key=fresh_key())
    ):
        raise NotApplicable(f"no {name} may have special characters ({charge.evidence})")
    expect(charge, success(), has("id"))


def _is_invalid(answer: Exchange) -> bool:
    return answer.status == 422  # the status of an invalid body


@pytest.mark.parametrize(
    "name",
    [
        case("BUS-CHG-13", "description", id="description"),
        case("BUS-CHG-18", "external_ref", id="external_ref"),
        case("BUS-CHG-23", "customer_email", id="customer_email"),
        case("BUS-CHG-27", "expires_in_seconds", id="expires_in_seconds"),
    ],
)
def test_an_optional_field_may_be_left_out(
    business: Business, charge_in: ChargeIn, minimal_creation: Exchange, name: str
) -> None:
    """POST without one of the optional fields creates a charge; it is sent where POST without all of them does not."""
    precondition(charge_in("pending").creation)
    without = minimal_creation
    if not without.ok:
        without = business.create_charge(without_field(a_full_charge(), name), key=fresh_key())
    expect(without, success(), has("id"))


@pytest.mark.parametrize(
    "content",
    [
        case("BUS-CHG-40", b'{"amount_cents": 1050', id="cut-off"),
        case("BUS-CHG-40", b'{"amount_cents": 1050} 1', id="text-after-it"),
        case("BUS-CHG-40", b"", id="empty"),
        case("BUS-CHG-41", b'[{"amount_cents": 1050}]', id="array-of-one"),
        case("BUS-CHG-41", b'"{\\"amount_cents\\": 1050}"', id="object-in-a-string"),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(business: Business, plain_charge: Exchange, content: bytes) -> None:
    """POST with Content-Type application/json and a body that is no JSON, or JSON but no object, returns 422."""
    precondition(plain_charge)
    headers = {"content-type": "application/json"}
    expect(business.create_charge(..., content=content, headers=headers, key=fresh_key()), status(422))


@requirement("BUS-CHG-89")
def test_the_name_of_the_amount_in_capitals_is_none(business: Business, plain_charge: Exchange) -> None:
    """POST of a charge that has AMOUNT_CENTS in the place of amount_cents returns 422."""
    precondition(plain_charge)
    expect(business.create_charge(in_capitals(a_charge(), "amount_cents"), key=fresh_key()), status(422))


@requirement("BUS-CHG-90")
def test_the_answer_to_a_byte_that_is_not_utf_8_is_noted(business: Business, observe: Observer) -> None:
    """POST of a charge with the byte FF in its external_ref may be refused, or accepted with another character."""
    content = with_no_utf_8(a_charge(), "external_ref")
    answer = business.create_charge(..., content=content, key=fresh_key())
    back = f", with the external_ref {shown(answer.at('external_ref'))}" if answer.ok else ""
    observe("BUS-CHG-90", f"a byte that is not UTF-8: {describe_status(answer)}{back}", answer.status, answer)


@requirement("BUS-CHG-88")
@pytest.mark.parametrize("number", BEYOND_A_DOUBLE.values(), ids=BEYOND_A_DOUBLE)
def test_an_amount_beyond_a_double_causes_no_server_error(
    business: Business, plain_charge: Exchange, number: str
) -> None:
    """POST of a charge of 1e400 cents, and of one with 40 digits, is accepted or refused, but not with a 5xx."""
    precondition(plain_charge)
    content = with_number(a_charge(), "amount_cents", number)
    expect(business.create_charge(..., content=content, key=fresh_key()), is_no_server_error())


@requirement("BUS-CHG-87")
def test_the_answer_to_the_longest_description_of_emoji_is_noted(business: Business, observe: Observer) -> None:
    """The longest description of characters of two units of UTF-16 each may be accepted or refused as too long."""
    answer = business.create_charge(a_charge(description="\U0001f600" * LONGEST), key=fresh_key())
    observe("BUS-CHG-87", f"the most emoji: {describe_status(answer)}", answer.status, answer)


@pytest.mark.parametrize(
    "change",
    [
        case("BUS-CHG-11", {"amount_cents": 100.0}, id="amount_cents-whole-float"),
        case("BUS-CHG-11", {"expires_in_seconds": 600.0}, id="expires_in_seconds-whole-float"),
        case("BUS-CHG-12", {"amount_cents": 2**53 + 1}, id="amount_cents-huge"),
        case("BUS-CHG-36", {"description": None}, id="description-null"),
        case("BUS-CHG-36", {"external_ref": None}, id="external_ref-null"),
        case("BUS-CHG-36", {"customer_email": None}, id="customer_email-null"),
        case("BUS-CHG-36", {"expires_in_seconds": None}, id="expires_in_seconds-null"),
        case("BUS-CHG-39", {"description": ""}, id="description-empty"),
        case("BUS-CHG-39", {"external_ref": ""}, id="external_ref-empty"),
        case("BUS-CHG-39", {"customer_email": ""}, id="customer_email-empty"),
    ],
)
def test_the_answer_to_a_value_that_may_be_refused_is_noted(
    business: Business, rule: str, change: dict[str, Any], observe: Observer
) -> None:
    """A whole number with a decimal point, a huge amount, null or an empty string may be accepted or refused."""
    answer = business.create_charge(a_full_charge(**change), key=fresh_key())
    back = {name: shown(answer.at(name)) for name in change} if answer.ok else {}
    observe(rule, describe_echo(change, answer, back), {"status": answer.status, **back}, answer)
