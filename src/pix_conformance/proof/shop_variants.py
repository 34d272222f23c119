"""Right integrations: the example shop with other choices that the documents leave open. No must may fail on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ShopVariant:
    """A right shop: its choice in a sentence, the changed texts, and rows of its description that differ."""

    sentence: str
    changes: tuple[tuple[str, str], ...] = ()
    table: Mapping[str, str] = field(default_factory=dict)


VARIANTS: dict[str, ShopVariant] = {"as-it-is": ShopVariant("The example shop itself.")}
