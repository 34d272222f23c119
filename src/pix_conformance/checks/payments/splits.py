"""Relations over balances: what a payment with splits leaves in the wallet of the account (PAY-SPL-17, PAY-SPL-18)."""

from __future__ import annotations

from pix_conformance.checks.payments.balance import wallet_delta
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange


@relation("a payment with splits raises the free balance by at most {most} of what one without them does")
def is_raised_less_than_without_splits(
    after: Exchange, before: Exchange, plain_before: Exchange, plain_after: Exchange, most: float
) -> str | None:
    """Expect the shares to be taken from a payment, compared with one of the same amount without splits."""
    kept, whole = wallet_delta(before, after), wallet_delta(plain_before, plain_after)
    too_much = most * whole < kept <= whole
    return (
        f"a payment with splits raised the free balance by {kept} cents, one without by {whole}" if too_much else None
    )


@relation("half of a payment of {cents} cents is half of its net amount")
def loses_half_of_the_net_amount(after: Exchange, before: Exchange, created: Exchange, cents: int) -> str | None:
    """Expect a share of 50 percent not to be half of the gross amount; data.fees of the charge are what differs."""
    kept, net = wallet_delta(before, after), cents - int(created.at("data.fees"))
    of_gross = abs(kept - (net - cents / 2)) <= 1 < abs(kept - net / 2)
    return f"{kept} of {net} net cents are left: half of the {cents} gross cents was taken" if of_gross else None
