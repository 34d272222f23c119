"""Freedoms of the payments API in what it shows: times, fees, pictures, keys, books, pages, the state of an event."""

from __future__ import annotations

import base64
import io
import re
import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, ClassVar
from urllib.parse import urlsplit, urlunsplit

from PIL import Image, UnidentifiedImageError
from PIL.PngImagePlugin import PngInfo

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.state import ROLES, World
from pix_conformance.reference.store import Row

LATE_S, WINDOW_S, TOKENS, LONGEST_KEY, DARK = 1.5, 5.0, 8, 77, 128
ADDRESS = ("street", "number", "neighborhood", "city", "state", "zipCode")


class TimesOfBrasilia(PaymentsRules):
    """A date-time may carry any offset (RFC 3339, section 5.6): that of Brasilia, whole seconds."""

    def moment(self, epoch: float) -> str:
        """Write -03:00."""
        here = datetime.fromtimestamp(epoch, UTC).astimezone(timezone(timedelta(hours=-3)))
        return here.isoformat(timespec="seconds")


class FeesOnPayment(PaymentsRules):
    """When the fees of a charge are known is not shown: on payment."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show none before."""
        view = super().charge_view(call, charge)
        return view if charge["status"] == "paid" else view | {"fees": 0}


class FeesOnCompletion(PaymentsRules):
    """When the fees of a transfer are known is not shown: on completion."""

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show none before."""
        view = super().new_transfer_view(transfer)
        return view if transfer["status"] == "completed" else view | {"fees": 0, "netAmount": transfer["amount"]}


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


class KnowsEndsEarly(PaymentsRules):
    """When an endToEndId exists is not shown: from the start, for charges and transfers."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Give it at once."""
        return super().new_charge(access, read) | {"end_to_end_id": formats.end_to_end_id(self.clock.now())}

    def paid_changes(self, charge: Row) -> Row:
        """Keep it."""
        return super().paid_changes(charge) | {"end_to_end_id": charge["end_to_end_id"]}

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Give it at once."""
        return super().new_transfer(access, read) | {"end_to_end_id": formats.end_to_end_id(self.clock.now())}

    def completed_changes(self, transfer: Row) -> Row:
        """Keep it."""
        return super().completed_changes(transfer) | {"end_to_end_id": transfer["end_to_end_id"]}


class AwaitsAnalysis(PaymentsRules):
    """Through which statuses a transfer passes is not shown: the bank, then an analysis that a completion ends."""

    transfer_first_status = "banking_processing"
    transfer_approved_status = "pending_analysis"


class StaysAsItWas(PaymentsRules):
    """Through which statuses a transfer passes is not shown: through none but the first."""

    transfer_first_status = "processing"

    async def approve(self, transfer: Row) -> None:
        """Leave it."""


class BankErrs(PaymentsRules):
    """Through which statuses a transfer passes is not shown: an error of the bank, which a completion overcomes."""

    transfer_approved_status = "banking_error"


class MasksSecrets(PaymentsRules):
    """Whether the list repeats the secret is not shown: masked; the events are sorted, the name is empty."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Show the head of it."""
        view = super().webhook_view(call, hook) | {"name": "", "mtlsCapable": True}
        masked = {"signatureSecret": f"{(view['signatureSecret'] or '')[:8]}********"}
        return view | {"events": sorted(view["events"])} | (masked if call.operation == "list_webhooks" else {})


class NormalAddresses(PaymentsRules):
    """The url of a record may be normalised (RFC 3986, section 6.2): small letters, no usual port, a path."""

    def new_webhook(self, call: Call, read: dict[str, Any]) -> Row:
        """Write it so."""
        parts = urlsplit(read["url"])
        port = "" if parts.port in {None, 443} else f":{parts.port}"
        url = urlunsplit((parts.scheme, f"{parts.hostname}{port}", parts.path or "/", parts.query, ""))
        return super().new_webhook(call, read | {"url": url})


class PagesOfNothing(PaymentsRules):
    """How many pages an empty list has is not shown: none. Twenty records are on a page."""

    webhook_page_size = 20

    def pagination_view(self, offset: int, size: int, total: int) -> dict[str, Any]:
        """Count the pages."""
        return super().pagination_view(offset, size, total) | {"totalPages": -(-total // size)}


class TellsWhatIsNow(PaymentsRules):
    """Of which moment the status of an event is, is not said: of its sending."""

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Any:
        """Look again."""
        kind = payload["type"]
        row = self.store.find("payments_charge" if kind == "transaction" else "transfer", id=payload[kind]["id"])
        view = self.event_transaction if kind == "transaction" else self.event_transfer
        shown = (
            row and row["status"] != "refunded"
        )  # an event of a payment says that it is paid (payments.md, line 170)
        return super().write_event(
            attempt, payload | ({kind: view(payload["event"], row)} if row and shown else {}), secret
        )


class FewTokens(PaymentsRules):
    """Numeric rate limits are not shown (payments.md, line 390): eight tokens in five seconds."""

    def limit_rate(self, call: Call) -> None:
        """Refuse more."""
        if call.path == ("api", "auth"):
            granted: list[float] = self.__dict__.setdefault("granted", [])
            granted[:] = [one for one in granted if time.monotonic() - one < WINDOW_S]
            if len(granted) >= TOKENS:
                raise Refusal("limited", "too many requests")
            granted.append(time.monotonic())
        super().limit_rate(call)


class ShowsBalancesLate(PaymentsRules):
    """Of which moment a balance is, is not said: of 1.5 s ago."""

    def enter(self, posting: Row, account: str, direction: str, amount: int) -> None:
        """Remember when."""
        moves: list[tuple[float, str, str, int]] = self.__dict__.setdefault("moves", [])
        moves.append((time.monotonic(), posting["book"], account, amount if direction == CREDIT else -amount))
        super().enter(posting, account, direction, amount)

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Take away what is young."""
        since = time.monotonic() - LATE_S
        moves: list[tuple[float, str, str, int]] = self.__dict__.get("moves", [])
        young = sum(c for at, book, name, c in moves if at > since and (book, name) == (self.book(access), "pix"))
        return super().balance_view(access) | {"pix": self.wallet_view(self.balance_of(access, "pix") - young)}


class BooksOnCompletion(PaymentsRules):
    """When a transfer leaves the wallet is not shown, nor whether the fee is within it: on completion, besides."""

    def book_transfer(self, transfer: Row) -> None:
        """Leave the wallet as it is."""

    def book_completion(self, transfer: Row) -> None:
        """Take both."""
        gross, fees = transfer["amount"], transfer["fees"]
        entries = ("pix", DEBIT, gross + fees), ("acquirer", CREDIT, gross), ("fees", CREDIT, fees)
        self.post(owner_of(transfer), "transfer.completed", transfer["id"], *entries)

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Deliver the gross amount."""
        return super().new_transfer_view(transfer) | {"netAmount": transfer["amount"]}


class FeesOfAll(PaymentsRules):
    """How fees are reckoned is not shown: they are all that is paid."""

    def charge_fees(self, amount: int) -> int:
        """Leave nothing."""
        return amount


class InDebt(PaymentsRules):
    """What an account holds at first is not shown: less than nothing."""

    def __init__(self, world: World) -> None:
        """Owe a million."""
        super().__init__(world)
        self.post(ROLES["merchant"], "charge.back", "", ("pix", DEBIT, 99_999_999), ("acquirer", CREDIT, 99_999_999))


class PlainAddresses(PaymentsRules):
    """The types of an address's fields are not shown: a zipCode of eight digits, a state of two capitals."""

    forms: ClassVar[dict[str, str]] = {"zipCode": "[0-9]{8}", "state": "[A-Z]{2}"}
    address_fields: ClassVar[tuple[Field, ...]] = tuple(Field(one, "string", required=True) for one in ADDRESS)

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Read an address by its own table."""
        address = field.name in {"billingAddress", "shippingAddress"}
        return super().read_field(
            holder, Field(field.name, field.kind, fields=self.address_fields) if address else field, where
        )

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Want their forms."""
        wrong = field.name in self.forms and not re.fullmatch(self.forms[field.name], value)
        return "has another form" if wrong else super().complaint(key, value, field)


class KeysOfTheDirectory(PaymentsRules):
    """A service may take keys as the central bank's directory has them: check digits, mobiles, small letters."""

    def is_cpf_key(self, value: str) -> bool:
        """Check the digits."""
        return super().is_cpf_key(value) and formats.has_cpf_digits(value)

    def is_cnpj_key(self, value: str) -> bool:
        """Check the digits."""
        return super().is_cnpj_key(value) and formats.has_cnpj_digits(value)

    def is_email_key(self, value: str) -> bool:
        """Take short ones in small letters."""
        return super().is_email_key(value) and len(value) <= LONGEST_KEY and value == value.lower()

    def is_phone_key(self, value: str) -> bool:
        """Take mobiles."""
        return super().is_phone_key(value) and bool(re.fullmatch(r"\+55[1-9][1-9]9[0-9]{8}", value))

    def is_evp_key(self, value: str) -> bool:
        """Take small letters."""
        return super().is_evp_key(value) and value == value.lower()


class NamesWhatWasRemoved(PaymentsRules):
    """A removal may say more than success, and the newest records come first."""

    def removed_view(self, hook: Row) -> dict[str, Any]:
        """Name it."""
        return {"success": True, "message": "removed", "data": {"id": hook["id"], "isActive": False}}

    def hooks_of(self, call: Call) -> list[Row]:
        """Turn them round."""
        return super().hooks_of(call)[::-1]


class SaysItInPortuguese(PaymentsRules):
    """The language of messages is not shown, that of a success neither."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Say that it worked."""
        answer = super().respond(call, answer)
        told = isinstance(answer.body, dict) and answer.body.get("success") is True and "message" in answer.body
        words = {"message": "Operação realizada com sucesso"}
        return Answer(answer.status, answer.body | words, answer.headers) if told else answer


FREEDOMS = [
    Freedom("payments-zone", ("PAY-GEN-05",), {"brasilia": TimesOfBrasilia}),
    Freedom("payments-fees-later", ("PAY-TRF-43",), {"payment": FeesOnPayment, "completion": FeesOnCompletion}),
    Freedom("payments-drawing", ("PAY-CHG-45",), {"anew": DrawsAnew, "photograph": Photographs}),
    Freedom("payments-e2e", ("PAY-EVT-52", "PAY-EVT-91"), {"early": KnowsEndsEarly}),
    Freedom("payments-passage", ("PAY-TRF-40",), {"analysis": AwaitsAnalysis, "none": StaysAsItWas, "error": BankErrs}),
    Freedom("payments-fees-of-charges", ("PAY-BAL-10",), {"all": FeesOfAll}),
    Freedom("payments-masks", ("PAY-WH-15", "PAY-WH-56"), {"secrets": MasksSecrets}),
    Freedom("payments-normal-addresses", ("PAY-WH-13",), {"normal": NormalAddresses}),
    Freedom("payments-empty-pages", ("PAY-WH-57",), {"none": PagesOfNothing}),
    Freedom("payments-event-state", ("PAY-EVT-58",), {"now": TellsWhatIsNow}),
    Freedom("payments-few-tokens", ("PAY-RATE-02",), {"eight": FewTokens}),
    Freedom("payments-wallet", ("PAY-BAL-10",), {"late": ShowsBalancesLate, "end": BooksOnCompletion, "debt": InDebt}),
    Freedom("payments-directory", ("PAY-KEY-12", "PAY-KEY-13"), {"strict": KeysOfTheDirectory}),
    Freedom("payments-removals", ("PAY-WH-57",), {"named": NamesWhatWasRemoved}),
    Freedom("payments-words", ("PAY-GEN-10",), {"portuguese": SaysItInPortuguese}),
]
