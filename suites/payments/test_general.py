"""What holds for all routes and is left open: amounts, media types, repeated names, unknown paths (payments.md)."""

import json
import re

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

NUMBER_OF_AMOUNT = re.compile(r'"(?:amount|netAmount|fees)"\s*:\s*(-?[0-9][0-9.eE+-]*)')


def _create_charge(payments: Payments, text: str, content_type: str = "application/json") -> Exchange:
    """POST a charge whose body is this text, under this content type; an empty one is not sent."""
    headers = {"content-type": content_type}
    return payments.call("POST", CHARGES, operation="create_charge", content=text.encode(), headers=headers)


@requirement("PAY-GEN-02")
def test_the_written_form_of_amounts_is_noted(
    pending_charge: Exchange, plain_transfer: Transfer, observe: Observer
) -> None:
    """A whole amount in a response may be written with or without a decimal point."""
    answers = [pending_charge, plain_transfer.created]
    numbers = [
        number for answer in answers for number in NUMBER_OF_AMOUNT.findall(answer.body.decode("utf-8", "replace"))
    ]
    forms = sorted({"without a fraction" if number.isdecimal() else "with a fraction" for number in numbers})
    observe("PAY-GEN-02", f"amounts are written {' and '.join(forms)}", forms, *answers)


@requirement("PAY-GEN-03")
def test_the_answer_to_a_whole_amount_with_a_decimal_point_is_noted(payments: Payments, observe: Observer) -> None:
    """JSON Schema takes 1050.0 for an integer; a service may refuse it as amountInCents."""
    text = json.dumps(a_charge(amountInCents=1050)).replace("1050", "1050.0")
    note_answers(observe, "PAY-GEN-03", {"1050.0": _create_charge(payments, text)})


@requirement("PAY-GEN-04")
def test_the_answers_to_other_media_types_are_noted(payments: Payments, observe: Observer) -> None:
    """POST of a valid JSON charge under other content types, and under none, may be accepted or refused."""
    kinds = ("", "text/plain", "application/vnd.api+json", "application/x-www-form-urlencoded")
    text = json.dumps(a_charge())
    note_answers(observe, "PAY-GEN-04", {kind or "none": _create_charge(payments, text, kind) for kind in kinds})


@requirement("PAY-GEN-09")
def test_the_answers_to_a_repeated_name_in_a_body_are_noted(payments: Payments, observe: Observer) -> None:
    """POST of a charge that has amountInCents twice, with equal and with different values, may be refused."""
    text = json.dumps(a_charge(amountInCents=1050))
    answers = {
        f"{first}, then 1050": _create_charge(payments, text.replace("{", f'{{"amountInCents": {first}, ', 1))
        for first in (1050, 2000)
    }
    note_answers(observe, "PAY-GEN-09", answers)


@requirement("PAY-GEN-10")
def test_further_fields_of_responses_are_noted(
    payments: Payments,
    paid_charge: PaidCharge,
    query_of_paid_charge: Exchange,
    plain_transfer: Transfer,
    observe: Observer,
) -> None:
    """A response may have more fields than the document names; the report lists them by operation."""
    answers = [paid_charge.created, query_of_paid_charge, paid_charge.payment]
    answers += [payments.authenticate(), payments.get_balance(), plain_transfer.created]
    fields = {name: answer.evidence for answer in answers for name in undocumented_fields(answer)}
    seen = undocumented_fields_observed("PAY-GEN-10", fields)
    observe(seen.requirement, seen.words, seen.data, *answers)


@requirement("PAY-GEN-11")
def test_the_answers_to_unknown_paths_and_methods_are_noted(payments: Payments, observe: Observer) -> None:
    """An unknown path, and a known path with a method that it does not have, may be answered 404, 405 or otherwise."""
    requests = [("GET", "/api/v1/pix-conformance"), ("PUT", BALANCE), ("DELETE", CHARGES), ("GET", CHARGES)]
    answers = {f"{method} {path}": payments.call(method, path) for method, path in requests}
    note_answers(observe, "PAY-GEN-11", answers)


@requirement("PAY-GEN-07")
def test_the_answers_to_unknown_fields_of_a_charge_are_noted(payments: Payments, observe: Observer) -> None:
    """POST of a charge with a field that the document does not name, at the top or in customer, may be refused."""
    bodies = {
        "an unknown field": a_charge(pixConformance="unknown"),
        "an unknown field of customer": a_charge(customer=a_customer(pixConformance="unknown")),
    }
    note_charges(observe, payments, "PAY-GEN-07", bodies)


@requirement("PAY-GEN-08")
def test_the_answers_to_null_in_optional_fields_of_a_charge_are_noted(payments: Payments, observe: Observer) -> None:
    """POST of a charge with null as the value of its optional fields may be accepted or refused; if so, each alone."""
    fields = ("description", "postbackUrl", "items", "splits")
    of_customer = ("name", "email", "phone", "billingAddress")
    item = an_item(shippingAddress=None)
    customer = a_customer(**dict.fromkeys(of_customer))
    together = payments.create_charge(a_charge(customer=customer, description=None, postbackUrl=None, items=[item]))
    alone = {
        **{f"{name} is null": a_charge(**{name: None}) for name in fields},
        **{f"customer.{name} is null": a_charge(customer=a_customer(**{name: None})) for name in of_customer},
        "items.0.shippingAddress is null": a_charge(items=[item]),
    }
    bodies = {} if together.ok else alone
    answers = {what: payments.create_charge(body) for what, body in bodies.items()}
    note_answers(observe, "PAY-GEN-08", {"every optional field is null": together, **answers})
