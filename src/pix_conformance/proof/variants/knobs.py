"""The older form of a conforming variant, which the registry still reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """A choice that right servers make differently: its values are mixins of the reference's rules."""

    name: str
    silent_in: tuple[str, ...]
    values: Mapping[str, type]
