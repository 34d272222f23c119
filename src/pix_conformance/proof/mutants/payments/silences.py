"""Events that are missing or wrong for some charges and transfers only: by what these carry, or by who asked."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

CREATED, PAID = "transaction_created", "transaction_paid"
SENT, COMPLETED = "transfer_created", "transfer_completed"
CNPJ_DIGITS, LARGE = 14, 100_000
OTHER = "E0000000020260101000000000000000"


class SilentAbout(PaymentsRules):
    """Sends no event of one name about some charges or transfers."""

    event: ClassVar[str] = ""

    @staticmethod
    def of(row: Row) -> object:
        """Judge whether it is one of these."""
        raise NotImplementedError

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        return not (event == self.event and self.of(row)) and super().should_emit(event, row)


class ForeignPaySends(PaymentsRules):
    """A pay by another account is refused with 404, and sends transaction_paid to the owner."""

    group = "isolation"
    breaks = ("PAY-EVT-18",)
    seen_in = ("PAY-ISO-02",)

    async def pay_charge(self, call: Call) -> Answer:
        """Send, then refuse."""
        try:
            return await super().pay_charge(call)
        except Refusal as refusal:
            for charge in self.store.rows("payments_charge", id=call.params["id"], status="pending"):
                told = charge | {"status": "paid"}
                self.send_event(PAID, told, self.event_payload(PAID, "transaction", told))
            raise refusal from None


class LargePaymentToldInReais(PaymentsRules):
    """The event of a payment of 1,000.00 and more has the amount in whole reais."""

    group = "events"
    breaks = ("PAY-EVT-48",)

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Divide."""
        large = event == PAID and row["amount"] >= LARGE
        return super().event_payload(event, kind, row | {"amount": row["amount"] // 100} if large else row)


class PlainPaymentToldOtherwise(PaymentsRules):
    """The event of a payment of a charge without postbackUrl has an endToEndId of its own."""

    group = "events"
    breaks = ("PAY-EVT-54",)

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Make another one."""
        plain = event == PAID and not row["postback_url"]
        return super().event_payload(event, kind, row | {"end_to_end_id": OTHER} if plain else row)


def about(event: str, of: Callable[[Row], object]) -> dict[str, object]:
    """Members of a class that is silent about some."""
    return {"event": event, "of": staticmethod(of)}


globals().update(
    family(__name__, "events", SilentAbout, {
        "DescribedChargeUnannounced": (
            "The creation of a charge with a description sends no event.",
            "PAY-EVT-01",
            about(CREATED, lambda row: row["description"]),
        ),
        "CompanysChargeUnannounced": (
            "The creation of a charge for a cnpj sends no event.",
            "PAY-EVT-01",
            about(CREATED, lambda row: len(row["payer_document"]) == CNPJ_DIGITS),
        ),
        "SplitChargeUnannounced": (
            "The creation of a charge with splits sends no event.",
            "PAY-EVT-01",
            about(CREATED, lambda row: row["splits"] not in {None, "", "[]"}),
        ),
        "LargePaymentUnannounced": (
            "A payment of 1,000.00 and more sends no event.",
            "PAY-EVT-02, seen in PAY-AUTH-11",
            about(PAID, lambda row: row["amount"] >= LARGE),
        ),
        "SmallestPaymentUnannounced": (
            "A payment of less than 100.00 sends no event.",
            "PAY-EVT-02, seen in PAY-SPL-17",
            about(PAID, lambda row: row["amount"] < LARGE // 10),
        ),
        "DescribedTransferUnannounced": (
            "The creation of a transfer with a description sends no event.",
            "PAY-EVT-03",
            about(SENT, lambda row: row["description"]),
        ),
        "TransferToPhoneUnannounced": (
            "The creation of a transfer to a phone sends no event.",
            "PAY-EVT-03, seen in PAY-CMP-01",
            about(SENT, lambda row: row["pix_key"].startswith("+")),
        ),
        "LargerTransferNotUpdated": (
            "The approval of a transfer of 4.00 and more sends no event.",
            "PAY-EVT-05, seen in PAY-TRF-65 PAY-CMP-01",
            about("transfer_updated", lambda row: row["amount"] >= 400),  # noqa: PLR2004  # its own
        ),
        "SmallTransferUnannounced": (
            "The creation of a transfer of less than 1.00 sends no event.",
            "PAY-EVT-03, seen in PAY-CMP-01",
            about(SENT, lambda row: row["amount"] < 100),  # noqa: PLR2004  # its own
        ),
        "LargeTransferUnannounced": (
            "The creation of a transfer of 10.00 or more sends no event.",
            "PAY-EVT-03",
            about(SENT, lambda row: row["amount"] >= 1000),  # noqa: PLR2004  # its own
        ),
        "LargeCompletionUnannounced": (
            "The completion of a transfer of 10.00 or more sends no event.",
            "PAY-EVT-04",
            about(COMPLETED, lambda row: row["amount"] >= 1000),  # noqa: PLR2004  # its own
        ),
        "DescribedCompletionUnannounced": (
            "The completion of a transfer with a description sends no event.",
            "PAY-EVT-04",
            about(COMPLETED, lambda row: row["description"]),
        ),
    }),
)  # fmt: skip
