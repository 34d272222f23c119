"""Mixins of both APIs: how responses and events are written, and which refusal comes first."""

from __future__ import annotations

import gzip
import json
import re
import time
from contextlib import suppress
from email.utils import formatdate
from typing import Any, ClassVar

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


def _of_key(rules: PaymentsRules | BusinessRules, call: Call, refusal: Refusal) -> Refusal:
    key = rules.idempotency_key(call)
    used = refusal.kind == "invalid" and key is not None and rules.earlier(call, key) is not None
    return rules.key_conflict() if used else refusal


class FindsIdsInAnyCase:
    """Whether an id has a case is not shown: it is found in any."""

    def owned(self, call: Call, *asked: Any) -> Row:
        """Ask in small letters for what is not found as it was written."""
        above: Any = super()
        with suppress(Refusal):
            return dict(above.owned(call, *asked))
        asked = (asked[0], asked[1].lower()) if asked and isinstance(asked[1], str) else asked
        call.params = {name: text.lower() for name, text in call.params.items()}
        return dict(above.owned(call, *asked))


class NumbersAttempts:
    """Whether each attempt has the same body is not shown: it tells its number and moment."""

    def write_event(self: Any, attempt: int, payload: dict[str, Any], *secret: Any) -> Any:
        """Tell them."""
        above: Any = super()
        told = payload | {"attempt": attempt, "sent_at": self.moment(self.clock.now())}
        return above.write_event(attempt, told, *secret)


class NamesTheCharset:
    """A media type may carry parameters (RFC 9110, section 8.3.1), that of an event too."""

    event_content_type = "application/json; charset=utf-8"


class DatesItsPatience(WireRules):
    """Calls beyond a rate may be refused until a date (RFC 9110, section 10.2.3)."""

    calls_per_second = 40

    def limit_rate(self, call: Call) -> None:
        """Name the date."""
        try:
            super().limit_rate(call)
        except Refusal as refusal:
            refusal.headers["retry-after"] = formatdate(time.time() + 2, usegmt=True)
            raise


def _takes_gzip(call: Call) -> bool:
    return "gzip" in call.headers.get("accept-encoding", "")


class Zips(WireRules):
    """An answer may be compressed for a client that accepts it (RFC 9110, section 12.5.3)."""

    def encode(self, call: Call, body: Any) -> bytes:
        """Compress it."""
        plain = super().encode(call, body)
        return gzip.compress(plain) if plain and _takes_gzip(call) else plain

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Say so."""
        coded = {"content-encoding": "gzip", "vary": "Accept-Encoding"} if _takes_gzip(call) else {}
        return super().headers(call, answer) | coded


class Escapes(WireRules):
    """Letters and slashes of a JSON text may be escaped (RFC 8259, section 7), and its members have no order."""

    content_type = "Application/JSON;charset=UTF-8"

    def encode(self, call: Call, body: Any) -> bytes:
        """Escape all that may be."""
        plain = super().encode(call, body)
        try:
            text = json.dumps(json.loads(plain), sort_keys=True, separators=(",", ":"))
        except ValueError:  # empty, or the page of a proxy
            return plain
        return text.replace("/", "\\/").encode()


class SetsCookies:
    """What stands before a service sets cookies, and tells caches nothing good."""

    extra_headers: ClassVar[dict[str, str]] = {
        "set-cookie": "lb=node-1; Path=/; HttpOnly",
        "cache-control": "public, max-age=30",
        "etag": '"1"',
    }
    retry_after_seconds = 1


class NamesLeaves:
    """How a message names a field is not shown: by its own name alone."""

    def field_message(self, path: str, words: str) -> str:
        """Leave out where it stands."""
        name = re.sub(r"\[[0-9]*\]$", "", path).rpartition(".")[2]
        return f'"{name}" {words}'


class NamesPointers:
    """How a message names a field is not shown: by a JSON pointer."""

    def field_message(self, path: str, words: str) -> str:
        """Point at it."""
        place = re.sub(r"[.]|\[([0-9]*)\]", r"/\1", path).replace("//", "/")
        return f"/{place}: {words}"


class LooksForRoutesFirst(WireRules):
    """Whether an unknown path asks for the caller is not shown: 404 without, and a final slash does not matter."""

    def find_route(self, call: Call) -> Refusal | None:
        """Refuse at once."""
        if call.path[-1] == "" and len(call.path) > 1:
            call.path = call.path[:-1]
        if refusal := super().find_route(call):
            raise refusal
        return None


class SignsInCapitals:
    """Hexadecimal digits have two cases: the capitals."""

    def event_hash(self, *what: Any) -> str:
        """Write capitals."""
        above: Any = super()
        return str(above.event_hash(*what)).upper()
