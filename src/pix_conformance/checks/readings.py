"""Which messages a check has read whose bodies cannot be read: such a check decides nothing."""

from dataclasses import replace
from typing import Any

from pix_conformance.checks.conclusion import Unknown
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.why import Why

PARSED = frozenset({"json", "parsed_body"})
"""The properties that parse a body, which a message keeps once they were asked for."""


class Readings:
    """Gives a check copies of the unreadable messages that it gets, and tells afterwards which of them it has read."""

    def __init__(self) -> None:
        """Begin without messages."""
        self._copies: dict[str, Exchange | Delivery] = {}

    def of(self, value: Any) -> Any:
        """Return a message, or a structure of messages and other values, with a copy of each unreadable message."""
        if isinstance(value, Exchange | Delivery):
            return value if value.unreadable is None else self._copies.setdefault(value.evidence, replace(value))
        if isinstance(value, dict):
            return {name: self.of(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.of, value))
        return value

    def unknown(self) -> Unknown | None:
        """Return why the check cannot conclude: the first message that it has read and that cannot be read."""
        read = (message for message in self._copies.values() if PARSED & vars(message).keys())
        return next(map(unreadable, read), None)


def unreadable(message: Exchange | Delivery) -> Unknown:
    """Return why a rule about the content of a message cannot conclude."""
    return Unknown(Why.PRECONDITION, f"the body {message.unreadable} ({message.evidence})")
