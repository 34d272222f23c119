"""Servers wrong of what is older, or of when something happened."""

from typing import Any

from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

YOUNG_S, TEN_MINUTES_S, BRASILIA_S = 45, 600, 10_800
AGAIN_S, SOON_S = 2.5, 2.0
APPROVAL = ("pending", "manual_analysis")


class ProductionTokensLast(PaymentsRules):
    """Tokens of production live ten minutes."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Be generous with them."""
        long = claims["environment"] != "sandbox" and self.clock.now() - claims["iat"] < TEN_MINUTES_S
        return not long and super().is_expired(claims)


class TokensOfOneAccountLast(PaymentsRules):
    """Tokens of one of the accounts never expire."""

    breaks = ("PAY-AUTH-10",)
    group = "time"

    def is_expired(self, claims: dict[str, Any]) -> bool:
        """Trust it."""
        return claims["sub"] != "merchant-b" and super().is_expired(claims)


class OldChargeUnpayable(PaymentsRules):
    """A charge older than 45 s cannot be paid, though it is shown as pending."""

    breaks = ("PAY-PAYS-01",)
    group = "time"

    def may_pay(self, charge: Row) -> bool:
        """Look at its age."""
        return self.clock.now() - charge["created_at"] < YOUNG_S and super().may_pay(charge)


class OldTransferIncompletable(PaymentsRules):
    """A transfer older than 45 s cannot be completed, though it is not over."""

    breaks = ("PAY-CMP-01",)
    group = "time"

    def may_complete(self, transfer: Row) -> bool:
        """Look at its age."""
        return self.clock.now() - transfer["created_at"] < YOUNG_S and super().may_complete(transfer)


class ProcessedWhenCreated(PaymentsRules):
    """The processedAt of a completed transfer is the time of its creation."""

    breaks = ("PAY-TRF-79",)
    group = "time"

    def transfer_view(self, transfer: Row) -> Row:
        """Show that."""
        processed = transfer["processed_at"] and transfer["created_at"]
        return super().transfer_view(transfer | {"processed_at": processed})


class ProcessedInBrasilia(PaymentsRules):
    """The processedAt of a transfer is the time of Brasilia, said to be UTC."""

    breaks = ("PAY-TRF-79",)
    group = "time"

    def transfer_view(self, transfer: Row) -> Row:
        """Take three hours off."""
        processed = transfer["processed_at"] and transfer["processed_at"] - BRASILIA_S
        return super().transfer_view(transfer | {"processed_at": processed})


class NeverUpdated(PaymentsRules):
    """The updatedAt of a transfer stays that of its creation."""

    breaks = ("PAY-TRF-81",)
    group = "time"

    def transfer_view(self, transfer: Row) -> Row:
        """Show that."""
        return super().transfer_view(transfer | {"updated_at": transfer["created_at"]})


class CompletedGoesOn(PaymentsRules):
    """A completed transfer is in bank processing again, a few seconds after its completion."""

    breaks = ("PAY-TRF-73",)
    group = "state"

    def transfer_view(self, transfer: Row) -> Row:
        """Show that."""
        old = transfer["processed_at"] and self.clock.now() - transfer["processed_at"] > AGAIN_S
        return super().transfer_view(transfer | ({"status": "banking_processing"} if old else {}))


class JobTakesCompletionBack(PaymentsRules):
    """A transfer completed within two seconds of its creation is in bank processing again, a few seconds later."""

    breaks = ("PAY-TRF-73",)
    seen_in = ("PAY-CMP-01",)
    group = "state"

    def transfer_view(self, transfer: Row) -> Row:
        """Show that."""
        done = transfer["processed_at"]
        hasty = done and done - transfer["created_at"] < SOON_S and self.clock.now() - done > AGAIN_S
        return super().transfer_view(transfer | ({"status": "banking_processing"} if hasty else {}))


class RefusedCompletionCompletes(PaymentsRules):
    """A completion that is refused for the approval takes effect all the same."""

    breaks = ("PAY-CMP-19",)
    group = "state"

    async def complete_transfer(self, call: Call) -> Answer:
        """Complete it beside the refusal."""
        transfer = self.owned(call, "transfer", call.params["id"])
        if transfer["status"] in APPROVAL:
            self.store.update("transfer", self.completed_changes(transfer), id=transfer["id"])
            raise self.not_completable(transfer)
        return await super().complete_transfer(call)
