"""Limits are read from the OpenAPI files, of request bodies and of responses."""

import pytest

from pix_conformance.model.limits import Keyword, limit
from pix_conformance.model.openapi import source
from pix_conformance.model.vocabulary import Api


@pytest.mark.parametrize(
    ("api", "operation", "field", "keyword", "schema"),
    [
        (Api.PAYMENTS, "create_charge", "amountInCents", "minimum", "ChargeRequest"),
        (Api.PAYMENTS, "create_charge", "splits.percentage", "maximum", "Split"),
        (Api.BUSINESS, "create_charge", "expires_in_seconds", "default", "ChargeRequest"),
        (Api.BUSINESS, "get_finance", "transactions", "maxItems", "Finance"),
    ],
)
def test_a_limit_is_that_of_the_schema(api: Api, operation: str, field: str, keyword: Keyword, schema: str) -> None:
    member = source(api)["components"]["schemas"][schema]["properties"][field.rpartition(".")[2]]

    assert limit(api, operation, field, keyword) == member[keyword]


@pytest.mark.parametrize(("field", "keyword"), [("customer", "minimum"), ("nothing", "minimum")])
def test_a_limit_that_is_not_stated_is_an_error(field: str, keyword: Keyword) -> None:
    with pytest.raises(KeyError):
        limit(Api.PAYMENTS, "create_charge", field, keyword)
