"""Transfers: their statuses by name, and relations: whose key and id an answer shows, its amounts, repeated keys."""

from collections.abc import Sequence

from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.checks.relations import created_ids, shown_in, statuses_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.states import states_of
from pix_conformance.model.subject import MISSING, shown
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.oracles import pix_key
from pix_conformance.oracles.money import is_cents

COMPLETED, CANCELED = "completed", "canceled"
_TRANSFER = states_of(Api.PAYMENTS)["transfer"]
UNDER_WAY: tuple[str, ...] = tuple(_TRANSFER.table["under_way"])
"""Statuses of a transfer that is neither completed nor failed."""
APPROVAL: tuple[str, ...] = tuple(_TRANSFER.table["approval"])
"""Statuses that a transfer must leave before its completion may be simulated (PAY-CMP-01)."""
FAILED: frozenset[str] = frozenset(_TRANSFER.table["failed"])
"""Statuses of a transfer that ended without being completed, or went wrong (PAY-TRF-39)."""


@relation("data.pixKey is no other key than {sent}")
def shows_no_other_key(answer: Exchange, sent: str) -> str | None:
    """Expect the key that was sent, however it is written; what is masked is no whole key."""
    key = str(answer.at("data.pixKey"))
    return f"data.pixKey is {key}, {sent} was sent" if pix_key.another(key, sent) else None


@relation("data.netAmount is data.amount less data.fees")
def has_net_amount_less_fees(answer: Exchange) -> str | None:
    """Expect the fees to be taken from the amount."""
    amount, net, fees = _amounts(answer)
    return f"{amount} less {fees} is not {net}" if amount - fees != net else None


@relation("data.netAmount is data.amount, or data.amount less data.fees")
def has_net_amount_with_or_without_fees(answer: Exchange) -> str | None:
    """Expect the fees to be taken from the amount, or beside it."""
    amount, net, fees = _amounts(answer)
    return f"{net} is neither {amount} nor {amount} less {fees}" if net not in (amount, amount - fees) else None


def _amounts(answer: Exchange) -> tuple[int, int, int]:
    """Return amount, netAmount and fees in cents; Undecided if one is no number of cents, which others judge."""
    amount, net, fees = (answer.at(f"data.{name}") for name in ("amount", "netAmount", "fees"))
    if not all(map(is_cents, (amount, net, fees))):
        raise Undecided(Why.PRECONDITION, f"amount, netAmount and fees are not all numbers ({answer.evidence})")
    return amount, net, fees


@relation("the answer shows no other transfer than that of {first}")
def shows_no_other_transfer(answer: Exchange, first: Exchange) -> str | None:
    """Expect an answer without a transfer, or with the first one."""
    id_ = answer.at("data.id")
    return None if id_ in (MISSING, None, first.at("data.id")) else f"the answer shows the transfer {shown(id_)}"


@relation("the two requests have not created one transfer together ({first})")
def is_not_the_transfer_of(second: Exchange, first: Exchange) -> str | None:
    """Expect two requests not to be both accepted with the id of one transfer."""
    both = first.ok and second.ok and shown_in(first, "data.id") == shown_in(second, "data.id")
    return f"both answers have the id {shown(first.at('data.id'))}" if both else None


@relation("the requests with one idempotency key created one transfer ({answers})")
def is_the_one_transfer_of(_created: Exchange, answers: Sequence[Exchange]) -> Problem:
    """Expect several requests with one idempotency key to have created one transfer; Unknown if they made none."""
    ids = created_ids(answers)
    if not ids:
        return Unknown(Why.PRECONDITION, f"none of the requests made a transfer (answers: {statuses_of(answers)})")
    return f"one key made {len(ids)} transfers: {', '.join(sorted(ids))}" if len(ids) > 1 else None
