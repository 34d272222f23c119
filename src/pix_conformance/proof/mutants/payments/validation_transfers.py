"""Transfers and webhooks that are accepted although a sentence of the document refuses them."""

import re
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.payments.tables import Accepts, a, absent, passing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

KEY, URL = "123e4567-e89b-42d3-a456-426655440000", "https://hooks.example.com/x"
ABOUT, BACK = "judge_transfer_description", "judge_transfer_postback"
NUMBERS, NULL = a(int, Decimal), a(type(None))


def _fraction(value: Any) -> bool:
    return isinstance(value, Decimal) and value != value.to_integral_value()


def _like(pattern: str) -> Any:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _holds_no_text(value: Any) -> bool:
    return isinstance(value, list) and any(not isinstance(name, str) for name in value)


def _names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not _holds_no_text(value)


def _known(names: list[str]) -> set[str]:
    return set(names) & set(Accepts.event_names)


globals().update(
    family(__name__, "validation", Accepts, {
        "PixKeyOptional": ("A transfer without pixKey is sent.", "PAY-TRF-02", passing("pixKey", absent, KEY)),
        "PixKeyFromNumber": ("A pixKey that is a number is written out.", "PAY-TRF-03",
            passing("pixKey", NUMBERS, KEY)),
        "PixKeyNull": ("A pixKey of null is accepted.", "PAY-TRF-03", passing("pixKey", NULL, KEY)),
        "PixKeyFromObject": ("A pixKey may be an object of type and value.", "PAY-TRF-03",
            passing("pixKey", a(dict, list), KEY)),
        "PixKeyAnyText": ("A pixKey of no type is accepted.", "PAY-TRF-04",
            passing("pixKey", lambda v: isinstance(v, str) and len(v) > 0 and not re.search(r"[\d@]", v), KEY)),
        "PixKeyEmpty": ("An empty pixKey is accepted.", "PAY-KEY-15", passing("pixKey", _like(r""), KEY)),
        "CpfKeyPunctuated": ("Punctuation is taken out of a CPF as key.", "PAY-KEY-06",
            passing("pixKey", _like(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), KEY)),
        "CnpjKeyPunctuated": ("Punctuation is taken out of a CNPJ as key.", "PAY-KEY-07",
            passing("pixKey", _like(r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}"), KEY)),
        "EmailKeyWithoutDomain": ("An e-mail with nothing after its @ is accepted as key.", "PAY-KEY-08",
            passing("pixKey", _like(r"[^@]+@"), KEY)),
        "EmailKeyWithoutName": ("An e-mail with nothing before its @ is accepted as key.", "PAY-KEY-08",
            passing("pixKey", _like(r"@[^@]+"), KEY)),
        "PhoneKeyOfAnyCountry": ("A phone of another country is accepted as key.", "PAY-KEY-09",
            passing("pixKey", _like(r"\+(?!55)\d+"), KEY)),
        "PhoneKeyOfAnyLength": ("A phone of fewer than eight digits is accepted as key.", "PAY-TRF-04",
            passing("pixKey", _like(r"\+55\d{1,7}"), KEY)),
        "EvpKeyTooShort": ("A UUID with a character too few is accepted as key.", "PAY-KEY-10",
            passing("pixKey", _like(r"[0-9a-fA-F-]{35}"), KEY)),
        "EvpKeyOfAnyLetters": ("A random key is judged by the places of its hyphens.", "PAY-TRF-04",
            passing("pixKey", _like(r"(?=.*[g-z])\w{8}(-\w{4}){3}-\w{12}"), KEY)),
        "DigitsKeyOfAnyLength": ("Digits of any length are accepted as key.", "PAY-KEY-11",
            passing("pixKey", lambda v: isinstance(v, str) and v.isdigit() and len(v) not in {11, 14}, KEY)),
        "TransferAmountOptional": ("A transfer without amount is sent, of one cent.", "PAY-TRF-05",
            passing("amount", absent, 1)),
        "TransferAmountFromString": ("A transfer's amount sent as a string is read as a number.", "PAY-TRF-06",
            passing("amount", a(str), 1)),
        "TransferAmountFromBoolean": ("A transfer's amount of true is one cent.", "PAY-TRF-06",
            passing("amount", a(bool), 1)),
        "TransferAmountNull": ("A transfer's amount of null is one cent.", "PAY-TRF-06", passing("amount", NULL, 1)),
        "TransferAmountFromObject": ("A transfer's amount may be an array or an object.", "PAY-TRF-06",
            passing("amount", a(list, dict), 1)),
        "TransferAmountRounded": ("A transfer's amount with a fraction is rounded.", "PAY-TRF-07",
            passing("amount", _fraction, 1)),
        "TransferAmountZero": ("A transfer of zero is sent.", "PAY-TRF-09",
            passing("amount", lambda value: type(value) is int and value == 0, 0)),
        "TransferAmountNegative": ("A transfer of a negative amount is sent, and pulls money.", "PAY-TRF-09",
            passing("amount", lambda value: type(value) is int and value < 0, -1)),
        "CurrencyDollar": ("A transfer in USD is sent.", "PAY-TRF-13",
            passing("currency", lambda value: isinstance(value, str) and value.upper() != "BRL", "BRL")),
        "CurrencyFromNumber": ("A currency that is its number, 986, is accepted.", "PAY-TRF-14",
            passing("currency", NUMBERS, "BRL")),
        "CurrencyFromList": ("A currency in an array or object is accepted.", "PAY-TRF-14",
            passing("currency", a(list, dict), "BRL")),
        "TransferDescriptionFromNumber": ("A transfer's description that is a number is written out.", "PAY-TRF-18",
            passing("description", NUMBERS, "7", ABOUT)),
        "TransferDescriptionFromObject": ("A transfer's description may be an object or array.", "PAY-TRF-18",
            passing("description", a(list, dict), "7", ABOUT)),
        "TransferPostbackFromNumber": ("A transfer's postbackUrl that is a number is ignored.", "PAY-TRF-22",
            passing("postbackUrl", NUMBERS, None, BACK)),
        "TransferPostbackFromList": ("A transfer's postbackUrl may be an array of addresses.", "PAY-TRF-22",
            passing("postbackUrl", a(list), None, BACK)),
        "TransferPostbackAnyText": ("A transfer's postbackUrl is not checked to be a URI.", "PAY-TRF-23",
            passing("postbackUrl", lambda value: isinstance(value, str) and ":" not in value, None, BACK)),
        "HookUrlOptional": ("A webhook without url is created.", "PAY-WH-02", passing("url", absent, URL)),
        "HookUrlFromNumber": ("A webhook's url that is a number is accepted.", "PAY-WH-03",
            passing("url", NUMBERS, URL)),
        "HookUrlNull": ("A webhook's url may be null.", "PAY-WH-03", passing("url", NULL, URL)),
        "HookUrlFromList": ("A webhook's url may be an array of addresses.", "PAY-WH-03", passing("url", a(list), URL)),
        "HookUrlAnyText": ("A webhook's url is not checked to be a URI.", "PAY-WH-04",
            passing("url", lambda value: isinstance(value, str) and ":" not in value, URL)),
        "HookUrlRelative": ("A webhook's url may be a path alone.", "PAY-WH-04", passing("url", _like(r"/.*"), URL)),
        "HookEventsOptional": ("A webhook without events is created, for all of them.", "PAY-WH-06",
            passing("events", absent, ["infraction"])),
        "HookEventsFromText": ("A webhook's events may be one name without an array.", "PAY-WH-07",
            passing("events", a(str), ["infraction"])),
        "HookEventsFromObject": ("A webhook's events may be an object of switches.", "PAY-WH-07",
            passing("events", a(dict), ["infraction"])),
        "HookEventsNull": ("A webhook's events may be null, for all of them.", "PAY-WH-07",
            passing("events", NULL, ["infraction"])),
        "HookEventNumber": ("An event that is no string is ignored.", "PAY-WH-08",
            passing("events", _holds_no_text, ["infraction"])),
        "HookEventUnknown": ("Any name is accepted as an event.", "PAY-WH-11",
            passing("events", lambda v: _names(v) and not _known(v), [])),
        "HookEventUnknownBesideKnown": ("An unknown event beside a known one is ignored.", "PAY-WH-11",
            passing("events", lambda v: _names(v) and 0 < len(_known(v)) < len(set(v)), ["infraction"])),
        "HookEventsEmpty": ("A webhook without any event is created.", "PAY-WH-09",
            passing("events", lambda value: value == [], [])),
    })
)  # fmt: skip


class HookOfPlainHttp(PaymentsRules):
    """A webhook may have an address of plain http."""

    breaks = ("PAY-WH-05",)
    group = "validation"
    webhook_schemes = ("https", "http")


class HookOfAnyScheme(PaymentsRules):
    """A webhook's url is checked not to be plain http, which lets ftp pass."""

    breaks = ("PAY-WH-05",)
    group = "validation"
    webhook_schemes = ("https", "ftp", "ws", "wss")


class TransferFromNoJson(PaymentsRules):
    """A transfer body that is no JSON is read as a form, and money sent."""

    breaks = ("PAY-TRF-25",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for what cannot be read."""
        try:
            return super().json_body(call)
        except Refusal:
            if call.operation == "create_transfer" and call.body:
                return {"pixKey": KEY, "amount": 1}
            raise


class TransferFromArray(PaymentsRules):
    """A transfer body that is a JSON array is accepted."""

    breaks = ("PAY-TRF-26",)
    group = "validation"

    def read_transfer(self, body: Any) -> dict[str, Any]:
        """Stand in for its element."""
        return super().read_transfer({"pixKey": KEY, "amount": 1} if isinstance(body, list) else body)


class TransferFromNothing(PaymentsRules):
    """A transfer without any body is sent."""

    breaks = ("PAY-TRF-26",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for an empty body."""
        empty = call.operation == "create_transfer" and not call.body
        return {"pixKey": KEY, "amount": 1} if empty else super().json_body(call)


class HookFromNoJson(PaymentsRules):
    """A webhook body that is no JSON is read as a form."""

    breaks = ("PAY-WH-16",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for what cannot be read."""
        try:
            return super().json_body(call)
        except Refusal:
            if call.operation == "create_webhook" and call.body:
                return {"url": URL, "events": ["infraction"]}
            raise


class HookFromNothing(PaymentsRules):
    """A webhook without any body is created."""

    breaks = ("PAY-WH-17",)
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Stand in for an empty body."""
        empty = call.operation == "create_webhook" and not call.body
        return {"url": URL, "events": ["infraction"]} if empty else super().json_body(call)


class HookFromArray(PaymentsRules):
    """A webhook body that is a JSON array is accepted."""

    breaks = ("PAY-WH-17",)
    group = "validation"

    def read_body(self, value: Any, fields: Any) -> dict[str, Any]:
        """Stand in for its element."""
        own = fields is self.webhook_fields and isinstance(value, list)
        return super().read_body({"url": URL, "events": ["infraction"]} if own else value, fields)
