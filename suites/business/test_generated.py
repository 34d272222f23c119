"""Requests that schemathesis makes of the OpenAPI description: boundaries first, then random ones (lines 17-25)."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given

from fixtures.business.generated import composed
from pix_conformance.checks.business.charge_list import listed
from pix_conformance.checks.matchers import computed, has, status, success
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.expect import expect
from pix_conformance.harness.generation import Generated, cases, drawn, fuzzed, sent
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api

COVERED = ("03", "04", "07", "09", "10", "14", "16", "19", "21", "24", "28", "31", "33", "41")
"""Requirements on an invalid creation (BUS-CHG) of which the coverage of the schema has an example."""
FEW = 2
"""Requests for one rule: the scenarios ask each kind by hand."""


@requirement("BUS-CHG-01")
def test_creations_at_the_limits_of_the_schema_succeed(business: Business) -> None:
    """Each limit, each optional field, with all else plainly valid."""
    for one in cases(Api.BUSINESS, "create_charge", "positive"):
        expect(composed(business, one), success(), has("id"))


@requirement("BUS-CHG-01")
@given(one=fuzzed(Api.BUSINESS, "create_charge", "positive"))
def test_random_valid_creations_succeed(business: Business, one: Generated) -> None:
    """Any combination of fields within their limits."""
    expect(composed(business, one), success(), has("id"))


@pytest.mark.parametrize(
    "rule", [pytest.param(f"BUS-CHG-{n}", marks=requirement(f"BUS-CHG-{n}"), id=n) for n in COVERED]
)
def test_creations_that_break_one_rule_are_refused(business: Business, target: Target, rule: str) -> None:
    """By the first that the coverage of the schema has for the rule, or random ones."""
    covered = cases(Api.BUSINESS, "create_charge", "negative")
    random = drawn(Api.BUSINESS, "create_charge", "negative", target.examples, target.seed)
    for one in islice((each for each in (*covered, *random) if each.rule == rule), FEW):
        expect(sent(business, one), status(422))


@requirement("BUS-LIST-01")
def test_lists_of_each_status_succeed(business: Business) -> None:
    """Each value of the filter, and none."""
    for one in cases(Api.BUSINESS, "list_charges", "positive"):
        listing = sent(business, one)
        expect(listing, success(), computed("is a list", "no list is in it" if listed(listing) is None else None))
