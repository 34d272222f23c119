"""How the exchanges of a run are read when it is over: bodies, and the objects that paths name."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from pix_conformance.checks.matchers import Matcher, computed
from pix_conformance.checks.outcomes import NotApplicable
from pix_conformance.model.exchange import Exchange

PLAIN = "application/json"
FEW, LATER, LATER_S = 3, 3.0, 3.0
"""Events that show how long one may take, and how much longer another one may: by that factor and so many seconds."""
TAKEN = range(200, 300)
"""Answers of ours after which an event need not come again."""
SETTLED_S = 5.0
"""After how many seconds no part of a service may still show what was before."""
Violations = Iterator[tuple[Exchange, str | None]]
"""The exchanges that show something, each with what is wrong."""


def first_violation(question: str, looked: Violations) -> tuple[Exchange, Matcher]:
    """Return what `expect` takes: the first exchange that is wrong, else the last; NotApplicable without any."""
    last: Exchange | None = None
    for last, problem in looked:
        if problem:
            return last, computed(question, problem)
    if last is None:
        raise NotApplicable("no answer of this run shows it")
    return last, computed(question, None)


def json_body(body: bytes) -> dict[str, Any]:
    """Read a body; empty for what is no JSON object with each name once."""
    with suppress(ValueError):
        found = json.loads(body.decode("utf-8"), object_pairs_hook=_once)
        return found if isinstance(found, dict) else {}
    return {}


def sent(exchange: Exchange) -> dict[str, Any]:
    """Read what a request asked for, where it was sent as JSON; empty otherwise."""
    request = exchange.request
    media = (value.partition(";")[0].strip() for name, value in request.headers if name.lower() == "content-type")
    return json_body(request.body) if PLAIN in media else {}


def named(exchange: Exchange) -> set[str]:
    """Return the segments of the path that was asked; one may be the id of an object."""
    return set(map(unquote, urlsplit(exchange.request.url).path.split("/")))


def delivery_horizon(received: float, delays: Iterable[float]) -> float:
    """Return when at the latest that happened of which an event would have come, by a delivery received then."""
    return received - LATER * max(0.0, max(delays, default=0.0)) - LATER_S


def has_unacknowledged_delivery(attempts: Iterable[tuple[Hashable, int | None]]) -> bool:
    """Whether what we refused, of things with the status that each attempt was answered, was not taken since."""
    refused: set[Hashable] = set()
    taken: set[Hashable] = set()
    for what, answered in attempts:
        (taken if answered in TAKEN else refused).add(what)
    return bool(refused - taken)


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found = list(pairs)
    if len(dict(found)) < len(found):
        raise ValueError("a name stands twice")
    return dict(found)
