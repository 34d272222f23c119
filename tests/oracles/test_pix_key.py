"""Builders of PIX keys and the check digits of CPF and CNPJ."""

import uuid
from collections.abc import Callable

import pytest

from pix_conformance.oracles import pix_key, tax_id

BUILDERS = [pix_key.cpf, pix_key.cnpj, pix_key.email, pix_key.phone, pix_key.evp]


@pytest.mark.parametrize("build", BUILDERS)
def test_a_builder_makes_distinct_keys_of_its_kind_and_the_same_ones_again(build: Callable[[int], str]) -> None:
    keys = [build(n) for n in range(-50, 200)]
    assert {pix_key.kind(key) for key in keys} == {build.__name__}
    assert len(set(keys)) == len(keys)
    assert keys == [build(n) for n in range(-50, 200)]


def test_built_documents_have_right_check_digits_and_random_keys_are_version_4() -> None:
    for n in range(100):
        assert tax_id.is_cpf(pix_key.cpf(n))
        assert tax_id.is_cnpj(pix_key.cnpj(n))
        assert uuid.UUID(pix_key.evp(n)).version == 4


@pytest.mark.parametrize(("key", "why"), pix_key.MALFORMED)
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
def test_known_cpfs_are_right_and_their_neighbours_wrong(cpf: str) -> None:
    assert tax_id.is_cpf(cpf)
    assert not tax_id.is_cpf(cpf[:-1] + str((int(cpf[-1]) + 1) % 10))


def test_known_cnpjs_are_right_and_their_neighbours_wrong() -> None:
    assert tax_id.is_cnpj("11222333000181")
    assert not tax_id.is_cnpj("11222333000182")
    assert not tax_id.is_cnpj("11.222.333/0001-81")
