"""Charge requests that are accepted although a sentence of the document refuses them."""

from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.payments.tables import Accepts, a, absent, passing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

CUSTOMER = {"documentType": "cpf", "document": "52998224725", "name": None, "email": None}
CUSTOMER |= {"phone": None, "billingAddress": None}
ITEM = {"title": "x", "tangible": False, "quantity": 1, "amountInCents": 1, "shippingAddress": None}
SPLIT = {"email": "company@example.com", "percentage": Decimal(1)}
ABOUT, BACK = "judge_charge_description", "judge_charge_postback"
NUMBERS = a(int, Decimal)
NULL = a(type(None))


def _fraction(value: Any) -> bool:
    return isinstance(value, Decimal) and value != value.to_integral_value()


def _words(value: Any) -> bool:
    """Judge whether it is a text that no reading takes for an address."""
    return isinstance(value, str) and ("@" not in value and ":" not in value)


def _punctuated(value: Any) -> bool:
    return isinstance(value, str) and any(mark in value for mark in ".-/")


def _lettered(value: Any) -> bool:
    return isinstance(value, str) and any(letter.isalpha() for letter in value)


def _below(limit: int) -> Any:
    return lambda value: type(value) is int and value < limit


globals().update(
    family(__name__, "validation", Accepts, {
        "AmountOptional": ("A charge without amountInCents is created, of the minimum.", "PAY-CHG-02",
            passing("amountInCents", absent, 100)),
        "AmountFromString": ("A charge's amount sent as a string is read as a number.", "PAY-CHG-03",
            passing("amountInCents", a(str), 1050)),
        "AmountFromBoolean": ("A charge's amount sent as true is taken for a number.", "PAY-CHG-03",
            passing("amountInCents", a(bool), 100)),
        "AmountNull": ("A charge's amount of null is taken for the minimum.", "PAY-CHG-03",
            passing("amountInCents", NULL, 100)),
        "AmountFromArray": ("A charge's amount sent in an array is taken out of it.", "PAY-CHG-03",
            passing("amountInCents", a(list), 1050)),
        "AmountFromObject": ("A charge's amount sent as an object is accepted.", "PAY-CHG-03",
            passing("amountInCents", a(dict), 1050)),
        "AmountCut": ("A charge's amount with a fraction is cut to whole cents.", "PAY-CHG-04",
            passing("amountInCents", _fraction, 1050)),
        "AmountAsUnits": ("A charge's amount of two decimals is taken for currency units.", "PAY-CHG-04",
            passing("amountInCents", lambda value: _fraction(value) and value < 100, 1050)),  # noqa: PLR2004 - 10.50
        "AmountZero": ("A charge of zero is created, for the payer to choose the amount.", "PAY-CHG-06",
            passing("amountInCents", lambda value: type(value) is int and value == 0, 0)),
        "AmountNegative": ("A charge of a negative amount is created.", "PAY-CHG-06",
            passing("amountInCents", _below(0), 100)),
        "CustomerOptional": ("A charge without customer is created.", "PAY-CHG-08",
            passing("customer", absent, CUSTOMER)),
        "CustomerNull": ("A charge whose customer is null is created.", "PAY-CHG-09",
            passing("customer", NULL, CUSTOMER)),
        "CustomerText": ("A customer that is a text is accepted.", "PAY-CHG-09",
            passing("customer", a(str), CUSTOMER)),
        "CustomerArray": ("A customer that is an array is accepted.", "PAY-CHG-09",
            passing("customer", a(list), CUSTOMER)),
        "CustomerNumber": ("A customer that is a number, as of a customer known before, is accepted.", "PAY-CHG-09",
            passing("customer", NUMBERS, CUSTOMER)),
        "DescriptionFromNumber": ("A charge's description that is a number is written out.", "PAY-CHG-11",
            passing("description", NUMBERS, "7", ABOUT)),
        "DescriptionFromBoolean": ("A charge's description that is a boolean is written out.", "PAY-CHG-11",
            passing("description", a(bool), "true", ABOUT)),
        "DescriptionFromObject": ("A charge's description that is an object or array is kept as JSON.", "PAY-CHG-11",
            passing("description", a(dict, list), "{}", ABOUT)),
        "PostbackFromNumber": ("A charge's postbackUrl that is a number is ignored.", "PAY-CHG-18",
            passing("postbackUrl", NUMBERS, None, BACK)),
        "PostbackFromArray": ("A charge's postbackUrl may be an array of addresses.", "PAY-CHG-18",
            passing("postbackUrl", a(list), None, BACK)),
        "PostbackFromBoolean": ("A charge's postbackUrl may be switched off by false.", "PAY-CHG-18",
            passing("postbackUrl", a(bool), None, BACK)),
        "PostbackAnyText": ("A charge's postbackUrl is not checked to be a URI.", "PAY-CHG-19",
            passing("postbackUrl", _words, None, BACK)),
        "ItemsFromObject": ("A single item without its array is accepted.", "PAY-CHG-21",
            passing("items", a(dict), [])),
        "ItemsFromText": ("Items that are a text are ignored.", "PAY-CHG-21",
            passing("items", a(str), [])),
        "ItemsFromNumber": ("Items that are a number are ignored.", "PAY-CHG-21",
            passing("items", a(int, Decimal, bool), [])),
        "SplitsFromObject": ("A single split without its array is accepted.", "PAY-CHG-23",
            passing("splits", a(dict), [])),
        "SplitsFromText": ("Splits that are a text are ignored.", "PAY-CHG-23",
            passing("splits", a(str), [])),
        "SplitsFromBoolean": ("Splits may be switched off by false.", "PAY-CHG-23",
            passing("splits", a(bool), [])),
        "DocumentTypeOptional": ("A customer without documentType is taken for a person.", "PAY-CUS-01",
            passing("customer.documentType", absent, "cpf")),
        "DocumentTypeNumber": ("A documentType that is a number is taken for an index.", "PAY-CUS-02",
            passing("customer.documentType", NUMBERS, "cpf")),
        "DocumentTypeNull": ("A documentType of null is taken for a person.", "PAY-CUS-02",
            passing("customer.documentType", NULL, "cpf")),
        "DocumentTypeList": ("A documentType in an array is taken out of it.", "PAY-CUS-02",
            passing("customer.documentType", a(list), "cpf")),
        "DocumentTypeByBeginning": ("Whatever begins with cpf is accepted as documentType.", "PAY-CUS-05",
            passing("customer.documentType", lambda v: isinstance(v, str) and v.startswith("cpf"), "cpf")),
        "DocumentTypeAny": ("Any text is accepted as documentType.", "PAY-CUS-05",
            passing("customer.documentType", lambda v: isinstance(v, str) and v not in {"cpf", "cnpj"}, "cpf")),
        "DocumentTypeEmpty": ("An empty documentType is accepted.", "PAY-CUS-05",
            passing("customer.documentType", lambda value: value == "", "cpf")),
        "DocumentOptional": ("A customer without document is accepted.", "PAY-CUS-07",
            passing("customer.document", absent, "52998224725")),
        "DocumentNumber": ("A document sent as a number is written out.", "PAY-CUS-08",
            passing("customer.document", NUMBERS, "52998224725")),
        "DocumentNull": ("A document of null is accepted.", "PAY-CUS-08",
            passing("customer.document", NULL, "52998224725")),
        "DocumentPunctuated": ("Punctuation is taken out of a document.", "PAY-CUS-09",
            passing("customer.document", _punctuated, "52998224725")),
        "DocumentLettered": ("A document with a letter is accepted.", "PAY-CUS-10",
            passing("customer.document", _lettered, "52998224725")),
        "NameFromNumber": ("A customer's name that is a number is written out.", "PAY-CUS-16",
            passing("customer.name", NUMBERS, "7")),
        "NameFromObject": ("A customer's name may be an object of first and last.", "PAY-CUS-16",
            passing("customer.name", a(dict, list), "x")),
        "EmailFromNumber": ("A customer's email that is a number is ignored.", "PAY-CUS-19",
            passing("customer.email", NUMBERS, None)),
        "EmailFromList": ("A customer's email may be an array of addresses.", "PAY-CUS-19",
            passing("customer.email", a(list), None)),
        "EmailAnyText": ("A customer's email is not checked to be one.", "PAY-CUS-20",
            passing("customer.email", lambda value: isinstance(value, str) and "@" not in value, None)),
        "PhoneFromNumber": ("A customer's phone that is a number is written out.", "PAY-CUS-22",
            passing("customer.phone", NUMBERS, "5511987654321")),
        "PhoneFromList": ("A customer's phone may be an array or an object.", "PAY-CUS-22",
            passing("customer.phone", a(list, dict), None)),
        "AddressText": ("A billingAddress in one line of text is accepted.", "PAY-CUS-25",
            passing("customer.billingAddress", a(str), None)),
        "AddressList": ("A billingAddress that is an array of lines is accepted.", "PAY-CUS-25",
            passing("customer.billingAddress", a(list), None)),
        "ItemAny": ("An item that is no object is accepted.", "PAY-ITEM-02",
            passing("items[]", lambda value: not isinstance(value, dict), ITEM)),
        "ItemText": ("An item may be its title alone.", "PAY-ITEM-02", passing("items[]", a(str), ITEM)),
        "TitleOptional": ("An item without title is accepted.", "PAY-ITEM-03",
            passing("items[].title", absent, "x")),
        "TitleFromNumber": ("An item's title that is a number is written out.", "PAY-ITEM-04",
            passing("items[].title", NUMBERS, "7")),
        "TitleNull": ("An item's title may be null.", "PAY-ITEM-04", passing("items[].title", NULL, "x")),
        "TangibleOptional": ("An item without tangible is taken for a thing.", "PAY-ITEM-05",
            passing("items[].tangible", absent, True)),  # noqa: FBT003 - a value in JSON, no flag
        "TangibleFromText": ("An item's tangible may be the word true.", "PAY-ITEM-06",
            passing("items[].tangible", a(str), True)),  # noqa: FBT003 - likewise
        "TangibleFromNumber": ("An item's tangible may be 0 or 1.", "PAY-ITEM-06",
            passing("items[].tangible", NUMBERS, True)),  # noqa: FBT003 - likewise
        "QuantityOptional": ("An item without quantity is one.", "PAY-ITEM-07",
            passing("items[].quantity", absent, 1)),
        "QuantityFromText": ("An item's quantity may be a string of digits.", "PAY-ITEM-08",
            passing("items[].quantity", a(str), 1)),
        "QuantityFraction": ("An item's quantity may have a fraction.", "PAY-ITEM-08",
            passing("items[].quantity", _fraction, 1)),
        "QuantityBoolean": ("An item's quantity of true is one.", "PAY-ITEM-08",
            passing("items[].quantity", a(bool), 1)),
        "ItemAmountOptional": ("An item without amountInCents is free.", "PAY-ITEM-09",
            passing("items[].amountInCents", absent, 0)),
        "ItemAmountFromText": ("An item's amount may be a string.", "PAY-ITEM-10",
            passing("items[].amountInCents", a(str), 1)),
        "ItemAmountNull": ("An item's amount may be null.", "PAY-ITEM-10",
            passing("items[].amountInCents", NULL, 1)),
        "ItemAmountFraction": ("An item's amount with a fraction is rounded.", "PAY-ITEM-11",
            passing("items[].amountInCents", _fraction, 1)),
        "ShippingText": ("A shippingAddress in one line of text is accepted.", "PAY-ITEM-13",
            passing("items[].shippingAddress", a(str), None)),
        "ShippingNumber": ("A shippingAddress that is a number, as of a known address, is accepted.", "PAY-ITEM-13",
            passing("items[].shippingAddress", NUMBERS, None)),
        "SplitAny": ("A split that is no object is accepted.", "PAY-SPL-02",
            passing("splits[]", lambda value: not isinstance(value, dict), SPLIT)),
        "SplitEmailOptional": ("A split without email is accepted.", "PAY-SPL-03",
            passing("splits[].email", absent, "company@example.com")),
        "SplitEmailFromNumber": ("A split's email may be a number.", "PAY-SPL-04",
            passing("splits[].email", NUMBERS, "company@example.com")),
        "SplitEmailNull": ("A split's email may be null.", "PAY-SPL-04",
            passing("splits[].email", NULL, "company@example.com")),
        "SplitEmailAnyText": ("A split's email is not checked to be one.", "PAY-SPL-05",
            passing("splits[].email", lambda value: isinstance(value, str) and "@" not in value, "x@example.com")),
        "PercentageOptional": ("A split without percentage is accepted.", "PAY-SPL-06",
            passing("splits[].percentage", absent, Decimal(1))),
        "PercentageFromText": ("A split's percentage may be a string.", "PAY-SPL-07",
            passing("splits[].percentage", a(str), Decimal(1))),
        "PercentageBoolean": ("A split's percentage of true is one.", "PAY-SPL-07",
            passing("splits[].percentage", a(bool), Decimal(1))),
        "PercentageNull": ("A split's percentage may be null.", "PAY-SPL-07",
            passing("splits[].percentage", NULL, Decimal(1))),
    })
)  # fmt: skip


class CreatesFromNoJson(PaymentsRules):
    """A charge body that is no JSON is read as a form, and a charge created."""

    breaks = ("PAY-CHG-25",)

    def json_body(self, call: Call) -> Any:
        """Stand in for what cannot be read."""
        try:
            return super().json_body(call)
        except Refusal:
            if call.operation == "create_charge" and call.body:
                return {"amountInCents": 1050, "customer": CUSTOMER}
            raise


class CreatesFromArray(PaymentsRules):
    """A charge body that is a JSON array is accepted."""

    breaks = ("PAY-CHG-26",)

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Stand in for its element."""
        right = {"amountInCents": 1050, "customer": CUSTOMER}
        return super().read_charge(right if isinstance(body, list) else body)


class CreatesFromNothing(PaymentsRules):
    """A charge without any body is created, of the minimum."""

    breaks = ("PAY-CHG-26",)

    def json_body(self, call: Call) -> Any:
        """Stand in for an empty body."""
        empty = call.operation == "create_charge" and not call.body
        return {"amountInCents": 100, "customer": CUSTOMER} if empty else super().json_body(call)
