"""A charge shows what the client sent, and when it was created and expires."""

import contextlib
from collections.abc import Sequence

import pytest
from hypothesis import example, given

from fixtures import *
from fixtures.business import *
from pix_conformance.testing import *
from pix_conformance.testing.business import *

Responses = tuple[Exchange, Exchange]
TEXTS = {what: text for text, what in UNUSUAL_TEXTS}


def unusual_body(email: str, description: Sequence[str], external_ref: Sequence[str] = ()) -> dict[str, str]:
    """Return fields of a charge: texts by what is unusual about them, joined, the same in both unless two are named."""
    texts = (" ".join(TEXTS[what] for what in names) for names in (description, external_ref or description))
    return dict(zip(("description", "external_ref", "customer_email"), (*texts, email), strict=True))


TAGGED, CAPITALS = "player.one+tickets@mail.example.com", "Player.One@example.com"
SCRIPTS = ("accents and an ampersand", "an accent that combines (not NFC)", "right to left", "letters of three bytes")
TEMPLATES = "templates, formats and characters that URLs escape"
UNUSUAL_BODIES = {
    "scripts": unusual_body(TAGGED, SCRIPTS),
    "directions-and-emoji": unusual_body(CAPITALS, ("an override of the direction", "joined emoji and a flag")),
    "code": unusual_body(TAGGED, ("SQL and HTML", "quotes and backslashes")),
    "templates": unusual_body(CAPITALS, (TEMPLATES, "blanks in a row")),
    "lines": unusual_body(TAGGED, ("line breaks of one and of two characters, and a tab",)),
    "blanks-around": unusual_body(CAPITALS, ("blanks around",)),
    "digits": unusual_body(TAGGED, ("a digit",), ("digits after zeros",)),
    "words": unusual_body(TAGGED, ("a word of JSON",), ("looks like a number",)),
}
"""Fields of charges that have each unusual text, those together that no service takes for one value."""


def create_and_query(business: Business, **fields: object) -> Responses:
    """Create and query a charge; NotApplicable if these fields are refused, as only their lengths are stated."""
    creation = business.create_charge(a_charge(**fields), key=fresh_key())
    if creation.status == 422:  # an invalid body
        raise NotApplicable(f"such a body is refused: {fields}")
    return creation, precondition(business.get_charge(id_of(precondition(creation, has("id")))))


@pytest.fixture(scope="session", params=[pytest.param(texts, id=what) for what, texts in UNUSUAL_BODIES.items()])
def unusual(request: pytest.FixtureRequest) -> dict[str, str]:
    """Texts that any JSON string may hold, as description and as external_ref, and an unusual customer_email."""
    return dict(request.param)


@pytest.fixture(scope="session")
def charge_with_texts(business: Business, unusual: dict[str, str]) -> Responses | None:
    """Creation and query of a charge with these texts; None if that is refused."""
    with contextlib.suppress(Inconclusive, NotApplicable):
        return create_and_query(business, **unusual)
    return None


@requirement("BUS-CHG-56")
@pytest.mark.parametrize("amount", AMOUNTS)
def test_the_amount_is_returned(charges_by_amount: dict[int, Responses], amount: int) -> None:
    """POST and GET return amount_cents as sent, also some that binary fractions of reais change."""
    for exchange in charges_by_amount[amount]:
        expect(exchange, field("amount_cents", amount))


@requirement("BUS-CHG-56")
def test_a_large_amount_is_returned(business: Business) -> None:
    """POST and GET return an amount beyond 32 bits, or if that is refused one beyond single precision, as sent."""
    for amount in (4_294_967_297, 16_777_217):
        with contextlib.suppress(NotApplicable):
            for exchange in create_and_query(business, amount_cents=amount):
                expect(exchange, field("amount_cents", amount))
            return
    raise NotApplicable("amounts beyond single precision are refused")


@requirement("BUS-CHG-58")
def test_an_external_ref_of_blanks_is_returned(business: Business) -> None:
    """POST and GET return an external_ref of three blanks as sent."""
    for exchange in create_and_query(business, external_ref="   "):
        expect(exchange, field("external_ref", "   "))


@pytest.mark.parametrize(
    "name", [case(ECHOED[name], name, id=name) for name in ("description", "external_ref", "customer_email")]
)
def test_an_unusual_text_is_returned(
    business: Business, unusual: dict[str, str], charge_with_texts: Responses | None, name: str
) -> None:
    """POST and GET return description, external_ref and e-mail by each character, with accents as they were sent."""
    for exchange in charge_with_texts or create_and_query(business, **{name: unusual[name]}):
        expect(exchange, field(name, unusual[name]))


@requirement("BUS-CHG-57", "BUS-CHG-58")
def test_the_longest_texts_are_returned(business: Business) -> None:
    """POST and GET return all characters of the longest description, of accented letters, and external_ref."""
    description, ref = (
        text(limit(Api.BUSINESS, "create_charge", name, "maxLength"))
        for name, text in (("description", accented_letters), ("external_ref", ascii_text))
    )
    for exchange in create_and_query(business, description=description, external_ref=ref):
        expect(exchange, field("description", description), of="BUS-CHG-57")
        expect(exchange, field("external_ref", ref), of="BUS-CHG-58")


@requirement("BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58")
@pytest.mark.fewer_examples
@given(amount=amounts(), description=echoes(), external_ref=echoes())
@example(LEAST, "Cafe 1001", "1001")
@example(LEAST + 1, "Caf\u00e9 1001", "Ref-\u00e9-1001")
@example(
    LEAST + 98,
    "cafe\u0301 \u05e9\u05dc\u05d5\u05dd \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "Ref-e\u0301-\u202eabc\u202c",
)
@example(HIGHEST, "Cafe 1001 \U0001f1e7\U0001f1f7", "Ref-1001-\U0001f1e7\U0001f1f7")
def test_any_amount_description_and_external_ref_are_returned(
    business: Business, amount: int, description: str, external_ref: str
) -> None:
    """POST returns amounts up to 1,000.00 and, unless they are refused, texts of any script, also joined ones."""
    texts = {"description": description, "external_ref": external_ref}
    creation = business.create_charge(a_charge(amount_cents=amount, **texts), key=fresh_key())
    if creation.status == 422:  # which characters a text may have is not stated
        plain = business.create_charge(a_charge(amount_cents=amount), key=fresh_key())
        expect(precondition(plain, has("id")), field("amount_cents", amount), of="BUS-CHG-56")
        return
    precondition(creation, has("id"))
    expect(creation, field("amount_cents", amount), of="BUS-CHG-56")
    expect(creation, field("description", description), of="BUS-CHG-57")
    expect(creation, field("external_ref", external_ref), of="BUS-CHG-58")


@requirement("BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58", "BUS-CHG-59")
@pytest.mark.parametrize("status", ["paid", "canceled"])
def test_a_paid_or_canceled_charge_shows_what_was_sent(charge_in: ChargeIn, status: str) -> None:
    """After a payment, and after a cancel, GET returns amount, description, external_ref and e-mail as sent."""
    charge = charge_in(status)
    expect_as_sent(charge.query, charge.creation.request.json_object)


@requirement("BUS-CHG-34")
def test_a_charge_expires_after_the_default_lifetime(charges_by_amount: dict[int, Responses]) -> None:
    """expires_at is the default lifetime after created_at, within two seconds, if expires_in_seconds was not sent."""
    creation, query = charges_by_amount[AMOUNTS[0]]
    for exchange in (creation, query):
        expect(exchange, expires_after(DEFAULT_LIFETIME_S, creation))


@requirement("BUS-CHG-35")
def test_a_charge_expires_after_the_seconds_that_were_sent(charge_in: ChargeIn) -> None:
    """expires_at is expires_in_seconds after created_at, within two seconds, in the response to POST and to GET."""
    charge = charge_in("pending")
    for exchange in (charge.creation, charge.query):
        expect(exchange, expires_after(charge.creation.request.json_object["expires_in_seconds"], charge.creation))


@quick
@requirement("BUS-CHG-62")
def test_a_new_charge_was_created_now(business: Business, clock: Clock) -> None:
    """created_at of a new charge is the time of its creation by our clock, which may be a quarter of an hour off."""
    charge = create_pending_charge(business)
    expect(charge, created_at_time_of_request(clock.now()))
