"""What the document leaves open about tokens, bodies, errors and rates: asked and noted, never judged."""

from __future__ import annotations

from fixtures.payments import descriptions as seen
from fixtures.payments.bodies import a_charge, a_customer
from fixtures.payments.charges import plain_charge
from fixtures.payments.routes import a_new_charge, plain_transfer
from fixtures.payments.tokens import a_token, claims
from pix_conformance.checks.matchers import has
from pix_conformance.harness.clients.client import NO_AUTHORIZATION, Authorization
from pix_conformance.harness.clients.payments import BALANCE, CHARGES, Payments
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import Observer, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.subject import shown

NOBODY = "00000000-0000-4000-8000-000000000000"


@requirement("PAY-AUTH-20")
def test_a_body_sent_for_a_token_is_noted(payments: Payments, observe: Observer) -> None:
    """'No body is accepted' reads as refused, or as not used."""
    bodies = {"an empty object": {}, "a field": {"grant_type": "client_credentials"}}
    seen.note_answers(observe, "PAY-AUTH-20", {what: payments.authenticate(json=body) for what, body in bodies.items()})


@requirement("PAY-AUTH-23")
def test_small_letters_in_the_scheme_are_noted(payments: Payments, observe: Observer) -> None:
    """HTTP reads them without regard to case; the document writes capitals."""
    pair = str(payments.basic().value).replace("Basic", "basic")
    bearer = Authorization(f"bearer {a_token(payments)}", "token as 'bearer'")
    answers = {
        "basic": payments.authenticate(Authorization(pair, "pair as 'basic'")),
        "bearer": payments.get_balance(authorization=bearer),
    }
    seen.note_answers(observe, "PAY-AUTH-23", answers)


@requirement("PAY-AUTH-24")
def test_the_claims_of_a_token_are_noted(payments: Payments, observe: Observer) -> None:
    """Their names; of their values only what speaks of permissions."""
    granted = precondition(payments.authenticate(), has("token"))
    read = claims(str(granted.at("token")))
    spoken = {name: read[name] for name in ("scope", "scopes", "scp", "roles", "permissions") if name in read}
    observe(
        "PAY-AUTH-24",
        f"claims: {', '.join(sorted(read)) or 'none to read'}; permissions: {shown(spoken) if spoken else 'none'}",
        spoken,
        granted,
    )


@requirement("PAY-GEN-02")
def test_the_literals_of_amounts_are_noted(payments: Payments, observe: Observer) -> None:
    """A whole amount may be written with a point."""
    answers = [plain_charge(payments), plain_transfer(payments)]
    found = [one for answer in answers for one in seen.literals(answer, "amount", "netAmount", "fees")]
    forms = sorted({"without a fraction" if one.isdecimal() else "with a fraction" for one in found})
    observe("PAY-GEN-02", f"amounts are written {' and '.join(forms)}", forms, *answers)


@requirement("PAY-GEN-03")
def test_a_whole_amount_with_a_point_is_noted(payments: Payments, observe: Observer) -> None:
    """1050.0 is an integer to JSON Schema."""
    body = seen.written(a_charge()).replace("1050", "1050.0")
    seen.note_answers(observe, "PAY-GEN-03", {"1050.0": seen.raw_charge(payments, body)})


@requirement("PAY-GEN-04")
def test_other_media_types_are_noted(payments: Payments, observe: Observer) -> None:
    """The body is JSON each time."""
    kinds = ("", "text/plain", "application/vnd.api+json", "application/x-www-form-urlencoded")
    body = seen.written(a_charge())
    seen.note_answers(
        observe, "PAY-GEN-04", {one or "none": seen.raw_charge(payments, body, content_type=one) for one in kinds}
    )


@requirement("PAY-GEN-09")
def test_a_key_that_stands_twice_is_noted(payments: Payments, observe: Observer) -> None:
    """With the same value, and with another."""
    body = seen.written(a_charge())
    twice = {str(one): body.replace("{", f'{{"amountInCents": {one}, ', 1) for one in (1050, 2000)}
    answers = {f"{one}, then 1050": seen.raw_charge(payments, text) for one, text in twice.items()}
    seen.note_answers(observe, "PAY-GEN-09", answers)


@requirement("PAY-GEN-10")
def test_further_fields_of_answers_are_noted(payments: Payments, observe: Observer) -> None:
    """More fields than the documented ones are right."""
    made = a_new_charge(payments)
    answers = [payments.create_charge(a_charge()), payments.get_charge(made), payments.pay_charge(made)]
    answers += [payments.authenticate(), payments.get_balance(), plain_transfer(payments)]
    found = {str(one.operation): seen.further_fields(one) for one in answers}
    words = "; ".join(f"{operation}: {', '.join(names) or 'none'}" for operation, names in found.items())
    observe("PAY-GEN-10", f"further fields: {words}", found, *answers)


@requirement("PAY-GEN-11")
def test_unknown_paths_and_methods_are_noted(payments: Payments, observe: Observer) -> None:
    """404, 405 or another."""
    asked = [("GET", "/api/v1/pix-conformance"), ("PUT", BALANCE), ("DELETE", CHARGES), ("GET", CHARGES)]
    answers = {f"{method} {path}": payments.call(method, path) for method, path in asked}
    seen.note_answers(observe, "PAY-GEN-11", answers)


@requirement("PAY-ERR-13", "PAY-ERR-15")
def test_the_form_of_errors_is_noted(payments: Payments, observe: Observer) -> None:
    """Language and path of messages, and fields beyond error and message."""
    answers = [
        payments.create_charge(a_charge(amountInCents=1)),
        payments.create_charge(a_charge(customer=a_customer(documentType="passport"))),
        payments.get_charge(NOBODY),
        payments.get_balance(authorization=NO_AUTHORIZATION),
    ]
    messages = [str(one.at("message") or "") for one in answers]
    observe("PAY-ERR-13", " | ".join(messages), messages, *answers)
    names = {name for one in answers if isinstance(one.json, dict) for name in one.json}
    more = sorted(names - {"error", "message"})
    observe("PAY-ERR-15", f"further fields of errors: {', '.join(more) or 'none'}", more, *answers)


@requirement("PAY-ERR-14")
def test_the_order_of_errors_is_noted(payments: Payments, observe: Observer) -> None:
    """Each request has two faults."""
    paid = a_new_charge(payments)
    precondition(payments.pay_charge(paid))
    answers = {
        "no token, bad body": payments.create_charge({}, authorization=NO_AUTHORIZATION),
        "no token, unknown id": payments.get_charge(NOBODY, authorization=NO_AUTHORIZATION),
        "no token, charge already paid": payments.pay_charge(paid, authorization=NO_AUTHORIZATION),
        "no token, unknown path": payments.call("GET", "/api/v1/none", authorization=NO_AUTHORIZATION),
    }
    seen.note_answers(observe, "PAY-ERR-14", answers)


@deferred(0)
@requirement("PAY-RATE-02", "PAY-RATE-03")
def test_what_was_seen_of_rates_is_noted(payments: Payments, observe: Observer) -> None:
    """After all else, from all answers; no rate is provoked."""
    last = precondition(payments.get_balance(), has("data", "object"))
    found = seen.stored_headers(payments, ".*rate-?limit.*|retry-after")
    waits = seen.until_accepted_again(payments)
    met = f"429 was met {len(waits)} times" if waits else "no 429 was met"
    observe("PAY-RATE-02", f"{met}; headers: {found or 'none'}", found, last)
    observe("PAY-RATE-03", f"{met}; accepted again: {waits}" if waits else met, waits, last)
