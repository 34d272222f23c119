"""What each test sent and created in a measured run: the table that `--plan` estimates from."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.journal import Created
from pix_conformance.model.settings import Settings
from pix_conformance.recording.bundle.reader import read
from pix_conformance.session.plan import COSTS, SHARED


def store(directory: Path) -> int:
    """Write the table from the bundle of a whole run against the reference; returns how many functions it knows."""
    bundle = read(directory)
    tests = {test for entry in bundle.entries for test in entry.tests}
    rows = table(bundle.exchanges, bundle.journal, tests)
    head = {"measured": bundle.run.started[:10], "examples": Settings.examples}
    body = ",\n".join(f"  {json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
    COSTS.write_text(f'{json.dumps(head)[:-1]}, "tests": {{\n{body}\n}}}}\n', encoding="utf-8")
    return len(rows)


def table(exchanges: Iterable[Exchange], journal: Iterable[Created], tests: Iterable[str]) -> dict[str, dict[str, int]]:
    """Add up, for each test function: cases, requests, objects by kind, and cents."""
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    cases: defaultdict[str, set[str]] = defaultdict(set)
    made_by = {}
    for test in tests:  # those that send nothing themselves too
        rows[_function(test)]["requests"] += 0
        cases[_function(test)].add(test)
    for exchange in exchanges:
        name = _function(exchange.test)
        rows[name]["requests"] += 1
        cases[name].add(exchange.test or "")
        made_by[exchange.id] = exchange
    for created in journal:
        exchange = made_by[created.exchange]
        row = rows[_function(exchange.test)]
        row[f"{created.kind}s"] += 1
        row["cents"] += _cents(exchange.request.body)
    return {name: {"cases": 1 if name == SHARED else len(cases[name]), **_counted(row)} for name, row in rows.items()}


def _function(test: str | None) -> str:
    return test.partition("[")[0] if test and "::" in test else SHARED


def _counted(row: Counter[str]) -> dict[str, int]:
    return {kind: number for kind, number in row.items() if number}


def _cents(body: bytes) -> int:
    sent = json.loads(body or b"{}")
    amount = next((sent[name] for name in ("amountInCents", "amount_cents", "amount") if name in sent), 0)
    return int(amount)
