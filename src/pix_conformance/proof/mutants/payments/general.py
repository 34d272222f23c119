"""Mutants of PAY-GEN: what holds for every route."""

from datetime import UTC, datetime
from typing import Any

from pix_conformance.proof.mutants.operators.payments.ids import INTERNAL, ChokesOnIds, choking_on
from pix_conformance.proof.mutants.operators.payments.responses import ChangesAnswers, in_answers
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class AnswersPlainText(PaymentsRules):
    """The balance is JSON, but labelled text/plain."""

    breaks = ("PAY-GEN-01",)
    group = "schema"

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label that one route."""
        wrong = {"content-type": "text/plain"} if call.operation == "get_balance" else {}
        return super().headers(call, answer) | wrong


class ErrorsLabelledHtml(PaymentsRules):
    """Errors are JSON, but labelled text/html."""

    breaks = ("PAY-GEN-01",)
    group = "schema"

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label the errors."""
        wrong = {"content-type": "text/html"} if answer.status >= 400 else {}
        return super().headers(call, answer) | wrong


class ProblemJson(PaymentsRules):
    """Errors are labelled application/problem+json."""

    breaks = ("PAY-GEN-01",)
    group = "schema"

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Label the errors."""
        wrong = {"content-type": "application/problem+json"} if answer.status >= 400 else {}
        return super().headers(call, answer) | wrong


class TransferWithoutOffset(PaymentsRules):
    """Dates of a transfer lack the offset."""

    breaks = ("PAY-GEN-05",)
    group = "time"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Cut it off."""
        view = super().transfer_view(transfer)
        return view | {"createdAt": view["createdAt"].rstrip("Z"), "updatedAt": view["updatedAt"].rstrip("Z")}


class HookWithBlankDate(PaymentsRules):
    """The createdAt of a webhook is written as a database prints it, without an offset."""

    breaks = ("PAY-GEN-05",)
    group = "time"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Print it so."""
        text = datetime.fromtimestamp(hook["created_at"], UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        return super().webhook_view(call, hook) | {"createdAt": text}


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "SuccessFalseInQuery": (
            "The query of a charge answers success: false.",
            "PAY-GEN-06",
            in_answers("get_charge", "success", False),  # noqa: FBT003 - a value in JSON, no flag
        ),
        "SuccessFalseInRemoval": (
            "The removal of a webhook answers success: false, and removes it.",
            "PAY-GEN-06",
            in_answers("delete_webhook", "success", False),  # noqa: FBT003 - a value in JSON, no flag
        ),
        "SuccessFalseInBalance": (
            "The balance answers success: false.",
            "PAY-GEN-06",
            in_answers("get_balance", "success", False),  # noqa: FBT003 - a value in JSON, no flag
        ),
    })
)  # fmt: skip


class NulBlocksQueries(PaymentsRules):
    """After the query of a charge by an id with a NUL, no charge is queried any more."""

    breaks = ("PAY-GEN-15",)
    group = "state"

    async def get_charge(self, call: Call) -> Answer:
        """Stay broken."""
        blocked = self.__dict__.setdefault("blocked", [])
        if "\0" in call.params["id"]:
            blocked.append(call)
        elif blocked:
            return Answer(INTERNAL.status, INTERNAL.body)
        return await super().get_charge(call)


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "NulBreaksChargeQuery": ("The query of a charge by an id with a NUL ends in a 500.",
            "PAY-GEN-16", choking_on("get_charge", lambda number: "\0" in number)),
        "SlashBreaksTransferQuery": ("The query of a transfer by an id with an encoded slash ends in a 500.",
            "PAY-GEN-16", choking_on("get_transfer", lambda number: "/" in number)),
        "OtherBytesBreakQueries": ("A query by an id that is no UTF-8 ends in a 500.",
            "PAY-GEN-16", choking_on("get_charge get_transfer", lambda number: "\ufffd" in number)),
    })
)  # fmt: skip
