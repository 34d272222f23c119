"""Answers that are wrong as a whole: wrapped, bare, of another charge, without media type, broken by the server."""

import hashlib
import json
import uuid
from datetime import UTC, timedelta
from typing import Any

from pix_conformance.proof.mutants.business.schema import instant
from pix_conformance.proof.mutants.business.tables import ChangesAnswers, in_answers
from pix_conformance.proof.mutants.tabled import GONE, family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row

FAILED, SUCCESS, CREATED, MISSING, INVALID = 500, 200, 201, 404, 422

globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "BusQueryWrapped": (
            "A query answers the charge in an object of one member.",
            ("BUS-CHG-45 BUS-CHG-46 BUS-CHG-47 BUS-CHG-51 BUS-CHG-53 BUS-CHG-54 "
            "BUS-CHG-55 BUS-AUTH-12 BUS-CAN-01 BUS-CHG-56 BUS-CHG-57 BUS-CHG-58 "
            "BUS-CHG-59 BUS-CHG-64 BUS-EXP-03 BUS-IDEM-05 BUS-PAY-01 BUS-PAY-10 "
            "BUS-QR-01 BUS-STATE-07"),
            in_answers("get_charge", "", lambda body: {"charge": body}),
        ),
        "BusCreationBare": (
            "A creation answers id and status only.",
            "BUS-CHG-47 BUS-CHG-51 BUS-CHG-53 BUS-CHG-54 BUS-CHG-55",
            in_answers("create_charge", "", lambda body: {name: body[name] for name in ("id", "status")}),
        ),
        "BusCreationJsonText": (
            "A creation answers the charge as a string of JSON.",
            "BUS-CHG-01",
            in_answers("create_charge", "", json.dumps),
        ),
        "BusQueryOfOthersId": (
            "A query answers another id than it was asked for.",
            "BUS-CHG-64",
            in_answers("get_charge", "id", lambda text: text[:-1] + ("0" if text[-1] != "0" else "1")),
        ),
        "BusProviderChanges": (
            "The provider of a query is another than that of the creation.",
            "BUS-CHG-66",
            in_answers("get_charge", "provider", "fallback"),
        ),
        "BusAmountsInListText": (
            "The list shows amounts as strings of digits.",
            "BUS-GEN-01 BUS-CHG-56",
            in_answers("list_charges", "*.amount_cents", str),
        ),
        "BusPayAnswersFraction": (
            "A simulated payment answers a fee_cents with a fraction.",
            "BUS-GEN-01",
            in_answers("pay_charge", "", lambda body: body | {"fee_cents": 10.5}),
        ),
        "BusCancelAnswersText": (
            "A cancel answers a refund_cents in words.",
            "BUS-GEN-01",
            in_answers("cancel_charge", "", lambda body: body | {"refund_cents": "0"}),
        ),
        "BusListedWithoutCode": (
            "The charges in the list have no code.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.qr_code", GONE),
        ),
        "BusListedWithoutDates": (
            "The charges in the list have no expires_at.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.expires_at", GONE),
        ),
        "BusListedDescriptionless": (
            "The charges in the list lack the three fields that are echoed.",
            "BUS-LIST-11",
            in_answers("list_charges", "*", lambda row: {
                name: value for name, value in row.items() if name not in {"description", "customer_email"}
            }),
        ),
        "BusListedEpoch": (
            "The list shows created_at as a number of seconds.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.created_at", lambda text: instant(text).timestamp()),
        ),
        "BusPictureInCharge": (
            "A creation brings a picture of the code.",
            "BUS-QR-18",
            in_answers("create_charge", "", lambda body: body | {"qr_image": "data:image/png;base64,iVBORw0KGgo="}),
        ),
    }),
)  # fmt: skip


class BusIdNumber(BusinessRules):
    """The id of a charge is a number, on every route."""

    group = "schema"
    breaks = ("BUS-CHG-45",)

    def new_charge_id(self) -> str:
        """Make it of digits."""
        return str(int(self.clock.now() * 1_000_000))

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show it as a number."""
        return super().charge_view(call, charge) | {"id": int(charge["id"])}


class BusIdOfContent(BusinessRules):
    """The id of a charge is a hash of what was asked for: the same request gives the same id."""

    group = "schema"
    breaks = ("BUS-CHG-63", "BUS-IDEM-06", "BUS-CHG-44", "BUS-EVT-19")

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Derive the id."""
        text = json.dumps([access.book, read])
        return super().new_charge(access, read) | {"id": hashlib.sha256(text.encode()).hexdigest()}

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Let the new one replace the old."""
        self.store.delete("business_charge", id=self.new_charge(call.access, read)["id"])
        return super().open_charge(call, read)


class BusCodeRedrawn(BusinessRules):
    """Each query makes a code of its own."""

    group = "schema"
    breaks = ("BUS-CHG-66", "BUS-CHG-69")

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Draw it again."""
        view = super().charge_view(call, charge)
        drawn = {"qr_code": self.code(uuid.uuid4().hex, charge["amount"])}
        return view | drawn if call.operation == "get_charge" else view


class BusQueryFindsNothing(BusinessRules):
    """The query finds no charge, as if it looked in another table."""

    group = "schema"
    breaks = ("BUS-CHG-64",)

    async def get_charge(self, call: Call) -> Answer:
        """Report it as missing."""
        raise self.not_found(call)


class BusQueryAnswersNewest(BusinessRules):
    """The query answers the newest charge of the account, whichever was asked for."""

    group = "schema"
    breaks = ("BUS-CHG-64",)

    async def get_charge(self, call: Call) -> Answer:
        """Look for the account only."""
        self.owned(call)
        newest = self.listed(call.access, None)[0]
        return Answer(SUCCESS, self.charge_view(call, self.seen(call, newest)))


class BusCreationEmpty(BusinessRules):
    """A creation answers 204, without the charge."""

    group = "schema"
    breaks = ("BUS-CHG-01",)

    async def create_charge(self, call: Call) -> Answer:
        """Say nothing of what was made."""
        await super().create_charge(call)
        return Answer(204, None)

    def encode(self, call: Call, body: Any) -> bytes:
        """Send no bytes where there is nothing to say."""
        return b"" if call.operation == "create_charge" and body is None else super().encode(call, body)


class BusCreationFails(BusinessRules):
    """A creation makes the charge and then fails with 500."""

    group = "schema"
    breaks = ("BUS-CHG-01",)

    async def create_charge(self, call: Call) -> Answer:
        """Break after the effect."""
        await super().create_charge(call)
        return Answer(FAILED, {"detail": "internal error"})


class BusMediaTypeText(BusinessRules):
    """Successful answers are labelled text/plain."""

    group = "schema"
    breaks = ("BUS-GEN-02",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label them."""
        wrong = {"content-type": "text/plain"} if answer.status in {SUCCESS, CREATED} else {}
        return super().headers(call, answer) | wrong


class BusMediaTypeHtmlOfFinance(BusinessRules):
    """The balance is labelled text/html."""

    group = "schema"
    breaks = ("BUS-GEN-02",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label that route."""
        wrong = {"content-type": "text/html"} if call.operation == "get_finance" and answer.status == SUCCESS else {}
        return super().headers(call, answer) | wrong


class BusMediaTypeMissingOnList(BusinessRules):
    """The list is sent without a media type."""

    group = "schema"
    breaks = ("BUS-GEN-02",)

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Leave it out."""
        found = super().headers(call, answer)
        listing = call.operation == "list_charges" and answer.status == SUCCESS
        return {name: text for name, text in found.items() if name != "content-type"} if listing else found


class BusUnusualNumberFails(BusinessRules):
    """A very large amount is answered with 500."""

    group = "schema"
    breaks = ("BUS-GEN-03",)
    largest_integer = 2**63 - 1

    def judge_amount(self, value: int) -> str | None:
        """Overflow a column of 32 bits."""
        return "OVERFLOW" if value >= 1 << 31 else super().judge_amount(value)

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail for it."""
        if isinstance(answer.body, dict) and "OVERFLOW" in str(answer.body.get("detail")):
            answer.status = FAILED
        return super().respond(call, answer)


class BusOddFilterFails(BusinessRules):
    """A status filter that is none of the four is answered with 500."""

    group = "schema"
    breaks = ("BUS-GEN-03", "BUS-LIST-16")

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail where the filter is refused."""
        if call.operation == "list_charges" and answer.status == INVALID:
            answer.status = FAILED
        return super().respond(call, answer)


class BusUnknownRouteFails(BusinessRules):
    """A path that does not exist is answered with 500."""

    group = "schema"
    breaks = ("BUS-GEN-03",)

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail where no route is found."""
        if not call.operation and answer.status == MISSING:
            answer.status = FAILED
        return super().respond(call, answer)


class BusPayoutsServed(BusinessRules):
    """A POST to the reserved payouts path succeeds."""

    group = "schema"
    breaks = ("BUS-GEN-07",)
    routes = (*BusinessRules.routes, ("POST", "/v1/business/payouts", "create_payout"))

    async def create_payout(self, call: Call) -> Answer:
        """Promise a payout."""
        return Answer(202, {"id": f"po_{call.access.account}", "status": "processing"})


class BusCreatedAtLate(BusinessRules):
    """A charge is dated a day ahead, and so is its expiry."""

    group = "schema"
    breaks = ("BUS-CHG-62",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Add a day to both."""
        view = super().charge_view(call, charge)
        return view | {name: later(view[name], days=1) for name in ("created_at", "expires_at")}


class BusLocalTimeLabelledUtc(BusinessRules):
    """Both timestamps are the time of Brasilia, with the Z of UTC."""

    group = "schema"
    breaks = ("BUS-CHG-62",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Take three hours from both."""
        view = super().charge_view(call, charge)
        return view | {name: later(view[name], hours=-3) for name in ("created_at", "expires_at")}


class BusLocalTimeOfNoZone(BusinessRules):
    """Both timestamps are the time of Brasilia, and name no zone."""

    group = "schema"
    breaks = ("BUS-CHG-62", "BUS-CHG-71")

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Take three hours from both, and the Z."""
        view = super().charge_view(call, charge)
        return view | {name: later(view[name], hours=-3).removesuffix("Z") for name in ("created_at", "expires_at")}


class BusQueryIsDatedAnew(BusinessRules):
    """A query dates a charge, and its expiry, a minute and a half later than the creation did."""

    group = "schema"
    breaks = ("BUS-CHG-66", "BUS-CHG-62", "BUS-CHG-34", "BUS-CHG-35")

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Shift both."""
        view = super().charge_view(call, charge)
        moves = {name: later(view[name], seconds=90) for name in ("created_at", "expires_at")}
        return view | moves if call.operation == "get_charge" else view


class BusPaidIsDatedAnew(BusinessRules):
    """A payment sets the created_at of its charge to the time of payment."""

    group = "schema"
    breaks = ("BUS-CHG-62", "BUS-LIST-08")

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Date a paid charge later."""
        view = super().charge_view(call, charge)
        return view | {"created_at": later(view["created_at"], seconds=7)} if charge["status"] == "paid" else view


def later(text: str, **more: float) -> str:
    """Shift a timestamp."""
    return (instant(text) + timedelta(**more)).astimezone(UTC).isoformat().replace("+00:00", "Z")
