"""The blocks of the terminal: one for each failure and each warning, failures first."""

from __future__ import annotations

from pathlib import Path

from pix_conformance.report.failure_blocks import failure_blocks
from tests.support import bundles


def test_a_warning_has_its_block_after_the_failures(tmp_path: Path) -> None:
    rows = [bundles.requirement(number, outcome=outcome) for number, outcome in enumerate(("warn", "pass", "fail"))]
    heads = [line for line in failure_blocks(bundles.run(tmp_path, *rows)) if line and not line.startswith(" ")]

    assert [head.split(" (")[0] for head in heads] == [f"FAIL {rows[2]['id']}", f"WARN {rows[0]['id']}"]
