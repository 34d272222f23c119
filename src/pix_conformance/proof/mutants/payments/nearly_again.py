"""Servers that are wrong only now and then, or only on another look."""

from base64 import urlsafe_b64decode
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.payments.tables import Accepts, passing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

MERCHANT = Access("merchant-a", "sandbox")
LITTLE = Decimal("0.01")


def _blank_host(value: object) -> bool:
    return value == "https://" or (isinstance(value, str) and value.startswith("https://exam "))


globals().update(
    family(__name__, "validation", Accepts, {
        "PostbackByBeginning": ("A charge's postbackUrl needs to begin like one only.", "PAY-CHG-19",
            passing("postbackUrl", _blank_host, None, "judge_charge_postback")),
        "TransferPostbackByBeginning": ("A transfer's postbackUrl needs to begin like one only.", "PAY-TRF-23",
            passing("postbackUrl", _blank_host, None, "judge_transfer_postback")),
    }),
)  # fmt: skip


class HookByBeginning(PaymentsRules):
    """The url of a webhook needs to begin with https only."""

    breaks = ("PAY-WH-04",)
    group = "validation"

    def judge_webhook_url(self, value: str) -> str | None:
        """Look at the scheme."""
        return None if value.startswith("https://") else super().judge_webhook_url(value)


class BodyOutOfArray(PaymentsRules):
    """A body in an array is taken out of it."""

    breaks = ("PAY-CHG-26", "PAY-TRF-26", "PAY-WH-17")
    group = "validation"

    def json_body(self, call: Call) -> Any:
        """Read its first element."""
        body = super().json_body(call)
        return body[0] if isinstance(body, list) and body else body


class JudgesLastItem(PaymentsRules):
    """Of several items only the last is looked at."""

    breaks = ("PAY-ITEM-08",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Leave the others out."""
        items = body.get("items") if isinstance(body, dict) else None
        return super().read_charge({**body, "items": items[-1:]} if isinstance(items, list) else body)


class JudgesFirstItem(PaymentsRules):
    """Of several items only the first is looked at."""

    breaks = (
        "PAY-ITEM-02",
        "PAY-ITEM-03",
        "PAY-ITEM-04",
        "PAY-ITEM-05",
        "PAY-ITEM-06",
        "PAY-ITEM-07",
        "PAY-ITEM-08",
        "PAY-ITEM-09",
        "PAY-ITEM-10",
        "PAY-ITEM-13",
    )
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Leave the others out."""
        items = body.get("items") if isinstance(body, dict) else None
        return super().read_charge({**body, "items": items[:1]} if isinstance(items, list) else body)


class EmailsWithTwoSigns(PaymentsRules):
    """An e-mail may hold blanks or a second sign: as a key, and of a customer."""

    breaks = ("PAY-CUS-20", "PAY-KEY-08")
    group = "validation"

    def judge_customer_email(self, value: str) -> str | None:
        """Look at the last sign alone."""
        return super().judge_customer_email(f"x@{value.rpartition('@')[2]}" if value[:1] != "@" else value)

    def is_email_key(self, value: str) -> bool:
        """Look at the last sign alone."""
        return super().is_email_key(f"x@{value.rpartition('@')[2]}" if value[:1] != "@" and "@" in value else value)


class PhoneWithoutPlus(PaymentsRules):
    """A phone as key needs no plus before its 55."""

    breaks = ("PAY-TRF-04",)
    group = "validation"

    def is_phone_key(self, value: str) -> bool:
        """Add it."""
        return super().is_phone_key(f"+{value.removeprefix('+')}")


class ReplayReopens(PaymentsRules):
    """A replay runs its transfer through the states again."""

    breaks = ("PAY-TRF-73",)
    group = "state"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Set it back."""
        answer = super().replay(call, earlier)
        if isinstance(answer.body, dict) and call.operation == "create_transfer":
            self.store.update("transfer", {"status": self.transfer_approved_status}, id=answer.body["data"]["id"])
        return answer


class HeadUncovered(PaymentsRules):
    """The signature of a token is held against the header that it should have, not the one that it has."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Put the header right."""
        head, _, rest = token.partition(".")
        own = self.make_token(MERCHANT).partition(".")[0]
        return super().read_token(f"{own}.{rest}" if b'"alg":"HS256"' in _text(head) else token)


class ChecksumWithoutZeros(PaymentsRules):
    """The checksum of the code loses its zeros in front."""

    breaks = ("PAY-CHG-52",)
    seen_in = ("PAY-IDEM-07",)
    group = "schema"

    def code(self, token: str, cents: int) -> str:
        """Write the number without its width."""
        whole = super().code(token, cents)
        return whole[:-4] + whole[-4:].lstrip("0")


def _text(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4)).replace(b" ", b"")


class JudgesFirstSplit(PaymentsRules):
    """Of several splits only the first is looked at."""

    breaks = ("PAY-SPL-04", "PAY-SPL-05", "PAY-SPL-07", "PAY-SPL-09", "PAY-SPL-13", "PAY-SPL-17")
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Leave the others out."""
        splits = body.get("splits") if isinstance(body, dict) else None
        return super().read_charge({**body, "splits": splits[:1]} if isinstance(splits, list) else body)


globals().update(
    family(__name__, "validation", Accepts, {
        "AmountAlmostWhole": ("A charge's amount may be a little more than a whole one.", "PAY-CHG-04",
            passing("amountInCents", lambda value: isinstance(value, Decimal) and value % 1 < LITTLE, 1050)),
        "AmountOutOfArray": ("A charge's amount is taken out of an array of one number.", "PAY-CHG-03",
            passing("amountInCents", lambda value: isinstance(value, list) and value == [1050], 1050)),
    }),
)  # fmt: skip
