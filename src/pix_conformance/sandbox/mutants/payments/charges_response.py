"""Mutants of PAY-CHG: the response to a charge, its copy-and-paste code and its image."""

import base64
import io
import json
from typing import Any

from PIL import Image

from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.brcode import png_base64, seal, template, tlv
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "state"


def by_first_8(rules: Any, call: Call, table: str, number: object) -> tuple[Any, ...]:
    ids = [row["id"] for row in rules.store.rows(table)] if table == "payments_charge" else []
    return call, table, next((id_ for id_ in ids if id_[:8] == str(number)[:8]), number)


def find_transfer(rules: Any, _: Refusal, call: Call) -> Answer | None:
    transfer = rules.store.find("transfer", id=call.params["id"])
    seen = transfer and rules.sees(call.access, owner_of(transfer), "get_charge")
    return Answer(200, rules.charge_answer(call, transfer | {"emv": "", "qr_code": ""})) if seen else None


def refuse_other_kind(rules: Any, _: Refusal, call: Call, _table: str, number: object) -> Refusal | None:
    other = {"pay_charge": "transfer", "complete_transfer": "payments_charge"}.get(call.operation)
    return Refusal("state", "it is no longer pending") if other and rules.store.find(other, id=number) else None


def note_first_of_items(rules: Any, charge: Row, _: Access, read: dict[str, Any]) -> Row:
    ids = rules.__dict__.setdefault("ids", {})
    first = ids.setdefault(json.dumps(read, default=str), charge["id"]) if read["items"] else charge["id"]
    rules.__dict__["shown"] = first
    return charge


def note_items(rules: Any, charge: Row, _: Access, read: dict[str, Any]) -> Row:
    rules.__dict__.setdefault("items", {})[charge["id"]] = read["items"] or []
    return charge


def hide_shipped(rules: Any, row: Row, call: Call, *_: Any) -> Row:
    if call.operation == "get_charge" and any(item["shippingAddress"] for item in rules.__dict__["items"][row["id"]]):
        raise rules.not_found(call)
    return row


def with_another_code(rules: Any, view: dict[str, Any], call: Call, charge: Row) -> dict[str, Any]:
    if call.operation != "get_charge" or not rules.__dict__["items"][charge["id"]]:
        return view
    return view | {"pix": view["pix"] | {"emv": rules.code(rules.new_charge_id().replace("-", ""), charge["amount"])}}


CHARGES = "create_charge get_charge"
EMPTY_SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"/>'


def png(image: Image.Image) -> str:
    written = io.BytesIO()
    image.save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


def first_of_amount(rules: Any, charge: Row) -> Row:
    first: Row = rules.__dict__.setdefault("first_charges", {}).setdefault(charge["amount"], charge)
    return first


def with_earlier_code(rules: Any, charge: Row, _access: Any, read: dict[str, Any]) -> Row:
    first = first_of_amount(rules, charge)
    is_company = read["customer"]["documentType"] == "cnpj"
    return charge | ({"emv": first["emv"], "qr_code": first["qr_code"]} if is_company else {})


def currency_twice(rules: Any, token: str, cents: int) -> str:
    objects = rules.code_objects(token, cents)
    return seal(template(objects) + tlv("53", objects["53"]))


MUTANTS = {
    "PAY-CHG-30/no-envelope-in-query": in_whole_body(Api.PAYMENTS, "get_charge", lambda body: body["data"])
        .says("The query of a charge returns the charge without an envelope.").of("schema")
        .also("PAY-CHG-70", "PAY-CHG-71", "PAY-PAYS-11"),
    "PAY-CHG-35/null-if-paid": in_response("get_charge", "data.pix.emv", None).when(in_status("paid")).of("schema"),
    "PAY-CHG-38/fraction": changes_result("The fees of a charge are 1.99 % of its amount, and not rounded.",
        charge_view=lambda _, view, _call, charge: view | {"fees": charge["amount"] * 0.0199}),
    "PAY-CHG-39/transfer-found": changes_refusal(
        "The query of a charge finds transfers as well, and shows them with their status and without a code.",
        get_charge=find_transfer).also("PAY-CHG-42", "PAY-CHG-75").seen_in("PAY-CMP-01"),
    "PAY-CHG-40/paid": changes_result(
        "A charge is paid from the start.", new_charge=lambda _, charge, *_read: charge | {"status": "paid"})
        .also("PAY-EVT-97", "PAY-PAYS-01", "PAY-PAYS-19"),
    "PAY-CHG-40/shown-as-paid-if-large": in_response("create_charge", "data.status", "paid")
        .when(amount_from(1_000_00)),
    "PAY-CHG-41/one-id-for-equal-items": changes_result(
        "A charge that repeats an earlier one with items is created with the id of that one in the response.",
        new_charge=note_first_of_items, charge_view=lambda rules, view, call, _charge: view | (
            {"id": rules.__dict__["shown"]} if call.operation == "create_charge" else {})).seen_in("PAY-CHG-71"),
    "PAY-CHG-70/not-found-with-shipping-address": changes_result(
        "The query does not find a charge with a shippingAddress.", new_charge=note_items, owned=hide_shipped),
    "PAY-CHG-70/not-found-after-40-s": does_not_find("get_charge pay_charge").when(in_status("pending"), older_than(40))
        .of("time").seen_in("PAY-PAYS-01"),
    "PAY-CHG-71/another": in_response("get_charge", "data.id", lambda text: text[::-1])
        .says("The query of a charge returns another id than it was asked for."),
    "PAY-CHG-71/another-if-company-paid": in_response("get_charge", "data.id", lambda text: text[::-1])
        .says("The query of a charge returns another id").when(in_status("paid"), OF_COMPANY)
        .of("schema").seen_in("PAY-PAYS-01"),
    "PAY-CHG-72/another-image": in_response("get_charge", "data.pix.qrCode", lambda text: f"{text[:-8]}AAAAAAA=")
        .says("The query of a charge returns another image than the creation."),
    "PAY-CHG-72/another-code-with-items": changes_result("Each query of a charge with items makes a new code.",
        new_charge=note_items, charge_view=with_another_code).also("PAY-CHG-77"),
    "PAY-CHG-73/found-by-first-8-characters": changes_arguments(
        "A charge is found by the first eight characters of its id.", owned=by_first_8)
        .also("PAY-CHG-71", "PAY-PAYS-15"),
    "PAY-CHG-74/malformed-returns-400": refused("missing", "get_charge", status=400, code="INVALID_REQUEST")
        .when(OF_MALFORMED_ID).also("PAY-CHG-83"),
    "PAY-CHG-74/huge-number-returns-500": answers_ids("get_charge", is_huge).also("PAY-ERR-12"),
    "PAY-CHG-78/long-id-returns-500": answers_ids("get_charge", is_long).also("PAY-CHG-83", "PAY-ERR-12"),
    "PAY-CHG-83/long-id-returns-400": answers_ids("get_charge", is_long, 400, error="INVALID_REQUEST", message="id"),
    "PAY-CHG-75/other-kind-refused-for-its-status": changes_refusal(
        "The pay finds transfers, the completion finds charges: they are refused as if for their status.",
        owned=refuse_other_kind).also("PAY-TRF-72"),
    "PAY-CHG-42/base64-of-urls": in_response(CHARGES, "data.pix.qrCode", lambda text: f"{text[:40]}-_{text[42:]}")
        .says("The qrCode is written in the base64 of URLs."),
    "PAY-CHG-43/base64-of-code-if-company": in_response(
        CHARGES, "data.pix", lambda pix: pix | {"qrCode": base64.b64encode(pix["emv"].encode()).decode()})
        .says("The qrCode is base64 of the code itself, not of an image").when(OF_COMPANY).seen_in("PAY-CUS-03"),
    "PAY-CHG-43/cut-off": in_response(CHARGES, "data.pix.qrCode", lambda text: text[:40])
        .says("The qrCode ends in the middle of the image."),
    "PAY-CHG-44/same-code-always": setting("The image of every charge shows the same code.",
        qr_image=lambda rules, _emv: png_base64(rules.code("0" * 16, 100))).of("schema"),
    "PAY-CHG-50/currency-twice": setting("The code gives the currency twice.", code=currency_twice).of("schema"),
    "PAY-CHG-50/length-within-the-account": in_code("26", lambda text: text.replace("0014", "0012", 1))
        .says("The length of the identifier in the account of the code does not fit.").also("PAY-CHG-53"),
    "PAY-CHG-50/length-within-additional-data": in_code("62", "0504***")
        .says("The length of the label in the additional data does not fit.").also("PAY-CHG-59"),
    "PAY-CHG-51/format-02": in_code("00", "02"),
    "PAY-CHG-52/first-zeros-lost": code_text("The checksum of the code loses its zeros in front.",
        lambda text: text[:-4] + text[-4:].lstrip("0")).seen_in("PAY-IDEM-07"),
    "PAY-CHG-53/no-account": in_code("26", GONE),
    "PAY-CHG-54/no-category": in_code("52", GONE),
    "PAY-CHG-55/dollars": in_code("53", "840"),
    "PAY-CHG-56/cents-as-reais": setting(
        "The code asks for a hundred times the amount.", code_amount=lambda _, cents: f"{cents}.00").of("schema"),
    "PAY-CHG-57/another-country": in_code("58", "US"),
    "PAY-CHG-58/no-name": in_code("59", GONE),
    "PAY-CHG-58/city-too-long": in_code("60", "C" * 16),
    "PAY-CHG-59/no-label": in_code("62", GONE),
    "PAY-CHG-60/initiation-13": in_code("01", "13"),
    "PAY-CHG-79/image-kept-per-amount": changes_result(
        "The image of a charge is kept for all later charges of the amount.",
        new_charge=lambda rules, charge, *_: charge | {"qr_code": first_of_amount(rules, charge)["qr_code"]})
        .also("PAY-CHG-44").seen_in("PAY-CUS-03").of("schema"),
    "PAY-CHG-81/one-code-per-amount": changes_arguments(
        "All charges of an amount have one code.", code=lambda _, _token, cents: (f"{cents:025d}", cents)).of("schema"),
    "PAY-CHG-81/company-has-an-earlier-code": changes_result(
        "A charge for a cnpj has the code of the first charge with its amount.",
        new_charge=with_earlier_code).of("schema"),
    "PAY-CHG-82/white-in-query": in_response("get_charge", "data.pix.qrCode", png(Image.new("L", (200, 200), 255)))
        .says("The image in the query of a charge is white.").also("PAY-CHG-72"),
    "PAY-CHG-82/vectors-without-code": setting("The image is an SVG without a QR code.",
        qr_image=lambda _rules, _emv: base64.b64encode(EMPTY_SVG).decode()).also("PAY-CHG-44"),
}  # fmt: skip
