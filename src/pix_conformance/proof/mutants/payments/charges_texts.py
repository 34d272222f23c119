"""Mutants of PAY-CHG: description and postbackUrl of a charge."""

import html
import unicodedata
from typing import Any

from pix_conformance.proof.mutants.operators.payments.fields import (
    CHARGE_BACK,
    CHARGE_TEXT,
    NUMBERS,
    Accepts,
    Refuses,
    a,
    anything,
    failing,
    is_path,
    passing,
    with_blank_in_host,
    without_scheme,
)
from pix_conformance.proof.mutants.operators.payments.refusals import CREATE_CHARGE
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules

LIMIT = 140


globals().update(
    family(__name__, "limits", Refuses, {
        "RefusesDescription": ("A charge with a description is refused.", "PAY-CHG-10 PAY-CHG-12",
            failing("description", anything, CHARGE_TEXT)),
        "PostbackMayNotAsk": ("A charge's postbackUrl may have no query.", "PAY-CHG-17",
            failing("postbackUrl", lambda value: "?" in value, "judge_charge_postback")),
        "RefusesPostback": ("A charge with a postbackUrl is refused.", "PAY-CHG-17",
            failing("postbackUrl", anything, CHARGE_BACK)),
    })
)  # fmt: skip


def _words(value: Any) -> bool:
    """Judge whether it is a text that no reading takes for an address."""
    return isinstance(value, str) and ("@" not in value and ":" not in value)


globals().update(
    family(__name__, "validation", Accepts, {
        "DescriptionFromNumber": ("A charge's description that is a number is written out.", "PAY-CHG-11",
            passing("description", NUMBERS, "7", CHARGE_TEXT)),
        "DescriptionFromBoolean": ("A charge's description that is a boolean is written out.", "PAY-CHG-11",
            passing("description", a(bool), "true", CHARGE_TEXT)),
        "DescriptionFromObject": ("A charge's description that is an object or array is kept as JSON.", "PAY-CHG-11",
            passing("description", a(dict, list), "{}", CHARGE_TEXT)),
        "PostbackFromNumber": ("A charge's postbackUrl that is a number is ignored.", "PAY-CHG-18",
            passing("postbackUrl", NUMBERS, None, CHARGE_BACK)),
        "PostbackFromArray": ("A charge's postbackUrl may be an array of addresses.", "PAY-CHG-18",
            passing("postbackUrl", a(list), None, CHARGE_BACK)),
        "PostbackFromBoolean": ("A charge's postbackUrl may be switched off by false.", "PAY-CHG-18",
            passing("postbackUrl", a(bool), None, CHARGE_BACK)),
        "PostbackWithoutScheme": ("A charge's postbackUrl may leave out its scheme.", "PAY-CHG-19",
            passing("postbackUrl", without_scheme, None, CHARGE_BACK)),
        "PostbackPath": ("A charge's postbackUrl may be a path.", "PAY-CHG-19",
            passing("postbackUrl", is_path, None, CHARGE_BACK)),
        "PostbackByBeginning": ("A charge's postbackUrl needs to begin like one only.", "PAY-CHG-19",
            passing("postbackUrl", with_blank_in_host, None, "judge_charge_postback")),
        "PostbackAnyText": ("A charge's postbackUrl is not checked to be a URI.", "PAY-CHG-19",
            passing("postbackUrl", _words, None, CHARGE_BACK)),
    })
)  # fmt: skip


class ChargeDescriptionEscaped(PaymentsRules):
    """The description of a charge is counted after it was escaped for HTML."""

    breaks = ("PAY-CHG-12",)
    group = "limits"

    def judge_charge_description(self, value: str) -> str | None:
        """Escape it."""
        return super().judge_charge_description(html.escape(value))


class DescriptionOf139(PaymentsRules):
    """A charge's description of 140 characters is refused."""

    breaks = ("PAY-CHG-12",)
    group = "limits"
    charge_description_limit = 139


class DescriptionOfBytes(PaymentsRules):
    """The 140 characters of a charge's description are counted in bytes."""

    breaks = ("PAY-CHG-12",)
    group = "limits"

    def judge_charge_description(self, value: str) -> str | None:
        """Count the bytes."""
        return super().judge_charge_description("x" * len(value.encode()))


class DescriptionDecomposed(PaymentsRules):
    """The 140 characters of a charge's description are counted after its accents were taken off the letters."""

    breaks = ("PAY-CHG-12",)
    group = "limits"

    def judge_charge_description(self, value: str) -> str | None:
        """Count letters and accents."""
        return super().judge_charge_description(unicodedata.normalize("NFD", value))


class WideDescriptionBreaks(PaymentsRules):
    """A description that is too long ends in a 500, from the database."""

    breaks = ("PAY-CHG-13", "PAY-ERR-12")
    group = "error bodies"

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Fail instead of refusing."""
        answer = super().respond(call, answer)
        long = call.operation == CREATE_CHARGE and "at most 140" in str(answer.body)
        return Answer(500, {"error": "INTERNAL", "message": "value too long for type"}) if long else answer


class DescriptionOf141(PaymentsRules):
    """A charge's description of 141 characters is accepted."""

    breaks = ("PAY-CHG-13",)
    group = "limits"
    charge_description_limit = 141


class DescriptionOf255(PaymentsRules):
    """A charge's description has the length of its column only."""

    breaks = ("PAY-CHG-13",)
    group = "limits"
    charge_description_limit = 255


class DescriptionCut(PaymentsRules):
    """A charge's description that is too long is cut instead of refused."""

    breaks = ("PAY-CHG-13",)
    group = "limits"

    def judge_charge_description(self, value: str) -> str | None:
        """Cut, then judge."""
        return super().judge_charge_description(value[:LIMIT])


class DescriptionOfAscii(PaymentsRules):
    """A charge's description is counted without the letters that ASCII lacks."""

    breaks = ("PAY-CHG-13",)
    group = "limits"

    def judge_charge_description(self, value: str) -> str | None:
        """Drop them, then count."""
        return super().judge_charge_description(value.encode("ascii", "ignore").decode())


class CountsBlanksOnce(PaymentsRules):
    """A run of blanks counts as one character of a description."""

    breaks = ("PAY-CHG-13", "PAY-TRF-20")
    group = "limits"

    def judge_charge_description(self, value: str) -> str | None:
        """Draw blanks together."""
        return super().judge_charge_description(" ".join(value.split()))

    def judge_transfer_description(self, value: str) -> str | None:
        """Draw blanks together."""
        return super().judge_transfer_description(" ".join(value.split()))
