"""Generated requests: schemathesis's undocumented API still works, and no disputed request is sent."""

from __future__ import annotations

import json

import hypothesis
import pytest
import schemathesis
from hypothesis import strategies

from pix_conformance.harness.generation import (
    DISPUTED_KEYWORDS,
    NARROWER,
    cases,
    coverage_cases,
    drawn,
    fuzzed,
    lenient_schema,
    strict_schema,
)
from pix_conformance.model.catalogue import load
from pix_conformance.model.vocabulary import Api

BODIES = [pytest.param(api, operation, id=f"{api}-{operation}") for api, operation in NARROWER]


@pytest.mark.parametrize(("api", "operation"), BODIES)
def test_schemathesis_still_covers_boundaries(api: Api, operation: str) -> None:
    positive, negative = coverage_cases(api, operation, "positive"), coverage_cases(api, operation, "negative")
    assert len(positive) >= 8
    assert len(negative) >= 20
    assert all(one.meta.phase.data.description for one in (*positive, *negative))
    assert {one.meta.generation.mode for one in negative} == {schemathesis.GenerationMode.NEGATIVE}


@pytest.mark.parametrize(("api", "operation"), BODIES)
def test_positive_requests_break_nothing_and_negative_ones_one_known_rule(api: Api, operation: str) -> None:
    assert all(one.rule is None for one in cases(api, operation, "positive"))
    rules = [one.rule for one in (*cases(api, operation, "negative"), *drawn(api, operation, "negative", 15, 1))]
    assert rules
    assert all(load()[str(rule)].level == "must" for rule in rules)


def test_business_rules_with_generated_tests_have_cases() -> None:
    rules = {one.rule for one in cases(Api.BUSINESS, "create_charge", "negative")}
    asked = "03 04 07 09 10 14 16 19 21 24 28 31 33 41"
    assert rules >= {f"BUS-CHG-{number}" for number in asked.split()}


def test_no_request_depends_on_what_the_document_leaves_open() -> None:
    for one in (
        *cases(Api.BUSINESS, "create_charge", "negative"),
        *drawn(Api.BUSINESS, "create_charge", "negative", 30, 2),
    ):
        body = json.loads(one.body or b"")
        if isinstance(body, dict):
            assert set(body) <= set(strict_schema(Api.BUSINESS, "create_charge")["properties"])
            assert [name for name, value in body.items() if value is None] in ([], ["amount_cents"])
            assert not any(isinstance(value, float) and value.is_integer() for value in body.values())


def test_the_lenient_schema_accepts_optional_nulls_and_disputed_formats() -> None:
    lenient = lenient_schema(Api.BUSINESS, "create_charge")
    assert lenient["properties"]["description"]["type"] == ["string", "null"]
    assert lenient["properties"]["amount_cents"]["type"] == "integer"
    assert not DISPUTED_KEYWORDS.intersection(lenient["properties"]["customer_email"])


def test_the_list_has_a_case_for_each_status() -> None:
    paths = {one.path for one in cases(Api.BUSINESS, "list_charges", "positive")}
    assert {path.partition("status=")[2] for path in paths} >= {"pending", "paid", "expired", "canceled"}


def test_the_same_seed_draws_the_same_requests() -> None:
    first = drawn(Api.BUSINESS, "create_charge", "positive", 10, 7)
    drawn.cache_clear()
    assert drawn(Api.BUSINESS, "create_charge", "positive", 10, 7) == first


def test_hypothesis_names_the_smallest_failing_input(pytestconfig: pytest.Config) -> None:
    fuzzed(Api.BUSINESS, "create_charge", "positive")

    @hypothesis.settings(database=None, phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink])
    @hypothesis.given(amount=strategies.integers())
    def fails(amount: int) -> None:
        assert amount < 65536

    with pytest.raises(AssertionError) as caught:
        fails()
    assert "amount=65536" in " ".join(caught.value.__notes__)
    assert not pytestconfig.pluginmanager.has_plugin("schemathesis")  # the plugin would make hypothesis's line empty
