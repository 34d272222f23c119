"""The customer of a charge."""

from typing import Any

import pytest

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

CPF, CNPJ = pix_key.cpf(1), pix_key.cnpj(1)
ARABIC_CPF = "52998224725".translate({ord("0") + digit: 0x0660 + digit for digit in range(10)})
ACCEPTED = [
    case("PAY-CUS-03", a_customer(document=pix_key.from_0("cpf")), id="cpf-that-begins-with-0"),
    case("PAY-CUS-04", a_customer(documentType="cnpj", document=pix_key.from_0("cnpj")), id="cnpj-that-begins-with-0"),
    case("PAY-CUS-15", a_customer(name="João D'Ávila Conceição"), id="name-with-accents"),
    case("PAY-CUS-18", a_customer(email="maria.silva+pix-1@mail.example.com"), id="email-with-plus-and-subdomain"),
    case("PAY-CUS-18", a_customer(email="Maria_Silva-2@Mail-1.example.com"), id="email-with-capitals-and-hyphens"),
    case("PAY-CUS-18", a_customer(email="maria@example.photography"), id="email-with-a-long-top-level-domain"),
]
REFUSED = [
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
    case("PAY-CUS-10", "customer.document", "5299822472a", id="customer.document-with-a-letter"),
    case("PAY-CUS-10", "customer.document", "52998224725a", id="customer.document-and-a-letter-more"),
    case("PAY-CUS-10", "customer.document", ARABIC_CPF, id="customer.document-in-arabic-digits"),
    case("PAY-CUS-20", "customer.email", "maria@", id="customer.email-without-domain"),
    case("PAY-CUS-20", "customer.email", "@example.com", id="customer.email-without-name"),
    case("PAY-CUS-20", "customer.email", "maria silva@example.com", id="customer.email-with-a-blank"),
    case("PAY-CUS-20", "customer.email", "maria@silva@example.com", id="customer.email-with-two-at"),
    case("PAY-CUS-22", "customer.phone", 5511987654321, id="customer.phone-number"),
]
PUNCTUATED_CNPJ = f"{CNPJ[:2]}.{CNPJ[2:5]}.{CNPJ[5:8]}/{CNPJ[8:12]}-{CNPJ[12:]}"
REFUSED_CNPJ = [
    case("PAY-CUS-09", PUNCTUATED_CNPJ, id="punctuated"),
    case("PAY-CUS-10", f"{CNPJ[:-1]}X", id="with-a-letter-as-check-digit"),
]
GENERATED = (
    *("PAY-CUS-01", "PAY-CUS-02", "PAY-CUS-05", "PAY-CUS-07", "PAY-CUS-08", "PAY-CUS-10", "PAY-CUS-16", "PAY-CUS-19"),
    *("PAY-CUS-20", "PAY-CUS-22", "PAY-CUS-25"),
)
"""Requirements on invalid customers that the generated requests break, one at a time."""
OPEN_POINTS: dict[str, dict[str, dict[str, Any]]] = {
    "PAY-CUS-06": {
        "CPF": a_customer(documentType="CPF", document=CPF),
        "CNPJ": a_customer(documentType="CNPJ", document=CNPJ),
    },
    "PAY-CUS-11": {
        "a CPF one digit short": a_customer(documentType="cpf", document=CPF[:-1]),
        "a CNPJ one digit short": a_customer(documentType="cnpj", document=CNPJ[:-1]),
    },
    "PAY-CUS-12": {
        "a CPF with another last digit": a_customer(document=CPF[:-1] + str((int(CPF[-1]) + 1) % 10)),
        "a CNPJ with another last digit": a_customer(
            documentType="cnpj", document=CNPJ[:-1] + str((int(CNPJ[-1]) + 1) % 10)
        ),
    },
    "PAY-CUS-13": {
        "a CNPJ as cpf": a_customer(documentType="cpf", document=CNPJ),
        "a CPF as cnpj": a_customer(documentType="cnpj", document=CPF),
    },
    "PAY-CUS-14": {"an empty document": a_customer(document="")},
    "PAY-CUS-17": {"an empty name": a_customer(name=""), "a name of 1,000": a_customer(name=texts.ascii_text(1_000))},
    "PAY-CUS-23": {
        "digits with country": a_customer(phone="5511987654321"),
        "punctuated": a_customer(phone="(11) 98765-4321"),
        "letters": a_customer(phone="call me"),
        "empty": a_customer(phone=""),
    },
    "PAY-CUS-26": {
        "number as a number": a_customer(billingAddress=an_address_of_brazil(number=1000)),
        "a city alone": a_customer(billingAddress={"city": "Sao Paulo"}),
        "no field": a_customer(billingAddress={}),
    },
}


@requirement("PAY-CUS-03")
def test_a_customer_with_a_cpf_is_accepted(payments: Payments) -> None:
    """POST /api/v1/pix/in/qrcode accepts a customer of documentType cpf, as it accepts one of documentType cnpj."""
    of_a_company = precondition(
        payments.create_charge(a_charge(customer=a_customer(documentType="cnpj", document=CNPJ)))
    )
    of_a_person = payments.create_charge(a_charge(customer=a_customer(documentType="cpf", document="52998224725")))

    expect(of_a_person, *accepted_like(of_a_company))


@pytest.mark.parametrize("customer", ACCEPTED)
def test_a_valid_customer_is_accepted(payments: Payments, pending_charge: Exchange, customer: dict[str, Any]) -> None:
    """A charge with a valid customer is accepted, as a charge with a CPF and no optional field is."""
    answer = payments.create_charge(a_charge(customer=customer))

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CUS-21")
def test_a_phone_is_accepted(payments: Payments, pending_charge: Exchange) -> None:
    """A customer.phone is accepted in at least one of four usual formats: the document shows none."""
    phones = ("+5511987654321", "5511987654321", "11987654321", "(11) 98765-4321")
    answer = first_accepted(payments, [a_charge(customer=a_customer(phone=phone)) for phone in phones])

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-CUS-24")
def test_a_billing_address_is_accepted(payments: Payments, pending_charge: Exchange) -> None:
    """A billingAddress of the six named fields is accepted with at least one choice of their types."""
    addresses = [
        an_address_of_brazil(),
        an_address_of_brazil(number=1000),
        an_address_of_brazil(zipCode="01310-100"),
        an_address_of_brazil(number=1000, zipCode="01310-100"),
        an_address_of_brazil(zipCode=1_310_100),
        an_address_of_brazil(number=1000, zipCode=1_310_100),
        an_address_of_brazil(state="São Paulo"),
    ]
    answer = first_accepted(payments, [a_charge(customer=a_customer(billingAddress=address)) for address in addresses])
    if may_concern_a_field_inside(answer, "billingAddress"):
        raise NotApplicable("no form of billingAddress that was tried is accepted, and its types are not shown")

    expect(answer, *accepted_like(pending_charge))


@requirement("PAY-ERR-08")
@pytest.mark.parametrize(("path", "bad"), REFUSED)
def test_a_customer_with_one_bad_field_is_refused(
    payments: Payments, pending_charge: Exchange, rule: str, path: str, bad: Any
) -> None:
    """A customer in which one field is missing or invalid is refused with 400, and the message names the field."""
    precondition(pending_charge)
    answer = payments.create_charge(with_field(a_charge(), path, bad))

    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(last_name(path)), of="PAY-ERR-08")


@requirement("PAY-CUS-01")
def test_an_empty_customer_is_refused(payments: Payments, pending_charge: Exchange) -> None:
    """A customer without any field is refused with 400."""
    precondition(pending_charge)
    expect(payments.create_charge(a_charge(customer={})), status(400))


@requirement("PAY-ERR-08")
@pytest.mark.parametrize("document", REFUSED_CNPJ)
def test_a_cnpj_that_is_not_digits_only_is_refused(
    payments: Payments, pending_charge: Exchange, rule: str, document: str
) -> None:
    """A CNPJ with punctuation or a letter among its check digits is refused with 400; the message names document."""
    precondition(pending_charge)
    answer = payments.create_charge(a_charge(customer=a_customer(documentType="cnpj", document=document)))

    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names("document"), of="PAY-ERR-08")


@pytest.mark.generated
@pytest.mark.parametrize("rule", rules(GENERATED, "PAY-ERR-08"))
def test_every_customer_that_breaks_one_requirement_is_refused(
    payments: Payments, pending_charge: Exchange, rule: str
) -> None:
    """Every generated charge whose customer breaks exactly one requirement is refused with 400."""
    precondition(pending_charge)
    expect_refusals(payments, "create_charge", rule, "PAY-ERR-08", lambda request: send_charge(payments, request))


@pytest.mark.parametrize("customers", [case(rule, customers, id=rule) for rule, customers in OPEN_POINTS.items()])
def test_the_answer_to_a_customer_that_the_document_does_not_decide_is_noted(
    payments: Payments, rule: str, customers: dict[str, dict[str, Any]], observe: Observer
) -> None:
    """Whether the customer is accepted or refused is noted: the document does not say."""
    note_charges(observe, payments, rule, {name: a_charge(customer=customer) for name, customer in customers.items()})
