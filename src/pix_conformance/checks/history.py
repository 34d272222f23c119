"""How what a run recorded is read again when it is over: bodies, the objects that paths name, times."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from pix_conformance.checks.matchers import Matcher, said
from pix_conformance.checks.outcomes import NotApplicable
from pix_conformance.model.exchange import Exchange, Headers, Request, Response
from pix_conformance.model.vocabulary import Api, Role, RunRecord

PLAIN = "application/json"
FEW, LATER, LATER_S = 3, 3.0, 3.0
"""Events that show how long one may take, and how much longer another one may: by that factor and so many seconds."""
TAKEN = range(200, 300)
"""Answers of ours after which an event need not come again."""
SETTLED_S = 5.0
"""After how many seconds no part of a service may still show what was before."""
Recorded = dict[str, Any]
"""An exchange as the ledger keeps it."""
Looked = Iterator[tuple[Recorded, str | None]]
"""The exchanges that show something, each with what is wrong."""


def judged(record: RunRecord, question: str, looked: Looked) -> tuple[Exchange, Matcher]:
    """Return what `expect` takes: the first exchange that is wrong, else the last; NotApplicable without any."""
    last: Recorded | None = None
    for last, problem in looked:
        if problem:
            return replace(exchange_of(last), run=record), said(question, problem)
    if last is None:
        raise NotApplicable("no answer of this run shows it")
    return replace(exchange_of(last), run=record), said(question, None)


def told(message: Recorded | None) -> Recorded:
    """Read the body of a recorded message; empty for what is no JSON object with each name once."""
    with suppress(ValueError):
        found = json.loads((message or {}).get("body") or "", object_pairs_hook=_once)
        return found if isinstance(found, dict) else {}
    return {}


def sent(exchange: Recorded) -> Recorded:
    """Read what a request asked for, where it was sent as JSON; empty otherwise."""
    media = (value.partition(";")[0].strip() for name, value in exchange["request"]["headers"] if _is_type(name))
    return told(exchange["request"]) if PLAIN in media else {}


def named(exchange: Recorded) -> set[str]:
    """Return the segments of the path that was asked; one may be the id of an object."""
    return set(map(unquote, urlsplit(exchange["request"]["url"]).path.split("/")))


def status_of(exchange: Recorded) -> int | None:
    """Return the status of the answer, if one came."""
    return (exchange["response"] or {}).get("status")


def started(exchange: Recorded) -> float:
    """Return when a request was sent, in epoch seconds."""
    return datetime.fromisoformat(exchange["started"]).timestamp()


def ended(exchange: Recorded) -> float:
    """Return when an exchange was over, in epoch seconds."""
    return started(exchange) + (exchange["elapsed_ms"] or 0) / 1000


def heard_until(received: float, delays: Iterable[float]) -> float:
    """Return when at the latest that happened of which an event would have come, by a delivery received then."""
    return received - LATER * max(0.0, max(delays, default=0.0)) - LATER_S


def untaken(attempts: Iterable[tuple[Hashable, int | None]]) -> bool:
    """Whether what we refused, of things with the status that each attempt was answered, was not taken since."""
    refused: set[Hashable] = set()
    taken: set[Hashable] = set()
    for what, answered in attempts:
        (taken if answered in TAKEN else refused).add(what)
    return bool(refused - taken)


def exchange_of(one: Recorded) -> Exchange:
    """Return a recorded exchange as what `expect` takes; its secrets stay masked."""
    sent, came = one["request"], one["response"]
    whose = next((value.strip("<>") for name, value in sent["headers"] if name.lower() == "authorization"), "none")
    request = Request(sent["method"], sent["url"], _headers(sent), (sent.get("body") or "").encode(), whose)
    answer = came and Response(came["status"], _headers(came), (came.get("body") or "").encode(), came["bytes"])
    return Exchange(
        one["id"],
        Api(one["api"]),
        Role(one["role"]),
        one["operation"],
        one["test"],
        started(one),
        one["elapsed_ms"],
        request,
        answer,
        one["error"],
    )


def _headers(message: Recorded) -> Headers:
    return tuple((name, value) for name, value in message["headers"])


def _is_type(name: str) -> bool:
    return name.lower() == "content-type"


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found = list(pairs)
    if len(dict(found)) < len(found):
        raise ValueError("a name stands twice")
    return dict(found)
