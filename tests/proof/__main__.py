"""`python -m tests.proof recall|localisation|precision|all|sample`: measure, and publish in docs/proof.json.

recall takes minutes, localisation and precision up to two hours together; sample is what CI runs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime

from fixtures.defects.registry import Defect, load
from tests.proof import measure, publish


def main(words: list[str]) -> int:
    """Measure and publish; exit 1 if a defect survived or a right server failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.proof", description=__doc__)
    parser.add_argument("what", choices=["recall", "localisation", "precision", "all", "sample"])
    parser.add_argument("--only", default="", help="defects whose id, or what they break, holds this text")
    parser.add_argument("--seconds", type=float, default=150, help="how long the sample may take")
    asked = parser.parse_args(words)
    if asked.what == "sample":
        return _sample(asked.seconds)
    chosen = [one for one in load().values() if asked.only in one.id or any(asked.only in each for each in one.breaks)]
    wrong = 0
    if asked.what in {"recall", "all"}:
        wrong += _kills("recall", measure.recall(chosen), partial=bool(asked.only))
    if asked.what in {"localisation", "all"}:
        wrong += _kills("localisation", measure.localisation(chosen), partial=bool(asked.only))
    if asked.what in {"precision", "all"}:
        wrong += _spared()
    return 1 if wrong else 0


def _kills(part: str, found: Iterable[measure.Kill], *, partial: bool) -> int:
    begun, kills = time.monotonic(), []
    for one in found:
        kills.append(one)
        if not one.killed or one.beside:
            _say(f"{'killed' if one.killed else 'SURVIVED'} {one.defect} {one.outcomes} beside: {one.beside}")
    survivors = [one for one in kills if not one.killed]
    _say(f"{part}: {len(kills) - len(survivors)} of {len(kills)} defects killed in {time.monotonic() - begun:.0f} s")
    if not partial:
        publish.store(part, measure.as_rows(kills), time.monotonic() - begun)
    return len(survivors)


def _spared() -> int:
    begun, spared = time.monotonic(), []
    for one in measure.precision([*measure.singles(), *measure.pairwise(1), *measure.mixed(1, 20)]):
        spared.append(one)
        if one.failed:
            _say(f"WRONGLY FAILED {one.freedoms}: {one.failed}")
    wrong = [one for one in spared if one.failed]
    _say(f"precision: {len(spared) - len(wrong)} of {len(spared)} right servers left alone")
    publish.store("precision", measure.as_rows(spared), time.monotonic() - begun)
    return len(wrong)


def _sample(seconds: float) -> int:
    """Prove as many as fit into the time, other ones each day."""
    chance = random.Random(datetime.now(UTC).toordinal())  # noqa: S311  # a rotation, not a secret
    defects: list[Defect] = chance.sample(list(load().values()), len(load()))
    right = chance.sample([*measure.singles(), *measure.mixed(chance.randrange(1000), 5)], 4)
    wrong = [one for one in measure.precision(right) if one.failed]
    begun, killed = time.monotonic(), 0
    survivors: list[measure.Kill] = []
    for some in (defects[at : at + 8] for at in range(0, len(defects), 8)):
        if time.monotonic() - begun > seconds:
            break
        kills = list(measure.recall(some))
        killed += sum(one.killed for one in kills)
        survivors += [one for one in kills if not one.killed]
    _say("\n".join(f"WRONG: {one}" for one in [*wrong, *survivors]))
    _say(f"{killed + len(right) - len(wrong)} passed, {len(survivors) + len(wrong)} failed")
    return 1 if wrong or survivors else 0


def _say(words: str) -> None:
    print(words, flush=True)  # noqa: T201  # a command's output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
