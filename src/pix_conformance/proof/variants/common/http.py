"""Mixins of both APIs: how a response travels, how fast, and what is in it besides."""

from __future__ import annotations

import asyncio
import random
from typing import Any, ClassVar

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.http import WireRules


class TakesItsTime(WireRules):
    """An answer may take its time: no document states a limit."""

    delay_seconds = 0.08


class AnswersUnevenly(WireRules):
    """Answers to simultaneous requests may overtake each other."""

    async def pause(self, call: Call, place: str) -> None:
        """Wait for a random time first."""
        await asyncio.sleep(random.random() * 0.03)  # noqa: S311  # jitter, not a secret
        await super().pause(call, place)


class ClosesConnections(WireRules):
    """A server may close the connection after each answer (RFC 9112, section 9.6)."""

    closes_connection = True


class UpperHeaders(WireRules):
    """Header names have no case (RFC 9110, section 5.1)."""

    def header_name(self, name: str) -> str:
        """Write capitals."""
        return name.upper()


class TitleHeaders(WireRules):
    """Header names have no case (RFC 9110, section 5.1)."""

    def header_name(self, name: str) -> str:
        """Write a capital at the beginning of each word."""
        return name.title()


class MoreHeaders(WireRules):
    """More headers than the documents name are nobody's business."""

    extra_headers: ClassVar[dict[str, str]] = {
        "x-request-id": "abc",
        "cache-control": "no-store",
        "x-ratelimit-remaining": "10",
    }


class PrettyJson(WireRules):
    """Blanks between JSON tokens mean nothing (RFC 8259, section 2)."""

    pretty = True


class NamesItsCharset(WireRules):
    """A media type may carry parameters (RFC 9110, section 8.3.1)."""

    content_type = "application/json; charset=utf-8"


class ExtraFields(WireRules):
    """Answers of success may carry fields that the documents do not name."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Add some at the top and in `data`."""
        answer = super().respond(call, answer)
        if answer.status < 300 and isinstance(answer.body, dict):  # the class of success
            body: dict[str, Any] = {**answer.body, "requestId": "req-1", "meta": {"node": 1, "tags": []}}
            if isinstance(body.get("data"), dict):
                body["data"] = {**body["data"], "extraField": None}
            return Answer(answer.status, body, answer.headers)
        return answer


class SpeaksPortuguese:
    """The language of messages is not shown; the field is still named."""

    def error_message(self, refusal: Refusal) -> str:
        """Name the field in another language."""
        return f"Requisição recusada: o campo informado não é válido ({refusal.message.split(' ')[0]})"


class LimitsRate(WireRules):
    """Requests beyond a rate may be refused with 429, which tells when to come again."""

    calls_per_second = 120
    retry_after_seconds = 1


class ReadsAnyBody(WireRules):
    """What a server does with another media type or with a key that stands twice is not shown."""

    checks_content_type = False
    refuses_duplicate_keys = False
