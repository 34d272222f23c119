"""Conforming variants where PAY-RATE is silent: the rate limit."""

import time
from typing import Any

from pix_conformance.proof.variants.common.checks import checks_arguments
from pix_conformance.proof.variants.common.http import RATE_LIMITED, RATE_UNTIL_DATE
from pix_conformance.reference.call import Call, Refusal

WINDOW_S = 5.0
TOKENS = 8


def limit_tokens(rules: Any, call: Call) -> None:
    if call.path == ("api", "auth"):
        granted: list[float] = rules.__dict__.setdefault("granted", [])
        granted[:] = [one for one in granted if time.monotonic() - one < WINDOW_S]
        if len(granted) >= TOKENS:
            raise Refusal("limited", "too many requests")
        granted.append(time.monotonic())


def limit_one_of_150(rules: Any, _call: Call) -> None:
    rules.__dict__["served"] = served = rules.__dict__.get("served", 12) + 1
    if served % 150 == 15:
        raise Refusal("limited", "too many requests")


VARIANTS = {
    "PAY-RATE-02": {
        "limited-until-date": RATE_UNTIL_DATE,
        "limited-with-retry-after": RATE_LIMITED,
        "limited-now-and-then": checks_arguments(
            "One request of 150 gets 429 without Retry-After: no header is stated (payments.md, lines 373 and 390).",
            limit_rate=limit_one_of_150).also("PAY-RATE-03"),
        "eight-tokens-in-5-s": checks_arguments(
            "More than eight tokens in five seconds are refused: numeric rate limits are not shown "
            "(payments.md, line 390).", limit_rate=limit_tokens),
    },
}  # fmt: skip
