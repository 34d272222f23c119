"""Freedoms of the payments API about who pays, shares and listens: names, sums, secrets; and the picture to scan."""

from __future__ import annotations

import asyncio
import base64
import io
import itertools
import re
from decimal import Decimal
from typing import Any

import segno
from PIL import Image, ImageDraw

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.fields import Field
from pix_conformance.reference.outbox import Letter
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

NO_HOST = "https://"
DOT = 10
"""Pixels of a dot."""
SIGN = r"(?:[^\W\d_]|['-])"
"""A letter, or what stands between letters of a name."""


class FullNames(PaymentsRules):
    """The name is called the full name of the payer (payments.md, line 45): two words of letters."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse what is none."""
        wrong = key == "customer.name" and not re.fullmatch(rf"{SIGN}{{2,}}( {SIGN}{{2,}})+", value)
        return "must be a full name" if wrong else super().complaint(key, value, field)


class LetteredNames(PaymentsRules):
    """How long a name is and of which signs is not shown: three letters, of which no digit is one."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse less, and others."""
        wrong = key == "customer.name" and not re.fullmatch(rf"{SIGN}{{3,}}( {SIGN}+)*", value)
        return "must be a name" if wrong else super().complaint(key, value, field)


class NationalPhones(PaymentsRules):
    """A contact phone is all that is said: the digits of area and subscriber."""

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Refuse other forms."""
        wrong = key == "customer.phone" and not re.fullmatch(r"[1-9][0-9]{9,10}", value)
        return "must be ten or eleven digits" if wrong else super().complaint(key, value, field)


class AddsLinesUp(PaymentsRules):
    """Whether an item's amount is that of one piece or of the whole line is not shown, nor whether it must fit."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Add the lines up."""
        read = super().read_charge(body)
        items = read["items"] or []
        if items and sum(one["amountInCents"] for one in items) != read["amountInCents"]:
            raise self.invalid("items", "must add up to amountInCents")
        return read


class SharesOfACent(PaymentsRules):
    """What becomes of a share below one cent is not shown: the split is refused."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Reckon the net share of each."""
        read = super().read_charge(body)
        net = read["amountInCents"] - self.charge_fees(read["amountInCents"])
        for one in read["splits"] or []:
            if net * Decimal(one["percentage"]) / 100 < 1:
                raise self.invalid("splits[].percentage", "must be a cent at least")
        return read


class AnyAuthority(PaymentsRules):
    """A postbackUrl is called a URI, and a URI may have an empty host (RFC 3986, section 3.2.2)."""

    def judge_charge_postback(self, value: str) -> str | None:
        """Take it."""
        return None if value == NO_HOST else super().judge_charge_postback(value)

    def judge_transfer_postback(self, value: str) -> str | None:
        """Take it."""
        return None if value == NO_HOST else super().judge_transfer_postback(value)


class EmptyIsAbsent(PaymentsRules):
    """Whether an optional text may be empty is not shown: as if it were not there, in the currency as well."""

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Take the default for an empty text."""
        empty = not field.required and holder.get(field.name) == ""
        return field.default if empty else super().read_field(holder, field, where)


class NullPayers(PaymentsRules):
    """A customer needs no name, and what the payment says of the payer then is not shown: null."""

    def event_payer(self, row: Row) -> dict[str, Any]:
        """Leave it as it is."""
        return super().event_payer(row) | {"name": row["payer_name"]}


class AbsentPayers(NullPayers):
    """A customer needs no name, and what the payment says of the payer then is not shown: nothing."""

    def event_payer(self, row: Row) -> dict[str, Any]:
        """Leave it out."""
        return {name: one for name, one in super().event_payer(row).items() if one is not None}


class NoSecrets(PaymentsRules):
    """The signatureSecret of a record is a string or null (payments.md, line 146)."""

    def new_secret(self) -> str | None:
        """Give none."""
        return None


class ListsLater(PaymentsRules):
    """How soon a new webhook is in the list is not shown, only that a removed one is out at once: after 0.5 s."""

    def hooks_of(self, call: Call) -> list[Row]:
        """Know the youngest not yet."""
        found = super().hooks_of(call)
        listing = call.operation == "list_webhooks"
        return [one for one in found if not listing or self.clock.now() - one["created_at"] > 0.5]  # noqa: PLR2004  # as said


class AsksAddresses(PaymentsRules):
    """Whether an address is asked before it is registered is not shown: it must answer 2xx to what is no event."""

    async def create_webhook(self, call: Call) -> Answer:
        """Ask it."""
        url = self.read_body(self.json_body(call), self.webhook_fields)["url"]
        ping = b'{"type": "ping"}', {"Content-Type": "application/json", "User-Agent": self.event_user_agent}
        letter = Letter(url, self._at_once, lambda _: ping, self.is_delivered, 1, 3.0)
        loop, post = asyncio.get_running_loop(), self.world.mail._post  # noqa: SLF001  # one attempt, and its answer
        status = await loop.run_in_executor(None, post, letter, ping)
        if status is None or not self.is_delivered(status):
            raise self.invalid("url", "must answer")
        return await super().create_webhook(call)

    async def _at_once(self, attempt: int) -> bool:
        return attempt == 1


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


FREEDOMS = [
    Freedom("payments-names", ("PAY-CUS-17",), {"full": FullNames, "letters": LetteredNames}),
    Freedom("payments-shares", ("PAY-SPL-14",), {"cent": SharesOfACent}),
    Freedom("payments-authorities", ("PAY-CHG-20", "PAY-TRF-24"), {"any": AnyAuthority}),
    Freedom("payments-no-text", ("PAY-CHG-14", "PAY-CUS-17"), {"absent": EmptyIsAbsent}),
    Freedom("payments-payers", ("PAY-CUS-17",), {"null": NullPayers, "absent": AbsentPayers}),
    Freedom("payments-secrets", ("PAY-WH-56",), {"none": NoSecrets}),
    Freedom("payments-list-lag", ("PAY-WH-57",), {"half-a-second": ListsLater}),
    Freedom("payments-pictures", ("PAY-CHG-45",), {"bitmap": Bitmaps, "dots": Dots, "vectors": Vectors}),
]
