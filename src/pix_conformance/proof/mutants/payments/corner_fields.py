"""Servers that are wrong about a field, or about the words of a refusal, in a corner."""

from typing import Any

from pix_conformance.proof.mutants.payments.tables import Refuses, failing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

globals().update(
    family(__name__, "limits", Refuses, {
        "EmailOfSmallLetters": ("A customer's email may have no capitals.", "PAY-CUS-18",
            failing("customer.email", lambda value: value != value.lower())),
        "PostbackMayNotAsk": ("A charge's postbackUrl may have no query.", "PAY-CHG-17",
            failing("postbackUrl", lambda value: "?" in value, "judge_charge_postback")),
    })
)  # fmt: skip


class SumOfDistinctEmails(PaymentsRules):
    """Of several splits to one company only the last is added."""

    breaks = ("PAY-SPL-13",)
    group = "limits"

    def judge_splits(self, splits: list[dict[str, Any]]) -> str | None:
        """Keep one for each address."""
        return super().judge_splits(list({one["email"]: one for one in splits}.values()))


class DocumentNamedByItsType(PaymentsRules):
    """The message of a refused document names documentType."""

    breaks = ("PAY-ERR-08",)
    group = "error bodies"

    def field_message(self, path: str, words: str) -> str:
        """Name the neighbour."""
        return super().field_message("customer.documentType" if path == "customer.document" else path, words)


class CompletionOfEmptyEndToEndId(PaymentsRules):
    """The endToEndId in the answer of a completion is an empty text."""

    breaks = ("PAY-CMP-07", "PAY-EVT-73", "PAY-TRF-69")
    group = "schema"

    def complete_view(self, transfer: Row) -> dict[str, Any]:
        """Leave it to the event."""
        return super().complete_view(transfer) | {"endToEndId": ""}


class ExpiredOfAnotherCode(PaymentsRules):
    """The code of a 401 for an expired token is TOKEN_EXPIRED; that of other ones is right."""

    breaks = ("PAY-ERR-05",)
    seen_in = ("PAY-AUTH-10",)
    group = "error bodies"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Refuse it here."""
        if super().is_expired(claims):
            raise self.unauthorized("token is expired")
        return False

    def error_code(self, refusal: Refusal) -> str:
        """Know it by its words."""
        return "TOKEN_EXPIRED" if refusal.message == "token is expired" else super().error_code(refusal)


class ForbiddenWithoutCode(PaymentsRules):
    """A 403 has a message only."""

    breaks = ("PAY-ERR-02",)
    group = "error bodies"

    def error_body(self, refusal: Refusal) -> Any:
        """Leave the code out."""
        body = super().error_body(refusal)
        return {"message": body["message"]} if refusal.kind == "forbidden" else body
