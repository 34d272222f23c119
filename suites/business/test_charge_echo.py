"""A charge comes back as it was asked for (business.md, lines 21-25, 35-38, 191)."""

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest

from fixtures.business.bodies import a_charge, a_full_charge
from fixtures.business.charges import (
    OF_ECHO,
    a_canceled,
    a_paid,
    a_pending,
    creating,
    echoed,
    id_of,
    lifetime_problem,
    moment,
    rows,
)
from fixtures.business.lists import listing_with
from fixtures.texts import AWKWARD, ascii_text, precomposed
from pix_conformance.checks.matchers import computed, field, has
from pix_conformance.checks.outcomes import Inconclusive
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import shown

REFUSED = 422
ECHOED = [pytest.param(name, marks=requirement(one)) for name, one in OF_ECHO.items()]
TEXTS = [pytest.param(text, id=what.replace(" ", "-")) for text, what in AWKWARD]
LABELS = [pytest.param("12345", id="digits"), pytest.param("   ", id="blanks")]


def expect_echo(answers: tuple[Exchange, Exchange], name: str, value: object) -> None:
    """Hold the value against the creation and the query."""
    for one in answers:
        expect(one, field(name, value))


def taken(business: Business, name: str, text: str) -> tuple[Exchange, Exchange]:
    """Create a charge of this text and query it; NotApplicable if it is refused: only lengths are stated."""
    with contextlib.suppress(Inconclusive):
        return echoed(business, description=text, external_ref=text)
    creation = creating(business, a_charge(**{name: text}))
    if creation.status == REFUSED:
        raise not_applicable(f"{name} may not be {text!r}")
    return creation, precondition(business.get_charge(id_of(precondition(creation, has("id")))))


@requirement("BUS-CHG-56")
@pytest.mark.parametrize("amount", [29, 115, 1999])
def test_the_amount_comes_back(business: Business, amount: int) -> None:
    """Also amounts that are no whole number of cents once they went through binary fractions of reais."""
    expect_echo(echoed(business, amount_cents=amount), "amount_cents", amount)


@requirement("BUS-CHG-56")
@pytest.mark.parametrize("amount", [16_777_217, 4_294_967_297], ids=["beyond-single-precision", "beyond-32-bits"])
def test_a_large_amount_comes_back(business: Business, amount: int) -> None:
    """If it is accepted: how high amounts may be is not stated."""
    creation = creating(business, a_charge(amount_cents=amount))
    if not creation.ok:
        raise not_applicable(f"an amount of {amount} is not accepted")
    expect_echo((creation, precondition(business.get_charge(id_of(creation)))), "amount_cents", amount)


@requirement("BUS-CHG-57")
@pytest.mark.parametrize("text", TEXTS)
def test_the_description_comes_back(business: Business, text: str) -> None:
    """Character by character, in the form in which the accents were sent."""
    expect_echo(taken(business, "description", text), "description", text)


@requirement("BUS-CHG-57")
@pytest.mark.parametrize("text", [ascii_text(300), precomposed(300)], ids=["300-letters", "300-accents"])
def test_a_long_description_comes_back_whole(business: Business, text: str) -> None:
    """Of the longest that is accepted, none is cut off."""
    expect_echo(taken(business, "description", text), "description", text)


@requirement("BUS-CHG-58")
@pytest.mark.parametrize("text", [*TEXTS, *LABELS])
def test_the_external_ref_comes_back(business: Business, text: str) -> None:
    """A label that is changed no longer finds what it labels."""
    expect_echo(taken(business, "external_ref", text), "external_ref", text)


@requirement("BUS-CHG-58")
@pytest.mark.parametrize("text", [ascii_text(120), precomposed(120)], ids=["120-letters", "120-accents"])
def test_a_long_external_ref_comes_back_whole(business: Business, text: str) -> None:
    """Of the longest that is accepted, none is cut off."""
    expect_echo(taken(business, "external_ref", text), "external_ref", text)


@requirement("BUS-CHG-59")
@pytest.mark.parametrize(
    "email", ["player@example.com", "player.one+tickets@mail.example.com", "Player.One@example.com"]
)
def test_the_email_comes_back(business: Business, email: str) -> None:
    """The domain in lower case, which is no other in capitals; what stands before the @ is."""
    expect_echo(echoed(business, customer_email=email), "customer_email", email)


@cache
def done(business: Business, make: Callable[..., Exchange]) -> tuple[dict[str, object], Exchange]:
    """Bring a charge with every field to an end, once; return what was sent and the query that shows its end."""
    sent = a_full_charge()
    return sent, make(business, **sent)


@pytest.mark.parametrize("make", [a_paid, a_canceled], ids=["paid", "canceled"])
@pytest.mark.parametrize("name", ECHOED)
def test_what_was_sent_comes_back_in_a_final_state(
    business: Business, make: Callable[..., Exchange], name: str
) -> None:
    """A payment and a cancel change the state, and not what the charge is."""
    sent, query = done(business, make)
    expect(query, field(name, sent[name]))


@cache
def listed(business: Business) -> tuple[dict[str, object], Exchange, Exchange]:
    """List a charge with every field, once; return what was sent, its creation and the list."""
    sent = a_full_charge()
    charge = a_pending(business, **sent)
    return sent, charge, listing_with(business, charge)


@pytest.mark.parametrize("name", ECHOED)
def test_what_was_sent_stands_in_the_list(business: Business, name: str) -> None:
    """Where the list shows the field: only its order and length are stated."""
    sent, charge, listing = listed(business)
    row = next((one for one in rows(listing) if str(one.get("id")) == id_of(charge)), {})
    if row.get(name) is None:
        raise not_applicable(f"the list does not show the {name} of the charge")
    other = (
        None if row[name] == sent[name] else f"{name} is {shown(row[name])} in the list, {shown(sent[name])} was sent"
    )
    expect(listing, computed(f"the {name} of the charge is what was sent", other))


@requirement("BUS-CHG-34")
def test_a_charge_expires_after_an_hour_by_default(business: Business) -> None:
    """The difference of the two timestamps, within two seconds."""
    made = echoed(business)
    for one in made:
        expect(one, computed("it lives 3600 seconds", lifetime_problem(one, 3600, made[0].elapsed_ms / 1000)))


@requirement("BUS-CHG-35")
@pytest.mark.parametrize("seconds", [61, 600, 7200, 86_399])
def test_a_charge_expires_when_it_was_asked_to(business: Business, seconds: int) -> None:
    """The difference of the two timestamps, within two seconds."""
    made = echoed(business, expires_in_seconds=seconds)
    for one in made:
        expect(one, computed(f"it lives {seconds} seconds", lifetime_problem(one, seconds, made[0].elapsed_ms / 1000)))


@requirement("BUS-CHG-62")
def test_a_new_charge_was_created_now(business: Business, clock: Clock) -> None:
    """By our clock, which may be a quarter of an hour off."""
    charge = a_pending(business)
    off = moment(charge, "created_at") - datetime.fromtimestamp(clock.now(), UTC)
    far = f"created_at is {off} from now" if abs(off) > timedelta(minutes=15) else None
    expect(charge, computed("created_at is the present time", far))
