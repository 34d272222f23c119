"""History check of the ledgers of a run: how often they show, together, that charges of one amount were captured.

A ledger shows the last postings only (BUS-FIN-08), so that a posting is looked for in every ledger since the payment.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from operator import attrgetter
from typing import Any

from pix_conformance.checks.business.postings import (
    Content,
    content_of,
    contents_of,
    identity_of,
    postings,
    postings_of,
    principal_of,
)
from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.history import Judged, named, visible_id
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange, NetworkFault
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.model.why import Why


def is_ledger(exchange: Exchange) -> bool:
    """Return whether an exchange shows the last postings of an account: not those of an earlier page (BUS-FIN-27)."""
    return exchange.operation == "get_finance" and exchange.ok and "?" not in exchange.request.url


def captures(ledgers: Sequence[Exchange], cents: int) -> Counter[Content]:
    """Count, by what they say, the postings of an amount that are shown by ledgers and not by the first of them.

    A posting counts that newer ones have displaced since. One that is not in one ledger with it counts too, if that
    shows more than the ledger before it, and neither its id nor its time was shown before: a service may give the
    postings of each response new ids, or a part of it may show an earlier state. Undecided if amounts cannot be read.
    """
    first, *later = ledgers
    known, at_first = _names_of(postings_of(first, cents)), contents_of(first, cents)
    shown_before = at_first
    counts: Counter[Content] = Counter()
    for finance in later:
        rows = postings_of(finance, cents)
        new = (posting for posting in rows if not known & _names_of([posting]))
        shown = contents_of(finance, cents)
        counts += (shown - shown_before) & Counter(map(content_of, new))
        counts |= shown - at_first
        known, shown_before = known | _names_of(rows), shown
    return counts


def _names_of(rows: Iterable[dict[str, Any]]) -> set[str]:
    """Return the ids and the times of postings, each with what it is."""
    return {f"{name} {posting.get(name)}" for posting in rows for name in ("id", "created_at")}


@relation("{earlier} and this ledger show at most {most} postings of {cents} cents that say the same")
def shows_no_more_captures(finance: Exchange, cents: int, most: int, earlier: Sequence[Exchange]) -> Problem:
    """Expect no more postings that say the same than there can be captures; the first of `earlier` was before them.

    Unknown if no ledger shows one. Postings that say something else, such as that of a settlement or a fee, do not add.
    """
    counts = captures([*earlier, finance], cents)
    if not counts:
        return Unknown(Why.NOT_SHOWN, f"effect unseen: no ledger that was read shows a payment of {cents}")
    (kind, *_), number = counts.most_common(1)[0]
    return f"the ledgers show {number} x {kind} of {cents}, {most} at most were due" if number > most else None


class PaymentsOfCharge(Enum):
    """How many payments of a charge were sent, and when."""

    ONCE = auto()
    """One, or others since the first request was cut."""
    AT_ONCE = auto()
    LATER = auto()
    """Another one when there was a response to the first."""


@dataclass
class Amount:
    """What a run sent of the charges of one account with one amount, cents."""

    role: Role
    cents: int
    first: Exchange
    """The first creation of a charge of the amount."""
    most: int = 0
    """How many charges of the amount there can be."""
    payments: dict[str, list[Exchange]] = field(default_factory=lambda: defaultdict(list))
    """By id of the charge."""

    @property
    def payments_sent(self) -> PaymentsOfCharge | None:
        """How the payment of a charge was repeated; None if none was sent."""
        sent = [sorted(payments, key=attrgetter("started")) for payments in self.payments.values()]
        if any(payment.is_cut for payments in sent for payment in payments):
            return PaymentsOfCharge.ONCE
        pairs = [pair for payments in sent for pair in pairwise(payments)]
        if any(later.started < earlier.ended for earlier, later in pairs):
            return PaymentsOfCharge.AT_ONCE
        return (PaymentsOfCharge.LATER if pairs else PaymentsOfCharge.ONCE) if sent else None


def judged_by_captures(exchanges: Iterable[Exchange], sent: PaymentsOfCharge, least: int) -> Judged:
    """Yield the last ledger with each amount of charges that were paid so, to be held against those before it.

    Of charges paid once no two postings say the same (BUS-STATE-11); of those paid more often no more than of these.
    Amounts below `least` cents are left out: the fee of a payment may be the same. The exchanges are as they were
    received: the postings in a report are masked.
    """
    in_order = sorted((exchange for exchange in exchanges if exchange.api == Api.BUSINESS), key=attrgetter("started"))
    ledgers = _Ledgers(in_order)
    amounts = [amount for amount in _amounts(in_order) if amount.cents >= least]
    of_one = [amount for amount in amounts if amount.payments_sent is PaymentsOfCharge.ONCE and amount.most == 1]
    usual = 1 if sent is PaymentsOfCharge.ONCE else min(filter(None, map(ledgers.captures_of, of_one)), default=1)
    for amount in amounts:
        if amount.payments_sent is sent and (read := ledgers.with_amount(amount)):
            yield read[-1], shows_no_more_captures(amount.cents, amount.most * usual, read[:-1])


class _Ledgers:
    """The ledgers of each account that can be read, with their postings by amount."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._read: dict[Role, list[tuple[Exchange, dict[float | None, Counter[str]]]]] = defaultdict(list)
        for exchange in exchanges:
            if is_ledger(exchange):
                with suppress(Undecided):
                    self._read[exchange.role].append((exchange, _postings_by_amount(exchange)))

    def with_amount(self, amount: Amount) -> list[Exchange]:
        """Return the last ledger before the first charge, and each later one that shows other postings of the amount.

        Empty without a ledger before the charge, since an older posting may have the amount too, and if none shows it.
        """
        read = self._read[amount.role]
        before = [entry for entry in read if entry[0].ended < amount.first.started][-1:]
        later = [entry for entry in read if entry[0].started > amount.first.started]
        pairs = pairwise([*before, *later])
        changed = [now for (_, then), (now, rows) in pairs if rows.get(amount.cents) != then.get(amount.cents)]
        return [before[0][0], *changed] if before and changed else []

    def captures_of(self, amount: Amount) -> int:
        """Return how many postings of the amount say the same."""
        read = self.with_amount(amount)
        return max(captures(read, amount.cents).values(), default=0) if read else 0


def _postings_by_amount(finance: Exchange) -> dict[float | None, Counter[str]]:
    """Count the postings of a ledger by their amount, and by id, time and content."""
    rows: dict[float | None, Counter[str]] = defaultdict(Counter)
    for posting in postings(finance):
        rows[principal_of(posting)][str((identity_of(posting), content_of(posting)))] += 1
    return dict(rows)


def _amounts(exchanges: Iterable[Exchange]) -> list[Amount]:
    """Return what was sent of each amount; a creation counts also if it was refused or had no response."""
    amounts: dict[tuple[Role, int], Amount] = {}
    number: Counter[int] = Counter()
    owners: dict[tuple[Role, str], Amount] = {}
    for exchange in exchanges:
        if exchange.operation == "create_charge":
            bodies = exchange.request.json_object, exchange.json_object
            for cents in {cents for body in bodies if type(cents := body.get("amount_cents")) is int}:
                number[cents] += 2 if exchange.network_fault is NetworkFault.SENT_TWICE else 1
                amount = amounts.setdefault((exchange.role, cents), Amount(exchange.role, cents, exchange))
                if exchange.ok and (charge := visible_id(exchange.json_object.get("id"))):
                    owners[exchange.role, charge] = amount
        elif exchange.operation == "pay_charge":
            for name in named(exchange):
                if (exchange.role, name) in owners:
                    owners[exchange.role, name].payments[name].append(exchange)
    for amount in amounts.values():
        amount.most = number[amount.cents]
    return list(amounts.values())
