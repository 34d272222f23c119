"""Where two JSON bodies differ, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pix_conformance.model.subject import MISSING

MOST_DIFFERENCES = 6
LONGEST_VALUE, BEFORE_CHANGE = 60, 10
ABSENT = "(absent)"


def differences(before: Any, after: Any) -> list[str]:
    """List where two JSON bodies differ, such as `description: "a" -> "b"`; one that is MISSING counts as empty."""
    old, new = dict(_flat(before)), dict(_flat(after))
    changed = [path for path in [*old, *(one for one in new if one not in old)] if old.get(path) != new.get(path)]
    found = [f"{path or 'body'}: {_change(old.get(path, ABSENT), new.get(path, ABSENT))}" for path in changed]
    more = [f"and {len(found) - MOST_DIFFERENCES} more"] if len(found) > MOST_DIFFERENCES else []
    return found[:MOST_DIFFERENCES] + more


def _change(before: str, after: str) -> str:
    """Write two values; of long ones what stands where they begin to differ."""
    same = next((place for place, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
    start = max(0, same - BEFORE_CHANGE) if max(len(before), len(after)) > LONGEST_VALUE else 0
    return " -> ".join(_part(one, start) for one in (before, after))


def _part(text: str, start: int) -> str:
    rest = text[start : start + LONGEST_VALUE]
    return ("..." if start else "") + rest + ("..." if start + LONGEST_VALUE < len(text) else "")


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, one in value.items():
            yield from _flat(one, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, one in enumerate(value):
            yield from _flat(one, f"{path}[{index}]")
    elif value is not MISSING and (value is not None or path):
        yield path, json.dumps(value, ensure_ascii=False)
