"""What a wrong shop is, and texts of the example shop that wrong clients and wrong endpoints both change."""

from dataclasses import dataclass, replace

CREDIT = "self.database.do(\"UPDATE orders SET credited = cents, state = 'paid' WHERE id = ? AND credited = 0\", order)"
IS_PAID = '        if (status := charge.get("data", charge)["status"]) == "paid":\n'
IF_PAID = '        if event["type"] == "business.pix.paid":\n            self.credit(event["data"]["external_ref"])\n'


@dataclass(frozen=True)
class ShopMutant:
    """A wrong shop: what is wrong in a sentence, the changed texts, and what it breaks beside its first requirement."""

    sentence: str
    changes: tuple[tuple[str, str], ...]
    breaks_too: tuple[str, ...] = ()

    def also(self, *requirements: str) -> "ShopMutant":
        """Return the same mutant, which breaks these requirements too."""
        return replace(self, breaks_too=requirements)


def wrong(sentence: str, *texts: str) -> ShopMutant:
    """Return a mutant: its sentence, then in turn a text of the shop and what takes its place."""
    return ShopMutant(sentence, tuple(zip(texts[::2], texts[1::2], strict=True)))
