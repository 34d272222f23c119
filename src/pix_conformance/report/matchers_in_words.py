"""Recorded matchers in words."""

import json
from typing import Any

from pix_conformance.checks.matchers import with_article

WORDS = {
    "status": "status {codes}",
    "conflict": "status {codes}",
    "status class": "status {hundred}xx",
    "field": "{path} = {expected}",
    "field in": "{path} is one of {allowed}",
    "not field": "{path} is not {unwanted}",
    "has": "{path} is {kind}",
    "matches": "{path} is {form}",
    "names": "{path} names {name}",
    "relation": "{words}",
    "built": "{route} is a route of the service",
    "described": "every response of {operation} meets {requirement}",
}
"""The words of each matcher. A matcher that is not listed is written field by field."""


def expectation(matcher: dict[str, Any]) -> str:
    """Return a recorded matcher in words."""
    values = {key: _value(key, value) for key, value in matcher.items()}
    try:
        return WORDS[str(matcher.get("matcher"))].format_map(values)
    except KeyError:
        rest = ", ".join(f"{key} {value}" for key, value in values.items() if key != "matcher")
        return f"{matcher.get('matcher', 'expected')}: {rest}"


def _value(key: str, value: Any) -> str:
    if key == "codes" and isinstance(value, list | tuple):
        return " or ".join(map(str, value))
    if key == "kind":
        return with_article(str(value))
    if key in {"expected", "unwanted", "allowed", "names"}:
        return json.dumps(value, ensure_ascii=False)
    return str(value)
