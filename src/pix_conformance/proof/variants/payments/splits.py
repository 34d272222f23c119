"""Conforming variants where PAY-SPL is silent: the splits of a charge."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row


class WholeHundredths(PaymentsRules):
    """The precision of a percentage is not stated."""

    def judge_percentage(self, value: Decimal | int) -> str | None:
        """Refuse more than two decimals, where the size is right."""
        fine = Decimal(value) * 100 % 1 == 0
        return super().judge_percentage(value) or (None if fine else "must have at most two decimals")


class SharesOfACent(PaymentsRules):
    """What becomes of a share below one cent is not shown: the split is refused."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Reckon the net share of each."""
        read = super().read_charge(body)
        net = read["amountInCents"] - self.charge_fees(read["amountInCents"])
        for one in read["splits"] or []:
            if net * Decimal(one["percentage"]) / 100 < 1:
                raise self.invalid("splits[].percentage", "must be a cent at least")
        return read


class KnownSplitsOnly(PaymentsRules):
    """A split goes to a company of the service; what an unknown e-mail gets is not shown."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Refuse a split to an unknown company."""
        read = super().read_charge(body)
        for split in read.get("splits") or ():
            if self.company(split["email"], "sandbox") is None:
                raise self.invalid("splits[].email", "must be a company of the service")
        return read


class OneSplitEach(PaymentsRules):
    """Whether one company may have two splits is not shown."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Refuse the second."""
        read = super().read_charge(body)
        named = [one["email"].lower() for one in read["splits"] or []]
        if len(set(named)) < len(named):
            raise self.invalid("splits[].email", "must not appear twice")
        return read


class SharesOfStrangersStay(PaymentsRules):
    """What becomes of the share of an e-mail that no company has is not stated: it stays with the payee."""

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """Share with known companies only."""
        shares = super().split_shares(charge, net)
        return [(email, cents) for email, cents in shares if self.company(email, charge["environment"])]


class NoCompanyIsNamed(SharesOfStrangersStay):
    """No company that may receive splits has to be named: none is, and the shares of others stay with the payee."""

    def __init__(self, world: ServerState) -> None:
        """Name none."""
        world.accounts.split_email = ""
        super().__init__(world)


class OneShareEach(OneSplitEach, SharesOfStrangersStay):
    """Whether one company may have two splits is not shown: it may not, and the share of a stranger stays."""


VARIANTS = [
    Variant("payments-percentages", ("PAY-SPL-14",), {"hundredths": WholeHundredths}),
    Variant("payments-shares", ("PAY-SPL-14",), {"cent": SharesOfACent}),
    Variant("payments-splits", ("PAY-SPL-15",), {"known": KnownSplitsOnly}),
    Variant("payments-receivers", ("PAY-SPL-15",), {"none": NoCompanyIsNamed, "one-share": OneShareEach}),
    Variant("payments-companies", ("PAY-SPL-16",), {"once": OneSplitEach}),
]
