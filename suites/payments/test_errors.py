"""Error responses: the code, and the message that names the field.

That the message names the field is asked by the tests of the fields: PAY-ERR-08 of charges, PAY-ERR-09 of transfers,
PAY-ERR-10 of webhooks.
"""

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


@requirement("PAY-ERR-04", "PAY-CUS-20", "PAY-ERR-08")
def test_an_invalid_email_is_refused_as_an_invalid_request(payments: Payments, pending_charge: Exchange) -> None:
    """A charge whose customer.email has no @ is refused with 400 and INVALID_REQUEST; the message names the field."""
    precondition(pending_charge)
    answer = payments.create_charge(with_field(a_charge(), "customer.email", "maria.example.com"))
    expect(answer, status(400), of="PAY-CUS-20")
    expect(answer, status(400), message_names("email"), of="PAY-ERR-08")
    expect(require_refusal(answer, 400), error("INVALID_REQUEST"), of="PAY-ERR-04")


@requirement("PAY-ERR-04")
@pytest.mark.parametrize("key", ["not a key", "529.982.247-25", "12345"], ids=["words", "punctuated-cpf", "digits"])
def test_a_malformed_pix_key_is_refused_as_an_invalid_request(send_to_malformed_key: SendToKey, key: str) -> None:
    """POST of a transfer to a pixKey of no accepted type is refused with the code INVALID_REQUEST."""
    expect(require_refusal(send_to_malformed_key(key), 400), error("INVALID_REQUEST"))


@requirement("PAY-ERR-04")
def test_splits_of_more_than_the_whole_are_refused_as_an_invalid_request(
    payments: Payments, several_splits: SeveralSplits
) -> None:
    """POST of a charge whose splits add up to 120 percent is refused with the code INVALID_REQUEST."""
    answer = payments.create_charge(several_splits(60, 60))
    expect(require_refusal(answer, 400), error("INVALID_REQUEST"))


@requirement("PAY-ERR-13", "PAY-ERR-15")
def test_the_messages_and_further_fields_of_errors_are_noted(payments: Payments, observe: Observer) -> None:
    """Language and wording of messages are free, and an error may have fields beside error and message."""
    answers = [
        payments.create_charge(a_charge(amountInCents=1)),
        payments.get_charge(UNKNOWN_ID),
        payments.get_balance(authorization=NO_AUTHORIZATION),
    ]
    messages = [str(answer.at("message") or "") for answer in answers]
    observe("PAY-ERR-13", " | ".join(messages), messages, *answers)
    names = {name for answer in answers if isinstance(answer.json, dict) for name in answer.json}
    more = sorted(names - {"error", "message"})
    observe("PAY-ERR-15", f"further fields of errors: {', '.join(more) or 'none'}", more, *answers)


@requirement("PAY-ERR-14")
def test_which_of_two_errors_is_answered_is_noted(payments: Payments, observe: Observer) -> None:
    """A request without a token that is wrong in a second way may be answered for either."""
    answers = {
        "no token, invalid body": payments.create_charge({}, authorization=NO_AUTHORIZATION),
        "no token, unknown id": payments.get_charge(UNKNOWN_ID, authorization=NO_AUTHORIZATION),
        "no token, unknown path": payments.call("GET", "/api/v1/none", authorization=NO_AUTHORIZATION),
    }
    note_answers(observe, "PAY-ERR-14", answers)
