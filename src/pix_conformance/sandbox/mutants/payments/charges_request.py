"""Mutants of PAY-CHG: what the creation of a charge accepts and refuses."""

import html
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pix_conformance.reference.call import Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.sandbox.mutants.operators import *

GROUP = "validation"
TEXT = "judge_charge_description"
POSTBACK = "judge_charge_postback"
CUSTOMER = {
    "documentType": "cpf", "document": "52998224725",
    "name": None, "email": None, "phone": None, "billingAddress": None,
}  # fmt: skip


def text_judged(sentence: str, change: Callable[[str], str]) -> Difference:
    """Judge another text in the place of a charge's description."""
    return changes_arguments(sentence, judge_charge_description=lambda _, text: (change(text),)).of("limits")


def refuse_items_beside_splits(_rules: Any, read: dict[str, Any], _body: Any) -> None:
    if read["items"] and read["splits"]:
        raise Refusal("invalid", "splits must not be given beside items")


def with_sum_of_items(_rules: Any, body: Any) -> tuple[Any]:
    if isinstance(body, dict) and body.get("items") and "amountInCents" not in body:
        return (body | {"amountInCents": sum(item["amountInCents"] for item in body["items"])},)
    return (body,)


def read_small_with_items(rules: Any, right: Callable[[Any], dict[str, Any]], body: Any) -> dict[str, Any]:
    amount = body.get("amountInCents") if isinstance(body, dict) and body.get("items") else None
    low = type(amount) is int and 0 < amount < rules.minimum_charge
    read = right(body | {"amountInCents": rules.minimum_charge} if low else body)
    return read | ({"amountInCents": amount} if low else {})


MUTANTS = {
    "PAY-CHG-01/items-beside-splits-refused": acts_after(
        "A charge with both items and splits is refused.", read_charge=refuse_items_beside_splits),
    "PAY-CHG-02/missing-amount-with-items": changes_arguments(
        "A charge with items and without amountInCents is accepted: they are added up.", read_charge=with_sum_of_items),
    "PAY-CHG-03/string": accepts("amountInCents", is_a("string"), 1050),
    "PAY-CHG-03/null": accepts("amountInCents", is_a("null"), 100),
    "PAY-CHG-03/array-of-right-amount": accepts("amountInCents", lambda value: value == [1050], 1050)
        .says("amountInCents is accepted though it is an array of one right amount."),
    "PAY-CHG-04/small-fraction": accepts(
        "amountInCents", lambda value: isinstance(value, Decimal) and value % 1 < Decimal("0.01"), 1050)
        .says("amountInCents is accepted if its fraction is less than 0.01."),
    "PAY-CHG-04/fraction-below-minimum": accepts(
        "amountInCents", lambda value: is_fraction(value) and value < PaymentsRules.minimum_charge, 1050)
        .says("amountInCents with a fraction is accepted below the minimum."),
    "PAY-CHG-05/minimum-refused": setting("A charge of the minimum is refused.",
        minimum_charge=PaymentsRules.minimum_charge + 1).also("PAY-ENV-02", "PAY-ERR-08").of("limits"),
    "PAY-CHG-06/zero": accepts("amountInCents", lambda value: type(value) is int and value == 0, 0)
        .says("A charge of zero is accepted."),
    "PAY-CHG-06/negative": accepts("amountInCents", lambda value: type(value) is int and value < 0, 100)
        .says("A charge of a negative amount is accepted."),
    "PAY-CHG-06/no-minimum-with-items": overrides(
        "A charge with items may have any amount above zero.", read_charge=read_small_with_items).of("limits"),
    "PAY-CHG-08/missing-customer": accepts("customer", is_absent, CUSTOMER),
    "PAY-CHG-09/string": accepts("customer", is_a("string"), CUSTOMER),
    "PAY-CHG-10/description-refused": refuses("description", is_present, TEXT).also("PAY-CHG-12").of("limits")
        .says("A charge with a description is refused."),
    "PAY-CHG-11/number": accepts("description", is_a("number"), "7", TEXT)
        .says("A charge's description is accepted though it is a number."),
    "PAY-CHG-12/bytes-counted": text_judged(
        "The limit of a charge's description counts bytes.", lambda text: "x" * len(text.encode())),
    "PAY-CHG-12/html-counted": text_judged("A charge's description is counted after it is escaped for HTML.",
        html.escape),
    "PAY-CHG-13/ascii-counted": text_judged("A charge's description is counted without the letters that ASCII lacks.",
        lambda text: text.encode("ascii", "ignore").decode()),
    "PAY-CHG-13/blanks-counted-once": changes_arguments("A run of blanks counts as one character of a description.",
        judge_charge_description=lambda _, text: (" ".join(text.split()),),
        judge_transfer_description=lambda _, text: (" ".join(text.split()),)).also("PAY-TRF-20").of("limits"),
    "PAY-CHG-17/postback-url-refused": refuses("postbackUrl", is_present, POSTBACK).of("limits")
        .says("A charge with a postbackUrl is refused."),
    "PAY-CHG-18/number": accepts("postbackUrl", is_a("number"), None, POSTBACK)
        .says("A charge's postbackUrl is accepted though it is a number."),
    "PAY-CHG-19/no-scheme": accepts("postbackUrl", matches(r"example\.com/.*"), None, POSTBACK)
        .says("A charge's postbackUrl may lack its scheme."),
    "PAY-CHG-19/path": accepts("postbackUrl", matches("/.*"), None, POSTBACK)
        .says("A charge's postbackUrl may be a path."),
    "PAY-CHG-19/wrong-host": accepts("postbackUrl", matches("https://(exam .*)?"), None, POSTBACK)
        .says("The host in a charge's postbackUrl may be missing or contain a blank."),
    "PAY-CHG-19/blank-in-path": accepts("postbackUrl", matches(r"https://\S+/\S* .*"), None, POSTBACK)
        .says("A charge's postbackUrl may have a blank in its path."),
    "PAY-CHG-86/no-host": accepts("postbackUrl", matches("https:[^/].*"), None, POSTBACK)
        .says("A charge's postbackUrl of https may have no host."),
    "PAY-CHG-87/exponent-returns-500": fails_at_number("create_charge", '^{"amountInCents": ', WITH_EXPONENT)
        .says("A charge whose amountInCents is 1e400 returns 500.").also("PAY-ERR-12"),
    "PAY-CHG-87/digits-return-500": fails_at_number("create_charge", '^{"amountInCents": ', OF_40_DIGITS)
        .says("A charge whose amountInCents has 40 digits returns 500.").also("PAY-ERR-12"),
    "PAY-CHG-21/string": accepts("items", is_a("string"), []),
    "PAY-CHG-21/one-item": reads("items", is_a("object"), lambda item: [item])
        .says("One item without its array is accepted."),
    "PAY-CHG-23/string": accepts("splits", is_a("string"), []),
    "PAY-CHG-23/one-split": reads("splits", is_a("object"), lambda split: [split])
        .says("One split without its array is accepted."),
    "PAY-CHG-25/no-json": accepts_body("create_charge", is_no_json, {"amountInCents": 1050, "customer": CUSTOMER}),
    "PAY-CHG-25/text-after-json-ignored": changes_arguments(
        "What follows the first JSON value of a body is not read.", json_body=first_value_alone)
        .also("PAY-TRF-25", "PAY-WH-16"),
    "PAY-CHG-88/names-in-any-case": changes_result("The name of a charge's amount is read in any case.",
        json_body=lambda _, body, _call: in_known_case(body, "amountInCents")),
    "PAY-CHG-26/no-body": accepts_body("create_charge", is_absent, {"amountInCents": 100, "customer": CUSTOMER}),
    "PAY-CHG-26/array-of-right-body": changes_result("A body in an array is read as if it were not.",
        json_body=lambda _, body, _call: body[0] if isinstance(body, list) and body else body)
        .also("PAY-TRF-26", "PAY-WH-17"),
}  # fmt: skip
