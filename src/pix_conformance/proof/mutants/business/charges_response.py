"""Mutants of BUS-CHG: the fields of a charge in responses."""

import uuid
from datetime import timedelta, timezone
from typing import Any

from pix_conformance.proof.mutants.operators.business.responses import (
    BOTH,
    ChangesAnswers,
    ShowsDone,
    in_answers,
    instant,
    later,
    once_in,
    sent,
)
from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Call
from pix_conformance.reference.store import Row

BRASILIA = timezone(timedelta(hours=-3))
SHAPES = {
    # name, member, route, what becomes of it, what that breaks, in words
    "BusIdMissing": ("id", "get_charge", GONE, "BUS-CHG-45", "The query of a charge does not repeat the id."),
    "BusIdMissingOnCreation": ("id", "create_charge", GONE, "BUS-CHG-01 BUS-CHG-45", "A creation answers no id."),
    "BusStatusMissing": ("status", "create_charge", GONE, "BUS-CHG-46", "A creation does not answer the status."),
    "BusStatusNull": ("status", "create_charge", None, "BUS-CHG-46", "The status of a new charge is null."),
    "BusStatusNumber": ("status", "create_charge", 0, "BUS-CHG-46", "The status of a new charge is a number."),
    "BusStatusObject": (
        "status", "get_charge", lambda text: {"code": text}, "BUS-CHG-46", "A query shows the status as an object.",
    ),
    "BusAmountMissing": ("amount_cents", "get_charge", GONE, "BUS-CHG-47", "A query leaves the amount out."),
    "BusAmountText": ("amount_cents", BOTH, str, "BUS-CHG-47 BUS-GEN-01", "The amount of a charge is a text."),
    "BusAmountTextOnQuery": (
        "amount_cents", "get_charge", str, "BUS-CHG-47 BUS-GEN-01", "A query shows the amount as a string of digits.",
    ),
    "BusAmountInReais": (
        "amount_cents", "get_charge", lambda cents: cents / 100, "BUS-CHG-47 BUS-CHG-56 BUS-GEN-01",
        "A query shows the amount in reais, with a fraction.",
    ),
    "BusAmountHundredfold": (
        "amount_cents", "get_charge", lambda cents: cents * 100, "BUS-CHG-56",
        "A query takes the stored cents for reais and shows a hundred times as much.",
    ),
    "BusAmountOffByOne": (
        "amount_cents", "create_charge", lambda cents: cents + 1, "BUS-CHG-56", "A creation answers one cent more.",
    ),
    "BusAmountThroughFloat": (
        "amount_cents", BOTH, lambda cents: int(cents / 100 * 100), "BUS-CHG-56",
        "The amount goes through binary reais and is cut off: 29 becomes 28.",
    ),
    "BusAmountSinglePrecision": (
        "amount_cents", BOTH, lambda cents: cents if cents < 1 << 24 else cents & ~1, "BUS-CHG-56",
        "The amount is kept in single precision: odd cents beyond 16777216 are lost.",
    ),
    "BusAmountOf16Bits": (
        "amount_cents", BOTH, lambda cents: cents & 0xFFFF, "BUS-CHG-56", "The amount wraps around at 65536.",
    ),
    "BusDescriptionArray": (
        "description", "get_charge", sent(list), "BUS-CHG-48 BUS-CHG-57", "A query shows the description as letters.",
    ),
    "BusDescriptionNumber": (
        "description", BOTH, sent(len), "BUS-CHG-48 BUS-CHG-57", "The length stands in place of the description.",
    ),
    "BusRefObject": (
        "external_ref", "create_charge", sent(lambda text: {"value": text}), "BUS-CHG-49 BUS-CHG-58",
        "A creation wraps the external_ref into an object.",
    ),
    "BusRefOfDigitsNumber": (
        "external_ref", "get_charge", sent(lambda text: int(text) if text.isdecimal() else text),
        "BUS-CHG-49 BUS-CHG-58", "A query shows an external_ref of digits as a number.",
    ),
    "BusEmailArray": (
        "customer_email", "get_charge", sent(lambda text: [text]), "BUS-CHG-50 BUS-CHG-59",
        "A query shows the e-mail in an array.",
    ),
    "BusEmailBoolean": (
        "customer_email", "create_charge", lambda text: text is not None, "BUS-CHG-50 BUS-CHG-59",
        "A creation only says whether there is an e-mail.",
    ),
    "BusCodeMissing": ("qr_code", "get_charge", GONE, "BUS-CHG-51", "Only the creation shows the code."),
    "BusCodeNull": ("qr_code", "get_charge", None, "BUS-CHG-51", "A query shows null for the code."),
    "BusCodeObject": (
        "qr_code", BOTH, lambda text: {"emv": text}, "BUS-CHG-51", "The code is wrapped into an object.",
    ),
    "BusE2eNumber": (
        "e2e_id", "get_charge", sent(lambda text: int(text[9:21])), "BUS-CHG-52 BUS-PAY-11",
        "The e2e_id of a paid charge is a number.",
    ),
    "BusE2eObject": ("e2e_id", BOTH, lambda text: text or {}, "BUS-CHG-52", "An unpaid charge has {} for e2e_id."),
    "BusE2eFalse": (
        "e2e_id", BOTH, lambda text: text or False, "BUS-CHG-52", "An unpaid charge has false for e2e_id.",
    ),
    "BusProviderMissing": ("provider", "get_charge", GONE, "BUS-CHG-53", "A query does not name the provider."),
    "BusProviderNull": ("provider", "create_charge", None, "BUS-CHG-53", "The provider of a new charge is null."),
    "BusProviderObject": (
        "provider", BOTH, lambda text: {"name": text}, "BUS-CHG-53", "The provider is an object with a name.",
    ),
    "BusProviderId": ("provider", "get_charge", 7, "BUS-CHG-53", "A query shows the provider's number."),
}  # fmt: skip
MOMENTS = {
    "Missing": (GONE, "is missing"),
    "Null": (None, "is null"),
    "Epoch": (lambda text: int(instant(text).timestamp()), "is a number of seconds"),
    "Local": (lambda text: instant(text).astimezone(BRASILIA).isoformat(), "is written in the time of Brasilia"),
    "InWords": (lambda text: instant(text).strftime("%a, %d %b %Y %H:%M:%S GMT"), "is written as in a mail"),
    "DateOnly": (lambda text: text[:10], "is a date without a time"),
}
"""Ways to write a moment that are no ISO 8601 timestamp in UTC."""


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
        "BusProviderChanges": (
            "The provider of a query is another than that of the creation.",
            "BUS-CHG-66",
            in_answers("get_charge", "provider", "fallback"),
        ),
        "BusExpiresAtOfNoZone": (
            "The expires_at does not say that it is UTC.",
            "BUS-CHG-71",
            in_answers(BOTH, "expires_at", lambda text: text.removesuffix("Z")),
        ),
        "BusCreatedAtOfNoZone": (
            "The created_at does not say that it is UTC.",
            "BUS-CHG-71",
            in_answers(BOTH, "created_at", lambda text: text.removesuffix("Z")),
        ),
    })
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


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        name: (words, ids, in_answers(routes, member, change))
        for name, (member, routes, change, ids, words) in SHAPES.items()
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        f"BusExpiresAt{name}": (f"The expires_at {words}.", "BUS-CHG-54", in_answers(BOTH, "expires_at", change))
        for name, (change, words) in MOMENTS.items()
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        f"BusCreatedAt{name}": (f"The created_at {words}.", "BUS-CHG-55", in_answers(BOTH, "created_at", change))
        for name, (change, words) in MOMENTS.items()
    })
)  # fmt: skip


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


class BusPaidIsDatedAnew(BusinessRules):
    """A payment sets the created_at of its charge to the time of payment."""

    group = "schema"
    breaks = ("BUS-CHG-62", "BUS-LIST-08")

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Date a paid charge later."""
        view = super().charge_view(call, charge)
        return view | {"created_at": later(view["created_at"], seconds=7)} if charge["status"] == "paid" else view


class BusCodeRedrawn(BusinessRules):
    """Each query makes a code of its own."""

    group = "schema"
    breaks = ("BUS-CHG-66", "BUS-CHG-69")

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Draw it again."""
        view = super().charge_view(call, charge)
        drawn = {"qr_code": self.code(uuid.uuid4().hex, charge["amount"])}
        return view | drawn if call.operation == "get_charge" else view


class BusQueryIsDatedAnew(BusinessRules):
    """A query dates a charge, and its expiry, a minute and a half later than the creation did."""

    group = "schema"
    breaks = ("BUS-CHG-66", "BUS-CHG-62", "BUS-CHG-34", "BUS-CHG-35")

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Shift both."""
        view = super().charge_view(call, charge)
        moves = {name: later(view[name], seconds=90) for name in ("created_at", "expires_at")}
        return view | moves if call.operation == "get_charge" else view


globals().update(
    family(__name__, "schema", ShowsDone, {
        "BusCodeEmptyOnExpiry": (
            "An expired charge has an empty code.", "BUS-CHG-66", once_in("expired", qr_code=""),
        ),
        "BusCodeEmptyOnCancel": (
            "A canceled charge has an empty code.", "BUS-CHG-66", once_in("canceled", qr_code=""),
        ),
    })
)  # fmt: skip
