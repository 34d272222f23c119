"""The fields of POST /api/v1/pix/in/qrcode, but for items and splits."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

LEAST = limit(Api.PAYMENTS, "create_charge", "amountInCents", "minimum")
LONGEST = limit(Api.PAYMENTS, "create_charge", "description", "maxLength")
CPF, CNPJ = pix_key.cpf(1), pix_key.cnpj(1)
ARABIC_CPF = "52998224725".translate({ord("0") + digit: 0x0660 + digit for digit in range(10)})
REFUSED = [
    case("PAY-CHG-03", "amountInCents", "1050", id="amountInCents-string", quick=True),
    case("PAY-CHG-03", "amountInCents", [1050], id="amountInCents-number-in-an-array"),
    case("PAY-CHG-03", "amountInCents", None, id="amountInCents-null"),
    case("PAY-CHG-04", "amountInCents", 1050.001, id="amountInCents-a-thousandth-more"),
    case("PAY-CHG-04", "amountInCents", 0.5, id="amountInCents-half-a-cent"),
    case("PAY-CHG-06", "amountInCents", 0, id="amountInCents-zero", quick=True),
    case("PAY-CHG-06", "amountInCents", -1050, id="amountInCents-negative"),
    case("PAY-CHG-09", "customer", "Maria da Silva", id="customer-string"),
    case("PAY-CHG-13", "description", texts.accents_and_blanks(LONGEST + 1), id="description-too-long", quick=True),
    case("PAY-CHG-19", "postbackUrl", "/pix-conformance", id="postbackUrl-path", quick=True),
    case("PAY-CHG-19", "postbackUrl", "example.com/pix-conformance", id="postbackUrl-without-a-scheme"),
    case("PAY-CHG-19", "postbackUrl", "https://exam ple.com/x", id="postbackUrl-with-a-blank"),
    case("PAY-CHG-19", "postbackUrl", "https://example.com/a b", id="postbackUrl-with-a-blank-in-its-path"),
    case("PAY-CHG-86", "postbackUrl", "https:h", id="postbackUrl-without-a-host"),
    case("PAY-CHG-21", "items", an_item(), id="items-valid-item-without-array"),
    case("PAY-CHG-21", "items", "Ticket", id="items-string"),
    case("PAY-CHG-23", "splits", "company@example.com", id="splits-string"),
    case("PAY-CUS-01", "customer.documentType", LEFT_OUT, id="customer.documentType-missing"),
    case("PAY-CUS-02", "customer.documentType", 1, id="customer.documentType-number"),
    case("PAY-CUS-05", "customer.documentType", "", id="customer.documentType-empty"),
    case("PAY-CUS-05", "customer.documentType", "cpfx", id="customer.documentType-one-letter-more"),
    case("PAY-CUS-07", "customer.document", LEFT_OUT, id="customer.document-missing"),
    case("PAY-CUS-08", "customer.document", 52998224725, id="customer.document-number"),
    case("PAY-CUS-08", "customer.document", None, id="customer.document-null"),
    case("PAY-CUS-09", "customer.document", "529.982.247-25", id="customer.document-punctuated"),
    case("PAY-CUS-09", "customer.document", "529 982 247 25", id="customer.document-with-blanks"),
    case("PAY-CUS-09", "customer.document", "529982247.2", id="customer.document-with-a-point"),
    case("PAY-CUS-10", "customer.document", "52998224725a", id="customer.document-and-a-letter-more"),
    case("PAY-CUS-10", "customer.document", ARABIC_CPF, id="customer.document-in-arabic-digits"),
    case("PAY-CUS-20", "customer.email", "maria silva@example.com", id="customer.email-with-a-blank"),
    case("PAY-CUS-20", "customer.email", "maria@silva@example.com", id="customer.email-with-two-at"),
    case("PAY-CUS-22", "customer.phone", 5511987654321, id="customer.phone-number"),
    case("PAY-CUS-25", "customer.billingAddress", "Avenida Paulista", id="customer.billingAddress-string"),
]
REFUSED_IN_A_FULL_CHARGE = [
    case("PAY-CHG-02", "amountInCents", LEFT_OUT, id="amountInCents-missing", quick=True),
    case("PAY-CHG-06", "amountInCents", LEAST - 1, id="amountInCents-too-low", quick=True),
    case("PAY-CHG-08", "customer", LEFT_OUT, id="customer-missing", quick=True),
]
VALID: dict[str, tuple[str, Any]] = {
    "PAY-CHG-05": ("amountInCents", LEAST),
    "PAY-CHG-12": ("description", texts.accented_letters(LONGEST)),
    "PAY-CUS-03": ("customer.document", pix_key.from_0("cpf")),
    "PAY-CUS-15": ("customer.name", "João D'Ávila Conceição"),
    "PAY-CUS-18": ("customer.email", "Maria_Silva-2+pix-1@Mail-1.example.photography"),
}
"""Unusual values of fields that are accepted; an accented letter of two bytes counts as one character."""
MAYBE_VALID = {"customer.phone": "+5511987654321", "customer.billingAddress": an_address_of_brazil()}
"""Values that are accepted in this form or in another one."""
EMPTY_OR_UNKNOWN: dict[str, tuple[str, str, Any]] = {
    "PAY-CHG-14": ("an empty description", "description", ""),
    "PAY-CHG-22": ("no items in the array", "items", []),
    "PAY-CHG-24": ("no splits in the array", "splits", []),
    "PAY-GEN-07": ("an unknown field", "pixConformance", "unknown"),
}
"""Values that a service may accept or refuse."""
NO_OBJECTS = [
    case("PAY-CHG-25", b'{"amountInCents": 1050,', id="cut-off", quick=True),
    case("PAY-CHG-25", with_text_behind(a_charge()), id="text-behind-a-charge", quick=True),
    case("PAY-CHG-26", b"", id="empty", quick=True),
    case(
        "PAY-CHG-26",
        b'[{"amountInCents": 1050, "customer": {"documentType": "cpf", "document": "52998224725"}}]',
        id="a-charge-in-an-array",
    ),
]
GENERATED = ("PAY-CHG-02", "PAY-CHG-11", "PAY-CHG-18", "PAY-CUS-16", "PAY-CUS-19", "PAY-CUS-22")
"""Requirements that the generated requests break, one at a time; `REFUSED` has what they would send for the others."""
OPEN_POINTS_OF_CUSTOMERS: dict[str, dict[str, dict[str, Any]]] = {
    "PAY-CUS-06": {"CPF": a_customer(documentType="CPF", document=CPF)},
    "PAY-CUS-11": {"a CPF one digit short": a_customer(documentType="cpf", document=CPF[:-1])},
    "PAY-CUS-12": {
        "a CPF with another last digit": a_customer(document=CPF[:-1] + str((int(CPF[-1]) + 1) % 10)),
    },
    "PAY-CUS-13": {
        "a CNPJ as cpf": a_customer(documentType="cpf", document=CNPJ),
        "a CPF as cnpj": a_customer(documentType="cnpj", document=CPF),
    },
    "PAY-CUS-14": {"an empty document": a_customer(document="")},
    "PAY-CUS-17": {"an empty name": a_customer(name=""), "a name of 1,000": a_customer(name=texts.ascii_text(1_000))},
    "PAY-CUS-23": {
        "punctuated": a_customer(phone="(11) 98765-4321"),
        "letters": a_customer(phone="call me"),
    },
    "PAY-CUS-26": {
        "number as a number": a_customer(billingAddress=an_address_of_brazil(number=1000)),
        "a city alone": a_customer(billingAddress={"city": "Sao Paulo"}),
        "no field": a_customer(billingAddress={}),
    },
}
OPEN_POINTS = {
    "PAY-CHG-07": {"2^31": a_charge(amountInCents=2**31), "2^53 + 1": a_charge(amountInCents=2**53 + 1)},
    "PAY-CHG-15": {
        "the most pictures beyond the basic plane": a_charge(description=texts.emoji(LONGEST)),
        "half as many letters with a combining accent": a_charge(description=texts.combining_accents(LONGEST // 2)),
    },
    "PAY-ERR-16": {"two faults": a_charge(amountInCents="1050", customer=a_customer(documentType="passport"))},
    **{
        rule: {what: a_charge(customer=customer) for what, customer in customers.items()}
        for rule, customers in OPEN_POINTS_OF_CUSTOMERS.items()
    },
}


@pytest.fixture(scope="session")
def charge_of_valid_fields(payments: Payments) -> Exchange:
    """Create a charge with all these values together; return the answer, a success or not."""
    return payments.create_charge(with_fields([*VALID.values(), *MAYBE_VALID.items()]))


def with_fields(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return a charge with these values at these paths."""
    body = a_charge()
    for path, value in fields:
        body = with_field(body, path, value)
    return body


@pytest.mark.parametrize(
    ("path", "value"),
    [case(rule, *field, id=field[0], quick=field[0] == "amountInCents") for rule, field in VALID.items()],
)
def test_a_valid_field_is_accepted(
    payments: Payments, pending_charge: Exchange, charge_of_valid_fields: Exchange, path: str, value: Any
) -> None:
    """A charge with unusual valid values is accepted: with several of them together, or else with each alone."""
    together = charge_of_valid_fields
    answer = together if together.ok else payments.create_charge(with_field(a_charge(), path, value))
    expect(answer, *accepted_like(pending_charge))


@pytest.mark.fewer_examples
@requirement("PAY-CHG-10")
@given(text=strategies.descriptions())
def test_every_description_is_accepted(payments: Payments, pending_charge: Exchange, text: str) -> None:
    """POST /api/v1/pix/in/qrcode accepts every generated description of 1 to 60 Latin letters, digits and signs."""
    answer = payments.create_charge(a_charge(description=text))
    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CHG-12")
def test_the_longest_description_of_signs_is_accepted(payments: Payments, pending_charge: Exchange) -> None:
    """Signs that HTML or URLs escape count as one character each, if a description of six of them is accepted."""
    answer = payments.create_charge(a_charge(description=texts.special_characters(LONGEST)))
    if not answer.ok and not payments.create_charge(a_charge(description=texts.special_characters(6))).ok:
        raise NotApplicable("signs are refused in a short description as well")
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
@pytest.mark.parametrize("rule", rules(GENERATED, "PAY-ERR-08"))
def test_every_charge_that_breaks_one_requirement_is_refused(
    payments: Payments, pending_charge: Exchange, generation: Generation, rule: str
) -> None:
    """Every generated charge whose body breaks exactly one requirement is refused with 400."""
    precondition(pending_charge)
    expect_refusals(generation, "create_charge", rule, "PAY-ERR-08", lambda request: send_charge(payments, request))


@pytest.mark.parametrize("content", NO_OBJECTS)
def test_a_body_that_is_no_json_object_is_refused(payments: Payments, pending_charge: Exchange, content: bytes) -> None:
    """A body that is empty, not JSON, or an array of one valid charge is refused with 400, as application/json."""
    precondition(pending_charge)
    expect(payments.create_charge(..., content=content), status(400))


@requirement("PAY-CHG-88")
def test_the_name_of_the_amount_in_capitals_is_none(payments: Payments, pending_charge: Exchange) -> None:
    """POST of a charge that has AMOUNTINCENTS in the place of amountInCents returns 400."""
    precondition(pending_charge)
    expect(payments.create_charge(in_capitals(a_charge(), "amountInCents")), status(400))


@requirement("PAY-CHG-89")
def test_the_answer_to_a_byte_that_is_not_utf_8_is_noted(payments: Payments, observe: Observer) -> None:
    """POST of a charge with the byte FF in its description may be refused or accepted: the document does not say."""
    content = with_no_utf_8(a_charge(), "description")
    note_answers(observe, "PAY-CHG-89", {"a byte that is not UTF-8": payments.create_charge(..., content=content)})


@requirement("PAY-CHG-87")
@pytest.mark.parametrize("number", BEYOND_A_DOUBLE.values(), ids=BEYOND_A_DOUBLE)
def test_an_amount_beyond_a_double_causes_no_server_error(
    payments: Payments, pending_charge: Exchange, number: str
) -> None:
    """POST of a charge of 1e400 cents, and of one with 40 digits, is accepted or refused, but not with a 5xx."""
    precondition(pending_charge)
    expect(payments.create_charge(..., content=with_number(a_charge(), "amountInCents", number)), is_no_server_error())


@pytest.mark.parametrize("bodies", [case(rule, bodies, id=rule) for rule, bodies in OPEN_POINTS.items()])
def test_the_answer_to_a_charge_that_the_document_does_not_decide_is_noted(
    payments: Payments, rule: str, bodies: dict[str, Any], observe: Observer
) -> None:
    """Whether the charge is accepted or refused is noted: the document does not say."""
    note_charges(observe, payments, rule, bodies)


@requirement(*EMPTY_OR_UNKNOWN)
def test_the_answers_to_empty_and_unknown_fields_are_noted(payments: Payments, observe: Observer) -> None:
    """Whether an empty description or array and an unknown field are accepted is noted: together, or else alone."""
    together = payments.create_charge(with_fields([(path, value) for _, path, value in EMPTY_OR_UNKNOWN.values()]))
    for rule, (words, path, value) in EMPTY_OR_UNKNOWN.items():
        answer = together if together.ok else payments.create_charge(with_field(a_charge(), path, value))
        note_answers(observe, rule, {words: answer})


@deferred(AT_THE_END)
@requirement("PAY-CHG-20")
def test_the_answer_to_a_postback_url_of_plain_http_is_noted(payments: Payments, observe: Observer) -> None:
    """Whether a postbackUrl with the scheme http is accepted is noted: https is required of webhooks only.

    It is sent at the end: nothing answers there, and a service may send no other event until something does.
    """
    url = a_plain_http_address(payments)
    note_charges(observe, payments, "PAY-CHG-20", {"plain http": a_charge(postbackUrl=url)})


@requirement("PAY-CUS-04")
def test_a_customer_with_a_cnpj_is_accepted(payments: Payments, pending_charge: Exchange) -> None:
    """POST /api/v1/pix/in/qrcode accepts a customer of documentType cnpj, whose document begins with 0."""
    customer = a_customer(documentType="cnpj", document=pix_key.from_0("cnpj"))
    expect(payments.create_charge(a_charge(customer=customer)), *accepted_like(pending_charge))


@requirement("PAY-CUS-21")
def test_a_phone_is_accepted(payments: Payments, pending_charge: Exchange, charge_of_valid_fields: Exchange) -> None:
    """A customer.phone is accepted in at least one of four usual formats: the document shows none."""
    phones = ("+5511987654321", "5511987654321", "11987654321", "(11) 98765-4321")
    answer = charge_of_valid_fields
    if not answer.ok:
        answer = first_accepted(payments, [a_charge(customer=a_customer(phone=phone)) for phone in phones])
    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CUS-24")
def test_a_billing_address_is_accepted(
    payments: Payments, pending_charge: Exchange, charge_of_valid_fields: Exchange
) -> None:
    """A billingAddress of all the named fields is accepted with at least one choice of their types."""
    addresses = [
        an_address_of_brazil(),
        an_address_of_brazil(number=1000),
        an_address_of_brazil(zipCode="01310-100"),
        an_address_of_brazil(number=1000, zipCode="01310-100"),
        an_address_of_brazil(zipCode=1_310_100),
        an_address_of_brazil(number=1000, zipCode=1_310_100),
        an_address_of_brazil(state="São Paulo"),
    ]
    answer = charge_of_valid_fields
    if not answer.ok:
        bodies = [a_charge(customer=a_customer(billingAddress=address)) for address in addresses]
        answer = first_accepted(payments, bodies)
    if may_concern_a_field_inside(answer, "billingAddress"):
        raise NotApplicable("no form of billingAddress that was tried is accepted, and its types are not shown")
    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CUS-10", "PAY-ERR-08")
def test_a_cnpj_with_a_letter_as_check_digit_is_refused(payments: Payments, pending_charge: Exchange) -> None:
    """A CNPJ with a letter among its check digits is refused with 400, and the message names document."""
    precondition(pending_charge)
    customer = a_customer(documentType="cnpj", document=f"{CNPJ[:-1]}X")
    answer = payments.create_charge(a_charge(customer=customer))
    expect(answer, status(400), of="PAY-CUS-10")
    expect(answer, status(400), message_names("document"), of="PAY-ERR-08")


@requirement("PAY-CUS-01")
def test_an_empty_customer_is_refused(payments: Payments, pending_charge: Exchange) -> None:
    """A customer without any field is refused with 400."""
    precondition(pending_charge)
    expect(payments.create_charge(a_charge(customer={})), status(400))
