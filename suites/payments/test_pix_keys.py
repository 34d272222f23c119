"""The PIX keys that a transfer may be sent to."""

import pytest

from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

ACCEPTED = [
    case("PAY-KEY-01", "cpf", id="cpf"),
    case("PAY-KEY-02", "cnpj", id="cnpj"),
    case("PAY-KEY-03", "email", id="email"),
    case("PAY-KEY-04", "phone", id="phone"),
    case("PAY-KEY-05", "evp", id="evp"),
]
MALFORMED = [
    case("PAY-TRF-04", "not a key", id="words"),
    case("PAY-TRF-04", "1122233300018X", id="cnpj-that-ends-in-a-letter"),
    case("PAY-TRF-04", "٥٢٩٩٨٢٢٤٧٢٥", id="cpf-in-digits-of-another-script"),
    case("PAY-TRF-04", "x+5511987654321", id="phone-behind-a-letter"),
    case("PAY-TRF-04", "+5511987654321x", id="phone-before-a-letter"),
    case("PAY-KEY-16", "+551", id="one-digit-after-the-prefix"),
    case("PAY-KEY-16", "+55119876543210", id="12-digits-after-the-prefix"),
    case("PAY-TRF-04", "123e4567-e12b-42d1-a456-42665544000g", id="uuid-with-the-letter-g"),
    case("PAY-KEY-06", "529.982.247-25", id="cpf-with-punctuation"),
    case("PAY-KEY-07", "11.222.333/0001-81", id="cnpj-with-punctuation"),
    case("PAY-KEY-08", "pix@", id="email-without-domain"),
    case("PAY-KEY-08", "@example.com", id="email-without-name"),
    case("PAY-KEY-08", "pix@key@example.com", id="email-with-two-at-signs"),
    case("PAY-KEY-08", "pix key@example.com", id="email-with-a-space"),
    case("PAY-KEY-09", "+12125550100", id="phone-of-the-united-states"),
    case("PAY-KEY-10", "123e4567-e12b-42d1-a456-42665544000", id="uuid-one-short"),
    case("PAY-TRF-04", "123e4567-e12b-42d1-a456-4266554400001", id="uuid-one-long"),
    case("PAY-TRF-04", "5511987654321", id="phone-without-plus"),
    case("PAY-KEY-11", "12345", id="5-digits"),
]
OF_RARE_FORM = [
    case("PAY-KEY-01", pix_key.from_0("cpf"), id="cpf-that-begins-with-0"),
    case("PAY-KEY-02", pix_key.from_0("cnpj"), id="cnpj-that-begins-with-0"),
    case("PAY-KEY-03", "pix_key-2+a@mail-1.example.photography", id="email-with-special-characters"),
]


@pytest.mark.parametrize("key_type", ACCEPTED)
def test_a_key_of_an_accepted_type_is_accepted(
    payments: Payments, plain_transfer: Transfer, transfers_to_each_key_type: dict[str, TransferAttempt], key_type: str
) -> None:
    """POST of a transfer to a made-up pixKey of each type, with right check digits, is accepted.

    Inconclusive if the service looks keys up, and may not know this one.
    """
    answer = transfers_to_each_key_type[key_type].answer
    if not answer.ok and (why := unknown_pix_key_explanation(payments, transfers_to_each_key_type, key_type)):
        raise Inconclusive(
            f"a key of the type {key_type} was refused ({answer.evidence}), and {why}: set PIX_TRANSFER_KEY"
        )
    expect(answer, *accepted_like(plain_transfer.created))


@pytest.mark.parametrize("key", OF_RARE_FORM)
def test_a_key_of_a_rare_form_is_accepted(
    payments: Payments,
    a_transfer: TransferBody,
    plain_transfer: Transfer,
    transfers_to_each_key_type: dict[str, TransferAttempt],
    key: str,
) -> None:
    """POST of a transfer to a valid pixKey of a rare form is accepted, where made-up keys of its type are."""
    key_type = str(pix_key.kind(key))
    unknown = pix_key_lookup_explanation(payments, transfers_to_each_key_type, key_type)
    if unknown or not transfers_to_each_key_type[key_type].answer.ok:
        raise NotApplicable(f"no made-up key of the type {key_type} is accepted")
    answer = payments.create_transfer(a_transfer(pixKey=key), key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@pytest.mark.parametrize("key", MALFORMED)
def test_a_malformed_key_is_refused(send_to_malformed_key: SendToKey, key: str) -> None:
    """POST of a transfer that is valid but for a pixKey of no accepted type returns 400."""
    expect(send_to_malformed_key(key), status(400))


@deferred(AT_THE_END)
@requirement("PAY-KEY-17")
def test_what_becomes_of_a_transfer_to_a_made_up_key_is_noted(
    payments: Payments, transfers_to_each_key_type: dict[str, TransferAttempt], observe: Observer
) -> None:
    """A transfer to a UUID or e-mail that is probably the PIX key of no account is queried at the end of the run."""
    given = payments.sender.target.transfer_key
    made_up = (transfers_to_each_key_type[name] for name in ("evp", "email"))
    sent = next(attempt for attempt in made_up if attempt.body["pixKey"] != given)
    state = payments.get_transfer(id_of(sent.answer)).at("data.status") if sent.answer.ok else None
    end = f"at the end the transfer is {state}" if state in FAILED else "the transfer does not fail"
    words = f"a made-up key: {sent.answer.status}" + (f", {end}" if sent.answer.ok else "")
    observe("PAY-KEY-17", words, {"status": sent.answer.status, "state": state}, sent.answer)
