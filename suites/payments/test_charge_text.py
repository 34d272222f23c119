"""The description of a charge: 140 characters, not bytes (payments.md, lines 34 and 383)."""

from __future__ import annotations

import pytest

from fixtures.builders.payments import a_charge
from fixtures.clients.payments import Payments
from fixtures.expect import expect, not_applicable
from fixtures.requirement import requirement
from fixtures.stories.payments_charges import NAMED, as_plain, plain_charge
from specs.formats import text
from specs.judge.matchers import message_names, status

LIMIT = 140
LETTERS = {"ascii": text.ascii_text, "precomposed": text.precomposed, "spaced": text.spaced}


@requirement("PAY-CHG-12")
@pytest.mark.parametrize("kind", LETTERS)
def test_a_description_of_the_longest_length_is_accepted(payments: Payments, kind: str) -> None:
    """An accented letter of the basic plane is one character, though two bytes."""
    expect(payments.create_charge(a_charge(description=LETTERS[kind](LIMIT))), *as_plain(plain_charge(payments)))


@requirement("PAY-CHG-12")
def test_a_description_of_signs_may_be_as_long(payments: Payments) -> None:
    """Each is one character, however it is written further on; where one of six of them is accepted."""
    if not payments.create_charge(a_charge(description=text.marked(6))).ok:
        raise not_applicable("signs are refused in a short description as well")
    answer = payments.create_charge(a_charge(description=text.marked(LIMIT)))
    expect(answer, *as_plain(plain_charge(payments)))


@requirement("PAY-CHG-13", NAMED)
@pytest.mark.parametrize("kind", LETTERS)
def test_a_description_one_character_longer_is_refused(payments: Payments, kind: str) -> None:
    """141 characters by every count."""
    plain_charge(payments)
    answer = payments.create_charge(a_charge(description=LETTERS[kind](LIMIT + 1)))
    expect(answer, status(400), of="PAY-CHG-13")
    expect(answer, status(400), message_names("description"), of=NAMED)
