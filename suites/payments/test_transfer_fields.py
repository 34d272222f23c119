"""The fields of a transfer. A plain transfer is the control of each."""

from typing import Any

import pytest
from hypothesis import given, seed

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

LEAST = limit(Api.PAYMENTS, "create_transfer", "amount", "minimum")
LONGEST = limit(Api.PAYMENTS, "create_transfer", "description", "maxLength")
NAMED = "PAY-ERR-09"
"""The requirement that the message of a refusal names the field."""
REFUSED = [
    case("PAY-TRF-03", "pixKey", 52998224725, id="pixKey-cpf-as-number"),
    case("PAY-TRF-03", "pixKey", None, id="pixKey-null"),
    case("PAY-TRF-06", "amount", None, id="amount-null"),
    case("PAY-TRF-06", "amount", "1050", id="amount-string"),
    case("PAY-TRF-06", "amount", True, id="amount-boolean"),
    case("PAY-TRF-07", "amount", 1.01, id="amount-1.01"),
    case("PAY-TRF-07", "amount", 1.0001, id="amount-1.0001"),
    case("PAY-TRF-06", "amount", [1], id="amount-number-in-an-array"),
    case("PAY-TRF-09", "amount", -1050, id="amount-negative"),
    case("PAY-TRF-13", "currency", "USD", id="currency-dollar"),
    case("PAY-TRF-13", "currency", "986", id="currency-numeric-code"),
    case("PAY-TRF-13", "currency", "BRLX", id="currency-BRLX"),
    case("PAY-TRF-20", "description", texts.accents_and_blanks(LONGEST + 1), id="description-too-long"),
    case("PAY-TRF-23", "postbackUrl", "/pix-conformance", id="postbackUrl-path"),
    case("PAY-TRF-23", "postbackUrl", "example.com/pix-conformance", id="postbackUrl-no-scheme"),
    case("PAY-TRF-23", "postbackUrl", "https://exam ple.com/x", id="postbackUrl-with-a-space"),
    case("PAY-TRF-23", "postbackUrl", "https://example.com/a b", id="postbackUrl-with-a-space-in-its-path"),
    case("PAY-TRF-92", "postbackUrl", "https:h", id="postbackUrl-without-a-host"),
]
REFUSED_BESIDE_OTHERS = [
    case("PAY-TRF-02", "pixKey", LEFT_OUT, id="pixKey-missing"),
    case("PAY-TRF-05", "amount", LEFT_OUT, id="amount-missing"),
    case("PAY-TRF-09", "amount", LEAST - 1, id="amount-too-low"),
]
GENERATED = ("PAY-TRF-14", "PAY-TRF-18", "PAY-TRF-22", "PAY-KEY-15")
"""Requirements that generated bodies break, one at a time; `REFUSED` has what they would send for the others."""
ACCEPTED = [
    case("PAY-TRF-08", {"amount": LEAST}, id="amount-least", quick=True),
    case("PAY-TRF-11", {"currency": LEFT_OUT}, id="currency-missing"),
    case("PAY-TRF-19", {"description": texts.accented_letters(LONGEST)}, id="description-longest-of-accented-letters"),
]
"""Fields of a transfer that is accepted: the currency has a default, and an accented letter is one character."""
NO_OBJECTS = [
    case("PAY-TRF-25", b'{"pixKey": "pix@example.com",', id="incomplete"),
    case("PAY-TRF-26", b"", id="empty", quick=True),
]
OPEN_POINTS: dict[str, dict[str, dict[str, Any]]] = {
    "PAY-TRF-15": {"brl": {"currency": "brl"}},
    "PAY-KEY-12": {"CPF": {"pixKey": "52998224724"}},
    "PAY-KEY-13": {
        "e-mail in capitals": {"pixKey": "PIX.ONE@EXAMPLE.COM"},
        "UUID without hyphens": {"pixKey": "123e4567e12b42d1a456426655440000"},
        "blanks around": {"pixKey": " 123e4567-e12b-42d1-a456-426655440000 "},
    },
    "PAY-KEY-14": {"12ABC34501DE35": {"pixKey": "12ABC34501DE35"}},
}
"""A currency in lower case, keys with a wrong check digit or in other spellings, a CNPJ with letters by a newer law."""


@requirement(NAMED)
@pytest.mark.parametrize(("field", "value"), REFUSED)
def test_a_transfer_with_an_invalid_field_is_refused(
    payments: Payments, a_transfer: TransferBody, rule: str, field: str, value: Any
) -> None:
    """POST of a transfer that is valid but for one field returns 400, and the message names that field."""
    answer = payments.create_transfer(with_field(a_transfer(), field, value), key=fresh_key())
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(field), of=NAMED)


@pytest.mark.parametrize(("field", "value"), REFUSED_BESIDE_OTHERS)
def test_a_transfer_with_every_optional_field_and_an_invalid_one_is_refused(
    payments: Payments, full_transfer_body: dict[str, Any], field: str, value: Any
) -> None:
    """POST of a transfer with currency, description and postbackUrl that is valid but for one field returns 400."""
    expect(payments.create_transfer(with_field(full_transfer_body, field, value), key=fresh_key()), status(400))


@pytest.mark.generated
@pytest.mark.parametrize("rule", rules(GENERATED, NAMED))
def test_every_transfer_that_breaks_one_requirement_is_refused(
    payments: Payments, plain_transfer: Transfer, generation: Generation, rule: str
) -> None:
    """POST of each generated transfer whose body breaks exactly one requirement returns 400."""
    expect_refusals(
        generation, "create_transfer", rule, NAMED, lambda request: send_transfer(payments, request, plain_transfer)
    )


@pytest.mark.parametrize("content", NO_OBJECTS)
def test_a_body_that_is_no_json_object_is_refused(payments: Payments, plain_transfer: Transfer, content: bytes) -> None:
    """POST of a transfer with a body that is empty or not JSON returns 400, with the Content-Type of JSON."""
    precondition(plain_transfer.created)
    expect(payments.create_transfer(..., content=content, key=fresh_key()), status(400))


@requirement("PAY-TRF-25")
def test_a_transfer_with_text_behind_it_is_refused(payments: Payments, a_transfer: TransferBody) -> None:
    """POST of a valid transfer with text behind its JSON returns 400."""
    expect(payments.create_transfer(..., content=with_text_behind(a_transfer()), key=fresh_key()), status(400))


@requirement("PAY-TRF-94")
def test_the_name_of_the_amount_in_capitals_is_none(payments: Payments, a_transfer: TransferBody) -> None:
    """POST of a transfer that has AMOUNT in the place of amount returns 400."""
    expect(payments.create_transfer(in_capitals(a_transfer(), "amount"), key=fresh_key()), status(400))


@requirement("PAY-TRF-26")
def test_a_transfer_in_an_array_is_refused(payments: Payments, a_transfer: TransferBody) -> None:
    """POST of an array that holds one valid transfer returns 400."""
    expect(payments.create_transfer([a_transfer()], key=fresh_key()), status(400))


@pytest.mark.parametrize("fields", ACCEPTED)
def test_a_valid_field_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer, fields: dict[str, Any]
) -> None:
    """POST of a transfer with a valid value in one field is answered as the plain transfer was, which may have it."""
    body = {name: value for name, value in a_transfer(**fields).items() if value is not LEFT_OUT}
    is_plain = body | {"pixKey": plain_transfer.body["pixKey"]} == plain_transfer.body
    answer = plain_transfer.created if is_plain else payments.create_transfer(body, key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@pytest.mark.parametrize("bodies", [case(rule, bodies, id=rule) for rule, bodies in OPEN_POINTS.items()])
def test_the_answer_to_a_transfer_that_the_document_does_not_decide_is_noted(
    payments: Payments, a_transfer: TransferBody, rule: str, bodies: dict[str, dict[str, Any]], observe: Observer
) -> None:
    """Whether the transfer is accepted or refused is noted: the document does not say."""
    answers = {what: payments.create_transfer(a_transfer(**fields), key=fresh_key()) for what, fields in bodies.items()}
    note_answers(observe, rule, answers)


@pytest.mark.generated
@requirement("PAY-TRF-17")
def test_every_description_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer, generation: Generation
) -> None:
    """POST of a transfer with a generated description of letters, digits and punctuation is accepted."""

    @seed(generation.seed)
    @strategies.fewer_examples()
    @given(text=strategies.descriptions())
    def expect_success(text: str) -> None:
        answer = payments.create_transfer(a_transfer(description=text), key=fresh_key())
        expect(answer, *accepted_like(plain_transfer.created))

    expect_success()


@requirement("PAY-TRF-19")
def test_the_longest_description_of_special_characters_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer
) -> None:
    """The longest description of characters that HTML escapes is accepted, if one of six of them is."""
    short, longest = (a_transfer(description=texts.special_characters(length)) for length in (6, LONGEST))
    answer = payments.create_transfer(longest, key=fresh_key())
    if not answer.ok and not payments.create_transfer(short, key=fresh_key()).ok:
        raise NotApplicable("special characters are refused in a short description as well")
    expect(answer, *accepted_like(plain_transfer.created))


@requirement("PAY-TRF-21")
def test_a_postback_url_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer, full_transfer: TransferAttempt
) -> None:
    """POST of a transfer with an https postbackUrl is accepted, with the other optional fields or else alone."""
    answer, address = full_transfer.answer, full_transfer.body["postbackUrl"]
    if not answer.ok:
        answer = payments.create_transfer(a_transfer(postbackUrl=address), key=fresh_key())
    expect(skip_if_host_unknown(answer, address), *accepted_like(plain_transfer.created))


@requirement("PAY-TRF-12")
def test_the_currency_brl_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer, full_transfer: TransferAttempt
) -> None:
    """POST of a transfer with the currency BRL is accepted, with the other optional fields or else alone."""
    answer = full_transfer.answer
    if not answer.ok:
        answer = payments.create_transfer(a_transfer(currency="BRL"), key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@deferred(AT_THE_END)
@requirement("PAY-TRF-24")
def test_a_postback_url_without_tls_is_noted(payments: Payments, a_transfer: TransferBody, observe: Observer) -> None:
    """The url of a webhook has to be https, a postbackUrl has to be a URI; one with http is sent.

    It is sent at the end: nothing answers there, and a service may send no other event until something does.
    """
    answer = payments.create_transfer(a_transfer(postbackUrl=a_plain_http_address(payments)), key=fresh_key())
    note_answers(observe, "PAY-TRF-24", {"plain http": answer})
