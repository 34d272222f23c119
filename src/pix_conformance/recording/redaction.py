"""Masks secrets before anything is stored or printed."""

import base64
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange, Headers
from pix_conformance.model.vocabulary import MASK

SECRET_NAME = re.compile(r"(token|secret|password|api_?key)$", re.IGNORECASE)
LOOKS_SECRET = re.compile(r"eyJ[\w-]{4,}\.[\w-]+\.[\w-]*|\bak_(?:test|live)_[\w-]+")
SECRET_HEADERS = frozenset({"authorization", "cookie", "set-cookie", "proxy-authorization"})
"""Headers that are masked. An idempotency key is none: it is no secret, and a failure cannot be read without it."""
SHORTEST, LONGEST = 6, 2_048


class Redactor:
    """Masks the secrets of a run in each form that they may have in a text."""

    def __init__(self) -> None:
        """Begin without secrets."""
        self._known: set[str] = set()
        self._by_beginning: defaultdict[str, list[str]] = defaultdict(list)
        """The forms by their first characters, which the tokens and secrets of a target share: one search for many."""
        self._huge: list[re.Pattern[str]] = []

    def learn(self, *secrets: str) -> None:
        """Remember secrets: plain, URL-encoded, JSON-escaped and in base64.

        One of fewer than 6 characters is not remembered: it would mask parts of words.
        """
        forms = {form for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)} - self._known
        self._known |= forms
        self._huge += [_beginning(form) for form in forms if len(form) > LONGEST]
        # A search for each beginning is faster than a pattern of all, which would be compiled again for every token.
        for form in forms:
            if len(form) <= LONGEST:
                self._by_beginning[form[:SHORTEST]].append(form)

    def masked(self, exchange: Exchange) -> Exchange:
        """Return the exchange as it may be kept; what its answer calls a token or a secret is learned before."""
        self.learn(*_secrets_in(exchange.json))
        return _redacted(exchange, self)

    def __call__(self, text: str) -> str:
        """Mask every known or secret-looking part of a text."""
        for pattern in self._huge:
            text = pattern.sub(MASK, text)
        beginnings = [beginning for beginning in list(self._by_beginning) if beginning in text]
        forms = (form for beginning in beginnings for form in self._by_beginning[beginning] if form in text)
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, MASK)
        return LOOKS_SECRET.sub(MASK, text)


def _beginning(secret: str) -> re.Pattern[str]:
    """Match a huge secret by its beginning and all that goes on like one."""
    return re.compile(re.escape(secret[:LONGEST]) + r"[^\s\"']*")


def _forms(secret: str) -> set[str]:
    plain = secret.encode("utf-8", "surrogatepass")
    encoded = {base64.b64encode(plain).decode(), base64.urlsafe_b64encode(plain).decode()}
    stripped = {text.rstrip("=") for text in encoded}
    return {secret, quote(secret, safe="", errors="surrogatepass"), json.dumps(secret)[1:-1], *encoded, *stripped}


def _secrets_in(body: Any) -> Iterator[str]:
    if isinstance(body, dict):
        for name, value in body.items():
            if isinstance(value, dict | list):
                yield from _secrets_in(value)
            elif isinstance(value, str) and SECRET_NAME.search(name):
                yield value
    elif isinstance(body, list):
        for item in body:
            yield from _secrets_in(item)


def _redacted(exchange: Exchange, redact: Callable[[str], str]) -> Exchange:
    """Return the exchange as it may be kept: each text through `redact`, credentials named instead of written."""
    sent, came = exchange.request, exchange.response
    request = replace(sent, headers=_without_credentials(sent.headers, sent.credential))
    response = came and replace(came, headers=_without_credentials(came.headers))
    named = replace(exchange, request=request, response=response)
    if not _changes(_texts(named), redact):
        return named
    request = replace(
        request, url=redact(sent.url), headers=_headers(request.headers, redact), body=_body(sent.body, redact)
    )
    response = response and replace(
        response, headers=_headers(response.headers, redact), body=_body(response.body, redact)
    )
    return replace(named, request=request, response=response, fault=redact(exchange.fault) if exchange.fault else None)


def _texts(exchange: Exchange) -> Iterator[str]:
    for message in (exchange.request, exchange.response):
        if message is not None:
            yield from (value for _, value in message.headers)
            yield _text(message.body)
    yield exchange.request.url
    yield exchange.fault or ""


def _changes(texts: Iterable[str], redact: Callable[[str], str]) -> bool:
    """Whether `redact` masks something in one of these texts: one search for all, since each takes long."""
    lines = "\n".join(texts)
    return redact(lines) != lines


def redacted_delivery(delivery: Delivery, redact: Callable[[str], str]) -> Delivery:
    """Return the delivery as it may be kept: each text through `redact`."""
    fields = (text for field in delivery.headers for text in field)
    if not _changes((delivery.path, delivery.method, *fields, _text(delivery.body), delivery.fault or ""), redact):
        return delivery
    headers = tuple((redact(name), redact(value)) for name, value in delivery.headers)
    body = _body(delivery.body, redact)
    masked = delivery.masked if body == delivery.body else "a secret"
    fault = redact(delivery.fault) if delivery.fault else delivery.fault

    return replace(
        delivery,
        path=redact(delivery.path),
        method=redact(delivery.method),
        headers=headers,
        body=body,
        fault=fault,
        masked=masked,
    )


def _without_credentials(headers: Headers, credential: str = "") -> Headers:
    masked = f"<{credential or 'redacted'}>"
    return tuple((name, masked if name.lower() in SECRET_HEADERS else value) for name, value in headers)


def _headers(headers: Headers, redact: Callable[[str], str]) -> Headers:
    return tuple((name, redact(value)) for name, value in headers)


def _body(body: bytes, redact: Callable[[str], str]) -> bytes:
    return redact(_text(body)).encode("utf-8", "surrogateescape")


def _text(body: bytes) -> str:
    return body.decode("utf-8", "surrogateescape")
