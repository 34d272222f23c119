"""Passive rules of deliveries: payload, method, headers, and the form of the signature."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pix_conformance.checks import signatures
from pix_conformance.checks.clocks import after_or_before, doubt
from pix_conformance.checks.schema import Finding, judge_event
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import COMPLETE, EVENT_NAME_FIELD, SIGNATURE, event_of
from pix_conformance.model.secret import Secret
from pix_conformance.model.subject import MISSING, at, shown
from pix_conformance.model.vocabulary import Api
from pix_conformance.oracles import signature

PAYMENTS_FORM = re.compile(r"\s*t=[^,]+,\s*v1=[^,]+(,.*)?", re.DOTALL)
BUSINESS_FORM = re.compile(r"\s*t=[0-9]+(\.[0-9]+)?,\s*v1=[0-9a-fA-F]+\s*(,.*)?", re.DOTALL)
LONGEST_AGE_S = 300
"""The greatest age of a signature that the document's sample accepts (BUS-SIG-04)."""
FURTHER = "business."
"""Beginnings of names of events that the documents do not list, such as expiry; such events are open."""
LIKE = {"charge": "transaction_updated", "transfer": "transfer_updated"}
"""By kind of object, the event with whose schema an event without a documented name is compared."""
PAYER_NAMED = frozenset({"PAY-EVT-56", "PAY-EVT-88"})
"""Requirements of the payer's name in an event. They do not apply to a charge that was created without a name."""
NAME_ID = {"transaction_updated": "PAY-EVT-42", "transfer_updated": "PAY-EVT-62"}


@dataclass(frozen=True)
class Context:
    """What is known about a delivery: the kind of its object, the endpoint's secret, its time of arrival."""

    kind: str | None = None
    secret: Secret | None = None
    arrived: float | None = None
    """Arrival in epoch seconds of the target's clock; None for a later attempt, or if the clock is unknown."""
    ahead: float = 0.0
    """By how many seconds the Date headers of the target are ahead of this machine's clock."""
    begun: float | None = None
    """For a later attempt, the arrival of the first attempt; None otherwise."""
    customer_named: bool = True
    """False if this run created the event's charge without the name of a customer."""


def judge(delivery: Delivery, api: Api, context: Context) -> Iterator[Finding]:
    """Judge one delivery. Yields nothing if the body is neither an event nor about an object of this run."""
    event = event_of(delivery, api)
    if delivery.fault not in COMPLETE or (event is None and context.kind is None):
        return
    found = judge_event(api, event, delivery.body) if event else _unnamed(delivery, api, _like(api, context))
    yield from (one for one in found if context.customer_named or not _payer_without_name(one, delivery))
    for rule in RULES[api]:
        yield from rule(delivery, context)


def _payer_without_name(found: Finding, delivery: Delivery) -> bool:
    """Whether what is wrong is that the payer of a charge has no name."""
    absent = at(delivery.json, "transaction.pix.payerInfo.name") in (MISSING, None)
    return absent and found.requirement in PAYER_NAMED and "name" in (found.mismatch or "")


def _like(api: Api, context: Context) -> str:
    return "business.pix.created" if api is Api.BUSINESS else LIKE.get(context.kind or "", "transaction_updated")


def _unnamed(delivery: Delivery, api: Api, like: str) -> Iterator[Finding]:
    """Judge an event without a documented name by the schema that it should meet."""
    own = NAME_ID.get(like, "BUS-EVT-06")
    if str(at(delivery.json, EVENT_NAME_FIELD[api])).startswith(FURTHER):
        return
    found = judge_event(api, like, delivery.body)
    if isinstance(delivery.json, dict):
        said = at(delivery.json, EVENT_NAME_FIELD[api])
        named = "missing" if said is MISSING else shown(said)
        yield Finding(own, f"$.{EVENT_NAME_FIELD[api]} is {named}, which is not a documented name")
    yield from (one for one in found if one.requirement != own)


def posted(delivery: Delivery, context: Context) -> Iterator[Finding]:
    """PAY-EVT-30 and BUS-EVT-04: events are sent by POST."""
    del context
    problem = None if delivery.method == "POST" else f"the method is {delivery.method}"
    yield Finding("BUS-EVT-04" if delivery.api == Api.BUSINESS else "PAY-EVT-30", problem)


def payments_headers(delivery: Delivery, context: Context) -> Iterator[Finding]:
    """PAY-EVT-32 and PAY-EVT-33."""
    del context
    media = _media(delivery)
    yield Finding("PAY-EVT-32", None if media == "application/json" else f"Content-Type is {media or 'missing'}")
    agent = delivery.header("user-agent")
    yield Finding("PAY-EVT-33", None if agent == "Service" else f"User-Agent is {shown(agent)}")


def payments_signature(delivery: Delivery, context: Context) -> Iterator[Finding]:
    """PAY-SIG-02 and PAY-SIG-04: the form of the signature."""
    del context
    header = delivery.header(SIGNATURE[Api.PAYMENTS])
    if header is None:
        return
    formed = PAYMENTS_FORM.fullmatch(header)
    yield Finding("PAY-SIG-02", None if formed else f"Service-Signature is {shown(header)}, not t=...,v1=...")
    if formed:
        digits = any(re.fullmatch("[0-9a-fA-F]{64}", one) for one in signature.parse(header).v1s)
        yield Finding("PAY-SIG-04", None if digits else f"v1 is not 64 hexadecimal digits: {shown(header)}")


def business_media(delivery: Delivery, context: Context) -> Iterator[Finding]:
    """BUS-EVT-20: the Content-Type is JSON."""
    del context
    media = _media(delivery)
    right = media.endswith(("/json", "+json"))
    yield Finding("BUS-EVT-20", None if right else f"Content-Type is {media or 'missing'}")


def business_signature(delivery: Delivery, context: Context) -> Iterator[Finding]:
    """BUS-SIG-01 to BUS-SIG-05 and BUS-SIG-07."""
    header = delivery.header(SIGNATURE[Api.BUSINESS])
    yield Finding("BUS-SIG-01", "X-Service-Signature is missing" if header is None else None)
    if header is None:
        return
    formed = BUSINESS_FORM.fullmatch(header)
    problem = None if formed else f"X-Service-Signature is {shown(header)}, not t=<epoch>,v1=<hexadecimal digits>"
    yield Finding("BUS-SIG-02", problem)
    if context.secret is not None:
        yield Finding("BUS-SIG-03", signatures.mismatch(header, delivery.body, context.secret.reveal()))
    yield from _age(header, context)


def _age(header: str, context: Context) -> Iterator[Finding]:
    t = signature.parse(header).t
    if (counted := signature.unit(t)) is not None:
        yield Finding("BUS-SIG-05", None if counted == "seconds" else f"t is {t}, in {counted}")
    seconds = None if context.arrived is None else signature.age(t, context.arrived)
    if seconds is not None:
        problem = _wrong_time(seconds)
        yield Finding("BUS-SIG-04", problem, problem and doubt(-seconds, context.ahead, LONGEST_AGE_S))
    seconds = None if context.begun is None else signature.age(t, context.begun)
    if seconds is not None:
        old = seconds > LONGEST_AGE_S
        yield Finding("BUS-SIG-07", f"t is {seconds:.0f} s before the arrival of the first attempt" if old else None)


def _wrong_time(seconds: float) -> str | None:
    return f"t is {after_or_before(-seconds)} the arrival" if abs(seconds) > LONGEST_AGE_S else None


def _media(delivery: Delivery) -> str:
    return (delivery.header("content-type") or "").split(";")[0].strip().lower()


Rule = Callable[[Delivery, Context], Iterator[Finding]]
RULES: dict[Api, tuple[Rule, ...]] = {
    Api.PAYMENTS: (posted, payments_headers, payments_signature),
    Api.BUSINESS: (posted, business_media, business_signature),
}
