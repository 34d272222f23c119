"""Mutants of PAY-CUS, PAY-ITEM and PAY-SPL, the customer, items and splits of a charge."""

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "validation"
GROUP_OF_AREA = {"PAY-SPL": "limits"}

CPF = "52998224725"
Shares = list[tuple[str, int]]
"""The e-mails of companies, and the cents of each."""


def without_letters(_: Any, holder: Row, field: Field, where: str) -> tuple[Row, Field, str]:
    value = holder.get(field.name)
    if field.name == "document" and isinstance(value, str):
        holder = holder | {"document": re.sub("[A-Za-z]", "", value)}
    return holder, field, where


def last_part(_: Any, value: str) -> tuple[str]:
    """Return an e-mail that is right if what follows the last @ is."""
    return (f"x@{value.rpartition('@')[2]}" if value[:1] != "@" and "@" in value else value,)


ITEM = {"title": "x", "tangible": False, "quantity": 1, "amountInCents": 1, "shippingAddress": None}

EMAIL = "company@example.com"
SPLIT = {"email": EMAIL, "percentage": 1}
TOO_MUCH = "must not exceed the whole"
Splits = Sequence[dict[str, Any]]


def judge_sum_of_floats(rules: Any, splits: Splits) -> str | None:
    floats = sum(float(split["percentage"]) for split in splits)
    return TOO_MUCH if floats > float(rules.maximum_percentage_sum) else None


def shares_of_the_rest(_: Any, right: Callable[..., Shares], charge: Row, net: int) -> Shares:
    shares: Shares = []
    for place in range(len(right(charge, net))):
        rest = net - sum(share for _, share in shares)
        shares.append(right(charge, rest)[place])
    return shares


AMOUNT_OF_ITEM = '"items":.*"amountInCents": '


def pay_shares(rules: Any, charge: Row) -> None:
    for email, share in rules.split_shares(charge, charge["amount"] - charge["fees"]):
        rules.pay_share(charge, email, share)


def in_one_decimal(splits: str) -> str:
    return json.dumps([split | {"percentage": round(float(split["percentage"]), 1)} for split in json.loads(splits)])


MUTANTS = {
    "PAY-ITEM-17/exponent-returns-500": fails_at_number("create_charge", AMOUNT_OF_ITEM, WITH_EXPONENT)
        .says("A charge with an item whose amountInCents is 1e400 returns 500.").also("PAY-ERR-12"),
    "PAY-ITEM-17/digits-return-500": fails_at_number("create_charge", AMOUNT_OF_ITEM, OF_40_DIGITS)
        .says("A charge with an item whose amountInCents has 40 digits returns 500.").also("PAY-ERR-12"),
    "PAY-CUS-01/empty-customer": reads("customer", lambda sent: sent == {}, {"documentType": "cpf", "document": CPF})
        .says("An empty customer is accepted."),
    "PAY-CUS-01/document-type-missing": accepts("customer.documentType", is_absent, "cpf"),
    "PAY-CUS-02/document-type-number": accepts("customer.documentType", is_a("number"), "cpf"),
    "PAY-CUS-03/cpf-with-leading-zero-refused": refuses("customer.document", begins_with_zero(11)),
    "PAY-CUS-04/cnpj-with-leading-zero-refused": refuses("customer.document", begins_with_zero(14)),
    "PAY-CUS-05/document-type-with-letters-behind": accepts("customer.documentType", matches("cpf.*"), "cpf")
        .says("Any text that begins with cpf is accepted as documentType."),
    "PAY-CUS-05/document-type-empty": accepts("customer.documentType", is_empty, "cpf"),
    "PAY-CUS-07/document-missing": accepts("customer.document", is_absent, CPF),
    "PAY-CUS-08/document-number": accepts("customer.document", is_a("number"), CPF),
    "PAY-CUS-08/document-null": accepts("customer.document", is_a("null"), CPF),
    "PAY-CUS-09/document-with-blanks": accepts("customer.document", matches(".* .*"), CPF)
        .says("A document may have blanks."),
    "PAY-CUS-09/document-with-one-point": changes_arguments("A document may have one point.",
        judge_document=lambda _, value: (value.replace(".", "") if value.count(".") == 1 else value,)),
    "PAY-CUS-10/letters-of-document-removed": changes_arguments(
        "Letters of a document are removed before it is judged.", read_field=without_letters),
    "PAY-CUS-10/cnpj-with-letters": changes_result("A document of 14 characters may have letters.",
        judge_document=lambda _, right, value: (None if len(value) == 14 and value.isalnum() else right)),
    "PAY-CUS-10/document-in-digits-of-other-scripts": changes_result("A document may have the digits of any script.",
        judge_document=lambda _, right, value: (None if value.isdigit() else right)),
    "PAY-CUS-15/name-with-accents-refused": refuses("customer.name", has_accents),
    "PAY-CUS-16/name-number": accepts("customer.name", is_a("number"), "7"),
    "PAY-CUS-18/email-with-capitals-refused": refuses("customer.email", lambda text: text != text.lower())
        .says("A customer's email with capitals is refused."),
    "PAY-CUS-18/email-with-plus-refused": refuses("customer.email", lambda text: "+" in text)
        .says("A customer's email with a plus is refused."),
    "PAY-CUS-18/email-with-long-ending-refused": refuses(
        "customer.email", lambda text: not re.fullmatch(r".+\.[a-z]{2,4}", text))
        .says("A customer's email is refused if its last part has more than four letters."),
    "PAY-CUS-19/email-number": accepts("customer.email", is_a("number"), None),
    "PAY-CUS-20/email-without-at": accepts("customer.email", matches("[^@]*"), None)
        .says("A customer's email needs no @."),
    "PAY-CUS-20/email-without-domain": changes_result("An e-mail of a customer or split needs no domain.",
        judge_customer_email=lambda _, right, value: None if "@" in value else right,
        judge_split_email=lambda _, right, value: None if "@" in value else right).also("PAY-SPL-05"),
    "PAY-CUS-20/email-with-two-at-signs": changes_arguments(
        "An e-mail of a customer or as a PIX key may have blanks or a second @.",
        judge_customer_email=last_part, is_email_key=last_part).also("PAY-KEY-08"),
    "PAY-CUS-21/phone-refused": refuses("customer.phone", is_present),
    "PAY-CUS-22/phone-number": accepts("customer.phone", is_a("number"), "5511987654321"),
    "PAY-CUS-22/phone-array-or-object": accepts("customer.phone", is_a("array", "object"), None),
    "PAY-CUS-24/billing-address-refused": refuses("customer.billingAddress", is_present),
    "PAY-CUS-25/billing-address-string": accepts("customer.billingAddress", is_a("string"), None),
    "PAY-ITEM-01/title-with-accents-refused": refuses("items[].title", has_accents),
    "PAY-ITEM-01/intangible-item-refused": refuses("items[].tangible", lambda value: not value)
        .says("An item that is not tangible is refused."),
    "PAY-ITEM-02/item-is-a-string": accepts("items[]", is_a("string"), ITEM).says("An item may be a string."),
    "PAY-ITEM-03/title-missing": accepts("items[].title", is_absent, "x"),
    "PAY-ITEM-04/title-number": accepts("items[].title", is_a("number"), "7"),
    "PAY-ITEM-05/tangible-missing": accepts("items[].tangible", is_absent, stand_in=True),
    "PAY-ITEM-06/tangible-string": accepts("items[].tangible", is_a("string"), stand_in=True),
    "PAY-ITEM-07/quantity-missing": accepts("items[].quantity", is_absent, 1),
    "PAY-ITEM-08/quantity-fraction": accepts("items[].quantity", is_fraction, 1),
    "PAY-ITEM-08/only-last-item-judged": reads("items", is_a("array"), lambda items: items[-1:])
        .says("Of several items only the last is judged."),
    "PAY-ITEM-09/amount-missing": accepts("items[].amountInCents", is_absent, 0),
    "PAY-ITEM-10/amount-string": accepts("items[].amountInCents", is_a("string"), 1),
    "PAY-ITEM-11/amount-fraction": accepts("items[].amountInCents", is_fraction, 1),
    "PAY-ITEM-12/shipping-address-refused": refuses("items[].shippingAddress", is_present),
    "PAY-ITEM-13/shipping-address-string": accepts("items[].shippingAddress", is_a("string"), None),
    "PAY-SPL-01/splits-refused": refuses("splits", len).says("A charge with splits is refused."),
    "PAY-SPL-02/split-of-any-type": accepts("splits[]", lambda value: not isinstance(value, dict), SPLIT)
        .says("A split may be of any type."),
    "PAY-SPL-03/email-missing": accepts("splits[].email", is_absent, EMAIL),
    "PAY-SPL-04/email-number": accepts("splits[].email", is_a("number"), EMAIL),
    "PAY-SPL-05/email-empty": accepts("splits[].email", is_empty, EMAIL),
    "PAY-SPL-06/percentage-missing": accepts("splits[].percentage", is_absent, 1),
    "PAY-SPL-07/percentage-string": accepts("splits[].percentage", is_a("string"), 1),
    "PAY-SPL-08/percentage-below-a-tenth-refused": refuses("splits[].percentage", lambda value: value < Decimal("0.1"))
        .also("PAY-SPL-12").of("limits").says("A percentage below 0.1 is refused."),
    "PAY-SPL-09/percentage-rounded": changes_arguments("A percentage is rounded to 0.01 before it is judged.",
        judge_percentage=lambda _, value: (round(Decimal(value), 2),)),
    "PAY-SPL-09/percentage-below-zero": changes_arguments("The sign of a percentage is not judged.",
        judge_percentage=lambda _, value: (abs(value),)),
    "PAY-SPL-10/largest-percentage-refused": refuses(
        "splits[].percentage", lambda value: value == PaymentsRules.maximum_percentage).of("limits")
        .says("The largest percentage is refused."),
    "PAY-SPL-11/percentage-cut-to-whole-number": overrides(
        "A percentage is cut to a whole number before it is compared with the largest.",
        judge_percentage=lambda _, right, value: right(int(value) if value > 1 else value),
        judge_splits=lambda _, right, splits: right(splits) if len(splits) > 1 else None),
    "PAY-SPL-12/sum-of-floats": setting(
        "Percentages are added as floats: three that add up to the whole may exceed it.",
        judge_splits=judge_sum_of_floats),
    "PAY-SPL-13/sum-of-first-two": changes_arguments("Only the first two percentages are added.",
        judge_splits=lambda _, splits: (splits[:2],)),
    "PAY-SPL-13/sum-rounded": setting("The sum of the percentages is rounded to two decimals before it is judged.",
        judge_splits=lambda rules, splits: None if round(sum(
            Decimal(split["percentage"]) for split in splits), 2) <= rules.maximum_percentage_sum else "is too much"),
    "PAY-SPL-13/each-rounded": setting("Each percentage is rounded to two decimals before they are added.",
        judge_splits=lambda rules, splits: None if sum(
            round(Decimal(split["percentage"]), 2) for split in splits) <= rules.maximum_percentage_sum
            else "is too much"),
    "PAY-SPL-17/only-first-share-taken": changes_result("Of several splits only the first is taken from a payment.",
        split_shares=lambda _, shares, *_about: shares[:1]).of("state"),
    "PAY-SPL-17/second-share-of-the-rest": overrides("Each split is a percentage of what those before it have left.",
        split_shares=shares_of_the_rest).of("state"),
    "PAY-SPL-17/one-share-for-a-company": changes_result("Of several splits for one company only the last is taken.",
        split_shares=lambda _, shares, *_about: list(dict(shares).items())).of("state"),
    "PAY-SPL-18/share-of-gross": changes_arguments("A split is a percentage of the gross amount.",
        split_shares=lambda _, charge, _net: (charge, charge["amount"])).of("state"),
    "PAY-SPL-18/one-decimal": changes_arguments("The percentage of a split is rounded to one decimal.",
        split_shares=lambda _, charge, net: (charge | {"splits": in_one_decimal(charge["splits"])}, net)),
    "PAY-SPL-19/shares-paid-again": acts_though_refused("A second pay is refused, and its shares are paid once more.",
        "pay_charge", "state", pay_shares),
}  # fmt: skip
