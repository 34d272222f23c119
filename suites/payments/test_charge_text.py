"""The description of a charge: 140 characters, not bytes (payments.md, lines 34 and 383)."""

from __future__ import annotations

import pytest

from fixtures import texts
from fixtures.payments.bodies import a_charge
from fixtures.payments.charges import NAMED, as_plain, plain_charge
from pix_conformance.checks.matchers import message_names, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, not_applicable
from pix_conformance.harness.requirement import requirement

LIMIT = 140
LETTERS = {"ascii": texts.ascii_text, "precomposed": texts.precomposed, "spaced": texts.spaced}


@requirement("PAY-CHG-12")
@pytest.mark.parametrize("kind", LETTERS)
def test_a_description_of_the_longest_length_is_accepted(payments: Payments, kind: str) -> None:
    """An accented letter of the basic plane is one character, though two bytes."""
    expect(payments.create_charge(a_charge(description=LETTERS[kind](LIMIT))), *as_plain(plain_charge(payments)))


@requirement("PAY-CHG-12")
def test_a_description_of_signs_may_be_as_long(payments: Payments) -> None:
    """Each is one character, however it is written further on; where one of six of them is accepted."""
    if not payments.create_charge(a_charge(description=texts.marked(6))).ok:
        raise not_applicable("signs are refused in a short description as well")
    answer = payments.create_charge(a_charge(description=texts.marked(LIMIT)))
    expect(answer, *as_plain(plain_charge(payments)))


@requirement("PAY-CHG-13", NAMED)
@pytest.mark.parametrize("kind", LETTERS)
def test_a_description_one_character_longer_is_refused(payments: Payments, kind: str) -> None:
    """141 characters by every count."""
    plain_charge(payments)
    answer = payments.create_charge(a_charge(description=LETTERS[kind](LIMIT + 1)))
    expect(answer, status(400), of="PAY-CHG-13")
    expect(answer, status(400), message_names("description"), of=NAMED)
