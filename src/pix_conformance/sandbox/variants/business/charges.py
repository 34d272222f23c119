"""Conforming variants where BUS-CHG, BUS-QR and BUS-LIST are silent: charges and their list."""

import random
import re
import secrets
import uuid
from datetime import UTC, datetime
from typing import Any

from pix_conformance.reference import brcode
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import Operation
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


def with_lengths_in_bytes(rules: Any, token: str, cents: int) -> str:
    objects = rules.code_objects(token, cents)
    return brcode.seal("".join(f"{tag}{len(value.encode()):02d}{value}" for tag, value in objects.items()))


def new_code(rules: Any, view: dict[str, Any], call: Call, charge: Row) -> dict[str, Any]:
    code = rules.code(uuid.uuid4().hex, charge["amount"])
    return view | ({"qr_code": code} if call.operation == "get_charge" else {})


def with_further_objects(_rules: Any, fields: dict[str, str], token: str, _: int) -> dict[str, str]:
    words = {"00": "PT", "01": "Loja", "02": "Brasilia"}
    other = {"00": "com.example.other", "01": "abc"}
    more = {"52": "5999", "61": "70000000", "62": brcode.tlv("05", token[:25]), "64": brcode.template(words)}
    return dict(sorted((fields | more | {"27": brcode.template(other)}).items()))


LISTED_AFTER_S = 0.8


def listed_later(rules: Any, call: Call, charges: list[Row]) -> tuple[Any, ...]:
    shown_until = rules.clock.now() - LISTED_AFTER_S
    return call, [charge for charge in charges if charge["created_at"] <= shown_until]


def clocks_apart(_rules: Any, charge: Row, *_: Any) -> Row:
    apart = random.random() * 0.3  # noqa: S311  # skew, not a secret
    return charge | {name: charge[name] - apart for name in ("created_at", "expires_at")}


def brief(_rules: Any, view: dict[str, Any], call: Call, _: Row) -> dict[str, Any]:
    shown = ("id", "status", "amount_cents") if call.operation == "list_charges" else view
    return {name: view[name] for name in shown}


def after_other_arrays(rules: Any, listed: Any, _: Call, charges: list[Row]) -> dict[str, Any]:
    counts = [{"status": status, "count": len(charges)} for status in rules.list_statuses]
    return {"accounts": [{"id": "acc_1", "status": "active"}], "counts": counts, "items": listed, "next": None}


def known_status(rules: Any, call: Call) -> str | None:
    sent = call.query.get("status") or [""]
    return sent[-1] if sent[-1] in rules.list_statuses else None


async def list_page(rules: Any, right: Operation, call: Call) -> Answer:
    number = int(call.query.get("page", ["1"])[-1])
    if number == 1:
        return await right(call)
    rows = rules.store.rows("business_charge", rules.list_order(), -1, account=call.access.account,
        environment=call.access.environment)  # fmt: skip
    size = rules.list_limit
    return Answer(200, rules.list_view(call, rows[size * (number - 1) : size * number]))


async def ledger_page(rules: Any, right: Operation, call: Call) -> Answer:
    number, answer = int(call.query.get("page", ["1"])[-1]), await right(call)
    size = rules.postings_limit
    rows = rules.postings(call.access, -1)[size * (number - 1) : size * number]
    return Answer(200, answer.body | {"transactions": [rules.posting_view(row) for row in rows]})


VARIANTS = {
    "BUS-CHG-02/returns-200": setting("A creation returns 200: its status is not shown.", charge_created_status=200),
    "BUS-CHG-02/returns-202": setting("A creation returns 202: its status is not shown.", charge_created_status=202),
    "BUS-CHG-11/whole-floats-are-integers": setting("100.0 is accepted as an integer, as JSON Schema does.",
        whole_floats_are_integers=True),
    "BUS-CHG-12/any-amount": setting("The amount has no upper limit: none is stated.", largest_integer=2**62),
    "BUS-CHG-12/up-to-1000": changes_result("The highest amount is 1,000.00: no upper limit is stated.",
        judge_amount=lambda _rules, complaint, cents: "must be at most 100000" if cents > 100_000 else complaint),
    "BUS-CHG-88/long-numbers-are-no-json": acts_before(
        "A body with a number of more than 18 characters is not read: no upper limit is stated.",
        json_body=refuse_long_numbers).also("BUS-CHG-12"),
    "BUS-CHG-26/any-email": setting("Any text is accepted as customer_email: its form is only implied.",
        judge_customer_email=lambda _rules, _value: None),
    "BUS-CHG-36/null-refused": setting("null in an optional field is refused: that it counts as absent is not stated.",
        null_is_absent=False),
    "BUS-CHG-37/unknown-fields-refused": acts_before(
        "A body with a field that the document does not name is refused: nothing is stated of one.",
        read_object=refuse_unknown_fields),
    "BUS-CHG-38/last-of-two-counts": setting(
        "Of a key that is there twice, the last one counts: nothing is stated of one.", refuses_duplicate_keys=False),
    "BUS-CHG-89/names-in-any-case": changes_result(
        "Names of fields are read in any case, as some frameworks do: no sentence excludes it.",
        json_body=in_any_case("amount_cents", "external_ref")),
    "BUS-CHG-90/byte-replaced": changes_arguments(
        "A byte that is not UTF-8 is read as U+FFFD, as common libraries do: nothing is stated of one.",
        json_body=with_bytes_replaced),
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
        "with 422: the error of a malformed id is not stated.", "invalid")
        .also("BUS-CAN-18", "BUS-PAY-28").alone_in("new_charge_id"),
    "BUS-QR-10/greatest-lengths": changes_result(
        "Texts of the code have their greatest lengths, optional objects are absent.",
        code_objects=lambda _, fields, *_given: {tag: fields[tag] for tag in fields if tag not in {"01", "54"}})
        .with_settings(code_name="N" * 25, code_city="C" * 15, code_txid="L" * 25).also("BUS-QR-12"),
    "BUS-QR-12/lengths-in-bytes": setting("Lengths in the code count bytes of UTF-8: what they count is not stated.",
        code_city="Conceição", code=with_lengths_in_bytes).also("BUS-QR-10"),
    "BUS-QR-14/amount-zero": setting(
        "The code has the amount 0 and a GUI in capitals: the payer's app asks for the amount (EMVCo, section 4.6.1).",
        code_gui="BR.GOV.BCB.PIX", code_amount=lambda _rules, _cents: "0"),
    "BUS-QR-14/further-objects": changes_result(
        "The code has further templates, a postal code and a second language (EMVCo, table 3.7).",
        code_objects=with_further_objects, code=lambda _, text, *_given: text[:-4] + text[-4:].lower()),
    "BUS-LIST-01/listed-after-a-moment": changes_arguments(
        "A new charge is listed after 0.8 s: how soon it is, is not stated.",
        list_view=listed_later).also("BUS-LIST-10"),
    "BUS-LIST-08/clocks-apart": changes_result(
        "created_at is up to 0.3 s early, as of several machines: how exact it is, is not stated.",
        new_charge=clocks_apart).also("BUS-LIST-10"),
    "BUS-LIST-11/brief-rows": changes_result(
        "A charge in a list has three fields: the table is that of create and query.", charge_view=brief),
    "BUS-LIST-12/list-in-data": changes_result("The list is in data, with a total: the envelope is not shown.",
        list_view=lambda _rules, listed, _call, charges: {"data": listed, "total": len(charges)}),
    "BUS-LIST-12/list-two-levels-down": changes_result("The list is two levels down: the envelope is not shown.",
        list_view=lambda _rules, listed, *_: {
            "result": {"page": {"size": BusinessRules.list_limit}, "pix_charges": listed}, "ok": True}),
    "BUS-LIST-12/list-after-other-arrays": changes_result(
        "Other arrays of objects precede the list: the envelope is not shown.", list_view=after_other_arrays),
    "BUS-LIST-12/empty-list-is-null": changes_result("A list without charges is null: the envelope is not shown.",
        list_view=lambda _rules, listed, _call, charges: {"charges": listed or None, "count": len(charges)}),
    "BUS-LIST-13/unknown-status-ignored": setting("An unknown status is ignored: the response to one is not stated.",
        list_filter=known_status),
    "BUS-LIST-23/pages": overrides(
        "A parameter page leads to older charges and postings: how they are seen is not stated.",
        list_charges=list_page, get_finance=ledger_page).also("BUS-FIN-27"),
    "BUS-LIST-15/fifty-charges": setting("The list has at most 50 charges: it may have fewer than its limit.",
        list_limit=50),
    "BUS-LIST-15/filter-of-newest": overrides(
        "A filter chooses among the newest charges, as many as the list may have.",
        find_charges=lambda _, right, access, status: [
            charge for charge in right(access, None) if status in {None, charge["status"]}]),
    "BUS-LIST-16/unknown-status-fails": changes_result(
        "An unknown status returns 500: no sentence excludes a server error.",
        respond=lambda _, right, call, _answer: (
            Answer(500, right.body) if call.operation == "list_charges" and right.status == 422 else right)),
}  # fmt: skip
