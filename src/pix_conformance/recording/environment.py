"""What stands between the suite and the target, as the responses of a run show it: a sentence for each finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pix_conformance.checks.clocks import clock_ahead, in_words
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.undecided import TOO_MANY, answer_in_words, is_of_gateway


def environment(exchanges: Sequence[Exchange]) -> tuple[str, ...]:
    """Return what the responses show of a gateway, of a rate limit and of the two clocks."""
    answered = [exchange for exchange in exchanges if exchange.response]
    gateways = Counter(answer_in_words(exchange) for exchange in answered if is_of_gateway(exchange))
    limited = sum(exchange.status == TOO_MANY for exchange in answered)
    words = []
    if gateways:
        counts = " and ".join(_counted(count, len(answered), words) for words, count in gateways.most_common())
        words.append(f"{counts}: a gateway before the target sent them, and they decide nothing")
    if limited:
        words.append(f"{_counted(limited, len(answered), str(TOO_MANY))}: the target limits the rate of requests")
    if ahead := clock_ahead(answered):
        clocks = "one of the two clocks is wrong"
        words.append(f"the Date headers of the target are {in_words(ahead)}, by this machine's clock: {clocks}")
    return tuple(words)


def _counted(count: int, total: int, words: str) -> str:
    share = f"{100 * count / total:.0f} %" if count * 100 >= total else "less than 1 %"
    return f"{count:,} of {total:,} responses ({share}) were {words}"
