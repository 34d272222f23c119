"""Builders of PIX keys and the check digits of CPF and CNPJ."""

import uuid
from collections.abc import Callable

import pytest

from pix_conformance.oracles import pix_key, tax_id

BUILDERS = [pix_key.cpf, pix_key.cnpj, pix_key.email, pix_key.phone, pix_key.evp]
MALFORMED = (
    ("", "empty"),
    ("   ", "blanks alone"),
    ("not a key", "words"),
    ("12345", "five digits"),
    ("1234567890", "ten digits, one short of a CPF"),
    ("123456789012", "twelve digits, between CPF and CNPJ"),
    ("1122233300018", "thirteen digits, one short of a CNPJ"),
    ("112223330001811", "fifteen digits, one more than a CNPJ"),
    ("5299822472X", "a CPF with a letter"),
    ("529.982.247-25", "a CPF with punctuation"),
    ("11.222.333/0001-81", "a CNPJ with punctuation"),
    ("pix.example.com", "an e-mail without @"),
    ("@example.com", "an e-mail without a name"),
    ("pix@", "an e-mail without a domain"),
    ("pix@@example.com", "an e-mail with two @"),
    ("p ix@example.com", "an e-mail with a space"),
    ("+12125550100", "a phone of another country"),
    ("+55", "a phone prefix alone"),
    ("+5511", "a phone that ends after its area code"),
    ("+551198765432100000", "a phone that is too long"),
    ("+55119876abcde", "a phone with letters"),
    ("123e4567-e12b-42d1-a456-42665544000", "a UUID one digit short"),
    ("123e4567-e12b-42d1-a456-4266554400000", "a UUID one digit long"),
    ("123e4567-e12b-42d1-a456-42665544000g", "a UUID with a letter that is not hexadecimal"),
)
"""Texts that fit no accepted type, and why. Not listed are eleven digits (the form of a CPF), wrong check digits (the
documents do not say that they are verified), surrounding spaces and unhyphenated UUIDs (a service may normalise
them)."""


@pytest.mark.parametrize("build", BUILDERS)
def test_a_builder_makes_distinct_keys_of_its_kind_and_the_same_ones_again(build: Callable[[int], str]) -> None:
    keys = [build(n) for n in range(-50, 200)]
    assert {pix_key.kind(key) for key in keys} == {build.__name__}
    assert len(set(keys)) == len(keys)
    assert keys == [build(n) for n in range(-50, 200)]


def test_built_documents_have_right_check_digits_and_random_keys_are_version_4() -> None:
    for n in range(100):
        cpf, cnpj = pix_key.cpf(n), pix_key.cnpj(n)
        assert cpf[9:] == tax_id.cpf_check_digits(cpf[:9])
        assert cnpj[12:] == tax_id.cnpj_check_digits(cnpj[:12])
        assert uuid.UUID(pix_key.evp(n)).version == 4


@pytest.mark.parametrize(("key", "why"), MALFORMED)
def test_a_malformed_key_is_of_no_kind(key: str, why: str) -> None:
    assert pix_key.kind(key) is None, why


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("123E4567-E12B-12D1-A456-426655440000", "evp"),
        ("+556133334444", "phone"),
        ("+5561912345678", "phone"),
        ("Jose.Silva+pix@Example.com.br", "email"),
        ("00000000000", "cpf"),
        ("52998224725\n", None),
        ("\uff15\uff12998224725", None),
    ],
)
def test_the_kind_is_told_by_form(key: str, kind: str | None) -> None:
    assert pix_key.kind(key) == kind


@pytest.mark.parametrize("cpf", ["52998224725", "12345678909", "11144477735", "00000000191"])
def test_known_cpfs_have_these_check_digits(cpf: str) -> None:
    assert tax_id.cpf_check_digits(cpf[:9]) == cpf[9:]


def test_a_known_cnpj_has_these_check_digits() -> None:
    assert tax_id.cnpj_check_digits("112223330001") == "81"
