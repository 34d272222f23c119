"""What holds for every value, asked with generated ones (business.md, lines 17-25, 38-41, 126-132)."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings

from fixtures.business.bodies import a_charge, fresh_key
from fixtures.business.charges import creating
from fixtures.business.concurrency import conflicting, decided, replay_difference
from fixtures.business.strategies import HIGHEST, amounts, bodies, differing, echoes
from pix_conformance.checks.matchers import computed, field, has, status
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange

REFUSED = 422
FEW = settings(max_examples=max(2, settings().max_examples // 3))


def _expect_echo(creation: Exchange, name: str, text: str) -> None:
    """Hold the text against a charge that was made: which characters a text may have is not stated."""
    if creation.status != REFUSED:
        expect(precondition(creation, has("id")), field(name, text))


@requirement("BUS-CHG-56")
@FEW
@given(amount=amounts())
@example(1)
@example(2)
@example(99)
@example(HIGHEST)
def test_every_amount_comes_back(business: Business, amount: int) -> None:
    """As the integer that was sent."""
    charge = precondition(creating(business, a_charge(amount_cents=amount)), has("id"))
    expect(charge, field("amount_cents", amount))


@requirement("BUS-CHG-57")
@FEW
@given(text=echoes())
@example("Cafe 1001")
@example("Caf\u00e9 1001")
@example("cafe\u0301 \u05e9\u05dc\u05d5\u05dd \U0001f468\u200d\U0001f469\u200d\U0001f467")
def test_every_description_comes_back(business: Business, text: str) -> None:
    """Whatever its script, joined and combining signs kept."""
    _expect_echo(creating(business, a_charge(description=text)), "description", text)


@requirement("BUS-CHG-58")
@FEW
@given(text=echoes())
@example("Ref-1001")
@example("Ref-\u00e9-1001")
@example("Ref-\u00e9-e\u0301-\u202eabc\u202c-\U0001f1e7\U0001f1f7")
def test_every_label_comes_back(business: Business, text: str) -> None:
    """Character by character."""
    _expect_echo(creating(business, a_charge(external_ref=text)), "external_ref", text)


@requirement("BUS-IDEM-01")
@FEW
@given(body=bodies())
def test_every_creation_is_answered_alike_when_it_is_repeated(business: Business, body: dict[str, Any]) -> None:
    """With its key and body, whatever they say."""
    key = fresh_key()
    first = precondition(business.create_charge(body, key=key), has("id"))
    second = decided(business.create_charge(body, key=key))
    expect(second, computed("equals the first answer", replay_difference(first, second)))


@requirement("BUS-IDEM-04")
@FEW
@given(pair=differing())
def test_every_other_body_is_refused_under_a_used_key(
    business: Business, pair: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    """Whichever of its values differ; under a key of its own the other body is accepted."""
    key = fresh_key()
    precondition(business.create_charge(pair[0], key=key), has("id"))
    second = business.create_charge(pair[1], key=key)
    expect(conflicting(business, second, pair[1]), status(409))
