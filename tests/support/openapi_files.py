"""What the OpenAPI files say of requirements."""

from collections.abc import Iterator
from typing import Any


def named_requirements(node: Any) -> Iterator[str]:
    """Yield each requirement that a part of an OpenAPI file names, also in parts with `x-level: open`."""
    if isinstance(node, list):
        for item in node:
            yield from named_requirements(item)
    if isinstance(node, dict):
        yield from [node["x-requirement"]] if "x-requirement" in node else []
        yield from node.get("x-requirements", {}).values()
        for child in node.values():
            yield from named_requirements(child)
