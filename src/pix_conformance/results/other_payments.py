"""Finds balances that a payment or transfer of another shard may have moved: on one account, on several machines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import Judgement

SHOWING = frozenset({"get_balance", "get_finance"})
"""Operations that show what an account has."""
MOVING = frozenset({"pay_charge", "create_transfer", "complete_transfer"})
"""Operations that change it."""


class OtherPayments:
    """The requests of all shards that showed or moved money, by the clocks of their machines.

    The shard k of n numbers its exchanges k, k + n, k + 2n and so on.
    """

    def __init__(self, exchanges: Sequence[Exchange], shards: int) -> None:
        """`shards` is how many there are."""
        self._shards = shards
        self._exchange = {one.id: one for one in exchanges}
        self._showing = [one for one in exchanges if one.operation in SHOWING]
        self._moving = [one for one in exchanges if one.operation in MOVING]

    def meanwhile(self, judgement: Judgement) -> Exchange | None:
        """Return a request of another shard that moved money between the balances that a judgement compares."""
        named = set(map(int, re.findall(r"exchange (\d+)", f"{judgement.evidence} {json.dumps(judgement.matchers)}")))
        compared = [self._exchange[one] for one in named if one in self._exchange]
        if not any(one.operation in SHOWING for one in compared):
            return None
        compared += [one for one in self._showing if one.test is not None and one.test == judgement.test]
        shard, api = compared[0].id % self._shards, compared[0].api
        begun = min(one.started for one in compared)
        ended = max(one.ended for one in compared)
        others = (one for one in self._moving if one.api == api and one.id % self._shards != shard)
        return next((one for one in others if one.started < ended and one.ended > begun), None)
