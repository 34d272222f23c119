"""Mutants of PAY-TRF and PAY-KEY: what the creation of a transfer accepts and refuses."""

import html
import re
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.sandbox.mutants.operators import *

GROUP = "validation"

DESCRIPTION, POSTBACK = "judge_transfer_description", "judge_transfer_postback"
EVP = "123e4567-e89b-42d3-a456-426655440000"
SMALLEST = {"pixKey": EVP, "amount": PaymentsRules.minimum_transfer}
REFUSED_FIELDS = [f"PAY-TRF-{number:02d}" for number in (*range(3, 8), 9, 13, 14, 18, 20, 22, 23, 25, 26)]
REFUSED_KEYS = [f"PAY-KEY-{number:02d}" for number in (*range(6, 11), 15)]


def debit_dollars(rules: Any, answer: Answer, call: Call, refusal: Refusal) -> None:
    if call.operation == "create_transfer" and refusal.kind == "invalid" and b'"USD"' in (call.body or b""):
        amount = rules.json_body(call)["amount"]
        rules.post(call.access, "transfer.created", "", ("pix", DEBIT, amount), ("in_flight", CREDIT, amount))


MUTANTS = {
    "PAY-TRF-01/postback-required": requires("postbackUrl", POSTBACK).of("limits")
        .says("A transfer without postbackUrl is refused."),
    "PAY-TRF-02/invalid-returns-200": refused(
        "invalid", "create_transfer", status=200, body=lambda right: {"success": False} | right)
        .also(*REFUSED_FIELDS, *REFUSED_KEYS, "PAY-TRF-32", "PAY-GEN-06").of("error bodies"),
    "PAY-TRF-02/without-key": accepts("pixKey", is_absent, EVP),
    "PAY-TRF-03/cpf-as-number": accepts("pixKey", lambda value: type(value) is int and len(str(value)) == 11,
        "52998224725").says("A CPF as a number is accepted as pixKey."),
    "PAY-TRF-03/null": accepts("pixKey", is_a("null"), EVP),
    "PAY-TRF-04/any-text": accepts("pixKey", matches(r"[^\d@]+"), EVP).says("A pixKey of no type is accepted."),
    "PAY-TRF-04/phone-without-plus": changes_arguments("A phone without its plus is accepted as pixKey.",
        is_phone_key=lambda _, value: (f"+{value.removeprefix('+')}",)),
    "PAY-TRF-04/evp-of-any-letters": accepts("pixKey", matches(r"(?=.*[g-z])\w{8}(-\w{4}){3}-\w{12}"), EVP)
        .says("A random key is judged by the places of its hyphens."),
    "PAY-TRF-04/cpf-in-digits-of-any-script": setting("A CPF in the digits of any script is accepted as pixKey.",
        is_cpf_key=lambda _, value: len(value) == 11 and value.isdigit()),
    "PAY-TRF-04/phone-without-anchors": setting("A text that has a phone in it is accepted as pixKey.",
        is_phone_key=lambda _, value: re.search(r"\+55[1-9][0-9]{9,10}", value) is not None),
    "PAY-TRF-94/names-in-any-case": changes_result("The name of a transfer's amount is read in any case.",
        json_body=lambda _, body, _call: in_known_case(body, "amount")),
    "PAY-TRF-05/without-amount": accepts("amount", is_absent, 1),
    "PAY-TRF-06/string": accepts("amount", is_a("string"), 1),
    "PAY-TRF-06/boolean": accepts("amount", is_a("boolean"), 1),
    "PAY-TRF-06/null": accepts("amount", is_a("null"), 1),
    "PAY-TRF-06/object": accepts("amount", is_a("array", "object"), 1),
    "PAY-TRF-07/fraction": accepts("amount", is_fraction, 1),
    "PAY-TRF-08/minimum-refused": setting("A transfer of the minimum is refused.",
        minimum_transfer=PaymentsRules.minimum_transfer + 1).also("PAY-ERR-09").of("limits"),
    "PAY-TRF-09/zero": setting("A transfer of zero is created.", minimum_transfer=0).of("limits"),
    "PAY-TRF-09/negative": accepts("amount", lambda value: type(value) is int and value < 0, -1)
        .says("A transfer of a negative amount is created, and adds money."),
    "PAY-TRF-11/required": requires("currency").also("PAY-TRF-01", "PAY-ERR-09").of("limits"),
    "PAY-TRF-12/refused": refuses("currency", is_present).says("A transfer with a currency is refused.").of("limits"),
    "PAY-TRF-13/code-as-digits": accepts("currency", matches("986"), "BRL")
        .says("The currency may be given by its numeric code, as a string."),
    "PAY-TRF-14/number": accepts("currency", is_a("number"), "BRL"),
    "PAY-TRF-14/object": accepts("currency", is_a("array", "object"), "BRL"),
    "PAY-TRF-17/refused": refuses("description", is_present, DESCRIPTION).also("PAY-TRF-19").of("limits")
        .says("A transfer with a description is refused."),
    "PAY-TRF-18/number": accepts("description", is_a("number"), "7", DESCRIPTION)
        .says("The description of a transfer may be a number."),
    "PAY-TRF-19/counted-as-html": changes_arguments(
        "The description of a transfer is counted after it was escaped for HTML.",
        judge_transfer_description=lambda _, value: (html.escape(value),)).of("limits"),
    "PAY-TRF-19/counted-in-bytes": changes_arguments("The description of a transfer is counted in bytes.",
        judge_transfer_description=lambda _, value: ("x" * len(value.encode()),)).of("limits"),
    "PAY-TRF-20/one-more-accepted": setting("A transfer's description may have one character more than the limit.",
        transfer_description_limit=PaymentsRules.transfer_description_limit + 1).of("limits"),
    "PAY-TRF-21/refused": refuses("postbackUrl", is_present, POSTBACK).of("limits")
        .says("A transfer with a postbackUrl is refused."),
    "PAY-TRF-22/number": accepts("postbackUrl", is_a("number"), None, POSTBACK)
        .says("A postbackUrl of a transfer that is a number is ignored."),
    "PAY-TRF-23/without-scheme": accepts("postbackUrl", matches(r"example\.com/.*"), None, POSTBACK)
        .says("The postbackUrl of a transfer may lack its scheme."),
    "PAY-TRF-23/path": accepts("postbackUrl", matches(r"/.*"), None, POSTBACK)
        .says("The postbackUrl of a transfer may be a path."),
    "PAY-TRF-23/wrong-host": accepts("postbackUrl", matches(r"https://(exam .*)?"), None, POSTBACK)
        .says("The postbackUrl of a transfer may have an empty host, or a blank in it."),
    "PAY-TRF-23/blank-in-path": accepts("postbackUrl", matches(r"https://\S+/\S* .*"), None, POSTBACK)
        .says("The postbackUrl of a transfer may have a blank in its path."),
    "PAY-TRF-92/no-host": accepts("postbackUrl", matches("https:[^/].*"), None, POSTBACK)
        .says("The postbackUrl of a transfer of https may have no host."),
    "PAY-TRF-93/exponent-returns-500": fails_at_number("create_transfer", '"amount": ', WITH_EXPONENT)
        .says("A transfer whose amount is 1e400 returns 500.").also("PAY-ERR-12"),
    "PAY-TRF-93/digits-return-500": fails_at_number("create_transfer", '"amount": ', OF_40_DIGITS)
        .says("A transfer whose amount has 40 digits returns 500.").also("PAY-ERR-12"),
    "PAY-TRF-25/not-json": accepts_body("create_transfer", is_no_json, SMALLEST),
    "PAY-TRF-26/array": accepts_body("create_transfer", is_a("array"), SMALLEST),
    "PAY-TRF-26/no-body": accepts_body("create_transfer", is_absent, SMALLEST),
    "PAY-TRF-82/refused-currency-is-debited": acts_after(
        "A transfer that is refused for its currency is paid for all the same.", refused=debit_dollars).of("state"),
    "PAY-KEY-01/cpf-refused": refuses("pixKey", is_digits(11)),
    "PAY-KEY-01/cpf-with-leading-zero-refused": refuses("pixKey", begins_with_zero(11)),
    "PAY-KEY-02/cnpj-refused": refuses("pixKey", is_digits(14)),
    "PAY-KEY-02/cnpj-with-leading-zero-refused": refuses("pixKey", begins_with_zero(14)),
    "PAY-KEY-03/email-refused": refuses("pixKey", lambda text: "@" in text).says("An e-mail as pixKey is refused."),
    "PAY-KEY-03/email-with-long-ending-refused": refuses("pixKey", lambda text: (
        "@" in text and not re.fullmatch(r"[\w.+-]+@[\w.-]+\.[a-z]{2,3}", text)))
        .says("An e-mail as pixKey is refused if its last part has more than three letters."),
    "PAY-KEY-04/phone-refused": refuses("pixKey", matches(r"\+.*")).says("A phone as pixKey is refused."),
    "PAY-KEY-05/random-key-refused": refuses("pixKey", lambda text: "-" in text and "@" not in text)
        .says("A random key as pixKey is refused."),
    "PAY-KEY-06/cpf-with-punctuation": accepts("pixKey", matches(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), EVP)
        .says("A CPF with punctuation is accepted as pixKey."),
    "PAY-KEY-07/cnpj-with-punctuation": accepts("pixKey", matches(r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}"), EVP)
        .says("A CNPJ with punctuation is accepted as pixKey."),
    "PAY-KEY-08/email-without-domain": accepts("pixKey", matches("[^@]+@"), EVP)
        .says("An e-mail with nothing after its @ is accepted as pixKey."),
    "PAY-KEY-08/email-without-name": accepts("pixKey", matches("@[^@]+"), EVP)
        .says("An e-mail with nothing before its @ is accepted as pixKey."),
    "PAY-KEY-09/phone-of-any-country": accepts("pixKey", matches(r"\+(?!55)\d+"), EVP)
        .says("A phone of another country is accepted as pixKey."),
    "PAY-KEY-10/uuid-of-35-characters": accepts("pixKey", matches("[0-9a-fA-F-]{35}"), EVP)
        .says("A UUID that lacks a character is accepted as pixKey."),
    "PAY-KEY-11/digits-of-any-length": accepts("pixKey", matches(r"(?!(\d{11}|\d{14})$)\d+"), EVP)
        .says("Digits of any length are accepted as pixKey."),
    "PAY-KEY-16/phone-of-any-length": accepts("pixKey", matches(r"\+55(?!\d{10,11}$)\d+"), EVP)
        .says("A phone of any length is accepted as pixKey."),
    "PAY-KEY-15/key-empty": accepts("pixKey", is_empty, EVP),
}  # fmt: skip
