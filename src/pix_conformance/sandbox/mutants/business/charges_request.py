"""Mutants of BUS-CHG: what the creation of a charge accepts, requires and refuses."""

import html
import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.fields import Field
from pix_conformance.sandbox.mutants.operators import *

GROUP = "validation"
LONGEST_S = BusinessRules.longest_expiry
is_number_in_quotes = Kind("a string of digits", lambda value: isinstance(value, str) and value.isdecimal())
is_empty_or_zero = Kind(
    "0, false, [] or {}", lambda value: value is not None and not value and not isinstance(value, str)
)


def leaves_unchecked(sentence: str, chosen: Callable[[Any, Call], object], *fields: str) -> Difference:
    """Check no limit and no form of some fields of some creations, if they have the right types; no fields are all."""

    def create(rules: Any, right: Callable[[Call], Any], call: Call) -> Any:
        rules.__dict__["unchecked"] = chosen(rules, call)
        return right(call)

    def complaint(rules: Any, right: Callable[..., Any], key: str, value: Any, field: Field) -> Any:
        free = rules.__dict__["unchecked"] and (key in fields or not fields)
        return None if free else right(key, value, field)

    return overrides(sentence, create_charge=create, complaint=complaint).of("limits")


def counts(sentence: str, count: Callable[[str], str], *fields: str) -> Difference:
    """Judge the length of a text by another one."""
    changes = {f"judge_{field}": lambda _, text: (count(text),) for field in fields}
    return changes_arguments(sentence, **changes).of("limits")


def as_json(value: Any) -> str:
    return json.dumps(value, default=str)


def in_production(_rules: Any, call: Call) -> bool:
    return not call.access.is_sandbox


def default_life_with_email(_rules: Any, body: Any) -> tuple[Any]:
    life = body.get("expires_in_seconds") if isinstance(body, dict) and "customer_email" in body else None
    return (
        body | {"expires_in_seconds": None}
        if type(life) is int and BusinessRules.shortest_expiry <= life <= LONGEST_S
        else body,
    )


EXPIRES_LATE = Guard("its expires_in_seconds is beyond the limit",
    lambda it: type(late := sent_body(it.call).get("expires_in_seconds")) is int and late > LONGEST_S)  # fmt: skip

MUTANTS = {
    "BUS-CHG-01/returns-500": changes_result("A creation makes the charge and returns 500.",
        create_charge=lambda *_: Answer(500, {"detail": "internal error"})).of("schema"),
    "BUS-CHG-03/default-amount": reads("amount_cents", is_absent, 100),
    "BUS-CHG-04/unchecked-in-production": leaves_unchecked(
        "In production any integer is accepted as amount_cents.", in_production, "amount_cents"),
    "BUS-CHG-04/no-field-checked-without-key": leaves_unchecked(
        "A creation without an idempotency key is accepted with invalid fields too.",
        lambda rules, call: rules.idempotency_key(call) is None)
        .also("BUS-CHG-16", "BUS-CHG-21", "BUS-CHG-31").of("validation"),
    "BUS-CHG-05/sign-dropped": reads("amount_cents", lambda value: type(value) is int and value < 0, abs)
        .says("A negative amount is read without its sign."),
    "BUS-CHG-06/least-refused": setting(
        "A charge of the least amount is refused.", minimum_charge=BusinessRules.minimum_charge + 1)
        .also("BUS-ERR-04").of("limits"),
    "BUS-CHG-07/string-of-digits": reads("amount_cents", is_number_in_quotes, int),
    "BUS-CHG-07/string-of-reais": reads("amount_cents", lambda value: isinstance(value, str) and "." in value,
        lambda text: int(text.replace(".", ""))).says("An amount in a string with a point is read in reais."),
    "BUS-CHG-07/empty-string-is-an-amount": reads("amount_cents", is_empty, 100),
    "BUS-CHG-07/first-element": reads("amount_cents", is_a("array"), lambda value: value[0] if value else 0)
        .says("The first element of an array is read as amount_cents."),
    "BUS-CHG-08/rounded-if-near": reads(
        "amount_cents", lambda value: is_fraction(value) and abs(value - round(value)) < 0.01, round)
        .says("An amount less than a hundredth from a whole number is rounded."),
    "BUS-CHG-09/true-is-a-number": reads("amount_cents", is_a("boolean"), int),
    "BUS-CHG-10/null-is-an-amount": reads("amount_cents", is_a("null"), 100),
    "BUS-CHG-88/exponent-returns-500": fails_at_number("create_charge", '"amount_cents": ', WITH_EXPONENT)
        .says("A charge whose amount_cents is 1e400 returns 500.").also("BUS-GEN-03"),
    "BUS-CHG-88/digits-return-500": fails_at_number("create_charge", '"amount_cents": ', OF_40_DIGITS)
        .says("A charge whose amount_cents has 40 digits returns 500.").also("BUS-GEN-03"),
    "BUS-CHG-13/required": requires("description").also("BUS-CHG-01", "BUS-ERR-04"),
    "BUS-CHG-14/number-converted": reads("description", is_a("number"), as_json),
    "BUS-CHG-14/object-converted": reads("description", is_a("object"), as_json),
    "BUS-CHG-15/longest-refused": setting("The longest description is refused.",
        description_limit=BusinessRules.description_limit - 1).also("BUS-CHG-17").of("limits"),
    "BUS-CHG-15/counted-as-html": counts(
        "The description is counted after it was escaped for HTML.", html.escape, "description"),
    "BUS-CHG-16/outer-blanks-not-counted": counts(
        "Blanks at the ends of a text do not count.", str.strip, "description", "external_ref").also("BUS-CHG-21"),
    "BUS-CHG-16/ascii-counted": counts("Characters outside ASCII do not count.",
        lambda text: text.encode("ascii", "ignore").decode(), "description", "external_ref").also("BUS-CHG-21"),
    "BUS-CHG-16/unchecked-in-production": leaves_unchecked(
        "In production a description may have any length.", in_production, "description"),
    "BUS-CHG-17/bytes-counted": counts("The limit of the description counts bytes of UTF-8.",
        lambda text: "x" * len(text.encode()), "description"),
    "BUS-CHG-18/required": requires("external_ref").also("BUS-CHG-01"),
    "BUS-CHG-19/number-converted": reads("external_ref", is_a("number"), as_json),
    "BUS-CHG-19/object-converted": reads("external_ref", is_a("object"), as_json),
    "BUS-CHG-20/longest-refused": setting("The longest external_ref is refused.",
        external_ref_limit=BusinessRules.external_ref_limit - 1).also("BUS-CHG-22").of("limits"),
    "BUS-CHG-20/counted-as-html": counts(
        "The external_ref is counted after it was escaped for HTML.", html.escape, "external_ref"),
    "BUS-CHG-21/one-more-accepted": setting("An external_ref may have one character more than the limit.",
        external_ref_limit=BusinessRules.external_ref_limit + 1).of("limits"),
    "BUS-CHG-22/bytes-counted": counts("The limit of the external_ref counts bytes of UTF-8.",
        lambda text: "x" * len(text.encode()), "external_ref"),
    "BUS-CHG-23/required": requires("customer_email").also("BUS-CHG-01", "BUS-ERR-04"),
    "BUS-CHG-24/object-ignored": reads("customer_email", is_a("object"), None),
    "BUS-CHG-24/empty-or-zero-ignored": reads("customer_email", is_empty_or_zero, None),
    "BUS-CHG-25/only-lower-case": refuses("customer_email", lambda text: not text.islower())
        .says("A customer_email with a capital letter is refused."),
    "BUS-CHG-25/long-text-refused": refuses("customer_email", lambda text: len(text) > 50)
        .says("A customer_email of more than 50 characters is refused."),
    "BUS-CHG-26/any-text-accepted": setting(
        "Any string is accepted as customer_email.", judge_customer_email=lambda *_: None),
    "BUS-CHG-26/any-text-with-at-sign-accepted": setting("Any string with an @ is accepted as customer_email.",
        judge_customer_email=lambda _, text: None if "@" in text else "must be a valid e-mail"),
    "BUS-CHG-27/required": requires("expires_in_seconds").also("BUS-CHG-01"),
    "BUS-CHG-28/string-of-digits": reads("expires_in_seconds", is_number_in_quotes, int),
    "BUS-CHG-29/cut-off": reads("expires_in_seconds", is_fraction, int).says("A fraction of a second is cut off."),
    "BUS-CHG-30/shortest-refused": setting("The shortest expires_in_seconds is refused.",
        shortest_expiry=BusinessRules.shortest_expiry + 1).of("limits"),
    "BUS-CHG-31/one-less-accepted": setting("The shortest expires_in_seconds is one less.",
        shortest_expiry=BusinessRules.shortest_expiry - 1).of("limits"),
    "BUS-CHG-31/zero-is-default": reads("expires_in_seconds", lambda value: type(value) is int and value <= 0, None)
        .says("An expires_in_seconds of zero or less stands for the default.").of("limits"),
    "BUS-CHG-32/longest-refused": setting("The longest expires_in_seconds is refused.",
        longest_expiry=BusinessRules.longest_expiry - 1).of("limits"),
    "BUS-CHG-33/one-more-accepted": setting("The longest expires_in_seconds is one more.",
        longest_expiry=BusinessRules.longest_expiry + 1).of("limits"),
    "BUS-CHG-33/lowered-if-much-more": reads(
        "expires_in_seconds", lambda value: type(value) is int and value > LONGEST_S + 1, LONGEST_S)
        .says("An expires_in_seconds of more than one beyond the limit is lowered to the limit."),
    "BUS-CHG-34/ten-seconds-more-by-default": setting("A charge lives ten seconds longer by default.",
        default_expiry=BusinessRules.default_expiry + 10).of("limits"),
    "BUS-CHG-35/default-with-email": changes_arguments("A charge with a customer_email has the default lifetime.",
        read_charge=default_life_with_email).seen_in("BUS-EXP-01"),
    "BUS-CHG-40/text-after-json-ignored": changes_arguments(
        "What follows the first JSON value of a body is not read.", json_body=first_value_alone),
    "BUS-CHG-89/names-in-any-case": changes_result("Names of fields are read in any case.",
        json_body=lambda _, body, _call: in_known_case(body, "amount_cents")),
    "BUS-CHG-41/first-element": changes_arguments("The first object of a JSON array creates a charge.",
        read_charge=lambda _, body: (body[0] if isinstance(body, list) and body else body,)),
    "BUS-CHG-41/json-in-a-string": changes_arguments("A JSON string that contains a JSON object creates a charge.",
        read_charge=lambda _, body: (json.loads(body) if isinstance(body, str) and body.startswith("{") else body,)),
    "BUS-CHG-43/charge-left": leaves_charge("A creation that is refused for its body leaves a charge.", "invalid"),
    "BUS-CHG-43/charge-left-if-expiry-too-long": leaves_charge(
        "A creation that is refused for its body leaves a charge.", "invalid").when(EXPIRES_LATE),
}  # fmt: skip
