"""A proxy in front of the server of either API, and what it makes of unusual paths."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import overrides
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import Operation

LONGEST = 1_000
"""Characters of a path that a proxy accepts."""


def page(status: int, words: str) -> Answer:
    text = f"<html><head><title>{status} {words}</title></head></html>"
    return Answer(status, text.encode(), {"content-type": "text/html"})


async def refuse(_rules: Any, right: Operation, call: Call) -> Answer:
    """Refuse encoded slashes, unprintable characters and long paths."""
    path = "/".join(call.path)
    if len(path) > LONGEST:
        return page(414, "URI Too Long")
    if any("/" in part for part in call.path):
        return page(404, "Not Found")
    if not path.isprintable() or "\ufffd" in path or ".." in call.path:
        return page(400, "Bad Request")
    return await right(call)


async def normalize(_rules: Any, right: Operation, call: Call) -> Answer:
    """Redirect a path with blanks around a part, and resolve dots and slashes."""
    if any(part.strip() != part for part in call.path):
        place = "/" + "/".join(part.strip() for part in call.path)
        return Answer(308, b"", {"location": place, "content-type": "text/html"})
    parts: list[str] = []
    for part in "/".join(call.path).split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    call.path = tuple(parts)
    return await right(call)


def encode(_rules: Any, right: Callable[..., bytes], call: Call, body: Any) -> bytes:
    """Leave the pages of the proxy as they are."""
    return body if isinstance(body, bytes) else right(call, body)


PROXIES = {
    "strict-proxy": overrides(
        "A proxy refuses encoded slashes and long paths with pages of its own (RFC 9110, section 15.5).",
        answer=refuse, encode=encode),
    "normalizing-proxy": overrides(
        "A proxy decodes and normalizes a path before the service reads it (RFC 3986, section 6.2.2).",
        answer=normalize, encode=encode),
}  # fmt: skip
