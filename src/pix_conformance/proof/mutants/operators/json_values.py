"""Changes one value inside of a JSON document."""

from collections.abc import Callable
from typing import Any

Change = Callable[[Any], Any]
GONE: Any = object()
"""As a new value: the field is left out. As a value that was sent: the field was not."""


def changed(node: Any, names: list[str], change: Change) -> Any:
    """Return a copy with the value at the end of the names changed; `*` names every element, "" the node itself."""
    if not names or names == [""]:
        return change(node)
    first, rest = names[0], names[1:]
    if first == "*":
        return [changed(one, rest, change) for one in node]
    if not isinstance(node, dict) or (rest and first not in node):
        return node
    new = changed(node.get(first, GONE), rest, change)
    others = {name: value for name, value in node.items() if name != first or new is not GONE}
    return others | ({} if new is GONE else {first: new})
