"""Responses and requests of both APIs: forms, pace and messages of responses, proxies in front of a server."""

import asyncio
import gzip
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import Operation
from pix_conformance.sandbox.difference import (
    Difference,
    changes_arguments,
    changes_refusal,
    changes_result,
    overrides,
    setting,
)


def pauses(sentence: str, seconds: Callable[[str], float]) -> Difference:
    """Wait at each place of an operation ("arrival", "pay") for the seconds that a function says."""

    async def pause(_rules: Any, right: Callable[..., Any], call: Call, place: str) -> None:
        await asyncio.sleep(seconds(place))
        await right(call, place)

    return overrides(sentence, pause=pause)


def _accepts_gzip(call: Call) -> bool:
    return "gzip" in call.headers.get("accept-encoding", "")


def _escaped(_rules: Any, plain: bytes, *_: Any) -> bytes:
    """Escape all that JSON lets be escaped, and sort members."""
    try:
        text = json.dumps(json.loads(plain), sort_keys=True, separators=(",", ":"))
    except ValueError:  # empty, or the page of a proxy
        return plain
    return text.replace("/", "\\/").encode()


def _look_for_route(_rules: Any, right: Callable[[Call], Refusal | None], call: Call) -> None:
    """Refuse an unknown route before the request is authorized, and ignore a final slash."""
    if call.path[-1] == "" and len(call.path) > 1:
        call.path = call.path[:-1]
    if refusal := right(call):
        raise refusal


def _retry_at_date(_rules: Any, refusal: Refusal, _call: Call) -> None:
    refusal.headers["retry-after"] = formatdate(time.time() + 2, usegmt=True)


def _with_extra_fields(_rules: Any, answer: Answer, *_given: Any) -> Answer:
    """Add members to the body of a success, and to its data."""
    if answer.status >= 300 or not isinstance(answer.body, dict):
        return answer
    body: dict[str, Any] = {**answer.body, "requestId": "req-1", "meta": {"node": 1, "tags": []}}
    if isinstance(body.get("data"), dict):
        body["data"] = {**body["data"], "extraField": None}
    return Answer(answer.status, body, answer.headers)


FORMS = {
    "headers-in-capitals": changes_result("Header names are in capitals: they have no case (RFC 9110, section 5.1).",
        header_name=lambda _rules, name, _: name.upper()),
    "headers-capitalized": changes_result(
        "Each word of a header name has a capital: names have no case (RFC 9110, section 5.1).",
        header_name=lambda _rules, name, _: name.title()),
    "indented": setting("Bodies are indented: blanks between tokens mean nothing (RFC 8259, section 2).", pretty=True),
    "with-charset": setting("Content-Type names a charset: a media type may have parameters (RFC 9110, section 8.3.1).",
        content_type="application/json; charset=utf-8"),
    "compressed": changes_result(
        "Responses are compressed for a client that accepts gzip (RFC 9110, section 12.5.3).",
        encode=lambda _, plain, call, _body: gzip.compress(plain) if plain and _accepts_gzip(call) else plain,
        headers=lambda _, right, call, _answer: right | (
            {"content-encoding": "gzip", "vary": "Accept-Encoding"} if _accepts_gzip(call) else {})),
    "escaped": changes_result(
        "Letters and slashes are escaped, which JSON allows (RFC 8259, section 7), and members are sorted.",
        encode=_escaped).with_settings(content_type="Application/JSON;charset=UTF-8"),
}  # fmt: skip
"""How a response is written."""
RESPONSES = {
    "slow": setting("Each response takes 80 ms: neither document states how fast one is.", delay_seconds=0.08),
    "uneven": pauses(
        "Simultaneous requests are answered in any order: neither document states one.",
        lambda _: random.random() * 0.03),  # noqa: S311  # jitter, not a secret
    "connection-closed": setting(
        "Each response closes its connection, which a server may do (RFC 9112, section 9.6).", closes_connection=True),
    "more-headers": setting(
        "Responses have further headers: no sentence excludes them (RFC 9110, section 5.1).",
        extra_headers={"x-request-id": "abc", "cache-control": "no-store", "x-ratelimit-remaining": "10"}),
    "extra-fields": changes_result(
        "Responses of success have further fields: no sentence excludes them.", respond=_with_extra_fields),
    "cookies": setting(
        "A proxy sets cookies and an ETag, and lets responses be cached: neither document excludes further headers.",
        extra_headers={
            "set-cookie": "lb=node-1; Path=/; HttpOnly", "cache-control": "public, max-age=30", "etag": '"1"'}),
}  # fmt: skip
"""How fast a response is, and what is in it besides."""
LENIENT_BODIES = setting(
    "A body of another media type, or with a key that is there twice, is read: "
    "its refusal is not stated.",
    checks_content_type=False, refuses_duplicate_keys=False)  # fmt: skip
ROUTES_FIRST = overrides(
    "An unknown path is refused with 404 before the credential is read, and a final slash is ignored: "
    "the response to an unknown path is not stated.",
    find_route=_look_for_route)  # fmt: skip
UNKNOWN_METHOD = changes_arguments(
    "A method that a path does not have is refused as an unknown path: "
    "its refusal is not stated.",
    no_route=lambda _rules, _methods: ([],))  # fmt: skip
RATE_UNTIL_DATE = changes_refusal(
    "Beyond 40 requests per second, Retry-After of the 429 is a date (RFC 9110, section 10.2.3): "
    "the allowed rate is not shown.",
    limit_rate=_retry_at_date).with_settings(calls_per_second=40)  # fmt: skip
RATE_LIMITED = setting(
    "Beyond 120 requests per second, the response is 429 with Retry-After: "
    "the allowed rate is not shown.", calls_per_second=120)  # fmt: skip


def _in_portuguese(rules: Any, refusal: Refusal) -> str:
    """Name the field, as documented, in another language."""
    return f"Requisição recusada: o campo informado não é válido ({refusal.message.split(' ')[0]})"


def _by_last_name(rules: Any, path: str, words: str) -> str:
    name = re.sub(r"\[[0-9]*\]$", "", path).rpartition(".")[2]
    return f'"{name}" {words}'


def _by_pointer(rules: Any, path: str, words: str) -> str:
    place = re.sub(r"[.]|\[([0-9]*)\]", r"/\1", path).replace("//", "/")
    return f"/{place}: {words}"


MESSAGES = {
    "portuguese": setting(
        "Error messages are in Portuguese: their language is not stated.",
        error_message=_in_portuguese),
    "field-by-last-name": setting(
        "A message names a field without its path: how it names one is not stated.", field_message=_by_last_name),
    "field-by-pointer": setting(
        "A message names a field by a JSON pointer: how it names one is not stated.", field_message=_by_pointer),
}  # fmt: skip

_LONGEST = 1_000
"""Characters of a path that a proxy accepts."""


def _page(status: int, words: str) -> Answer:
    text = f"<html><head><title>{status} {words}</title></head></html>"
    return Answer(status, text.encode(), {"content-type": "text/html"})


async def _refuse(_rules: Any, right: Operation, call: Call) -> Answer:
    """Refuse encoded slashes, unprintable characters and long paths."""
    path = "/".join(call.path)
    if len(path) > _LONGEST:
        return _page(414, "URI Too Long")
    if any("/" in part for part in call.path):
        return _page(404, "Not Found")
    if not path.isprintable() or "\ufffd" in path or ".." in call.path:
        return _page(400, "Bad Request")
    return await right(call)


async def _normalize(_rules: Any, right: Operation, call: Call) -> Answer:
    """Redirect a path with blanks around a part, and resolve dots and slashes."""
    if any(part.strip() != part for part in call.path):
        place = "/" + "/".join(part.strip() for part in call.path)
        return Answer(308, b"", {"location": place, "content-type": "text/html"})
    parts: list[str] = []
    for part in "/".join(call.path).split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    call.path = tuple(parts)
    return await right(call)


def _encode(_rules: Any, right: Callable[..., bytes], call: Call, body: Any) -> bytes:
    """Leave the pages of the proxy as they are."""
    return body if isinstance(body, bytes) else right(call, body)


PROXIES = {
    "strict-proxy": overrides(
        "A proxy refuses encoded slashes and long paths with pages of its own (RFC 9110, section 15.5).",
        answer=_refuse, encode=_encode),
    "normalizing-proxy": overrides(
        "A proxy decodes and normalizes a path before the service reads it (RFC 3986, section 6.2.2).",
        answer=_normalize, encode=_encode),
}  # fmt: skip


COMMIT_S = 0.03
"""How long a change takes."""


async def _in_turn(rules: Any, right: Operation, call: Call) -> Answer:
    turns: defaultdict[str, asyncio.Lock] = rules.__dict__.setdefault("turns", defaultdict(asyncio.Lock))
    async with turns[call.headers.get("authorization", "")]:
        await asyncio.sleep(COMMIT_S / 3)
        return await right(call)


async def _refuse_second(rules: Any, right: Callable[..., Any], call: Call, place: str) -> None:
    """Note the object or key of a request that changes something, and refuse another one about it meanwhile."""
    await right(call, place)
    name = call.params.get("id") or call.headers.get(rules.idempotency_header)
    if place == "arrival" or not name:
        return
    if rules.__dict__.setdefault("under way", {}).setdefault(name, call) is not call:
        raise Refusal("key_conflict" if place == "once" else "state", "another request is in progress")
    await asyncio.sleep(COMMIT_S)


async def _forget(rules: Any, right: Operation, call: Call) -> Answer:
    try:
        return await right(call)
    finally:
        under_way = rules.__dict__.get("under way", {})
        for name in [name for name, other in under_way.items() if other is call]:
            del under_way[name]


SIMULTANEOUS = {
    "one-after-the-other": overrides(
        "Requests with one credential are handled one after the other: neither document states how many are at once.",
        serve=_in_turn),
    "slow-commit": pauses(
        "A change takes 0.12 s between reading and writing: neither document states how fast one is.",
        lambda place: 0 if place == "arrival" else 0.12),
    "refused-while-in-progress": overrides(
        "A request about an object or key that another one is changing is refused: no sentence says that it waits.",
        pause=_refuse_second, serve=_forget),
}  # fmt: skip
"""What becomes of simultaneous requests."""
