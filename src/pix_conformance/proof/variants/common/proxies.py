"""Mixins of both APIs: a proxy in front of a right server, and what it makes of unusual paths."""

from __future__ import annotations

from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules

LONGEST = 1_000
"""Characters of a path that it takes."""


class Proxy(WireRules):
    """A proxy has pages of its own."""

    def encode(self, call: Call, body: Any) -> bytes:
        """Write a page as it is."""
        return body if isinstance(body, bytes) else super().encode(call, body)


def _page(status: int, words: str) -> Answer:
    page = f"<html><head><title>{status} {words}</title></head></html>"
    return Answer(status, page.encode(), {"content-type": "text/html"})


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
