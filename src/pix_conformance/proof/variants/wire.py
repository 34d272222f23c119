"""Freedoms of HTTP, of both APIs: how an answer travels, how fast, in what clothes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

API = {"payments": PaymentsRules, "business": BusinessRules}
SILENT: Mapping[str, tuple[str, ...]] = {"payments": ("PAY-GEN-10", "PAY-ERR-13"), "business": ("BUS-GEN-05",)}


def _both(
    name: str, uses: Mapping[str, tuple[str, ...]] = SILENT, **values: Callable[[type], dict[str, Any]]
) -> list[Freedom]:
    """Make the same knob for each API; classes are put where the reference can import them by name."""
    found = []
    for api, rules in API.items():
        mixins = {}
        for value, members in values.items():
            word = f"{api.title()}{name.title().replace('-', '')}{value.title()}"
            mixins[value] = type(word, (rules,), {"__module__": __name__, "__doc__": members.__doc__, **members(rules)})
            globals()[word] = mixins[value]
        found.append(Freedom(f"{api}-{name}", {**SILENT, **uses}[api], mixins))
    return found


def _slow(_: type) -> dict[str, Any]:
    """An answer may take its time: no document states a limit."""
    return {"delay_seconds": 0.08}


def _uneven(rules: type) -> dict[str, Any]:
    """Answers to simultaneous requests may overtake each other."""

    async def pause(self: Any, call: Call, place: str) -> None:
        await asyncio.sleep(random.random() * 0.03)  # noqa: S311  # jitter, not a secret
        await rules.pause(self, call, place)  # type: ignore[attr-defined]  # both rules have it

    return {"pause": pause}


def _close(_: type) -> dict[str, Any]:
    """A server may close the connection after each answer (RFC 9112, section 9.6)."""
    return {"closes_connection": True}


def _upper(_: type) -> dict[str, Any]:
    """Header names have no case (RFC 9110, section 5.1)."""
    return {"header_name": lambda _self, name: name.upper()}


def _title(_: type) -> dict[str, Any]:
    """Header names have no case (RFC 9110, section 5.1)."""
    return {"header_name": lambda _self, name: name.title()}


def _more(_: type) -> dict[str, Any]:
    """More headers than the documents name are nobody's business."""
    return {"extra_headers": {"x-request-id": "abc", "cache-control": "no-store", "x-ratelimit-remaining": "10"}}


def _pretty(_: type) -> dict[str, Any]:
    """Blanks between JSON tokens mean nothing (RFC 8259, section 2)."""
    return {"pretty": True}


def _charset(_: type) -> dict[str, Any]:
    """A media type may carry parameters (RFC 9110, section 8.3.1)."""
    return {"content_type": "application/json; charset=utf-8"}


def _extra(rules: type) -> dict[str, Any]:
    """Answers of success may carry fields that the documents do not name."""

    def respond(self: Any, call: Call, answer: Answer) -> Answer:
        answer = rules.respond(self, call, answer)  # type: ignore[attr-defined]
        if answer.status < 300 and isinstance(answer.body, dict):  # noqa: PLR2004  # the class of success
            body = {**answer.body, "requestId": "req-1", "meta": {"node": 1, "tags": []}}
            if isinstance(body.get("data"), dict):
                body["data"] = {**body["data"], "extraField": None}
            return Answer(answer.status, body, answer.headers)
        return answer

    return {"respond": respond}


def _portuguese(_: type) -> dict[str, Any]:
    """The language of messages is not shown; the field is still named."""

    def error_message(self: Any, refusal: Refusal) -> str:  # noqa: ARG001  # a method of the rules
        return f"Requisição recusada: o campo informado não é válido ({refusal.message.split(' ')[0]})"

    return {"error_message": error_message}


def _limited(_: type) -> dict[str, Any]:
    """Requests beyond a rate may be refused with 429, which tells when to come again."""
    return {"calls_per_second": 120, "retry_after_seconds": 1}


def _lenient(_: type) -> dict[str, Any]:
    """What a server does with another media type or with a key that stands twice is not shown."""
    return {"checks_content_type": False, "refuses_duplicate_keys": False}


FREEDOMS = [
    *_both("pace", slow=_slow, uneven=_uneven),
    *_both("connection", close=_close),
    *_both("headers", upper=_upper, title=_title, more=_more),
    *_both("json", pretty=_pretty, charset=_charset),
    *_both("fields", extra=_extra),
    *_both("language", portuguese=_portuguese),
    *_both("bodies", {"payments": ("PAY-GEN-04", "PAY-GEN-09")}, lenient=_lenient),
    *_both("rate", {"payments": ("PAY-RATE-02",)}, limited=_limited),
]
