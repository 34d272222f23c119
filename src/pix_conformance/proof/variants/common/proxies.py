"""A proxy in front of the server of either API, and what it makes of unusual paths."""

from typing import Any

from pix_conformance.proof.difference import Difference
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules

LONGEST = 1_000
"""Characters of a path that a proxy accepts."""


class Proxy(WireRules):
    """Answers some requests with pages of its own."""

    def encode(self, call: Call, body: Any) -> bytes:
        return body if isinstance(body, bytes) else super().encode(call, body)


def page(status: int, words: str) -> Answer:
    text = f"<html><head><title>{status} {words}</title></head></html>"
    return Answer(status, text.encode(), {"content-type": "text/html"})


class StrictProxy(Proxy):
    """Refuses encoded slashes, unprintable characters and long paths."""

    async def answer(self, call: Call) -> Answer:
        path = "/".join(call.path)
        if len(path) > LONGEST:
            return page(414, "URI Too Long")
        if any("/" in part for part in call.path):
            return page(404, "Not Found")
        if not path.isprintable() or "\ufffd" in path or ".." in call.path:
            return page(400, "Bad Request")
        return await super().answer(call)


class NormalizingProxy(Proxy):
    """Redirects a path with blanks around a part, and resolves dots and slashes."""

    async def answer(self, call: Call) -> Answer:
        if any(part.strip() != part for part in call.path):
            place = "/" + "/".join(part.strip() for part in call.path)
            return Answer(308, b"", {"location": place, "content-type": "text/html"})
        parts: list[str] = []
        for part in "/".join(call.path).split("/"):
            parts = parts[:-1] if part == ".." else [*parts, part]
        call.path = tuple(parts)
        return await super().answer(call)


PROXIES = {
    "strict-proxy": Difference(
        "A proxy refuses encoded slashes and long paths with pages of its own (RFC 9110, section 15.5).", StrictProxy),
    "normalizing-proxy": Difference(
        "A proxy decodes and normalizes a path before the service reads it (RFC 3986, section 6.2.2).",
        NormalizingProxy),
}  # fmt: skip
