"""Conforming variants where BUS-CHG and BUS-QR are silent: charges and their QR code."""

import re
import secrets
import uuid
from datetime import UTC, datetime
from typing import Any

from pix_conformance.reference import brcode
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

PLANE = 0x10000
LATIN = 0x100
SIGNS = " .,:;-_/#@+()"


def times(sentence: str, form: str) -> Difference:
    """Write times in a form of `strftime`."""
    return setting(
        f"{sentence}.",
        moment=lambda _rules, epoch: datetime.fromtimestamp(epoch, UTC).strftime(form),
    )


def new_code(rules: Any, view: dict[str, Any], call: Call, charge: Row) -> dict[str, Any]:
    code = rules.code(uuid.uuid4().hex, charge["amount"])
    return view | ({"qr_code": code} if call.operation == "get_charge" else {})


def with_further_objects(_rules: Any, fields: dict[str, str], token: str, _: int) -> dict[str, str]:
    words = {"00": "PT", "01": "Loja", "02": "Brasilia"}
    other = {"00": "com.example.other", "01": "abc"}
    more = {"52": "5999", "61": "70000000", "62": brcode.tlv("05", token[:25]), "64": brcode.template(words)}
    return dict(sorted((fields | more | {"27": brcode.template(other)}).items()))


VARIANTS = {
    "BUS-CHG-02/returns-200": setting("A creation returns 200: its status is not shown.", charge_created_status=200),
    "BUS-CHG-02/returns-202": setting("A creation returns 202: its status is not shown.", charge_created_status=202),
    "BUS-CHG-11/whole-floats-are-integers": setting("100.0 is accepted as an integer, as JSON Schema does.",
        whole_floats_are_integers=True),
    "BUS-CHG-12/any-amount": setting("The amount has no upper limit: none is stated.", largest_integer=2**62),
    "BUS-CHG-12/up-to-1000": changes_result("The highest amount is 1,000.00: no upper limit is stated.",
        judge_amount=lambda _rules, complaint, cents: "must be at most 100000" if cents > 100_000 else complaint),
    "BUS-CHG-26/any-email": setting("Any text is accepted as customer_email: its form is only implied.",
        judge_customer_email=lambda _rules, _value: None),
    "BUS-CHG-36/null-refused": setting("null in an optional field is refused: that it counts as absent is not stated.",
        null_is_absent=False),
    "BUS-CHG-37/unknown-fields-refused": checks_arguments(
        "A body with a field that the document does not name is refused: nothing is stated of one.",
        read_object=refuse_unknown_fields),
    "BUS-CHG-38/last-of-two-counts": setting(
        "Of a key that is there twice, the last one counts: nothing is stated of one.", refuses_duplicate_keys=False),
    "BUS-CHG-39/plain-external-ref": changes_result(
        "external_ref has letters, digits and four signs: only its length is stated.",
        judge_external_ref=lambda _rules, complaint, value: complaint or (
            None if re.fullmatch(r"[A-Za-z0-9_.:-]*", value) else "must be plain")),
    "BUS-CHG-39/counts-utf-16": counts_utf_16(
        "Lengths of texts count units of UTF-16: what a character is, is not stated.",
        "judge_description", "judge_external_ref").also("BUS-CHG-87"),
    "BUS-CHG-39/empty-refused": refuses_values("Empty texts are refused: only the greatest length is stated.",
        lambda _key, value: value == ""),
    "BUS-CHG-39/printable-only": changes_result(
        "Texts are printable and of the first plane of Unicode: only their length is stated.",
        is_storable=lambda _rules, right, _key, text: right and all(
            letter.isprintable() and ord(letter) < PLANE for letter in text)),
    "BUS-CHG-39/blanks-around-refused": changes_result(
        "Texts with blanks around them are refused: only their length is stated.",
        is_storable=lambda _rules, right, _key, text: right and text == text.strip()),
    "BUS-CHG-39/latin-only": changes_result(
        "Texts have letters of Latin-1, digits and a few signs: only their length is stated.",
        is_storable=lambda _rules, right, _key, text: right and all(
            ord(letter) < LATIN and (letter.isalnum() or letter in SIGNS) for letter in text)),
    "BUS-CHG-42/any-media-type": setting("A body of another media type is read: the refusal of one is not stated.",
        checks_content_type=False),
    "BUS-CHG-42/lenient-bodies": LENIENT_BODIES.also("BUS-CHG-38", "BUS-GEN-05"),
    "BUS-CHG-45/ids-in-any-case": IDS_IN_ANY_CASE,
    "BUS-CHG-45/ids-are-cuid": setting("An id is a cuid: a string of any form is an id.",
        new_charge_id=lambda _rules: f"c{uuid.uuid4().hex[:24]}"),
    "BUS-CHG-45/ids-have-prefixes": setting("An id begins with chg_: a string of any form is an id.",
        new_charge_id=lambda _rules: f"chg_{secrets.token_urlsafe(12)}"),
    "BUS-CHG-45/ids-need-escapes": setting(
        "An id has characters that a path must escape: a string of any form is an id.",
        new_charge_id=lambda _rules: f"PIX:{uuid.uuid4().hex[:10]}~a.b=c"),
    "BUS-CHG-45/ids-are-long": setting("An id has 240 characters: a string of any length is an id.",
        new_charge_id=lambda _rules: secrets.token_urlsafe(180)),
    "BUS-CHG-45/ids-are-short": setting("An id has eight hex digits: a string of any length is an id.",
        new_charge_id=lambda _rules: secrets.token_hex(4)),
    "BUS-CHG-54/utc-offset": times(
        "Times have microseconds and +00:00: ISO 8601 has several forms", "%Y-%m-%dT%H:%M:%S.%f+00:00"),
    "BUS-CHG-54/whole-seconds": times("Times are whole seconds: ISO 8601 has several forms", "%Y-%m-%dT%H:%M:%SZ"),
    "BUS-CHG-54/basic-format": times("Times are in the basic format of ISO 8601", "%Y%m%dT%H%M%SZ"),
    "BUS-CHG-54/seven-decimals": times(
        "Times have seven decimals: ISO 8601 has no limit of them", "%Y-%m-%dT%H:%M:%S.%f0+00:00"),
    "BUS-CHG-60/empty-is-absent": changes_result(
        "An optional field without a value is absent: how it is shown is not stated.",
        optional=lambda _rules, shown, _name, value: {} if value is None else shown),
    "BUS-CHG-60/empty-is-empty-string": changes_arguments(
        "An optional field without a value is an empty string: how it is shown is not stated.",
        optional=lambda _rules, name, value: (name, "" if value is None else value)),
    "BUS-CHG-61/end-to-end-id-from-creation": changes_result(
        "e2e_id exists from creation on: what it is before payment is not stated.",
        new_charge=lambda _, charge, *_read: charge | {"end_to_end_id": f"E{uuid.uuid4().hex[:31]}"},
        paid_changes=lambda _, right, charge: right | {"end_to_end_id": charge["end_to_end_id"]}),
    "BUS-CHG-63/each-environment-counts": numbered(
        "Each environment numbers its charges from one: data of the two is independent.",
        lambda access: access.environment, "new_charge", "charge_view").also("BUS-CHG-45"),
    "BUS-CHG-63/each-account-counts": numbered(
        "Each account numbers its charges from one: ids of two accounts may be equal.",
        lambda access: access.book, "new_charge", "charge_view").also("BUS-CHG-45"),
    "BUS-CHG-63/padded-numbers": numbered(
        "An id is a number of twenty digits, from one on in each account: its form is open.",
        lambda access: access.book, "new_charge", "charge_view", "chg_{:0>20}").also("BUS-CHG-45"),
    "BUS-CHG-69/code-for-each-query": changes_result(
        "Each query returns another qr_code: that the first one stays is not stated.",
        charge_view=new_code).also("BUS-CHG-66"),
    "BUS-CHG-71/no-designator": changes_result("Times have no Z: they are in UTC, and no designator is required.",
        moment=lambda _rules, text, _: text.removesuffix("Z")).also("BUS-EVT-21"),
    "BUS-CHG-85/odd-ids-are-invalid": odd_ids_refused(
        "An id of more than 40 characters, or of others than letters, digits, hyphens and underscores, is refused "
        "with 422: the error of a malformed id is not stated.", "invalid").also("BUS-CAN-18", "BUS-PAY-28"),
    "BUS-QR-10/greatest-lengths": changes_result(
        "Texts of the code have their greatest lengths, optional objects are absent.",
        code_objects=lambda _, fields, *_given: {tag: fields[tag] for tag in fields if tag not in {"01", "54"}})
        .with_settings(code_name="N" * 25, code_city="C" * 15, code_txid="L" * 25).also("BUS-QR-12"),
    "BUS-QR-14/amount-zero": setting(
        "The code has the amount 0 and a GUI in capitals: the payer's app asks for the amount (EMVCo, section 4.6.1).",
        code_gui="BR.GOV.BCB.PIX", code_amount=lambda _rules, _cents: "0"),
    "BUS-QR-14/further-objects": changes_result(
        "The code has further templates, a postal code and a second language (EMVCo, table 3.7).",
        code_objects=with_further_objects, code=lambda _, text, *_given: text[:-4] + text[-4:].lower()),
}  # fmt: skip
