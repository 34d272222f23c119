"""What GET /v1/business/finance shows of a payment: its postings, and what became of the balance (BUS-FIN)."""

from collections import Counter
from collections.abc import Sequence
from itertools import product

from pix_conformance.checks.business.charges import is_within_lifetime
from pix_conformance.checks.business.postings import (
    amounts_of,
    contents_of,
    identity_of,
    kinds_of,
    posting_time,
    postings,
    postings_of,
)
from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.openapi import limit
from pix_conformance.model.subject import MISSING, shown
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.oracles.money import is_cents

BALANCE = ("merchant_id", "currency", "available_cents", "transactions")
FULL = limit(Api.BUSINESS, "get_finance", "transactions", "maxItems")
"""How many postings the ledger shows at most (BUS-FIN-08)."""
Shown = tuple[Exchange, int]
"""A ledger, and the amount in cents of a charge whose postings it may show."""


_UNSEEN = Unknown(Why.NOT_SHOWN, "effect unseen: payments do not raise available_cents at once and alike")


def balance_delta(before: Exchange, after: Exchange) -> int:
    """Return by how much available_cents rose, cents; Undecided where it cannot be read, which BUS-FIN-05 judges."""
    return _available(after) - _available(before)


def _available(finance: Exchange) -> int:
    cents = finance.at("available_cents")
    if not is_cents(cents):
        words = f"available_cents is {shown(cents)}, no integer of cents ({finance.evidence})"
        raise Undecided(Why.PRECONDITION, words)
    return int(cents)


def has_more(finance: Exchange, cents: int, before: Exchange | None) -> bool:
    """Whether a ledger has a posting of an amount that an earlier one, if there is one, has not."""
    known = [identity_of(posting) for posting in postings_of(before, cents)] if before else []
    return any(identity_of(posting) not in known for posting in postings_of(finance, cents))


@relation("the response is a balance")
def is_a_balance(finance: Exchange) -> str | None:
    """Expect one field of the balance (BUS-FIN) or more; each is judged by its own requirement."""
    known = any(finance.at(name) is not MISSING for name in BALANCE)
    return None if known else "it has no field of the table"


@relation("the ledger shows a posting of {cents} cents")
def shows_posting(finance: Exchange, cents: int) -> str | None:
    """Expect some posting with an entry of the amount."""
    return None if postings_of(finance, cents) else f"no posting has its amount, {cents}"


@relation("the ledger shows a posting of {cents} cents that {before} does not show")
def shows_new_posting(finance: Exchange, cents: int, before: Exchange) -> str | None:
    """Expect a posting of the amount that was added since `before`."""
    return None if has_more(finance, cents, before) else f"no posting of {cents} was added"


@relation("the ledger shows a new posting of {cents} cents if it shows one of {later}, which were paid after {unpaid}")
def posted_no_later_than(finance: Exchange, later: int, unpaid: Exchange, cents: int, before: Exchange) -> Problem:
    """Expect the earlier payment to be posted, if the later one is; Unknown if neither is.

    When payments are posted is not stated, and some service may post them in batches. What `unpaid`, a ledger between
    the creation of the later charge and its payment, shows of that is no posting of the payment.
    """
    if has_more(finance, cents, before):
        return None
    if not has_more(finance, later, unpaid):
        return Unknown(Why.NOT_SHOWN, f"neither this payment nor the one after it is posted yet ({finance.evidence})")
    if not _reaches_back_to(finance, before):
        return Unknown(Why.NOT_SHOWN, f"newer postings may have displaced that of this payment ({finance.evidence})")
    return f"no posting of {cents} was added, though a later payment of {later} is posted"


def _reaches_back_to(finance: Exchange, before: Exchange) -> bool:
    """Return whether a ledger is not full, or shows a posting that an earlier one shows too."""
    known = [identity_of(posting) for posting in postings(before)]
    return len(postings(finance)) < FULL or any(identity_of(posting) in known for posting in postings(finance))


@relation("debits equal credits in each posting of {cents} cents")
def is_balanced(finance: Exchange, cents: int) -> str | None:
    """Expect the debits and the credits of each posting of an own payment to have one sum."""
    sums = [
        (sum(amounts_of(posting, "debit")), sum(amounts_of(posting, "credit")))
        for posting in postings_of(finance, cents)
    ]
    unequal = [f"{debits} and {credits_}" for debits, credits_ in sums if debits != credits_]
    return f"debits and credits differ in {len(unequal)} postings of a payment: {unequal[0]}" if unequal else None


@relation("the postings of {charge} are dated between its creation and this response")
def dates_postings_of(finance: Exchange, charge: Exchange) -> str | None:
    """Expect created_at of each posting of an own payment, where it names its zone, to lie in its charge's life."""
    for posting in postings_of(finance, int(charge.at("amount_cents"))):
        stated = posting_time(posting)
        if stated and stated.tzinfo and not is_within_lifetime(charge, stated, finance.ended):
            return f"created_at of a posting is {posting['created_at']}, that of the charge {charge.at('created_at')}"
    return None


@relation("no two postings of {cents} cents say the same")
def shows_no_posting_twice(finance: Exchange, cents: int) -> str | None:
    """Expect no posting of an own payment to stand twice, the same in all but id, time and words."""
    twice = sorted(kind for (kind, *_), number in contents_of(finance, cents).items() if number > 1)
    return f"one payment left {twice[0]} more than once, with the same entries" if twice else None


@relation("the postings of {cents} cents have the id and the created_at that they have in {before}")
def keeps_postings(now: Exchange, cents: int, before: Exchange) -> Problem:
    """Expect id and time of the postings of an amount to stay; Unknown if some are no longer shown."""
    then, rows = postings_of(before, cents), postings_of(now, cents)
    if not then or len(rows) < len(then):
        return Unknown(Why.NOT_SHOWN, f"the ledger does not show it, or no longer ({now.evidence})")
    later = {str(row.get("id")): posting_time(row) for row in rows}
    for posting in then:
        name, stated = str(posting.get("id")), posting_time(posting)
        if name not in later:
            return f"the posting {name} is now {', '.join(later)}"
        if stated and (new := later[name]) and abs(new.timestamp() - stated.timestamp()) > 1:
            return f"created_at of {name} was {stated.isoformat()} and is {new.isoformat()}"
    return None


@relation(f"the ledger shows at most {FULL} postings")
def shows_no_more_than_it_may(finance: Exchange) -> Problem:
    """Expect no more postings than the document allows; Unknown with fewer, which proves nothing."""
    number = len(postings(finance))
    if number < FULL:
        return Unknown(Why.NOT_SHOWN, f"{FULL + 1} payments leave {number} postings: what becomes of more is unseen")
    return f"{number} are shown" if number > FULL else None


@relation(f"the ledger shows {FULL} postings, or all that {{before}} shows")
def leaves_out_none_while_there_is_room(finance: Exchange, before: Exchange) -> Problem:
    """Expect no posting of `before` to be left out while there is room; Unknown if none was left out."""
    then, now = ({str(posting.get("id")) for posting in postings(finance)} for finance in (before, finance))
    if len(now) >= FULL:
        return None
    if not then - now or not then & now:
        return Unknown(
            Why.NOT_SHOWN, f"the ledger shows {len(now)} postings, not {FULL}: which it leaves out is unseen"
        )
    return f"it shows {len(now)}, and no longer {len(then - now)} that it showed before"


@relation("the ledger shows a posting")
def shows_any_posting(finance: Exchange) -> str | None:
    """Expect the ledger not to be empty."""
    return None if postings(finance) else "the ledger is empty"


@relation("since {before} available_cents neither rose nor fell by {cents}, which were not paid")
def balance_unmoved_by(now: Exchange, cents: int, before: Exchange) -> str | None:
    """Expect the balance not to move by an amount: it was not credited, and nothing was given back."""
    rise = balance_delta(before, now)
    if rise not in {cents, -cents}:
        return None
    return f"available_cents {'rose' if rise == cents else 'fell'} by {cents}, which was never paid"


@relation("since {before} nothing was posted of {cents} cents that a payment leaves, as in {paid}, and {unpaid} not")
def captures_nothing(finance: Exchange, cents: int, before: Exchange, paid: Shown, unpaid: Shown) -> Problem:
    """Expect no posting of a kind that a payment leaves, and that a charge which is not paid does not leave.

    `paid` and `unpaid` are the controls. What a charge leaves that is not paid, such as the posting of what is due, is
    no capture. Unknown if the paid one leaves no posting.
    """
    if not kinds_of(*paid):
        return _without_posting(paid[0])
    more = _added(finance, cents, before) - kinds_of(*unpaid)
    kinds = sorted(more.keys() & kinds_of(*paid).keys())
    return f"the ledger now has {', '.join(kinds)} of {cents}" if kinds else None


def _without_posting(finance: Exchange) -> Unknown:
    return Unknown(Why.NOT_SHOWN, f"effect unseen: a payment leaves no posting of its amount ({finance.evidence})")


def more_than_control(finance: Exchange, cents: int, paid: Shown) -> Counter[str]:
    """Count the postings of an amount beyond those of the control, of each kind that the control leaves.

    The control left what the ledger shows that was read after it, and what a later one shows besides.
    """
    left, due = kinds_of(finance, cents), kinds_of(*paid) | kinds_of(finance, paid[1])
    return Counter({kind: left[kind] - number for kind, number in due.items() if left[kind] > number})


@relation("the ledger shows {cents} cents as often as a charge that is paid once, as in {paid}")
def captured_once(finance: Exchange, cents: int, paid: Shown) -> Problem:
    """Expect no kind of posting more often than the control left it, which was paid later.

    So what that one left in the ledger the other left before; kinds of postings that it does not leave yet, such as a
    later settlement, do not count. Unknown for fewer, which may be posted later.
    """
    if not kinds_of(*paid):
        return _without_posting(paid[0])
    if more := more_than_control(finance, cents, paid):
        return f"the ledger has {_in_words(more)} more of {cents} than a charge paid once leaves"
    if not kinds_of(finance, cents) >= kinds_of(*paid):
        return Unknown(Why.NOT_SHOWN, f"effect unseen: the ledger shows no payment of {cents} ({finance.evidence})")
    return None


@relation("since {before} available_cents rose as for a charge of {cents} cents that is paid once")
def credited_once(
    after: Exchange, cents: int, before: Exchange, first: tuple[Exchange, Exchange], last: tuple[Exchange, Exchange]
) -> Problem:
    """Expect the balance not to rise twice; `first` and `last` are the balances before and after a single payment.

    Unknown where single payments do not raise it at once and alike: when and by how much they do is not stated.
    """
    rise, plain, again = balance_delta(before, after), balance_delta(*first), balance_delta(*last)
    if plain != again or not cents / 2 < plain <= cents:
        return _UNSEEN
    excess = rise - plain
    twice = excess > 0 and 0 in {excess % plain, excess % cents}
    return f"available_cents rose by {rise}, and by {plain} for a charge paid once" if twice else None


@relation("simultaneous payments raise available_cents by {amounts} together ({alone} is one alone)")
def credited_for_each(
    after: Exchange, amounts: Sequence[int], before: Exchange, cents: int, alone: tuple[Exchange, Exchange]
) -> Problem:
    """Expect the balance to rise by each of the cents that one of the payments alone would raise it by.

    Not by some of them only, or by one in the place of another. Unknown where a payment alone does not raise it by
    `cents` at once, or where the rise is no sum of `amounts`, so that something else moved it.
    """
    rise, plain = balance_delta(before, after), balance_delta(*alone)
    if plain != cents:
        return Unknown(
            Why.NOT_SHOWN, f"effect unseen: a payment alone raised available_cents by {plain}, not by {cents}, at once"
        )
    if rise == sum(amounts):
        return None
    words = (
        f"available_cents rose by {rise} for payments of which one alone raises it by {', '.join(map(str, amounts))}"
    )
    sums = {sum(combination) for count in range(1, len(amounts) + 1) for combination in product(amounts, repeat=count)}
    return words if rise in sums else Unknown(Why.NOT_SHOWN, f"effect unseen: {words}")


@relation("one of two payments of {cents} cents raised available_cents by as much ({first} and {second})")
def raises_balance(
    _finance: Exchange, cents: int, first: tuple[Exchange, Exchange], second: tuple[Exchange, Exchange]
) -> str | None:
    """Expect one of two payments to raise the balance by its amount or more: other traffic may lower it meanwhile."""
    rises = [balance_delta(*pair) for pair in (first, second)]
    short = [cents - rise for rise in rises if rise < cents]
    return f"payments raised available_cents by {short[0]} cents too little" if len(short) > 1 else None


@relation("since {before} available_cents rose by {cents} at most once")
def credited_at_most_once(after: Exchange, cents: int, before: Exchange) -> str | None:
    """Expect the balance not to rise by twice the amount."""
    rise = balance_delta(before, after)
    return f"available_cents rose by {rise} for a payment of {cents}" if rise == 2 * cents else None


@relation("since {before} available_cents did not fall by {cents}, unless a paid charge leaves the same, as in {paid}")
def takes_nothing_back(after: Exchange, cents: int, before: Exchange, paid: Shown | None) -> str | None:
    """Expect the balance not to fall by what was paid; not if a posting says why, and follows any payment (`paid`)."""
    if balance_delta(after, before) != cents:
        return None
    why = _added(after, cents, before)
    explained = why and paid is not None and kinds_of(*paid) >= why
    return None if explained else f"available_cents fell by the {cents} that were paid"


@relation("since {before} available_cents did not rise by the {cents} that another account was paid (ledgers: {own})")
def is_not_credited_with(after: Exchange, cents: int, before: Exchange, own: tuple[Exchange, Exchange]) -> Problem:
    """Expect no rise of the balance by an amount, whole or less what the payee's rose by less.

    `own` is the payee's ledger before and after.
    """
    rise, own_rise = balance_delta(before, after), balance_delta(*own)
    net = own_rise if cents / 2 < own_rise <= cents else cents
    return f"available_cents rose by {rise}, of {cents} that another account was paid" if rise in {cents, net} else None


@relation("since {before} the ledger shows no posting of {cents} cents, which another was paid (its ledgers: {own})")
def shows_no_payment_of_another(
    after: Exchange, cents: int, before: Exchange, own: tuple[Exchange, Exchange]
) -> Problem:
    """Expect no posting of an amount.

    `own` is the payee's ledger before and after; Unknown if that does not show the payment either.
    """
    if more := _added(after, cents, before):
        return f"the ledger has {_in_words(more)} of {cents}, which another account was paid"
    if not postings_of(own[1], cents):
        return _without_posting(own[1])
    return None


@relation("the ledger shows payments of {amounts} cents equally often")
def shows_amounts_equally_often(finance: Exchange, amounts: Sequence[int]) -> str | None:
    """Expect no payment to leave a kind of posting more often than the others that left it too."""
    counts = [kinds_of(finance, amount) for amount in amounts]
    for kind in sorted({kind for counter in counts for kind in counter}):
        seen = sorted({counter[kind] for counter in counts if counter[kind]})
        if len(seen) > 1:
            return f"payments left {kind} {' or '.join(map(str, seen))} times"
    return None


def describe_balance_delta(difference: int, cents: int) -> str:
    """Put into words what a payment of the amount did to the balance; other payments may show in it too."""
    words = {0: "nothing yet", cents: "the gross amount at once"}
    return words.get(difference, "a net amount at once" if 0 < difference < cents else "something else")


def _added(finance: Exchange, cents: int, before: Exchange) -> Counter[str]:
    return kinds_of(finance, cents) - kinds_of(before, cents)


def _in_words(more: Counter[str]) -> str:
    return ", ".join(f"{number} x {name}" for name, number in sorted(more.items()))
