"""Mutants of BUS-CHG: expires_in_seconds of a creation, and the expiry that follows."""

from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.operators.business.fields import OfProduction, ReadsOtherwise, a, is_digits, reading
from pix_conformance.proof.mutants.operators.business.refusals import RefusesOtherwise, limit_of, refusing
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.store import Row

LONGEST_S = 86_401
DAY_S = 86_400
HOUR_S = 3_600


def _without_life(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "expires_in_seconds"}


def _is_a_players(body: dict[str, Any]) -> bool:
    life = body.get("expires_in_seconds")
    return "customer_email" in body and type(life) is int and life in range(60, 86_401)


globals().update(
    family(__name__, "validation", ReadsOtherwise, {
        "BusExpiryDigitsAccepted": (
            "An expires_in_seconds given as a string of digits is converted.",
            "BUS-CHG-28",
            reading("expires_in_seconds", is_digits, int),
        ),
        "BusExpiryMistypedIgnored": (
            "An expires_in_seconds of another type than a number is ignored.",
            "BUS-CHG-28",
            reading("expires_in_seconds", a(str, list, dict), None),
        ),
        "BusExpiryCutOff": (
            "A fraction of a second is cut off.",
            "BUS-CHG-29",
            reading("expires_in_seconds", a(Decimal), int),
        ),
        "BusExpiryFractionIgnored": (
            "An expires_in_seconds with a fraction is replaced by the default.",
            "BUS-CHG-29",
            reading("expires_in_seconds", a(Decimal), None),
        ),
        "BusVeryLongExpiryIsLowered": (
            "An expiry far beyond a day is lowered to a day.",
            "BUS-CHG-33",
            reading("expires_in_seconds", lambda value: type(value) is int and value > LONGEST_S, LONGEST_S - 1),
        ),
        "BusPlayersChargeLivesAnHour": (
            "A charge with an e-mail lives an hour, whatever was asked for.",
            "BUS-CHG-35, seen in BUS-EXP-01",
            {"change": staticmethod(lambda body: _without_life(body) if _is_a_players(body) else body)},
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "limits", BusinessRules, {
        "BusExpiryFrom61": ("An expiry of 60 seconds is refused.", "BUS-CHG-30", {"shortest_expiry": 61}),
        "BusExpiryFromFiveMinutes": ("The shortest expiry is 300.", "BUS-CHG-30", {"shortest_expiry": 300}),
        "BusExpiryFrom59": ("An expiry of 59 seconds is accepted.", "BUS-CHG-31", {"shortest_expiry": 59}),
        "BusExpiryFromOne": ("Any expiry above zero is accepted.", "BUS-CHG-31", {"shortest_expiry": 1}),
        "BusExpiryTo86399": ("An expiry of a whole day is refused.", "BUS-CHG-32", {"longest_expiry": 86_399}),
        "BusExpiryToAnHour": ("The longest expiry is an hour.", "BUS-CHG-32", {"longest_expiry": 3600}),
        "BusExpiryTo86401": ("An expiry of 86401 seconds is accepted.", "BUS-CHG-33", {"longest_expiry": 86_401}),
        "BusExpiryToAWeek": ("The longest expiry is a week.", "BUS-CHG-33", {"longest_expiry": 604_800}),
        "BusDefaultHalfHour": ("A charge lives half an hour by default.", "BUS-CHG-34", {"default_expiry": 1800}),
        "BusDefaultDay": ("A charge lives a day by default.", "BUS-CHG-34", {"default_expiry": 86_400}),
        "BusDefaultTenSecondsMore": ("A charge lives 3610 seconds by default.", "BUS-CHG-34", {"default_expiry": 3610}),
    })
)  # fmt: skip


def number(judge: Any) -> Any:
    """Make a judge of whole numbers."""
    return lambda value: type(value) is int and judge(value)


globals().update(
    family(__name__, "limits", ReadsOtherwise, {
        "BusShortExpiryIsRaised": (
            "An expiry that is too short is raised to 60 seconds.",
            "BUS-CHG-31",
            reading("expires_in_seconds", number(lambda seconds: seconds < 60), 60),
        ),
        "BusNegativeExpiryIsDefault": (
            "An expiry of zero or less means the default.",
            "BUS-CHG-31",
            reading("expires_in_seconds", number(lambda seconds: seconds <= 0), None),
        ),
        "BusLongExpiryIsLowered": (
            "An expiry that is too long is lowered to a day.",
            "BUS-CHG-33",
            reading("expires_in_seconds", number(lambda seconds: seconds > 86_400), 86_400),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "validation", RefusesOtherwise, {
        "BusExpiryIs409": (
            "An expires_in_seconds beyond its limits is answered with 409.",
            "BUS-CHG-31 BUS-CHG-33",
            refusing("invalid", "create_charge", 409, limit_of("expires_in_seconds")),
        ),
    })
)  # fmt: skip


def shows(change: Any) -> dict[str, Any]:
    """Members of a class that gives a charge another life than was asked for: a function of the seconds."""

    def new_charge(rules: Any, access: Access, read: dict[str, Any]) -> Row:
        seconds = change(read["expires_in_seconds"])
        return BusinessRules.new_charge(rules, access, read | {"expires_in_seconds": seconds})

    return {"new_charge": new_charge}


globals().update(
    family(__name__, "time", BusinessRules, {
        "BusExpiryInMinutes": (
            "The seconds are taken for minutes.", "BUS-CHG-34 BUS-CHG-35", shows(lambda seconds: seconds * 60),
        ),
        "BusExpiryTenSecondsOff": (
            "A charge lives ten seconds longer than was asked.",
            "BUS-CHG-34 BUS-CHG-35",
            shows(lambda seconds: seconds + 10),
        ),
        "BusExpiryIgnored": (
            "Whatever expires_in_seconds says, a charge lives an hour.", "BUS-CHG-35", shows(lambda _: 3600),
        ),
        "BusExpiryCapped": (
            "A charge lives an hour at most.", "BUS-CHG-35", shows(lambda seconds: min(seconds, 3600)),
        ),
        "BusExpiryWholeMinutes": (
            "Of the life of a charge only whole minutes count.",
            "BUS-CHG-35",
            shows(lambda seconds: seconds // 60 * 60),
        ),
        "BusLongestLifeIgnored": (
            "A charge that is to live 86400 seconds lives an hour.",
            "BUS-CHG-35",
            shows(lambda seconds: HOUR_S if seconds == DAY_S else seconds),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "isolation", OfProduction, {
        "BusLiveLivesADay": (
            "A production charge lives a day by default.",
            "BUS-CHG-34",
            {"change": staticmethod(lambda row: {"expires_at": row["created_at"] + DAY_S})},
        ),
    })
)  # fmt: skip
