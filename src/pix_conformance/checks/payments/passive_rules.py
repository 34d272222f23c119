"""The passive rules of the payments API."""

import re
from collections.abc import Iterator

from pix_conformance.checks.passive_rules import DeliveryContext, Rules, no_server_error, other_media_type, posted
from pix_conformance.checks.schema import Finding
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.profile import PAYMENTS
from pix_conformance.model.subject import MISSING, Subject, at, shown
from pix_conformance.oracles import signature

SIGNATURE_FORM = re.compile(r"\s*t=[^,]+,\s*v1=[^,]+(,.*)?", re.DOTALL)
PAYER_NAMED = frozenset({"PAY-EVT-56", "PAY-EVT-88"})
"""Requirements of the payer's name in an event. They apply to a charge that this run created with a name."""


def json_media_type(answer: Subject) -> Iterator[Finding]:
    """PAY-GEN-01: the Content-Type of a JSON body is application/json."""
    if isinstance(answer.parsed_body, dict | list):
        yield Finding("PAY-GEN-01", other_media_type(answer, "application/json"))


def headers(delivery: Delivery, _context: DeliveryContext) -> Iterator[Finding]:
    """PAY-EVT-32 and PAY-EVT-33: the Content-Type and the User-Agent of an event."""
    yield Finding("PAY-EVT-32", other_media_type(delivery, "application/json"))
    agent = delivery.header("user-agent")
    yield Finding("PAY-EVT-33", None if agent == "Service" else f"User-Agent is {shown(agent)}")


def signature_form(delivery: Delivery, _context: DeliveryContext) -> Iterator[Finding]:
    """PAY-SIG-02 and PAY-SIG-04: the form of the signature."""
    header = delivery.header(PAYMENTS.signature_header)
    if header is None:
        return
    formed = SIGNATURE_FORM.fullmatch(header)
    yield Finding("PAY-SIG-02", None if formed else f"Service-Signature is {shown(header)}, not t=...,v1=...")
    if formed:
        digits = any(re.fullmatch("[0-9a-fA-F]{64}", v1) for v1 in signature.parse(header).v1s)
        yield Finding("PAY-SIG-04", None if digits else f"v1 is not 64 hexadecimal digits: {shown(header)}")


def _is_name_unknown(finding: Finding, delivery: Delivery, context: DeliveryContext) -> bool:
    """Whether what is wrong is that the payer has no name, unless this run created the charge with one."""
    absent = at(delivery.json, "transaction.pix.payerInfo.name") in (MISSING, None)
    about_name = absent and finding.requirement in PAYER_NAMED and "name" in (finding.mismatch or "")
    is_named = context.created == "charge" and at(context.sent, "customer.name") not in (MISSING, None)
    return about_name and not is_named


RULES = Rules(
    responses=(json_media_type, no_server_error("PAY-ERR-12")),
    deliveries=(posted("PAY-EVT-30"), headers, signature_form),
    exempt=_is_name_unknown,
    invalid_body_code="PAY-ERR-04",
    undocumented_fields="PAY-GEN-10",
)
