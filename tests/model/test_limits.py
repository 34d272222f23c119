"""Limits are read from the OpenAPI files, of request bodies and of responses."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from pix_conformance.model.openapi import Keyword, limit, operations, source
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.publish import marked
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.sandbox.variants.registry import all_variants

BEYOND = {"minimum": -1, "maximum": 1, "maxLength": 1, "maxItems": 1, "default": 1}
"""By keyword of a limit, what is to be added to it for the nearest value on its other side."""
COMMON = 10
"""Smaller numbers stand in names for other reasons."""


def limits_within(schema: Any) -> Iterator[int]:
    """Yield the limits of a part of an OpenAPI file, and the values beyond them."""
    for name, member in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if name in BEYOND and isinstance(member, int) and member >= COMMON:
            yield from (member, member + BEYOND[name])
        if isinstance(member, dict | list):
            yield from limits_within(member)


@pytest.mark.parametrize(("field", "keyword"), [("customer", "minimum"), ("nothing", "minimum")])
def test_a_limit_that_is_not_stated_is_an_error(field: str, keyword: Keyword) -> None:
    with pytest.raises(KeyError):
        limit(Api.PAYMENTS, "create_charge", field, keyword)


def test_no_name_of_a_test_a_case_a_mutant_or_a_variant_contains_a_limit() -> None:
    tests = marked("")
    for api in Api:
        statuses = {status for operation in operations(api).values() for status in operation["responses"]}
        limits = {str(number) for number in limits_within(source(api)["components"]["schemas"])} - statuses
        names = [name for name in tests if name.startswith(f"suites/{api}/")]
        names += [name for name in (*all_mutants(), *all_variants()) if name.startswith(PROFILES[api].prefix)]
        assert len(limits) > 3
        assert [name for name in names if limits & set(re.findall(r"\d+", re.sub(r"[A-Z]+-\d+", "", name)))] == []
