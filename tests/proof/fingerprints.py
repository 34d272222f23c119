"""What each defect makes fail, from the measured proof: the patterns that a report knows a wrong server by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fixtures.defects.registry import Defect
from reports.fingerprints import FILE

FAILED = ("fail", "warn")


def fingerprints(rows: Iterable[Mapping[str, Any]], defects: Mapping[str, Defect]) -> list[dict[str, Any]]:
    """Take from the rows of the localisation each defect's sentence and all requirements that failed with it."""
    found = []
    for row in rows:
        failed = {one for one, outcome in row["outcomes"].items() if outcome in FAILED} | set(row["beside"] or ())
        if failed and (defect := defects.get(row["defect"])):
            sentence = defect.sentence.splitlines()[0].rstrip(".")
            found.append({"defect": defect.id, "sentence": sentence, "failed": sorted(failed)})
    return found


def store(kept: Mapping[str, Any], defects: Mapping[str, Defect], path: Path = FILE) -> int:
    """Write the file that reports read, if localisation was measured; returns how many defects it knows."""
    if "localisation" not in kept:
        return 0
    found = fingerprints(kept["localisation"]["rows"], defects)
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in found)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return len(found)
