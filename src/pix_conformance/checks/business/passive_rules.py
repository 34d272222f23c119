"""The passive rules of the business charge API."""

import re
from collections.abc import Iterator
from typing import Any

from pix_conformance.checks.clocks import after_or_before, is_of_target
from pix_conformance.checks.passive_rules import DeliveryContext, Rules, no_server_error, other_media_type, posted
from pix_conformance.checks.schema import Finding
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.profile import BUSINESS
from pix_conformance.model.subject import MISSING, Subject, shown
from pix_conformance.oracles import signature

REFUSED = 400
SIGNATURE_FORM = re.compile(r"\s*t=[0-9]+(\.[0-9]+)?,\s*v1=[0-9a-fA-F]+\s*(,.*)?", re.DOTALL)
LONGEST_AGE_S = 300
"""The greatest age of a signature (BUS-SIG-04)."""


def json_media_type(answer: Subject) -> Iterator[Finding]:
    """BUS-GEN-02 and BUS-ERR-05: the Content-Type of a body is JSON."""
    if answer.body:
        refused = (answer.status or 0) >= REFUSED
        yield Finding("BUS-ERR-05" if refused else "BUS-GEN-02", other_media_type(answer, ".*json"))


def cents(answer: Subject) -> Iterator[Finding]:
    """BUS-GEN-01: every field whose name ends in _cents is an integer or null."""
    for path, value in _cents(answer.parsed_body, "$"):
        is_integer = isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
        problem = None if value is None or is_integer else f"{path} is {shown(value)}, not an integer of cents"
        yield Finding("BUS-GEN-01", problem)


def _cents(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if value is MISSING:
        return
    if isinstance(value, dict):
        for name, member in value.items():
            if name.endswith("_cents"):
                yield f"{path}.{name}", member
            elif isinstance(member, dict | list):
                yield from _cents(member, f"{path}.{name}")
    elif isinstance(value, list):
        for index, element in enumerate(value[:500]):
            yield from _cents(element, f"{path}[{index}]")


def event_media_type(delivery: Delivery, _context: DeliveryContext) -> Iterator[Finding]:
    """BUS-EVT-20: the Content-Type is JSON."""
    yield Finding("BUS-EVT-20", other_media_type(delivery, ".*[/+]json"))


def signed(delivery: Delivery, context: DeliveryContext) -> Iterator[Finding]:
    """BUS-SIG-01 to BUS-SIG-05 and BUS-SIG-07: the signature is there, right, and not too old."""
    header = delivery.header(BUSINESS.signature_header)
    yield Finding("BUS-SIG-01", "X-Service-Signature is missing" if header is None else None)
    if header is None:
        return
    formed = SIGNATURE_FORM.fullmatch(header)
    problem = None if formed else f"X-Service-Signature is {shown(header)}, not t=<epoch>,v1=<hexadecimal digits>"
    yield Finding("BUS-SIG-02", problem)
    if delivery.signature is not None:
        yield Finding("BUS-SIG-03", delivery.signature.problem)
    yield from _age(header, context)


def _age(header: str, context: DeliveryContext) -> Iterator[Finding]:
    t = signature.parse(header).t
    if (counted := signature.unit(t)) is not None:
        yield Finding("BUS-SIG-05", None if counted == "seconds" else f"t is {t}, in {counted}")
    seconds = None if context.arrived is None else signature.age(t, context.arrived)
    if seconds is not None:
        is_near = abs(seconds) <= LONGEST_AGE_S or is_of_target(-seconds, context.ahead, LONGEST_AGE_S)
        yield Finding("BUS-SIG-04", None if is_near else f"t is {after_or_before(-seconds)} the arrival")
    seconds = None if context.first_arrived is None else signature.age(t, context.first_arrived)
    if seconds is not None:
        old = seconds > LONGEST_AGE_S
        yield Finding("BUS-SIG-07", f"t is {seconds:.0f} s before the arrival of the first attempt" if old else None)


RULES = Rules(
    responses=(json_media_type, no_server_error("BUS-GEN-03"), cents),
    deliveries=(posted("BUS-EVT-04"), event_media_type, signed),
    endpoint_secret="BUS-SIG-03",  # noqa: S106  # a requirement, not a secret
)
