"""Conforming variants where PAY-CHG is silent: creation, query and image of a charge."""

import base64
import io
import itertools
import secrets
import time
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import segno
from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

DARK = 128
DOT = 10
"""Pixels of a dot."""


def opened(code: str) -> Image.Image:
    """Open an image of points."""
    return Image.open(io.BytesIO(base64.b64decode(code)))


def encoded(written: io.BytesIO) -> str:
    """Return the bytes of an image in Base64."""
    return base64.b64encode(written.getvalue()).decode()


def in_blue(code: str) -> str:
    """Draw an image in blue on a transparent ground, with the time of drawing."""
    plain, written, info = opened(code).convert("L"), io.BytesIO(), PngInfo()
    drawn = Image.new("RGBA", plain.size, (255, 255, 255, 0))
    drawn.paste((20, 30, 90, 255), mask=plain.point(lambda shade: 255 if shade < DARK else 0))
    info.add_text("drawn", str(time.time()))
    drawn.save(written, "PNG", pnginfo=info)
    return encoded(written)


def as_jpeg(code: str) -> str:
    """Return an image as a JPEG of double size, in lines."""
    plain, written = opened(code).convert("RGB"), io.BytesIO()
    plain.resize((plain.width * 2, plain.height * 2)).save(written, "JPEG", quality=70)
    return base64.encodebytes(written.getvalue()).decode()


def as_bitmap(code: str) -> str:
    """Return an image as a BMP."""
    written = io.BytesIO()
    opened(code).save(written, "BMP")
    return encoded(written)


def vectors(emv: str) -> str:
    """Draw a code as an SVG."""
    written = io.BytesIO()
    segno.make_qr(emv).save(written, kind="svg")
    return encoded(written)


def dots(emv: str) -> str:
    """Draw a code in green dots, with a badge in the middle, as WebP."""
    plain, written = io.BytesIO(), io.BytesIO()
    segno.make_qr(emv, error="h").save(plain, kind="png")
    modules = Image.open(plain).convert("L")
    side = modules.width
    drawn = Image.new("RGB", (side * DOT, side * DOT), "white")
    pen = ImageDraw.Draw(drawn)
    for x, y in itertools.product(range(side), range(side)):
        if modules.getpixel((x, y)) == 0:
            pen.ellipse((x * DOT, y * DOT, x * DOT + DOT - 1, y * DOT + DOT - 1), (0, 110, 100))
    middle = side * DOT // 2
    pen.ellipse((middle - 4 * DOT, middle - 4 * DOT, middle + 4 * DOT, middle + 4 * DOT), (240, 200, 80))
    drawn.save(written, "WEBP")
    return encoded(written)


NO_HOST = ("https://", "https:h")
EMPTY = ("description", "customer.name", "items", "splits")
MAKES = "new_charge new_transfer"
SHOWS = "charge_view pay_view event_transaction new_transfer_view complete_view event_transfer"


def amounts_up_to(sentence: str, cents: int) -> Difference:
    """Refuse higher amounts of charges and transfers."""

    def judge(_rules: Any, complaint: str | None, value: int) -> str | None:
        return f"must be at most {cents}" if value > cents else complaint

    return changes_result(sentence, judge_charge_amount=judge, judge_transfer_amount=judge).also("PAY-TRF-27")


def only_https(_rules: Any, complaint: str | None, value: str) -> str | None:
    return complaint or (None if urlsplit(value).scheme == "https" else "must be an HTTPS address")


def without_host(_rules: Any, complaint: str | None, value: str) -> str | None:
    return None if value in NO_HOST else complaint


def new_code(rules: Any, view: dict[str, Any], call: Call, charge: Row) -> dict[str, Any]:
    if call.operation != "get_charge" or charge["status"] != "pending":
        return view
    emv = rules.code(rules.new_charge_id().replace("-", ""), charge["amount"])
    return view | {"pix": {"emv": emv, "qrCode": rules.qr_image(emv)}}


async def create_once(rules: Any, right: Callable[[Call], Any], call: Call) -> Answer:
    answers: dict[Any, Answer] = rules.__dict__.setdefault("made", {})
    key = call.headers.get("x-idempotency-key")
    if (call.access, key) not in answers:
        answer: Answer = await right(call)
        if key is None:
            return answer
        answers[call.access, key] = answer
    return answers[call.access, key]


VARIANTS = {
    "PAY-CHG-07/up-to-500": amounts_up_to("The highest amount is 500.00: no upper limit is stated.", 50_000),
    "PAY-CHG-07/up-to-1000": amounts_up_to("The highest amount is 1,000.00: no upper limit is stated.", 100_000),
    "PAY-CHG-87/long-numbers-are-no-json": acts_before(
        "A body with a number of more than 18 characters is not read: no highest amount is stated.",
        json_body=refuse_long_numbers).also("PAY-ITEM-17", "PAY-TRF-93", "PAY-CHG-07", "PAY-TRF-27"),
    "PAY-CHG-88/names-in-any-case": changes_result(
        "Names of fields are read in any case, as some frameworks do: no sentence excludes it.",
        json_body=in_any_case("amountInCents", "customer", "amount", "pixKey")).also("PAY-TRF-94"),
    "PAY-CHG-89/byte-replaced": changes_arguments(
        "A byte that is not UTF-8 is read as U+FFFD, as common libraries do: nothing is stated of one.",
        json_body=with_bytes_replaced),
    "PAY-CHG-14/empty-refused": refuses_values(
        "Empty texts and arrays of a charge are refused: whether they may be empty is not stated.",
        lambda key, value: key in EMPTY and value in ("", [])).also("PAY-CHG-22", "PAY-CHG-24", "PAY-CUS-17"),
    "PAY-CHG-14/empty-is-absent": overrides(
        "An empty text of an optional field counts as absent: nothing is stated of one.",
        read_field=lambda _, right, holder, field, where: (
            field.default if not field.required and holder.get(field.name) == "" else right(holder, field, where)))
        .also("PAY-CUS-17"),
    "PAY-CHG-15/counts-utf-16": counts_utf_16(
        "A description is counted in units of UTF-16: what a character is, is not stated.",
        "judge_charge_description", "judge_transfer_description"),
    "PAY-CHG-15/printable-letters-only": refuses_values(
        "A description has printable characters of Latin-1 only, as it appears on a statement.",
        lambda key, value: key == "description" and not all(
            letter.isprintable() and letter <= "\u00ff" for letter in value)),
    "PAY-CHG-20/postback-https-only": changes_result(
        "A postbackUrl of plain http is refused: its scheme is not stated.",
        judge_charge_postback=only_https, judge_transfer_postback=only_https).also("PAY-TRF-24"),
    "PAY-CHG-20/postback-without-host": changes_result(
        "A postbackUrl without a host is accepted: it is called a URI, and a URI may have none "
        "(RFC 3986, section 3.2.2).",
        judge_charge_postback=without_host, judge_transfer_postback=without_host)
        .also("PAY-TRF-24", "PAY-CHG-86", "PAY-TRF-92"),
    "PAY-CHG-33/each-environment-counts": numbered(
        "Each environment numbers its charges and transfers from one: sandbox and production are separate.",
        lambda access: access.environment, MAKES, SHOWS).also("PAY-TRF-33"),
    "PAY-CHG-33/each-account-counts": numbered(
        "Each account numbers its charges and transfers from one: that ids differ is not stated.",
        lambda access: access.book, MAKES, SHOWS).also("PAY-TRF-33"),
    "PAY-CHG-33/ids-in-any-case": IDS_IN_ANY_CASE,
    "PAY-CHG-33/ids-are-cuid": setting("The id of a charge is a cuid: a string of any form is an id.",
        new_charge_id=lambda _rules: f"cm{uuid.uuid4().hex[:23]}").also("PAY-TRF-33"),
    "PAY-CHG-33/ids-have-prefixes": setting(
        "The id of a charge begins with chg_, that of a transfer with tr_: a string of any form is an id.",
        new_charge_id=lambda _rules: f"chg_{secrets.token_urlsafe(12)}",
        new_transfer_id=lambda _rules: f"tr_{secrets.token_urlsafe(12)}").also("PAY-TRF-33"),
    "PAY-CHG-33/ids-are-digits": setting("The ids of charges and transfers are digits: a string of any form is an id.",
        new_charge_id=digits, new_transfer_id=digits).also("PAY-TRF-33"),
    "PAY-CHG-45/data-uri": changes_result("The image is a data URI: a Base64 image may be one.",
        qr_image=lambda _rules, image, _: f"data:image/png;base64,{image}"),
    "PAY-CHG-45/drawn-for-each-response": changes_result(
        "The image is drawn for each response, in blue on nothing: that its bytes stay is not stated.",
        charge_view=lambda _rules, view, *_: view | {"pix": view["pix"] | {"qrCode": in_blue(view["pix"]["qrCode"])}}),
    "PAY-CHG-45/jpeg-in-lines": changes_result(
        "The image is a JPEG, in Base64 with line breaks: its format is not stated (RFC 2045, section 6.8).",
        qr_image=lambda _rules, image, _: as_jpeg(image)),
    "PAY-CHG-45/bitmap": changes_result("The image is a BMP: its format is not stated.",
        qr_image=lambda _rules, image, _: as_bitmap(image)),
    "PAY-CHG-45/vector-graphics": setting("The image is an SVG: its format is not stated.",
        qr_image=lambda _rules, emv: vectors(emv)),
    "PAY-CHG-45/vectors-in-data-uri": setting("The image is an SVG as a data URI: its format is not stated.",
        qr_image=lambda _rules, emv: f"data:image/svg+xml;base64,{vectors(emv)}"),
    "PAY-CHG-45/green-dots": setting("The image is a WebP of green dots with a badge: its format is not stated.",
        qr_image=lambda _rules, emv: dots(emv)),
    "PAY-CHG-72/code-for-each-query": changes_result(
        "Each query of a charge makes a new code: that one stays is not stated.",
        charge_view=new_code).also("PAY-CHG-77"),
    "PAY-CHG-83/odd-ids-are-invalid": odd_ids_refused(
        "An id of more than 40 characters, or of others than letters, digits, hyphens and underscores, is refused "
        "with 400: the error of a malformed id is not stated.", "invalid")
        .also("PAY-TRF-88", "PAY-PAYS-27", "PAY-CMP-28", "PAY-WH-64"),
    "PAY-CHG-85/creation-reads-key": overrides(
        "A charge that is sent again with its x-idempotency-key is returned: no sentence excludes it there.",
        create_charge=create_once),
    "PAY-CHG-76/unpaid-is-canceled": setting(
        "An unpaid charge is canceled after 45 s: transitions beyond the table are not shown.",
        unpaid_status="canceled", unpaid_seconds=45.0),
    "PAY-CHG-76/unpaid-is-canceled-soon": setting(
        "An unpaid charge is canceled after 50 ms: transitions beyond the table are not shown.",
        unpaid_status="canceled").also("PAY-CHG-84").alone(),
}  # fmt: skip
