"""The fields of POST /api/v1/pix/in/qrcode, but for customer, items and splits."""

from typing import Any

import pytest
from hypothesis import given

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

LEAST = limit(Api.PAYMENTS, "create_charge", "amountInCents", "minimum")
LONGEST = limit(Api.PAYMENTS, "create_charge", "description", "maxLength")
REFUSED = [
    case("PAY-CHG-03", "amountInCents", "1050", id="amountInCents-string", quick=True),
    case("PAY-CHG-03", "amountInCents", [1050], id="amountInCents-number-in-an-array"),
    case("PAY-CHG-04", "amountInCents", 1050.001, id="amountInCents-a-thousandth-more"),
    case("PAY-CHG-06", "amountInCents", 0, id="amountInCents-zero", quick=True),
    case("PAY-CHG-06", "amountInCents", -1050, id="amountInCents-negative"),
    case("PAY-CHG-13", "description", texts.accented_letters(LONGEST + 1), id="description-too-long", quick=True),
    case("PAY-CHG-13", "description", texts.blanks(LONGEST + 1), id="description-of-too-many-blanks"),
    case("PAY-CHG-19", "postbackUrl", "/pix-conformance", id="postbackUrl-path", quick=True),
    case("PAY-CHG-19", "postbackUrl", "example.com/pix-conformance", id="postbackUrl-without-a-scheme"),
    case("PAY-CHG-19", "postbackUrl", "https://exam ple.com/x", id="postbackUrl-with-a-blank"),
    case("PAY-CHG-21", "items", an_item(), id="items-valid-item-without-array"),
]
REFUSED_IN_A_FULL_CHARGE = [
    case("PAY-CHG-02", "amountInCents", LEFT_OUT, id="amountInCents-missing", quick=True),
    case("PAY-CHG-06", "amountInCents", LEAST - 1, id="amountInCents-too-low", quick=True),
    case("PAY-CHG-08", "customer", LEFT_OUT, id="customer-missing", quick=True),
]
NOT_JSON = {
    "cut off": b'{"amountInCents": 1050,',
    "a form": b"amountInCents=1050",
}
GENERATED = (
    *("PAY-CHG-02", "PAY-CHG-03", "PAY-CHG-04", "PAY-CHG-06", "PAY-CHG-08", "PAY-CHG-09", "PAY-CHG-11", "PAY-CHG-13"),
    *("PAY-CHG-18", "PAY-CHG-19", "PAY-CHG-21", "PAY-CHG-23", "PAY-CHG-26"),
)
"""Requirements on invalid bodies that the generated requests break, one at a time."""
OPEN_POINTS = {
    "PAY-CHG-07": {
        "2^31": a_charge(amountInCents=2**31),
        "2^53 + 1": a_charge(amountInCents=2**53 + 1),
    },
    "PAY-CHG-14": {"an empty description": a_charge(description="")},
    "PAY-CHG-15": {
        "the most pictures beyond the basic plane": a_charge(description=texts.emoji(LONGEST)),
        "half as many letters with a combining accent": a_charge(description=texts.combining_accents(LONGEST // 2)),
    },
    "PAY-CHG-22": {"no items in the array": a_charge(items=[])},
    "PAY-CHG-24": {"no splits in the array": a_charge(splits=[])},
}


@quick
@requirement("PAY-CHG-05")
def test_the_least_amount_is_accepted(payments: Payments, pending_charge: Exchange) -> None:
    """POST /api/v1/pix/in/qrcode accepts the minimum amount like any other amount."""
    answer = payments.create_charge(a_charge(amountInCents=LEAST))

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CHG-10")
def test_a_description_is_accepted(payments: Payments, pending_charge: Exchange) -> None:
    """POST /api/v1/pix/in/qrcode accepts a charge with a description."""
    answer = payments.create_charge(a_charge(description="Order 1234"))

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CHG-10")
@given(text=descriptions())
def test_every_description_is_accepted(payments: Payments, pending_charge: Exchange, text: str) -> None:
    """POST /api/v1/pix/in/qrcode accepts every generated description of 1 to 60 Latin letters, digits and signs."""
    answer = payments.create_charge(a_charge(description=text))

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CHG-12")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(texts.ascii_text(LONGEST), id="letters"),
        pytest.param(texts.accented_letters(LONGEST), id="accented-letters"),
        pytest.param(texts.blanks(LONGEST), id="blanks"),
    ],
)
def test_the_longest_description_is_accepted(payments: Payments, pending_charge: Exchange, text: str) -> None:
    """The longest description is accepted; an accented letter of two bytes counts as one character."""
    answer = payments.create_charge(a_charge(description=text))

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CHG-12")
def test_the_longest_description_of_signs_is_accepted(payments: Payments, pending_charge: Exchange) -> None:
    """Signs that HTML or URLs escape count as one character each, if a description of six of them is accepted."""
    if not payments.create_charge(a_charge(description=texts.special_characters(6))).ok:
        raise NotApplicable("signs are refused in a short description as well")
    answer = payments.create_charge(a_charge(description=texts.special_characters(LONGEST)))

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CHG-17")
def test_a_postback_url_is_accepted(payments: Payments, pending_charge: Exchange, callback_url: CallbackUrl) -> None:
    """POST /api/v1/pix/in/qrcode accepts an https postbackUrl that has a query."""
    url = callback_url("postback", "?charge=1")
    answer = skip_if_host_unknown(payments.create_charge(a_charge(postbackUrl=url)), url)

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-ERR-08")
@pytest.mark.parametrize(("path", "bad"), REFUSED)
def test_a_charge_with_one_bad_field_is_refused(
    payments: Payments, pending_charge: Exchange, rule: str, path: str, bad: Any
) -> None:
    """A charge in which one field is missing or invalid is refused with 400, and the message names the field."""
    precondition(pending_charge)
    answer = payments.create_charge(with_field(a_charge(), path, bad))

    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(last_name(path)), of="PAY-ERR-08")


@requirement("PAY-CHG-23", "PAY-ERR-08")
def test_a_split_outside_an_array_is_refused(payments: Payments, pending_charge: Exchange) -> None:
    """A valid split as the value of splits, without an array, is refused with 400; the message names splits."""
    precondition(pending_charge)
    answer = payments.create_charge(a_charge(splits=a_split(company(payments))))

    expect(answer, status(400), of="PAY-CHG-23")
    expect(answer, status(400), message_names("splits"), of="PAY-ERR-08")


@pytest.mark.parametrize(("path", "bad"), REFUSED_IN_A_FULL_CHARGE)
def test_a_charge_with_every_optional_field_and_one_bad_field_is_refused(
    payments: Payments, full_charge: Exchange, full_charge_body: dict[str, Any], path: str, bad: Any
) -> None:
    """A charge with all optional fields in which one field is missing or invalid is refused with 400."""
    precondition(full_charge)
    expect(payments.create_charge(with_field(full_charge_body, path, bad)), status(400))


@pytest.mark.generated
@pytest.mark.parametrize("rule", rules(GENERATED, "PAY-ERR-08", unnamed=("PAY-CHG-26",)))
def test_every_charge_that_breaks_one_requirement_is_refused(
    payments: Payments, pending_charge: Exchange, rule: str
) -> None:
    """Every generated charge whose body breaks exactly one requirement is refused with 400."""
    precondition(pending_charge)
    expect_refusals(payments, "create_charge", rule, "PAY-ERR-08", lambda request: send_charge(payments, request))


@quick
@requirement("PAY-CHG-25")
@pytest.mark.parametrize("content", NOT_JSON.values(), ids=NOT_JSON)
def test_a_charge_that_is_not_json_is_refused(payments: Payments, pending_charge: Exchange, content: bytes) -> None:
    """A body that is not JSON, sent with the Content-Type application/json, is refused with 400."""
    precondition(pending_charge)
    expect(payments.create_charge(..., content=content), status(400))


@quick
@requirement("PAY-CHG-26")
def test_an_empty_charge_is_refused(payments: Payments, pending_charge: Exchange) -> None:
    """An empty body is refused with 400."""
    precondition(pending_charge)
    expect(payments.create_charge(..., content=b""), status(400))


@requirement("PAY-CHG-26")
def test_a_charge_in_an_array_is_refused(payments: Payments, pending_charge: Exchange) -> None:
    """An array that contains one valid charge is refused with 400."""
    precondition(pending_charge)
    expect(payments.create_charge([a_charge()]), status(400))


@pytest.mark.parametrize("bodies", [case(rule, bodies, id=rule) for rule, bodies in OPEN_POINTS.items()])
def test_the_answer_to_a_charge_that_the_document_does_not_decide_is_noted(
    payments: Payments, rule: str, bodies: dict[str, Any], observe: Observer
) -> None:
    """Whether the charge is accepted or refused is noted: the document does not say."""
    note_charges(observe, payments, rule, bodies)


@deferred(AT_THE_END)
@requirement("PAY-CHG-20")
def test_the_answer_to_a_postback_url_of_plain_http_is_noted(payments: Payments, observe: Observer) -> None:
    """Whether a postbackUrl with the scheme http is accepted is noted: https is required of webhooks only.

    It is sent at the end: nothing answers there, and a service may send no other event until something does.
    """
    url = a_plain_http_address(payments)
    note_charges(observe, payments, "PAY-CHG-20", {"plain http": a_charge(postbackUrl=url)})
