"""Relations over balances: by how many cents a payment or a transfer moved a wallet between two queries.

The subject is the later query of the balance. `created` is the creation of the charge or transfer, `cents` its amount.
A payment or transfer may move a wallet by its amount, or by that with or without its fees.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations_with_replacement

from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.payments.transfers import FAILED
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import shown
from pix_conformance.model.why import Why
from pix_conformance.oracles.money import cents_of, is_cents

UNIT = 100
"""Cents of a currency unit."""
FAR_CENTS = 1_000_000_000
"""How far below zero no credit line of a sandbox reaches."""
FEES = (0, -1, 1)
"""How often the fees are added to an amount."""


def free_cents(balance: Exchange) -> int | None:
    """Return the free balance in cents, also where it is written with one decimal; None if it is no amount."""
    with suppress(ValueError):
        return cents_of(balance.at("data.pix.balance"))
    return None


def wallet_cents(balance: Exchange, wallet: str = "pix") -> int:
    """Return the balance of a wallet in cents; Undecided if it cannot be read, which PAY-BAL-04 to -08 judge."""
    path = f"data.{wallet}.balance"
    try:
        return cents_of(balance.at(path))
    except ValueError as reason:
        raise Undecided(Why.PRECONDITION, f"{path}: {reason} ({balance.evidence})") from None


def wallet_delta(before: Exchange, after: Exchange, wallet: str = "pix") -> int:
    """Return by how many cents a wallet was moved between two queries; Undecided if one cannot be read."""
    return wallet_cents(after, wallet) - wallet_cents(before, wallet)


def parts_of(created: Exchange, cents: int) -> set[int]:
    """Return the cents by which a payment or transfer may move a wallet; what its fees use up wholly moves nothing."""
    return {part for part in _with_fees(created, cents) if part > 0}


def _several_times(parts: set[int], most: int) -> set[int]:
    """Return the sums of two parts and the multiples up to so many, but for what is a part itself."""
    multiples = {count * part for part in parts for count in range(2, most + 1)}
    return (multiples | {part + other for part in parts for other in parts}) - parts


@relation("a payment of {cents} cents moves the free balance by so many cents, not currency units")
def is_counted_in_units(after: Exchange, before: Exchange, created: Exchange, cents: int) -> str | None:
    """Expect the free balance not to be moved by a hundred times the amount."""
    moved = wallet_delta(before, after)
    too_much = moved in {UNIT * part for part in parts_of(created, cents)}
    return f"a payment of {cents} cents moved the balance by {moved} cents" if too_much else None


@relation("a payment of {cents} cents moves the free balance by its cents too")
def counts_the_cents(after: Exchange, before: Exchange, created: Exchange, cents: int) -> str | None:
    """Expect the free balance not to be moved from whole units to whole units by nearly the amount."""
    is_rounded = all(wallet_cents(balance) % UNIT == 0 for balance in (before, after))
    moved, parts = wallet_delta(before, after), parts_of(created, cents)
    near = moved not in parts and any(abs(moved - part) < UNIT for part in parts)
    return f"a payment of {cents} cents moved the balance by {moved}" if is_rounded and near else None


def _agree(charges: Sequence[Exchange], rises: Sequence[int]) -> bool:
    """Return whether each payment raised a balance, all by as much or in proportion to their amounts, but for fees."""
    cents = [_amount(charge) for charge in charges]
    slack = max(cents) * (1 + 2 * max(max(parts_of(*pair)) - pair[1] for pair in zip(charges, cents, strict=True)))
    pairs = zip(cents, rises, strict=True)
    in_proportion = all(abs(rise * cents[0] - rises[0] * amount) <= slack for amount, rise in pairs)
    return min(rises) > 0 and (len(set(rises)) == 1 or in_proportion)


def _amount(created: Exchange) -> int:
    """Return the amount in cents that the request of a charge or transfer has."""
    body = json.loads(created.request.body)
    return int(body.get("amountInCents", body.get("amount")))


@relation("the free balance ends in {cents} cents")
def ends_in_cents(balance: Exchange, cents: int) -> str | None:
    """Expect these cents beside the whole units."""
    rest = wallet_cents(balance) % UNIT
    return f"it ends in {rest} cents" if rest != cents else None


@relation("payments do not raise pixBlocked")
def blocks_nothing(
    _last: Exchange, befores: Sequence[Exchange], afters: Sequence[Exchange], charges: Sequence[Exchange]
) -> str | None:
    """Expect payments not to raise the blocked balance, all by as much or in proportion to their amounts."""
    rises = [wallet_delta(before, after, "pixBlocked") for before, after in zip(befores, afters, strict=True)]
    return f"{len(charges)} payments raised pixBlocked by {rises} cents" if _agree(charges, rises) else None


@relation("payments raise pix and reserve together by no more than their amounts")
def adds_no_more_than_was_paid(
    _last: Exchange, befores: Sequence[Exchange], afters: Sequence[Exchange], charges: Sequence[Exchange]
) -> str | None:
    """Expect payments not to raise pix and reserve too much, all by as much or in proportion to their amounts."""
    most = [max(parts_of(charge, _amount(charge))) for charge in charges]
    pairs = list(zip(befores, afters, strict=True))
    raised = [sum(wallet_delta(*pair, wallet) for wallet in ("pix", "reserve")) for pair in pairs]
    too_much = [rise - limit for rise, limit in zip(raised, most, strict=True)]
    words = f"{len(charges)} payments raised pix and reserve by {raised} cents, by {too_much} too much"
    return words if _agree(charges, too_much) else None


@relation("a payment of {cents} cents raises the free balance once")
def is_credited_once(after: Exchange, before: Exchange, created: Exchange, cents: int, requests: int = 2) -> str | None:
    """Expect the free balance not to rise by several times the amount, up to the number of requests."""
    moved = wallet_delta(before, after)
    several = moved in _several_times(parts_of(created, cents), requests)
    return f"a payment of {cents} cents raised the free balance by {moved} cents" if several else None


@relation("the free balance has moved")
def is_moved_since(after: Exchange, before: Exchange) -> str | None:
    """Expect the free balance to be another than before."""
    return None if wallet_delta(before, after) else "the free balance is what it was before"


@relation("simultaneous requests, which move the free balance by {moves} cents one by one, all move it")
def is_moved_by_each(after: Exchange, before: Exchange, moves: Sequence[int]) -> str | None:
    """Expect the free balance not to move by a part of the requests only, or by one several times.

    `moves` are the cents of each alone.
    """
    moved, most = wallet_delta(before, after), len(moves)
    wrong = {sum(part) for count in range(1, most + 1) for part in combinations_with_replacement(moves, count)}
    is_wrong = moved in wrong - {sum(moves)}
    return f"the free balance moved by {moved} cents for {most} requests" if is_wrong else None


@relation("of simultaneous payments the free balance shows {own} cents of this account, not {other} of the other one")
def is_credited_its_own(after: Exchange, before: Exchange, own: int, other: int) -> str | None:
    """Expect the free balance to have risen neither by the payment of another account, nor by both."""
    moved = wallet_delta(before, after)
    words = f"the free balance moved by {moved} cents, of which {other} are those of another account"
    return words if moved in {other, own + other} else None


@relation("a transfer of {cents} cents lowers the free balance once")
def is_debited_once(after: Exchange, before: Exchange, created: Exchange, cents: int, requests: int = 2) -> str | None:
    """Expect the free balance not to fall by several times the amount, up to the number of requests."""
    moved = -wallet_delta(before, after)
    several = moved in _several_times(parts_of(created, cents), requests)
    return f"a transfer of {cents} cents lowered the free balance by {moved} cents" if several else None


@relation("the free balance does not rise by the {cents} cents of the charge again")
def is_not_credited_again(after: Exchange, before: Exchange, cents: int) -> str | None:
    """Expect a refused payment not to raise the free balance by as much as the accepted one."""
    moved = wallet_delta(before, after)
    return f"the free balance rose by {moved} cents" if moved == cents else None


@relation("the free balance does not fall by {cents} cents, with or without the fees of {created}")
def is_not_debited(after: Exchange, before: Exchange, created: Exchange, cents: int) -> str | None:
    """Expect the free balance not to fall by an amount, with the fees of a transfer or without."""
    moved = -wallet_delta(before, after)
    return f"the free balance fell by {moved} cents" if moved in parts_of(created, cents) else None


@relation("a payment into another wallet does not move this balance")
def is_separate_from_wallet(
    after: Exchange, before: Exchange, payer_before: Exchange, payer_after: Exchange, charge: Exchange
) -> Problem:
    """Expect a balance, queried before and after a payment of another client's charge, not to be that client's.

    Unknown if the payment did not move the payer's free balance at once.
    """
    cents = _amount(charge)
    parts = parts_of(charge, cents)
    if wallet_delta(payer_before, payer_after) not in parts:
        return Unknown(Why.NOT_SHOWN, "a payment does not move the free balance at once")
    pairs = (before, payer_before), (after, payer_after)
    if all(exchange.at("data.pix.balance") == other.at("data.pix.balance") for exchange, other in pairs):
        return f"a payment of {cents} cents moved it, and both clients have the same balance"
    if (moved := wallet_delta(before, after)) in parts:
        return f"a payment of {cents} cents into the other wallet moved it by {moved}"
    return None


@relation("the balances are not those of another account ({theirs}), unless they were so before ({own})")
def is_not_the_balance_of(balance: Exchange, own: Exchange, theirs: Exchange) -> Problem:
    """Compare all wallets with those that another account and this one saw just before; Unknown if both saw the same.

    All three are to be queries with a success; what moves a balance meanwhile hardly makes it that of the other.
    """
    seen, before, other = (
        [wallet_cents(query, wallet) for wallet in ("pix", "pixBlocked", "reserve")] for query in (balance, own, theirs)
    )
    if before == other:
        return Unknown(Why.NOT_SHOWN, f"the accounts cannot be told apart by their balances ({own.evidence})")
    return "all wallets hold what those of another account hold" if seen == other else None


@relation("transfers from another wallet do not move this balance")
def is_not_charged_for(after: Exchange, befores: Sequence[Exchange], transfers: Sequence[Exchange]) -> str | None:
    """Expect at least one of another client's transfers not to have moved a balance by its amount.

    `befores` has the balance before each transfer; other traffic may move it once by just as much.
    """
    balances = [*befores, after]
    for transfer, before, later in zip(transfers, balances, balances[1:], strict=False):
        if -wallet_delta(before, later) not in parts_of(transfer, _amount(transfer)):
            return None
    return f"each of {len(transfers)} transfers from the other wallet moved it by its amount"


@relation("no transfer is accepted, and does not fail, while the free balance is far below zero: {later}")
def lends_no_more(balance: Exchange, later: Sequence[Exchange]) -> Problem:
    """Expect a balance far below zero to keep transfers from being accepted; Unknown while it is not that low.

    `later` has the last state of each that was sent after the query of the balance.
    """
    if not is_far_below_zero(balance):
        return Unknown(Why.NOT_SHOWN, f"the free balance is not far below zero ({balance.evidence})")
    lent = [transfer for transfer in later if transfer.ok and transfer.at("data.status") not in FAILED]
    words = f"pix.balance is {balance.at('data.pix.balance')}, and a transfer is accepted all the same"
    return f"{words} ({lent[0].evidence})" if lent else None


def is_far_below_zero(balance: Exchange) -> bool:
    """Return whether the free balance is less than zero by more than any credit line; Undecided if it is no amount."""
    return wallet_cents(balance) < -FAR_CENTS


def _with_fees(created: Exchange, cents: int) -> list[int]:
    """Return an amount alone, less its fees and with its fees."""
    return [cents + sign * _fees(created) for sign in FEES]


def _fees(created: Exchange) -> int:
    """Return the fees that a creation shows, in cents; 0 of a refusal. Undecided if they are no number of cents."""
    fees = created.at("data.fees") if created.ok else 0
    if not is_cents(fees):
        words = f"data.fees is {shown(fees)}, no number of cents ({created.evidence})"
        raise Undecided(Why.PRECONDITION, words)
    return int(fees)


@relation("a payment with splits raises the free balance by at most {most} of what one without them does")
def is_raised_less_than_without_splits(
    after: Exchange, before: Exchange, plain_before: Exchange, plain_after: Exchange, most: float
) -> str | None:
    """Expect the shares to be taken from a payment, compared with one of the same amount without splits."""
    rise, plain_rise = wallet_delta(before, after), wallet_delta(plain_before, plain_after)
    too_much = most * plain_rise < rise <= plain_rise
    problem = f"a payment with splits raised the free balance by {rise} cents, one without by {plain_rise}"
    return problem if too_much else None


@relation("{percent} percent of a payment of {cents} cents are those of its net amount")
def loses_a_share_of_the_net_amount(
    after: Exchange, before: Exchange, created: Exchange, cents: int, percent: float
) -> str | None:
    """Expect a share not to be that of the gross amount, which data.fees of the charge tell, nor of a round percent."""
    rest, net = wallet_delta(before, after), cents - _fees(created)
    wrong_shares = {
        f"{percent} percent of the {cents} gross cents": cents * percent,
        f"{percent:.1f} percent": net * round(percent, 1),
        f"{percent:.0f} percent": net * round(percent),
    }
    for words, share in wrong_shares.items():
        if abs(net - rest - share / 100) <= 1 < abs(net - rest - net * percent / 100):
            return f"{rest} of {net} net cents are left: {words} were taken"
    return None
