"""Servers that are right at first, and wrong of what has grown old or lost its end."""

from typing import Any

import jwt

from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

OLD, DOTS = 40, 2


class TokenGivenAgain(PaymentsRules):
    """A token is given again as long as it lives, with the promise of a whole minute."""

    breaks = ("PAY-AUTH-09",)
    group = "time"

    def make_token(self, access: Access) -> str:
        """Look for one that is still valid."""
        kept = self.__dict__.setdefault("kept_tokens", {})
        claims = self.read_token(kept[access]) if access in kept else None
        if claims is None or self.is_expired(claims):
            kept[access] = super().make_token(access)
        return str(kept[access])


class AcceptsEmptySignature(PaymentsRules):
    """A token whose signature was taken off is not verified."""

    breaks = ("PAY-AUTH-13",)
    group = "auth"

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Look at a signature only if there is one."""
        if not token.endswith(".") or token.count(".") != DOTS:
            return super().read_token(token)
        return dict(jwt.decode(token, options={"verify_signature": False}))


class ChargesVanish(PaymentsRules):
    """A charge that nobody pays is no longer found after a while."""

    breaks = ("PAY-CHG-70",)
    seen_in = ("PAY-PAYS-01",)
    group = "time"
    table, open_status = "payments_charge", "pending"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look at its age."""
        row = super().owned(call, table, number)
        if table == self.table and row["status"] == self.open_status and self.clock.now() - row["created_at"] > OLD:
            raise self.not_found(call)
        return row


class TransfersVanish(ChargesVanish):
    """A transfer that nobody completes is no longer found after a while."""

    breaks = ("PAY-TRF-50",)
    seen_in = ("PAY-AUTH-10",)
    group = "time"
    table, open_status = "transfer", "processing"


class PaidCanceledLater(PaymentsRules):
    """What cancels old charges does not look whether they are paid."""

    breaks = ("PAY-PAYS-11",)
    seen_in = ("PAY-PAYS-01",)
    group = "time"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Cancel it by its age."""
        old = charge["status"] == "paid" and self.clock.now() - charge["created_at"] > OLD
        return super().charge_view(call, charge) | ({"status": "canceled"} if old else {})


class HooksVanish(PaymentsRules):
    """A webhook is no longer listed after a while."""

    breaks = ("PAY-WH-52",)
    seen_in = ("PAY-PAYS-01",)
    group = "time"

    def hooks_of(self, call: Call) -> list[Row]:
        """Leave old ones out."""
        return [hook for hook in super().hooks_of(call) if self.clock.now() - hook["created_at"] < OLD]


class RemovedHooksComeBack(PaymentsRules):
    """The removal of a webhook wears off."""

    breaks = ("PAY-WH-62",)
    seen_in = ("PAY-PAYS-01",)
    group = "time"

    def remove_webhook(self, hook: Row) -> bool:
        """Remember it."""
        self.__dict__.setdefault("gone", []).append((self.clock.now(), hook))
        return super().remove_webhook(hook)

    def hooks_of(self, call: Call) -> list[Row]:
        """List it again."""
        back = [hook for since, hook in self.__dict__.get("gone", []) if self.clock.now() - since > OLD]
        own = (call.access.account, call.access.environment)
        return super().hooks_of(call) + [hook for hook in back if (hook["account"], hook["environment"]) == own]


class ProcessedFromTheStart(PaymentsRules):
    """A transfer has its final moment when it is created."""

    breaks = ("PAY-TRF-75",)
    group = "time"

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Set it already."""
        return super().new_transfer(access, read) | {"processed_at": self.clock.now()}
