"""Charges of a wrong shape: members missing or of another type."""

from datetime import datetime, timedelta, timezone
from typing import Any

from pix_conformance.proof.mutants.business.tables import ChangesAnswers, in_answers
from pix_conformance.proof.mutants.tabled import GONE, family

BOTH = "create_charge get_charge"
BRASILIA = timezone(timedelta(hours=-3))


def instant(text: str) -> datetime:
    """Read a timestamp of the reference."""
    return datetime.fromisoformat(text)


def sent(change: Any) -> Any:
    """Apply a change to texts only: what was not given stays null."""
    return lambda value: change(value) if isinstance(value, str) else value


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
        name: (words, ids, in_answers(routes, member, change))
        for name, (member, routes, change, ids, words) in SHAPES.items()
    }),
    **family(__name__, "schema", ChangesAnswers, {
        f"BusExpiresAt{name}": (f"The expires_at {words}.", "BUS-CHG-54", in_answers(BOTH, "expires_at", change))
        for name, (change, words) in MOMENTS.items()
    }),
    **family(__name__, "schema", ChangesAnswers, {
        f"BusCreatedAt{name}": (f"The created_at {words}.", "BUS-CHG-55", in_answers(BOTH, "created_at", change))
        for name, (change, words) in MOMENTS.items()
    }),
    **family(__name__, "schema", ChangesAnswers, {
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
    }),
)  # fmt: skip
