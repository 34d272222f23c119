"""Which requests of a client belong to which of its commands: each of these asks for a charge or transfer of an amount.

A client may go on with a command that has ended, or failed, and repeat minutes later what was lost.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from pix_conformance.checks.client_requests import own_key
from pix_conformance.integration.events import FORMS
from pix_conformance.model.exchange import Exchange


class Asked:
    """The amounts that commands asked for, and the requests that the client sent for them."""

    def __init__(self, sent: Sequence[Exchange]) -> None:
        """Begin without a command; `sent` are all requests of the client, which become more."""
        self._sent = sent
        self.amounts = list[int]()
        """In cents, one for each command that has begun."""

    def requests(self, amounts: Collection[int], since: int) -> list[Exchange]:
        """Return the requests that belong to commands of these amounts, cents, without those sent before the place.

        Those that show no amount that was asked for belong to them too; but not a charge or a transfer where another
        one shows theirs: it may repeat what was lost in an earlier run.
        """
        sent = [(exchange, self._amounts_of(exchange)) for exchange in self._sent[since:]]
        shown = {(it.api, it.operation) for it, asked in sent if not asked.isdisjoint(amounts)}
        return [
            it
            for it, asked in sent
            if not asked.isdisjoint(amounts)
            or (not asked and (_amount_of(it) is None or (it.api, it.operation) not in shown))
        ]

    def by_amount(self) -> Mapping[int, Sequence[Exchange]]:
        """Return the requests that show an amount that was asked for, by that amount, cents."""
        requests = defaultdict[int, list[Exchange]](list)
        for exchange in self._sent:
            for cents in self._amounts_of(exchange):
                requests[cents].append(exchange)
        return requests

    def _amounts_of(self, exchange: Exchange) -> set[int]:
        """Return the amounts that a request shows, of those that were asked for.

        These are its own, else those of the requests with its key: a repetition may have another amount by mistake.
        """
        amount, key, asked = _amount_of(exchange), own_key(exchange), {*self.amounts}
        if amount is None or amount in asked:
            return asked & {amount}
        return asked & {_amount_of(other) for other in self._sent if key and own_key(other) == key}


def _amount_of(exchange: Exchange) -> int | None:
    """Return the amount of a request for a charge or a transfer, in cents; None of any other."""
    body = exchange.request.json_object
    amounts = (body.get(name) for name in ("amount", FORMS[exchange.api].amount))
    return next((amount for amount in amounts if isinstance(amount, int)), None)
