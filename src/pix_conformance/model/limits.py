"""Reads the limits of fields from `specs/<api>/openapi.yaml`, for all that asks about them but the reference."""

from __future__ import annotations

from typing import Any, Literal

from pix_conformance.model import openapi
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api

Keyword = Literal["minimum", "maximum", "maxLength", "maxItems", "default"]


def limit(api: Api, operation: str, field: str, keyword: Keyword) -> Any:
    """Return what a keyword says of a field, in the unit of the field: characters, elements, cents, seconds or percent.

    The field is one of the request body, else of the 200 response; `splits.percentage` is one of an array's elements.
    Raises KeyError if the description has no such field, or none with that keyword.
    """
    holder = openapi.operations(api)[operation].get("requestBody") or openapi.documented(api, operation, 200) or {}
    schema = holder["content"]["application/json"]["schema"]
    for name in field.split("."):
        schema = schema.get("items", schema)["properties"][name]
    return schema[keyword]


def production_cents(api: Api) -> int:
    """Return the cents of the one charge of an API that a run creates in production: the least that it may be of."""
    field = PROFILES[api].production_charge.least
    return int(limit(api, "create_charge", field, "minimum")) if field else 1
