"""What a recorded matcher expects, in words."""

from __future__ import annotations

import json
from typing import Any

WORDS = {
    "status": "status {codes}",
    "status class": "status {hundred}xx",
    "field": "{path} = {expected}",
    "field in": "{path} is one of {allowed}",
    "not field": "{path} is not {unwanted}",
    "has": "{path} is a {kind}",
    "matches": "{path} matches {pattern}",
    "only fields": "the body has exactly {names}",
    "names": "{path} names {name}",
    "said": "{question}",
    "described": "every answer of {operation} meets {requirement}",
}
"""How each matcher reads; one that is not here is written out field by field."""


def expectation(matcher: dict[str, Any]) -> str:
    """Write a recorded matcher in words."""
    values = {key: _value(key, value) for key, value in matcher.items()}
    try:
        return WORDS[str(matcher.get("matcher"))].format_map(values)
    except KeyError:
        rest = ", ".join(f"{key} {value}" for key, value in values.items() if key != "matcher")
        return f"{matcher.get('matcher', 'expected')}: {rest}"


def _value(key: str, value: Any) -> str:
    if key == "codes" and isinstance(value, list | tuple):
        return " or ".join(map(str, value))
    if key in {"expected", "unwanted", "allowed", "names"}:
        return json.dumps(value, ensure_ascii=False)
    return str(value)
