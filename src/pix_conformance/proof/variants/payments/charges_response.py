"""Conforming variants where PAY-CHG is silent: the response to a creation or a query of a charge."""

import uuid
from collections import Counter
from typing import Any

from pix_conformance.proof.difference import changes_result, setting, variant
from pix_conformance.proof.variants.common.ids import IDS_IN_ANY_CASE, by_its_number, digits
from pix_conformance.proof.variants.payments import images
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row

CANCELED_AFTER_S = 45
"""Seconds of the clock after which an unpaid charge is canceled."""


def redraw(_rules: Any, view: dict[str, Any], *_: Any) -> dict[str, Any]:
    return view | {"pix": view["pix"] | {"qrCode": images.in_blue(view["pix"]["qrCode"])}}


VARIANTS = {
    "PAY-CHG-33": {
        "ids-in-any-case": IDS_IN_ANY_CASE,
        "ids-are-cuid": setting(
            "The id of a charge is a cuid: a string of any form is an id (payments.md, line 80).",
            new_charge_id=lambda _rules: f"cm{uuid.uuid4().hex[:23]}").also("PAY-TRF-33"),
        "ids-are-digits": setting(
            "The ids of charges and transfers are digits: a string of any form is an id "
            "(payments.md, lines 80 and 108).",
            new_charge_id=digits, new_transfer_id=digits).also("PAY-TRF-33"),
    },
    "PAY-CHG-45": {
        "data-uri": changes_result(
            "The image is a data URI: a Base64 image may be one (payments.md, line 82).",
            qr_image=lambda _rules, image, _: f"data:image/png;base64,{image}"),
        "drawn-for-each-response": changes_result(
            "The image is drawn for each response, in blue on nothing: that its bytes stay is not stated "
            "(payments.md, line 82).", charge_view=redraw),
        "jpeg-in-lines": changes_result(
            "The image is a JPEG, in Base64 with line breaks: its format is not stated "
            "(payments.md, line 82; RFC 2045, section 6.8).", qr_image=lambda _rules, image, _: images.as_jpeg(image)),
        "bitmap": changes_result(
            "The image is a BMP: its format is not stated (payments.md, line 82).",
            qr_image=lambda _rules, image, _: images.as_bitmap(image)),
        "vector-graphics": setting(
            "The image is an SVG: its format is not stated (payments.md, line 82).",
            qr_image=lambda _rules, emv: images.vectors(emv)),
        "green-dots": setting(
            "The image is a WebP of green dots with a badge: its format is not stated (payments.md, line 82).",
            qr_image=lambda _rules, emv: images.dots(emv)),
    },
}  # fmt: skip


@variant("PAY-CHG-33/each-environment-counts", "PAY-TRF-33")
class EachEnvironmentCounts(PaymentsRules):
    """Each environment numbers its charges from one: sandbox and production are separate (payments.md, line 23)."""

    def __init__(self, world: ServerState) -> None:
        self.counted: Counter[str] = Counter()
        super().__init__(world)

    def book_of(self, access: Access) -> str:
        """Return what has numbers of its own."""
        return access.environment

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        book = self.book_of(access)
        self.counted[book] += 1
        return super().new_charge(access, read) | {"id": f"{book}/{self.counted[book]}"}

    def owned(self, call: Call, table: str, number: object) -> Row:
        return super().owned(call, table, f"{self.book_of(call.access)}/{number}" if "charge" in table else number)

    def knows_charge(self, number: str) -> bool:
        return any(super(EachEnvironmentCounts, self).knows_charge(f"{one}/{number}") for one in self.counted)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        return super().charge_view(call, by_its_number(charge))

    def pay_view(self, charge: Row) -> dict[str, Any]:
        return super().pay_view(by_its_number(charge))

    def event_transaction(self, event: str, row: Row) -> dict[str, Any]:
        return super().event_transaction(event, by_its_number(row))


@variant("PAY-CHG-33/each-account-counts", "PAY-TRF-33")
class EachAccountCounts(EachEnvironmentCounts):
    """Each account numbers its charges and transfers from one: that ids differ is not stated (payments.md, line 80)."""

    def book_of(self, access: Access) -> str:
        return access.book

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        self.counted[f"transfer {access.book}"] += 1
        return super().new_transfer(access, read) | {"id": f"{access.book}/{self.counted[f'transfer {access.book}']}"}

    def owned(self, call: Call, table: str, number: object) -> Row:
        return super().owned(call, table, f"{call.access.book}/{number}" if table == "transfer" else number)

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        return super().new_transfer_view(by_its_number(transfer))

    def complete_view(self, transfer: Row) -> dict[str, Any]:
        return super().complete_view(by_its_number(transfer))

    def event_transfer(self, event: str, row: Row) -> dict[str, Any]:
        return super().event_transfer(event, by_its_number(row))


@variant("PAY-CHG-72/code-for-each-query", "PAY-CHG-77")
class CodeForEachQuery(PaymentsRules):
    """Each query of a charge makes a new code: that one stays is not stated (payments.md, lines 81 and 241)."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        view = super().charge_view(call, charge)
        if call.operation != "get_charge" or charge["status"] != "pending":
            return view
        emv = self.code(self.new_charge_id().replace("-", ""), charge["amount"])
        return view | {"pix": {"emv": emv, "qrCode": self.qr_image(emv)}}


@variant("PAY-CHG-76/unpaid-is-canceled")
class CancelsUnpaid(PaymentsRules):
    """An unpaid charge is canceled after 45 s: transitions beyond the table are not shown (payments.md, line 172)."""

    def owned(self, call: Call, table: str, number: object) -> Row:
        row = super().owned(call, table, number)
        if table != "payments_charge" or row["status"] != "pending":
            return row
        if self.clock.now() - row["created_at"] > CANCELED_AFTER_S:
            with self.store.transaction():
                if self.claim_charge(row, {"status": "canceled"}):
                    self.emit("transaction_updated", "transaction", row | {"status": "canceled"})
        return super().owned(call, table, number)
