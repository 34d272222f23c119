"""Mutants of BUS-CHG and BUS-QR: a charge in responses, its id, the texts that it repeats, and its QR code."""

import asyncio
import binascii
import html
import re
import uuid
from collections.abc import Callable
from datetime import timedelta, timezone
from typing import Any

from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.brcode import seal, template, tlv
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "schema"

BOTH = "create_charge get_charge"
BRASILIA = timezone(timedelta(hours=-3))


def in_brasilia(text: str) -> str:
    return instant(text).astimezone(BRASILIA).isoformat()


def last_description(rules: Any, row: Row, *_about: Any) -> None:
    row["description"] = rules.__dict__["last"] = row["description"] or rules.__dict__.get("last")


def show_description(_rules: Any, charge: Row, *_about: Any) -> Row:
    text = template({"00": "com.example", "01": (charge["description"] or "")[:60]})
    return charge | {"qr_code": seal(charge["qr_code"][:-8] + tlv("80", text))}


def keeps(sentence: str, column: str, change: Any) -> Difference:
    """Keep another text of a new charge than the one that was sent."""
    return changes_result(
        sentence, new_charge=lambda _, charge, *_about: charge | {column: in_text(change)(charge[column])}
    )


CITY = tlv("60", BusinessRules.code_city)


def checksum(text: str, start: int = 0xFFFF) -> str:
    return f"{binascii.crc_hqx(text.encode(), start):04X}"


OPEN_S = 0.05
"""Seconds between counting and writing: others come meanwhile."""


def refuse_label_of_paid(rules: Any, call: Call, read: dict[str, Any]) -> None:
    same = {"external_ref": read["external_ref"], "account": call.access.account, "status": "paid"}
    if read["external_ref"] and rules.store.find("business_charge", environment=call.access.environment, **same):
        raise Refusal("state", "external_ref is taken")


def pay_all_of_label(rules: Any, result: Any, charge: Row, changes: Row) -> None:
    if result and changes["status"] == "paid" and charge["external_ref"] is not None:
        same = {name: charge[name] for name in ("external_ref", "account", "environment")}
        rules.store.update("business_charge", changes, status="pending", **same)


def cancel_earlier(rules: Any, call: Call, read: dict[str, Any]) -> None:
    if read["external_ref"] is not None:
        same = {"external_ref": read["external_ref"], "account": call.access.account, "status": "pending"}
        rules.store.update("business_charge", {"status": "canceled"}, **same)


def delete_oldest(rules: Any, answer: Answer, call: Call, _read: Any) -> None:
    where = {"account": call.access.account, "environment": call.access.environment}
    for row in rules.store.rows("business_charge", rules.list_order(), -1, **where)[rules.list_limit :]:
        rules.store.delete("business_charge", id=row["id"])


def find_by_beginning(rules: Any, right: Callable[[Call], Row], call: Call) -> Row:
    beginning = call.params["id"]
    where = {"account": call.access.account, "environment": call.access.environment}
    rows = [row for row in rules.store.rows("business_charge", **where) if row["id"].startswith(beginning)]
    return rows[0] if rows and len(beginning) > 12 else right(call)


is_of_other_form = Kind(
    "an id that is not chg_ and 32 hexadecimal digits", lambda number: not re.fullmatch("chg_[0-9a-f]{32}", number)
)


MUTANTS = {
    "BUS-CHG-45/query-returns-charge-in-an-object": in_whole_body(
        Api.BUSINESS, "get_charge", lambda body: {"charge": body})
        .also("BUS-AUTH-12", "BUS-CAN-16", "BUS-CHG-56", "BUS-CHG-57", "BUS-CHG-58", "BUS-CHG-59", "BUS-CHG-64",
              "BUS-EXP-01", "BUS-EXP-03", "BUS-IDEM-15", "BUS-PAY-26", "BUS-PAY-10", "BUS-QR-01")
        .seen_in("BUS-STATE-12")
        .says("A query returns the charge in an object of one field."),
    "BUS-CHG-47/reais-in-query": in_response("get_charge", "amount_cents", lambda cents: cents / 100)
        .also("BUS-CHG-56", "BUS-GEN-01").says("A query shows the amount in reais, with a fraction."),
    "BUS-PAY-11/number": in_response("get_charge", "e2e_id", in_text(lambda text: int(text[9:21])))
        .also("BUS-CHG-52").says("The e2e_id of a paid charge is a number."),
    "BUS-CHG-54/time-of-brasilia": in_response(BOTH, "expires_at", in_brasilia)
        .says("The expires_at is the time of Brasilia, with its offset."),
    "BUS-CHG-55/time-of-brasilia": in_response(BOTH, "created_at", in_brasilia)
        .says("The created_at is the time of Brasilia, with its offset."),
    "BUS-CHG-56/in-single-precision": in_response(
        BOTH, "amount_cents", lambda cents: cents if cents < 1 << 24 else cents & ~1)
        .says("The amount is kept in single precision: odd cents beyond 16777216 are lost."),
    "BUS-CHG-56/less-a-fee-when-paid": in_charge("amount_cents", lambda cents: int(cents * 0.99))
        .says("The amount is shown less a fee").when(in_status("paid")),
    "BUS-CHG-57/missing": in_response(BOTH, "description", GONE),
    "BUS-CHG-57/that-of-the-charge-before": acts_after(
        "A charge without a description is given that of the charge before it.", new_charge=last_description)
        .seen_in("BUS-CHG-35"),
    "BUS-CHG-58/missing-in-creation": in_response("create_charge", "external_ref", GONE),
    "BUS-CHG-58/cut-at-64": in_response(BOTH, "external_ref", in_text(lambda text: text[:64]))
        .says("The first 64 characters of an external_ref are returned."),
    "BUS-CHG-58/plus-is-blank-in-query": in_response("get_charge", "external_ref",
        in_text(lambda text: text.replace("+", " "))).says("A query shows a blank for a plus in the external_ref."),
    "BUS-CHG-58/escaped-in-query": in_response("get_charge", "external_ref", in_text(html.escape))
        .says("A query escapes the external_ref for HTML."),
    "BUS-CHG-58/leading-zeros-lost": keeps("An external_ref of digits loses its leading zeros.",
        "external_ref", lambda text: text.lstrip("0") or "0" if text.isdigit() else text),
    "BUS-CHG-58/blank-is-null": keeps("An external_ref of blanks is returned as null.",
        "external_ref", lambda text: text if text.strip() else None),
    "BUS-CHG-58/digits-as-number": in_charge("external_ref", as_number)
        .says("An external_ref of digits is returned as a number."),
    "BUS-CHG-58/null-when-canceled": in_charge("external_ref", None).when(in_status("canceled")),
    "BUS-CHG-59/tag-lost": in_response(BOTH, "customer_email", in_text(lambda text: re.sub(r"\+[^@]*@", "@", text)))
        .says("The customer_email loses the tag behind a plus."),
    "BUS-CHG-59/in-lower-case": keeps("The customer_email is kept in lower case.", "customer_email", str.lower),
    "BUS-CHG-62/a-day-ahead": in_charge("", lambda charge: charge | {
        name: later(charge[name], days=1) for name in ("created_at", "expires_at")})
        .says("The created_at and expires_at are a day ahead."),
    "BUS-CHG-62/three-hours-behind-without-zone": in_charge("", lambda charge: charge | {
        name: later(charge[name], hours=-3).removesuffix("Z") for name in ("created_at", "expires_at")})
        .also("BUS-CHG-71").says("The created_at and expires_at are the time of Brasilia, and name no zone."),
    "BUS-CHG-86/seven-seconds-later-when-paid": in_charge("created_at", lambda text: later(text, seconds=7))
        .says("The created_at is seven seconds later").when(in_status("paid")).also("BUS-LIST-08"),
    "BUS-CHG-66/another-provider-in-query": in_response("get_charge", "provider", "fallback"),
    "BUS-CHG-66/new-code-in-each-query": changes_result("A charge is shown with a new code.",
        charge_view=lambda rules, view, _call, charge: view | {
            "qr_code": rules.code(uuid.uuid4().hex, charge["amount"])}).when(on("get_charge")).also("BUS-CHG-69"),
    "BUS-CHG-66/empty-code-when-expired": in_charge("qr_code", "").when(in_status("expired")),
    "BUS-CHG-66/empty-code-when-canceled": in_charge("qr_code", "").when(in_status("canceled")),
    "BUS-CHG-67/in-an-object-of-its-own": changes_result(
        "The code contains the description, for the payer's app to show.", new_charge=show_description),
    "BUS-QR-01/empty": code_text("The code is an empty string.", lambda _: ""),
    "BUS-QR-01/length-within-additional-data": in_code("62", "0510***")
        .says("The length of the label in the additional data does not fit."),
    "BUS-QR-02/format-02": in_code("00", "02"),
    "BUS-QR-03/no-checksum": code_text("The code has no checksum.", lambda code: code[:-8]).also("BUS-QR-04"),
    "BUS-QR-04/starts-from-zero": code_text("The checksum of the code starts from 0000, not from FFFF.",
        lambda code: code[:-4] + checksum(code[:-4], 0)),
    "BUS-QR-04/zero-in-production": changes_result("The checksum of the code is 0000.",
        new_charge=lambda _rules, row, *_: row | {"qr_code": row["qr_code"][:-4] + "0000"})
        .when(IN_PRODUCTION).of("isolation"),
    "BUS-QR-05/missing": in_code("53", GONE),
    "BUS-QR-06/missing": in_code("58", GONE),
    "BUS-QR-07/missing": in_code("26", GONE),
    "BUS-QR-08/city-twice": code_text(
        "The code contains the city twice.", lambda code: seal(code[:-8].replace(CITY, CITY * 2))),
    "BUS-QR-09/letters": in_code("52", "SHOP"),
    "BUS-QR-10/missing": in_code("59", GONE),
    "BUS-QR-11/missing": in_code("60", GONE),
    "BUS-QR-12/missing": in_code("62", GONE),
    "BUS-QR-13/initiation-13": in_code("01", "13"),
    "BUS-QR-14/six-digits": setting(
        "The amount in the code is rounded to six digits, which loses cents from 10,000.00 on.",
        code_amount=lambda _, cents: f"{cents / 100:g}"),
    "BUS-QR-14/zero-of-cents-lost": setting("Cents below ten lose their zero in the code: 10.05 becomes 10.5.",
        code_amount=lambda _, cents: f"{cents // 100}.{cents % 100}"),
    "BUS-QR-15/static": setting("The code contains a PIX key and no payment location.",
        code_account=lambda rules, _token: {"00": rules.code_gui, "01": "pix@example.com"}),
    "BUS-QR-15/location-with-scheme": setting(
        "The payment location in the code begins with https://.", code_location="https://pix.example.com/"),
    "BUS-QR-16/too-long": changes_result("The code has more than 512 characters.",
        code_objects=lambda _rules, fields, *_: fields | {
            str(tag): template({"00": "com.example", "01": "x" * 75}) for tag in range(80, 85)}),
    "BUS-QR-17/same-of-equal-amounts": changes_arguments(
        "Charges of the same amount have the same code.", code=lambda _, token, cents: ("0" * len(token), cents)),
    "BUS-QR-18/image-besides": in_whole_body(
        Api.BUSINESS, "create_charge", lambda body: body | {"qr_image": "data:image/png;base64,iVBORw0KGgo="})
        .says("The creation of a charge returns an image of the code as well."),
    "BUS-CHG-44/paid-label-refused": acts_before(
        "A creation with the external_ref of a paid charge is refused with 409.",
        open_charge=refuse_label_of_paid).of("state"),
    "BUS-CHG-44/earlier-of-label-canceled": acts_before(
        "A creation cancels the pending charges of its external_ref.", open_charge=cancel_earlier).of("state"),
    "BUS-CHG-44/all-of-label-paid": acts_after(
        "All pending charges of an external_ref become paid with the first of them.",
        claim_charge=pay_all_of_label).of("state"),
    "BUS-CHG-44/case-of-key-ignored": key_read(
        "The case of an idempotency key is ignored.", lambda key, _: key and key.lower()),
    "BUS-CHG-44/first-64-of-key-count": key_read(
        "Only the first 64 characters of an idempotency key count.", lambda key, _: key and key[:64]),
    "BUS-CHG-64/not-found": does_not_find("get_charge").of("schema"),
    "BUS-CHG-64/newest-kept": acts_after("Only as many charges of an account are kept as a list shows.",
        open_charge=delete_oldest).also("BUS-LIST-15").of("limits"),
    "BUS-CHG-65/returns-403": refused("missing", "get_charge", status=403).when(OF_UNKNOWN_CHARGE)
        .also("BUS-CHG-85").of("isolation"),
    "BUS-CHG-65/other-form-returns-422": answers_ids("get_charge", is_of_other_form, 422, detail="id is malformed")
        .also("BUS-CHG-85"),
    "BUS-CHG-65/found-by-beginning-of-id": overrides(
        "A charge is found by the beginning of its id.", owned=find_by_beginning).of("state"),
    "BUS-CHG-65/huge-number-returns-500": answers_ids("get_charge", is_huge).also("BUS-GEN-03"),
    "BUS-CHG-70/long-id-returns-500": answers_ids("get_charge", is_long).also("BUS-GEN-03"),
    "BUS-CHG-85/long-id-returns-422": answers_ids("get_charge", is_long, 422, detail="id is too long"),
}  # fmt: skip


@mutant("BUS-CHG-63/simultaneous-charges-share-id", "BUS-CHG-56", "BUS-CHG-58", group="concurrency")
class SimultaneousChargesShareId(BusinessRules):
    """The id of a charge is the number of those before it: of several at one moment only the last is kept."""

    number = 0

    async def create_charge(self, call: Call) -> Answer:
        call.params = {"number": str(len(self.store.rows("business_charge")))}
        await asyncio.sleep(OPEN_S)
        return await super().create_charge(call)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        self.number = int(call.params["number"])
        self.store.delete("business_charge", id=self.new_charge_id())
        return super().open_charge(call, read)

    def new_charge_id(self) -> str:
        return f"chg_{self.number}"
