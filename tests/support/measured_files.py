"""The files that a release has measured, for a test: none, or those that it writes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pix_conformance.report import explain

RIGHT: explain.Example = {"sent": ["GET /"], "got": ["HTTP 409", "{}"]}
WRONG: explain.Example = {**RIGHT, "mutant": "One", "sentence": "no", "mismatches": ["status is 200"]}
EXAMPLES = {"PAY-IDEM-02": {"right": RIGHT, "wrong": WRONG}, "PAY-BAL-01": {"right": RIGHT}}


@contextmanager
def nothing_measured(directory: Path) -> Iterator[None]:
    """As in a checkout: no examples, and no tests that killed mutants. A test may write them to the directory."""
    cached = (explain.examples, explain.kills)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explain, "EXAMPLES", directory / "examples.json")
        patch.setattr(explain, "KILLS", directory / "kills.json")
        for function in cached:
            function.cache_clear()
        yield
    for function in cached:
        function.cache_clear()


def write_examples() -> None:
    """Write the examples of two requirements."""
    explain.EXAMPLES.write_text(json.dumps(EXAMPLES), encoding="utf-8")
