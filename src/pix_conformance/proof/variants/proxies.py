"""Freedoms of a proxy in front of a right server: what it makes of paths that it does not like."""

from __future__ import annotations

from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.payments import PaymentsRules

LONGEST = 1_000
"""Characters of a path that it takes."""


class Proxy(WireRules):
    """A proxy has pages of its own."""

    def encode(self, call: Call, body: Any) -> bytes:
        """Write a page as it is."""
        return body if isinstance(body, bytes) else super().encode(call, body)


class StrictProxy(Proxy):
    """A proxy may refuse encoded signs and long paths with pages of its own (RFC 9110, section 15.5)."""

    async def answer(self, call: Call) -> Answer:
        """Look at the path first."""
        path = "/".join(call.path)
        if len(path) > LONGEST:
            return _page(414, "URI Too Long")
        if any("/" in part for part in call.path):
            return _page(404, "Not Found")
        if not path.isprintable() or "\ufffd" in path or ".." in call.path:
            return _page(400, "Bad Request")
        return await super().answer(call)


class NormalisingProxy(Proxy):
    """A proxy may decode and normalise a path before the service sees it (RFC 3986, section 6.2.2)."""

    async def answer(self, call: Call) -> Answer:
        """Redirect where a part begins or ends in a blank, else resolve dots and slashes."""
        if any(part.strip() != part for part in call.path):
            place = "/" + "/".join(part.strip() for part in call.path)
            return Answer(308, b"", {"location": place, "content-type": "text/html"})
        parts: list[str] = []
        for part in "/".join(call.path).split("/"):
            parts = parts[:-1] if part == ".." else [*parts, part]
        call.path = tuple(parts)
        return await super().answer(call)


class PaymentsStrictProxy(StrictProxy, PaymentsRules):
    """A proxy may refuse encoded signs and long paths with pages of its own (RFC 9110, section 15.5)."""


class BusinessStrictProxy(StrictProxy, BusinessRules):
    """A proxy may refuse encoded signs and long paths with pages of its own (RFC 9110, section 15.5)."""


class PaymentsNormalisingProxy(NormalisingProxy, PaymentsRules):
    """A proxy may decode and normalise a path before the service sees it (RFC 3986, section 6.2.2)."""


class BusinessNormalisingProxy(NormalisingProxy, BusinessRules):
    """A proxy may decode and normalise a path before the service sees it (RFC 3986, section 6.2.2)."""


def _page(status: int, words: str) -> Answer:
    page = f"<html><head><title>{status} {words}</title></head></html>"
    return Answer(status, page.encode(), {"content-type": "text/html"})


FREEDOMS = [
    Freedom(
        "payments-proxy",
        ("PAY-GEN-11", "PAY-GEN-16"),
        {"strict": PaymentsStrictProxy, "normalising": PaymentsNormalisingProxy},
    ),
    Freedom(
        "business-proxy",
        ("BUS-GEN-06", "BUS-GEN-16"),
        {"strict": BusinessStrictProxy, "normalising": BusinessNormalisingProxy},
    ),
]
