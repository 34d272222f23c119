"""Conforming variants where PAY-CHG is silent: the response to a creation or a query of a charge."""

from __future__ import annotations

import base64
import io
import itertools
import time
import uuid
from collections import Counter
from typing import Any

import segno
from PIL import Image, ImageDraw, UnidentifiedImageError
from PIL.PngImagePlugin import PngInfo

from pix_conformance.proof.variants.common.ids import by_its_number
from pix_conformance.proof.variants.common.mixing import mixed
from pix_conformance.proof.variants.common.responses import FindsIdsInAnyCase
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

DARK = 128
DOT = 10
"""Pixels of a dot."""
LIVES_S = 45
"""Seconds of the clock after which an unpaid charge is canceled."""


class PaymentsCountsInEachEnvironment(PaymentsRules):
    """Charges of sandbox and production are separate (payments.md, line 23): each environment counts from one."""

    def __init__(self, world: ServerState) -> None:
        """Count nothing yet."""
        self.counted: Counter[str] = Counter()
        super().__init__(world)

    def book_of(self, access: Access) -> str:
        """Name what counts by itself."""
        return access.environment

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give the next number, kept apart by the book."""
        book = self.book_of(access)
        self.counted[book] += 1
        return super().new_charge(access, read) | {"id": f"{book}/{self.counted[book]}"}

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look among the charges of the caller's book."""
        return super().owned(call, table, f"{self.book_of(call.access)}/{number}" if "charge" in table else number)

    def knows_charge(self, number: str) -> bool:
        """Look in each environment."""
        return any(super(PaymentsCountsInEachEnvironment, self).knows_charge(f"{one}/{number}") for one in self.counted)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().charge_view(call, by_its_number(charge))

    def pay_view(self, charge: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().pay_view(by_its_number(charge))

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().event_transaction(event, by_its_number(row))


class PaymentsCountsInEachAccount(PaymentsCountsInEachEnvironment):
    """That no two accounts have a charge or transfer of one id is not said: each counts its own from one."""

    def book_of(self, access: Access) -> str:
        """Name account and environment."""
        return access.book

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Give the next number."""
        self.counted[f"transfer {access.book}"] += 1
        return super().new_transfer(access, read) | {"id": f"{access.book}/{self.counted[f'transfer {access.book}']}"}

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look among the transfers of the caller's account as well."""
        return super().owned(call, table, f"{call.access.book}/{number}" if table == "transfer" else number)

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().new_transfer_view(by_its_number(transfer))

    def complete_view(self, transfer: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().complete_view(by_its_number(transfer))

    def event_transfer(self, event: str, row: Row) -> dict[str, Any]:
        """Show the number alone."""
        return super().event_transfer(event, by_its_number(row))


class CuidCharges(PaymentsRules):
    """The id of a charge is a string, of whatever form."""

    def new_charge_id(self) -> str:
        """Look like a cuid."""
        return f"cm{uuid.uuid4().hex[:23]}"


class NumericIds(PaymentsRules):
    """The ids of charges and transfers are strings, of whatever form."""

    def new_charge_id(self) -> str:
        """Be digits only."""
        return str(uuid.uuid4().int)[:16]

    def new_transfer_id(self) -> str:
        """Be digits only."""
        return str(uuid.uuid4().int)[:16]


class DataUriImage(PaymentsRules):
    """The Base64 image may be a data URI."""

    def qr_image(self, emv: str) -> str:
        """Say what kind of image it is."""
        return f"data:image/png;base64,{super().qr_image(emv)}"


class DrawsAnew(PaymentsRules):
    """The image shows the code; that its bytes stay is not said: drawn for each answer, blue on nothing."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Draw it."""
        view = super().charge_view(call, charge)
        kind, comma, code = view["pix"]["qrCode"].rpartition(",")
        try:
            plain = Image.open(io.BytesIO(base64.b64decode(code))).convert("L")
        except UnidentifiedImageError:  # an image of vectors
            return view
        drawn, written, info = Image.new("RGBA", plain.size, (255, 255, 255, 0)), io.BytesIO(), PngInfo()
        drawn.paste((20, 30, 90, 255), mask=plain.point(lambda one: 255 if one < DARK else 0))
        info.add_text("drawn", str(time.time()))
        drawn.save(written, "PNG", pnginfo=info)
        return view | {"pix": view["pix"] | {"qrCode": f"{kind}{comma}{base64.b64encode(written.getvalue()).decode()}"}}


class Photographs(PaymentsRules):
    """Of what kind the Base64 image is, is not shown, nor whether its lines are broken (RFC 2045, section 6.8)."""

    def qr_image(self, emv: str) -> str:
        """Write a JPEG in lines."""
        written = io.BytesIO()
        kind, comma, code = super().qr_image(emv).rpartition(",")
        try:
            plain = Image.open(io.BytesIO(base64.b64decode(code))).convert("RGB")
        except UnidentifiedImageError:  # an image of vectors
            return f"{kind}{comma}{code}"
        plain.resize((plain.width * 2, plain.height * 2)).save(written, "JPEG", quality=70)
        return f"{kind}{comma}{base64.encodebytes(written.getvalue()).decode()}"


class Bitmaps(PaymentsRules):
    """Of what kind the Base64 image is, is not shown."""

    def qr_image(self, emv: str) -> str:
        """Write the same picture as a bitmap."""
        written = io.BytesIO()
        Image.open(io.BytesIO(base64.b64decode(super().qr_image(emv)))).save(written, "BMP")
        return base64.b64encode(written.getvalue()).decode()


class Vectors(PaymentsRules):
    """Of what kind the Base64 image is, is not shown: one of lines, not of points."""

    def qr_image(self, emv: str) -> str:
        """Write an SVG."""
        written = io.BytesIO()
        segno.make_qr(emv).save(written, kind="svg")
        return base64.b64encode(written.getvalue()).decode()


class Dots(PaymentsRules):
    """How the code is drawn is not shown: in green dots, with a badge in the middle, as WebP."""

    def qr_image(self, emv: str) -> str:
        """Draw each dark module as a dot."""
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
        return base64.b64encode(written.getvalue()).decode()


class ReissuesCodes(PaymentsRules):
    """That a charge keeps its code is implied only: each query issues another one, and all of them can be paid."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Issue it."""
        view = super().charge_view(call, charge)
        if call.operation != "get_charge" or charge["status"] != "pending":
            return view
        emv = self.code(self.new_charge_id().replace("-", ""), charge["amount"])
        return view | {"pix": {"emv": emv, "qrCode": self.qr_image(emv)}}


class CancelsUnpaid(PaymentsRules):
    """Transitions beside those of the table are not shown: an unpaid charge is canceled after a while."""

    def owned(self, call: Call, table: str, number: object) -> Row:
        """See its age."""
        row = super().owned(call, table, number)
        if table != "payments_charge" or row["status"] != "pending":
            return row
        if self.clock.now() - row["created_at"] > LIVES_S:
            with self.store.transaction():
                if self.claim_charge(row, {"status": "canceled"}):
                    self.emit("transaction_updated", "transaction", row | {"status": "canceled"})
        return super().owned(call, table, number)


VARIANTS = [
    mixed(__name__, "payments-case-of-ids", ("PAY-CHG-33",), none=FindsIdsInAnyCase),
    Variant(
        "payments-counters",
        ("PAY-CHG-33", "PAY-TRF-33"),
        {"environment": PaymentsCountsInEachEnvironment, "account": PaymentsCountsInEachAccount},
    ),
    Variant("payments-ids", ("PAY-CHG-33", "PAY-TRF-33"), {"cuid": CuidCharges, "digits": NumericIds}),
    Variant("payments-image", ("PAY-CHG-45",), {"data-uri": DataUriImage}),
    Variant("payments-drawing", ("PAY-CHG-45",), {"anew": DrawsAnew, "photograph": Photographs}),
    Variant("payments-pictures", ("PAY-CHG-45",), {"bitmap": Bitmaps, "dots": Dots, "vectors": Vectors}),
    Variant("payments-codes-of-queries", ("PAY-CHG-72", "PAY-CHG-77"), {"anew": ReissuesCodes}),
    Variant("payments-unpaid", ("PAY-CHG-76",), {"canceled": CancelsUnpaid}),
]
