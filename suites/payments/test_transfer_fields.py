"""The fields of a transfer (payments.md, lines 86-94). A plain transfer is the control of each."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures import texts
from fixtures.payments.account import account
from fixtures.payments.bodies import fresh_key
from fixtures.payments.callback_urls import an_address, skip_if_host_unknown
from fixtures.payments.charges import OF_KIND
from fixtures.payments.refusals import LACKS
from pix_conformance.checks.matchers import message_names, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect, not_applicable
from pix_conformance.harness.requirement import case, requirement

NAMED = "PAY-ERR-09"


REFUSED = [
    case("PAY-TRF-02", "pixKey", LACKS, id="pixKey-missing"),
    *(
        case("PAY-TRF-03", "pixKey", OF_KIND[kind], id=f"pixKey-{kind}")
        for kind in ("number", "boolean", "array", "object", "null")
    ),
    case("PAY-TRF-03", "pixKey", 52998224725, id="pixKey-cpf-as-number"),
    case("PAY-TRF-05", "amount", LACKS, id="amount-missing"),
    *(
        case("PAY-TRF-06", "amount", OF_KIND[kind], id=f"amount-{kind}")
        for kind in ("string", "boolean", "array", "object", "null")
    ),
    case("PAY-TRF-07", "amount", 10.5, id="amount-half"),
    case("PAY-TRF-07", "amount", 1.01, id="amount-just-over"),
    case("PAY-TRF-07", "amount", 1.0001, id="amount-by-little"),
    case("PAY-TRF-06", "amount", [1], id="amount-number-in-an-array"),
    case("PAY-TRF-07", "amount", 0.5, id="amount-below-one"),
    case("PAY-TRF-09", "amount", 0, id="amount-zero"),
    case("PAY-TRF-09", "amount", -1, id="amount-minus-one"),
    case("PAY-TRF-09", "amount", -1050, id="amount-negative"),
    case("PAY-TRF-13", "currency", "USD", id="currency-dollar"),
    case("PAY-TRF-13", "currency", "EUR", id="currency-euro"),
    case("PAY-TRF-13", "currency", "XXX", id="currency-none"),
    case("PAY-TRF-13", "currency", "986", id="currency-numeric-code"),
    case("PAY-TRF-13", "currency", "BRLX", id="currency-one-letter-more"),
    case("PAY-TRF-14", "currency", 986, id="currency-number"),
    *(case("PAY-TRF-14", "currency", OF_KIND[kind], id=f"currency-{kind}") for kind in ("boolean", "object")),
    case("PAY-TRF-14", "currency", ["BRL"], id="currency-array"),
    *(
        case("PAY-TRF-18", "description", OF_KIND[kind], id=f"description-{kind}")
        for kind in ("number", "boolean", "array", "object")
    ),
    case("PAY-TRF-20", "description", texts.ascii_text(141), id="description-141"),
    case("PAY-TRF-20", "description", texts.precomposed(141), id="description-141-accents"),
    case("PAY-TRF-20", "description", texts.spaced(141), id="description-141-blanks"),
    *(
        case("PAY-TRF-22", "postbackUrl", OF_KIND[kind], id=f"postbackUrl-{kind}")
        for kind in ("number", "boolean", "array", "object")
    ),
    case("PAY-TRF-23", "postbackUrl", "no uri at all", id="postbackUrl-words"),
    case("PAY-TRF-23", "postbackUrl", "/pix-conformance", id="postbackUrl-path"),
    case("PAY-TRF-23", "postbackUrl", "example.com/pix-conformance", id="postbackUrl-no-scheme"),
    case("PAY-TRF-23", "postbackUrl", "https://exam ple.com/x", id="postbackUrl-blank"),
]
NO_JSON = {
    "cut": b'{"pixKey": "pix@example.com",',
    "form": b"pixKey=pix@example.com&amount=1",
    "single-quotes": b"{'amount': 1}",
}
NO_OBJECT = {"array": b"[]", "string": b'"1"', "number": b"1", "boolean": b"true", "null": b"null", "empty": b""}


@requirement(NAMED)
@pytest.mark.parametrize(("field", "bad"), REFUSED)
def test_a_transfer_with_a_bad_field_is_refused(payments: Payments, rule: str, field: str, bad: Any) -> None:
    """One field is bad in one way, and the message names it."""
    body = account(payments).body(**{field: bad})
    sent = {name: one for name, one in body.items() if one is not LACKS}
    answer = payments.create_transfer(sent, key=fresh_key())
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(field), of=NAMED)


@requirement("PAY-TRF-25")
@pytest.mark.parametrize("what", NO_JSON)
def test_a_transfer_body_that_is_no_json_is_refused(payments: Payments, what: str) -> None:
    """It is labelled as JSON all the same."""
    _ = account(payments).plain_transfer
    expect(payments.create_transfer(..., content=NO_JSON[what], key=fresh_key()), status(400))


@requirement("PAY-TRF-26")
@pytest.mark.parametrize("what", NO_OBJECT)
def test_a_transfer_body_that_is_no_object_is_refused(payments: Payments, what: str) -> None:
    """Other JSON values, and no body at all, hold no transfer."""
    _ = account(payments).plain_transfer
    expect(payments.create_transfer(..., content=NO_OBJECT[what], key=fresh_key()), status(400))


@requirement("PAY-TRF-26")
def test_a_transfer_in_an_array_is_refused(payments: Payments) -> None:
    """An array is no object, whatever it holds."""
    expect(payments.create_transfer([account(payments).body()], key=fresh_key()), status(400))


@requirement("PAY-TRF-08")
def test_the_smallest_amount_is_accepted(payments: Payments) -> None:
    """One cent is not below the minimum of one."""
    expect(account(payments).send(amount=1), *account(payments).accepted)


@requirement("PAY-TRF-11")
def test_a_transfer_without_currency_is_accepted(payments: Payments) -> None:
    """There is a default."""
    body = account(payments).body()
    body.pop("currency", None)
    expect(payments.create_transfer(body, key=fresh_key()), *account(payments).accepted)


@requirement("PAY-TRF-12")
def test_the_one_currency_is_accepted(payments: Payments) -> None:
    """It may be written out."""
    expect(account(payments).send(currency="BRL"), *account(payments).accepted)


@requirement("PAY-TRF-17")
def test_a_description_is_accepted(payments: Payments) -> None:
    """A transfer may say what it is for."""
    expect(account(payments).send(description="Prize of May"), *account(payments).accepted)


@requirement("PAY-TRF-19")
@pytest.mark.parametrize("letters", [texts.ascii_text, texts.precomposed], ids=["ascii", "accents"])
def test_a_description_of_the_longest_length_is_accepted(payments: Payments, letters: Any) -> None:
    """An accented letter of the basic plane is one character, though two bytes."""
    expect(account(payments).send(description=letters(140)), *account(payments).accepted)


@requirement("PAY-TRF-19")
def test_a_description_of_signs_may_be_as_long(payments: Payments) -> None:
    """Each is one character, however it is written further on; where one of six of them is accepted."""
    if not account(payments).send(description=texts.marked(6)).ok:
        raise not_applicable("signs are refused in a short description as well")
    expect(account(payments).send(description=texts.marked(140)), *account(payments).accepted)


@requirement("PAY-TRF-21")
def test_a_postback_address_is_accepted(payments: Payments) -> None:
    """A transfer may name the https address that is told of its statuses."""
    address = an_address(payments, "transfer-postback")
    expect(skip_if_host_unknown(account(payments).send(postbackUrl=address), address), *account(payments).accepted)
