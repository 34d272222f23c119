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
    case("PAY-TRF-06", "amount", "1050", id="amount-string"),
    case("PAY-TRF-06", "amount", True, id="amount-boolean"),
    case("PAY-TRF-07", "amount", 1.01, id="amount-1.01"),
    case("PAY-TRF-07", "amount", 1.0001, id="amount-1.0001"),
    case("PAY-TRF-06", "amount", [1], id="amount-number-in-an-array"),
    case("PAY-TRF-07", "amount", 0.5, id="amount-below-one"),
    case("PAY-TRF-09", "amount", -1050, id="amount-negative"),
    case("PAY-TRF-13", "currency", "USD", id="currency-dollar"),
    case("PAY-TRF-13", "currency", "EUR", id="currency-euro"),
    case("PAY-TRF-13", "currency", "XXX", id="currency-XXX-no-currency"),
    case("PAY-TRF-13", "currency", "986", id="currency-numeric-code"),
    case("PAY-TRF-13", "currency", "BRLX", id="currency-BRLX"),
    case("PAY-TRF-14", "currency", ["BRL"], id="currency-array"),
    case("PAY-TRF-20", "description", texts.accented_letters(LONGEST + 1), id="description-too-long"),
    case("PAY-TRF-20", "description", texts.blanks(LONGEST + 1), id="description-of-too-many-spaces"),
    case("PAY-TRF-23", "postbackUrl", "no uri at all", id="postbackUrl-words"),
    case("PAY-TRF-23", "postbackUrl", "/pix-conformance", id="postbackUrl-path"),
    case("PAY-TRF-23", "postbackUrl", "example.com/pix-conformance", id="postbackUrl-no-scheme"),
    case("PAY-TRF-23", "postbackUrl", "https://exam ple.com/x", id="postbackUrl-with-a-space"),
]
REFUSED_BESIDE_OTHERS = [
    case("PAY-TRF-02", "pixKey", LEFT_OUT, id="pixKey-missing"),
    case("PAY-TRF-04", "pixKey", "not a key", id="pixKey-words"),
    case("PAY-TRF-05", "amount", LEFT_OUT, id="amount-missing"),
    case("PAY-TRF-07", "amount", 1.5, id="amount-1.5"),
    case("PAY-TRF-09", "amount", LEAST - 1, id="amount-too-low"),
    case("PAY-TRF-13", "currency", "USD", id="currency-dollar"),
    case("PAY-TRF-20", "description", "x" * (LONGEST + 1), id="description-too-long"),
    case("PAY-TRF-23", "postbackUrl", "no uri at all", id="postbackUrl-words"),
]
GENERATED = (
    *("PAY-TRF-02", "PAY-TRF-03", "PAY-TRF-04", "PAY-TRF-05", "PAY-TRF-06", "PAY-TRF-07", "PAY-TRF-09", "PAY-TRF-13"),
    *("PAY-TRF-14", "PAY-TRF-18", "PAY-TRF-20", "PAY-TRF-22", "PAY-TRF-23", "PAY-TRF-26", "PAY-KEY-15"),
)
"""Requirements that generated bodies break, one at a time."""
NO_JSON = {
    "incomplete": b'{"pixKey": "pix@example.com",',
    "form": b"pixKey=pix@example.com&amount=1",
}


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
@pytest.mark.parametrize("rule", rules(GENERATED, NAMED, unnamed=("PAY-TRF-26",)))
def test_every_transfer_that_breaks_one_requirement_is_refused(
    payments: Payments, plain_transfer: Transfer, rule: str
) -> None:
    """POST of each generated transfer whose body breaks exactly one requirement returns 400."""
    expect_refusals(
        payments, "create_transfer", rule, NAMED, lambda request: send_transfer(payments, request, plain_transfer)
    )


@requirement("PAY-TRF-25")
@pytest.mark.parametrize("what", NO_JSON)
def test_a_transfer_body_that_is_not_json_is_refused(payments: Payments, plain_transfer: Transfer, what: str) -> None:
    """POST of a transfer with the Content-Type of JSON and a body that is not JSON returns 400."""
    precondition(plain_transfer.created)
    expect(payments.create_transfer(..., content=NO_JSON[what], key=fresh_key()), status(400))


@quick
@requirement("PAY-TRF-26")
def test_a_transfer_without_a_body_is_refused(payments: Payments, plain_transfer: Transfer) -> None:
    """POST of a transfer without a body returns 400."""
    precondition(plain_transfer.created)
    expect(payments.create_transfer(..., content=b"", key=fresh_key()), status(400))


@requirement("PAY-TRF-26")
def test_a_transfer_in_an_array_is_refused(payments: Payments, a_transfer: TransferBody) -> None:
    """POST of an array that holds one valid transfer returns 400."""
    expect(payments.create_transfer([a_transfer()], key=fresh_key()), status(400))


@quick
@requirement("PAY-TRF-08")
def test_the_least_amount_is_accepted(payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer) -> None:
    """POST of a transfer of the minimum amount is answered as the plain transfer was."""
    answer = payments.create_transfer(a_transfer(amount=LEAST), key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@requirement("PAY-TRF-11")
def test_a_transfer_without_currency_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer
) -> None:
    """POST of a transfer without currency is accepted: there is a default."""
    body = a_transfer()
    body.pop("currency", None)
    answer = payments.create_transfer(body, key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@requirement("PAY-TRF-12")
def test_the_currency_brl_is_accepted(payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer) -> None:
    """POST of a transfer with the currency BRL is accepted."""
    answer = payments.create_transfer(a_transfer(currency="BRL"), key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@requirement("PAY-TRF-15")
def test_the_currency_in_lower_case_is_noted(payments: Payments, a_transfer: TransferBody, observe: Observer) -> None:
    """The only currency is BRL; whether brl is accepted too is not stated."""
    answer = payments.create_transfer(a_transfer(currency="brl"), key=fresh_key())
    note_answers(observe, "PAY-TRF-15", {"brl": answer})


@requirement("PAY-TRF-17")
def test_a_description_is_accepted(payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer) -> None:
    """POST of a transfer with a description is accepted."""
    answer = payments.create_transfer(a_transfer(description="Prize of May"), key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@pytest.mark.generated
@requirement("PAY-TRF-17")
def test_every_description_is_accepted(payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer) -> None:
    """POST of a transfer with a generated description of letters, digits and punctuation is accepted."""

    @seed(payments.run.settings.seed)
    @strategies.fewer_examples()
    @given(text=strategies.descriptions())
    def expect_success(text: str) -> None:
        answer = payments.create_transfer(a_transfer(description=text), key=fresh_key())
        expect(answer, *accepted_like(plain_transfer.created))

    expect_success()


@requirement("PAY-TRF-19")
@pytest.mark.parametrize("letters", [texts.ascii_text, texts.accented_letters], ids=["ascii", "accents"])
def test_the_longest_description_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer, letters: Any
) -> None:
    """POST of a transfer with the longest description is accepted; an accented letter is one character."""
    answer = payments.create_transfer(a_transfer(description=letters(LONGEST)), key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@requirement("PAY-TRF-19")
def test_the_longest_description_of_special_characters_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer
) -> None:
    """The longest description of characters that HTML escapes is accepted, if one of six of them is."""
    if not payments.create_transfer(a_transfer(description=texts.special_characters(6)), key=fresh_key()).ok:
        raise NotApplicable("special characters are refused in a short description as well")
    answer = payments.create_transfer(a_transfer(description=texts.special_characters(LONGEST)), key=fresh_key())
    expect(answer, *accepted_like(plain_transfer.created))


@requirement("PAY-TRF-21")
def test_a_postback_url_is_accepted(
    payments: Payments, a_transfer: TransferBody, plain_transfer: Transfer, callback_url: CallbackUrl
) -> None:
    """POST of a transfer with an https postbackUrl is accepted."""
    address = callback_url("transfer-postback")
    answer = payments.create_transfer(a_transfer(postbackUrl=address), key=fresh_key())
    expect(skip_if_host_unknown(answer, address), *accepted_like(plain_transfer.created))


@deferred(AT_THE_END)
@requirement("PAY-TRF-24")
def test_a_postback_url_without_tls_is_noted(payments: Payments, a_transfer: TransferBody, observe: Observer) -> None:
    """The url of a webhook has to be https, a postbackUrl has to be a URI; one with http is sent.

    It is sent at the end: nothing answers there, and a service may send no other event until something does.
    """
    answer = payments.create_transfer(a_transfer(postbackUrl=a_plain_http_address(payments)), key=fresh_key())
    note_answers(observe, "PAY-TRF-24", {"plain http": answer})
