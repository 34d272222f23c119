"""The keys that a transfer may go to (payments.md, lines 96-104)."""

from __future__ import annotations

import pytest

from fixtures.payments.account import account
from pix_conformance.checks.matchers import status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, inconclusive, not_applicable
from pix_conformance.harness.requirement import requirement
from pix_conformance.oracles import pix_key

ACCEPTED = [
    pytest.param("cpf", marks=requirement("PAY-KEY-01"), id="cpf"),
    pytest.param("cnpj", marks=requirement("PAY-KEY-02"), id="cnpj"),
    pytest.param("email", marks=requirement("PAY-KEY-03"), id="email"),
    pytest.param("phone", marks=requirement("PAY-KEY-04"), id="phone"),
    pytest.param("evp", marks=requirement("PAY-KEY-05"), id="evp"),
]
MALFORMED = [
    pytest.param("not a key", marks=requirement("PAY-TRF-04"), id="words"),
    pytest.param("pix.example.com", marks=requirement("PAY-TRF-04"), id="host"),
    pytest.param("5299822472X", marks=requirement("PAY-TRF-04"), id="cpf-with-a-letter"),
    pytest.param("1122233300018X", marks=requirement("PAY-TRF-04"), id="cnpj-that-ends-in-a-letter"),
    pytest.param("٥٢٩٩٨٢٢٤٧٢٥", marks=requirement("PAY-TRF-04"), id="cpf-in-digits-of-another-script"),
    pytest.param("+55", marks=requirement("PAY-TRF-04"), id="prefix-alone"),
    pytest.param("+551", marks=requirement("PAY-TRF-04"), id="one-digit-after-the-prefix"),
    pytest.param("+55 pix example", marks=requirement("PAY-TRF-04"), id="prefix-before-words"),
    pytest.param("123e4567-e12b-42d1-a456-42665544000g", marks=requirement("PAY-TRF-04"), id="uuid-with-g"),
    pytest.param("529.982.247-25", marks=requirement("PAY-KEY-06"), id="cpf-with-punctuation"),
    pytest.param("529982247-25", marks=requirement("PAY-KEY-06"), id="cpf-with-a-hyphen"),
    pytest.param("11.222.333/0001-81", marks=requirement("PAY-KEY-07"), id="cnpj-with-punctuation"),
    pytest.param("11222333/0001-81", marks=requirement("PAY-KEY-07"), id="cnpj-with-a-slash"),
    pytest.param("pix@", marks=requirement("PAY-KEY-08"), id="email-without-domain"),
    pytest.param("@example.com", marks=requirement("PAY-KEY-08"), id="email-without-name"),
    pytest.param("pix@key@example.com", marks=requirement("PAY-KEY-08"), id="email-with-two-at"),
    pytest.param("pix key@example.com", marks=requirement("PAY-KEY-08"), id="email-with-a-blank"),
    pytest.param("+12125550100", marks=requirement("PAY-KEY-09"), id="phone-of-new-york"),
    pytest.param("+351912345678", marks=requirement("PAY-KEY-09"), id="phone-of-portugal"),
    pytest.param("123e4567-e12b-42d1-a456-42665544000", marks=requirement("PAY-KEY-10"), id="uuid-one-short"),
    pytest.param("123e4567-e12b-42d1-a456-4266554400001", marks=requirement("PAY-TRF-04"), id="uuid-one-long"),
    pytest.param("5511987654321", marks=requirement("PAY-TRF-04"), id="phone-without-plus"),
    pytest.param("", marks=requirement("PAY-KEY-15"), id="empty"),
    pytest.param("12345", marks=requirement("PAY-KEY-11"), id="5-digits"),
    pytest.param("1234567890", marks=requirement("PAY-KEY-11"), id="10-digits"),
    pytest.param("123456789012", marks=requirement("PAY-KEY-11"), id="12-digits"),
    pytest.param("1122233300018", marks=requirement("PAY-KEY-11"), id="13-digits"),
    pytest.param("112223330001811", marks=requirement("PAY-KEY-11"), id="15-digits"),
]

OF_OTHER_FORM = [
    pytest.param(pix_key.from_0("cpf"), marks=requirement("PAY-KEY-01"), id="cpf-that-begins-with-0"),
    pytest.param(pix_key.from_0("cnpj"), marks=requirement("PAY-KEY-02"), id="cnpj-that-begins-with-0"),
    pytest.param("pix_key-2+a@mail-1.example.com", marks=requirement("PAY-KEY-03"), id="email-of-signs"),
    pytest.param("pix@example.photography", marks=requirement("PAY-KEY-03"), id="email-of-long-end"),
]


@pytest.mark.parametrize("kind", ACCEPTED)
def test_a_key_of_an_accepted_type_is_accepted(payments: Payments, kind: str) -> None:
    """Its check digits are right; a service that looks keys up may not know one that was made up."""
    answer = account(payments).to_each_kind[kind]
    if not answer.ok and (why := account(payments).unknown_key_explanation(kind)):
        raise inconclusive(f"a key of the type {kind} was refused ({answer.evidence}), and {why}: set PIX_TRANSFER_KEY")
    expect(answer, *account(payments).accepted)


@pytest.mark.parametrize("key", OF_OTHER_FORM)
def test_a_key_of_a_rarer_form_is_accepted(payments: Payments, key: str) -> None:
    """Where one of its type that was made up is accepted at all."""
    kind = str(pix_key.kind(key))
    if not account(payments).to_each_kind[kind].ok or account(payments).key_lookup_explanation(kind):
        raise not_applicable(f"no made-up key of the type {kind} is accepted")
    expect(account(payments).send(pixKey=key), *account(payments).accepted)


@pytest.mark.parametrize("key", MALFORMED)
def test_a_key_of_no_accepted_form_is_refused(payments: Payments, key: str) -> None:
    """All else about the transfer is right."""
    expect(account(payments).send(pixKey=key), status(400))
