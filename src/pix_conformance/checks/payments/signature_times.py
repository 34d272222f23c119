"""The `t` of signatures of the payments API."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from pix_conformance.checks.clocks import after_or_before, is_of_target
from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.passive_rules import DeliveryContext
from pix_conformance.checks.payments.passive_rules import signature_form
from pix_conformance.checks.relation import relation
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.profile import PAYMENTS
from pix_conformance.model.vocabulary import Secret
from pix_conformance.model.why import Why
from pix_conformance.oracles import signature
from pix_conformance.oracles.timestamp import parse_date_time

HEADER = PAYMENTS.signature_header
SKEW_S = 300
APART_S = 5
"""Seconds after which even a `t` in whole seconds must differ."""


def signed(delivery: Delivery) -> str:
    """Return the signature header. Raises Undecided without t or v1, which another requirement judges."""
    header = delivery.header(HEADER) or ""
    parsed = signature.parse(header)
    if not parsed.t or not any(parsed.v1s):
        raise Undecided(Why.PRECONDITION, f"not tested: the event's signature has no t and v1 ({delivery.evidence})")
    return header


def read(t: str) -> str:
    """Return the meaning of `t` in words."""
    if counted := signature.unit(t):
        return f"{counted} since 1970"
    with suppress(ValueError):
        return f"a text, {parse_date_time(t).isoformat()}"
    return f"something else: {t[:40]}"


@relation("has the header Service-Signature")
def has_signature_header(event: Delivery) -> str | None:
    """Expect the header that signs an event."""
    return None if event.header(HEADER) is not None else f"{HEADER} is missing"


@relation("meets {requirement}: Service-Signature is t=...,v1=..., and v1 is hexadecimal")
def has_signature_form(event: Delivery, requirement: str) -> Problem:
    """Expect what a requirement states of the form of a signature; Unknown without t and v1."""
    signed(event)
    for finding in signature_form(event, DeliveryContext()):
        if finding.requirement == requirement:
            return finding.mismatch
    return Unknown(
        Why.PRECONDITION, f"not tested: the signature does not have the form t=...,v1=... ({event.evidence})"
    )


@relation("v1 is the HMAC-SHA256 of <t>.<raw body> under the signatureSecret of its webhook")
def is_signed_with(
    event: Delivery, secret: Secret, others: Sequence[Secret] = (), earlier: Sequence[Delivery] = ()
) -> str | None:
    """Expect the signature of the raw body; Unknown without t and v1.

    A wrong one may be made with the secrets of other webhooks, or with the t of an earlier attempt at the event.
    """
    return signature.mismatch(
        signed(event),
        event.body,
        secret.reveal(),
        others=(other.reveal() for other in others),
        earlier=(signature.parse(attempt.header(HEADER)).t for attempt in earlier),
    )


@relation("v1 is no HMAC-SHA256 of <t>.<raw body> under the signatureSecret of a webhook of another account")
def is_not_signed_with(event: Delivery, secret: Secret) -> str | None:
    """Expect the signature of another secret; Unknown without t and v1."""
    is_theirs = signature.mismatch(signed(event), event.body, secret.reveal()) is None
    return "it is signed with the secret of the other account" if is_theirs else None


@relation("t is the time of sending, within five minutes")
def is_signed_between(event: Delivery, earliest: float, arrived: float, ahead: float = 0.0) -> str | None:
    """Expect t, a count or a date, to be the time of sending, which lies between two times.

    Both are in epoch seconds of the target's clock, which may have been advanced between them. `ahead` is by how many
    seconds its Date headers are ahead of this machine: a delivery has none.
    """
    t = signature.parse(signed(event)).t
    seconds = signature.age(t, arrived)
    if seconds is None:
        with suppress(ValueError):
            seconds = arrived - parse_date_time(t).timestamp()
    if seconds is None:
        return f"t is {t[:40]!r}, neither seconds or milliseconds since 1970 nor a date"
    in_time = -SKEW_S <= seconds <= SKEW_S + arrived - earliest
    if in_time or is_of_target(-seconds, ahead, SKEW_S):
        return None
    return f"t is {after_or_before(-seconds)} the arrival"


def farthest_apart(events: Iterable[Delivery]) -> tuple[Delivery, Delivery]:
    """Return the first of several signed events, and the first with another `t`, or else the last."""
    in_turn = sorted(events, key=lambda event: event.received)
    read_times = [(event, signature.parse(event.header(HEADER)).t) for event in in_turn]
    timed = [(event, t) for event, t in read_times if t] or read_times
    first, t_of_first = timed[0]
    return first, next((event for event, t in timed if t != t_of_first), timed[-1][0])


@relation("t is not that of {first}, which came some time before")
def has_another_time_than(event: Delivery, first: Delivery) -> Problem:
    """Compare two signatures; Unknown if the events came within five seconds and have one `t`."""
    times = [signature.parse(signed(delivery)).t or "" for delivery in (first, event)]
    span = event.received - first.received
    if times[0] != times[1]:
        return None
    if span < APART_S:
        return Unknown(Why.NOT_SHOWN, f"all signed events arrived within {span:.1f} s")
    return f"t is {times[0][:40]} in all events of {span:.0f} s"
