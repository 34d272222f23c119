"""Bundles of any size, with plain or hostile texts, and the measured files of a release, for tests of reports."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report import explain

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    '"><svg onload=window.hacked=1>',
    "{{ 7*7 }} ${7*7} ]]> --> &amp; <!--",
    "\x1b[31mred\x1b[0m \x00\x07\x9b bell",
    "lone \ud800 surrogate, \u202egnp.exe, \ufffe",
    "[click](javascript:window.hacked=1) | cell | @everyone `code`\n# heading",
)
LONG_LINE = "A" * 1_000_000
DOCUMENTS = {"payments": ("Idempotency of transfers", "Errors", "Limits"), "business": ("Events", "Authentication")}
ROUTES = (
    ("create_charge", "POST", "/api/v1/pix/in/qrcode", "pending"),
    ("get_charge", "GET", "/api/v1/pix/in/qrcode/{id}", "pending"),
    ("pay_charge", "POST", "/api/v1/pix/in/qrcode/{id}/pay", "paid"),
    ("get_balance", "GET", "/api/v1/balance", None),
    ("create_transfer", "POST", "/api/v1/pix/out/pixkey", "queued"),
)
REASONS = {
    "pass": "",
    "fail": "status is 200, not 409",
    "warn": "message does not name the field",
    "error": "KeyError in our own matcher",
    "inconclusive": "the target answered 429 until patience ran out",
    "observed": "",
    "waived": "known: GW-31, until 2027-01-31",
    "not applicable": "no live credentials: PIX_LIVE_CLIENT_ID is not set",
}
RIGHT: explain.Example = {"sent": ["GET /"], "got": ["HTTP 409", "{}"]}
WRONG: explain.Example = {**RIGHT, "mutant": "One", "sentence": "no", "mismatches": ["status is 200"]}
EXAMPLES = {"PAY-IDEM-02": {"right": RIGHT, "wrong": WRONG}, "PAY-BAL-01": {"right": RIGHT}}


def write(directory: Path, requirements: int = 24, exchanges: int = 60, *, text: str = "") -> Path:
    """Write a bundle into `directory`. `text` replaces every text that a server may choose."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "results.json").write_text(json.dumps(results(requirements, exchanges, text=text)))
    rows = {"exchanges": [exchange(n, text) for n in range(1, exchanges + 1)]}
    rows["deliveries"] = [delivery(n, text) for n in range(1, min(exchanges, 400) // 4 + 1)]
    for name, lines in rows.items():
        (directory / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines))
    return directory


def run(directory: Path, *rows: dict[str, Any], target: str = "gateway") -> Bundle:
    """Write and read a bundle with only these requirements."""
    write(directory, exchanges=1)
    content = results() | {"requirements": list(rows)}
    content["target"] |= {"name": target, "embedded": False}
    (directory / "results.json").write_text(json.dumps(content))
    return read(directory)


def results(requirements: int = 24, exchanges: int = 60, *, text: str = "") -> dict[str, Any]:
    """Return the content of `results.json`."""
    target = {"name": "embedded reference", "base_url": "http://127.0.0.1:1", "embedded": True}
    run = {"id": "r-1", "seed": 1, "started": "2026-11-21T01:02:03Z", "seconds": 21.4, "partial": False, "exit": 1}
    states = ("left", "removed", "canceled")
    return {
        "suite": "1.0.0",
        "headline": text or "2 musts fail against the embedded reference: status is 200, not 409.",
        "notices": [text] if text else ["events: nothing reached the receiver for 2 of 60 charges"],
        "documents": {"payments": "a1" * 32, "business": "b2" * 32},
        "target": target | {"capabilities": ["sandbox"]},
        "run": run,
        "totals": {"requests": exchanges, "deliveries": 1, "must": {"pass": 1}, "should": {}, "open": {}},
        "requirements": [requirement(n, exchanges, text) for n in range(requirements)],
        "journal": [
            {"api": "payments", "role": "merchant", "kind": "charge", "id": text or f"chg_{n}", "exchange": n}
            | {"state": states[n % 3]}
            for n in range(1, exchanges, 5)
        ],
    }


def requirement(n: int, exchanges: int = 60, text: str = "", **changed: Any) -> dict[str, Any]:
    """Return one requirement with its verdict. Every twelfth fails, the others have all other outcomes."""
    api = "payments" if n % 2 == 0 else "business"
    section = DOCUMENTS[api][n % len(DOCUMENTS[api])]
    others = {4: "fail", 40: "error", 7: "inconclusive", 15: "warn", 30: "waived", 8: "not applicable"}
    outcome = "observed" if n % 6 == 5 else others.get(n % 48, "pass")
    test, evidence = f"suites/{api}/test_{n % 5}.py::test_question_{n}", f"exchange {n * 7 % max(exchanges, 1) + 1}"
    row = {
        "id": f"{PROFILES[Api(api)].prefix}-{section[:4].upper()}-{n:02}",
        "api": api,
        "document": api,
        "level": {"observed": "open", "warn": "should"}.get(outcome, "should" if n % 5 == 3 else "must"),
        "section": section,
        "lines": [[200 + n, 200 + n], [300, 302]],
        "statement": text or f"A key that is used again with another body (variant {n}) is refused.",
        "outcome": outcome,
        "reason": text or REASONS[outcome],
        "not_asked": ["live_credentials: PIX_LIVE_CLIENT_ID is not set"] if outcome == "not applicable" else [],
        "tests": [test],
        "asked_by": [{"test": test, "words": f"question {n}.", "cases": 1}],
        "passive": False,
        "seconds": 0.25,
        "judged_on": [],
        "evidence": [evidence],
        "needs": ["sandbox"],
        "note": text,
        "unobservable": None,
        "observation": [seen(evidence, text)] if outcome == "observed" else None,
        "judgements": [judgement(evidence, outcome, text)] if outcome in {"fail", "pass", "warn"} else [],
    }
    return row | changed


def seen(evidence: str, text: str) -> dict[str, Any]:
    """Return an observation."""
    words = text or "the envelope is an object with `items`"
    return {"words": words, "data": {"keys": ["items"]}, "evidence": [evidence]}


def judgement(evidence: str, outcome: str, text: str = "") -> dict[str, Any]:
    """Return the record of two matchers on one exchange."""
    curl = "curl -X POST http://127.0.0.1:1/api/v1/pix/out/pixkey -H \"authorization: Bearer $PIX_TOKEN\" -d '{}'"
    field = {"matcher": "field", "path": "error", "expected": "CONFLICT"}
    return {
        "test": "suites/payments/test_transfers.py::test_key_reuse",
        "target": evidence,
        "matchers": [{"matcher": "status", "codes": [409]}, field],
        "mismatches": [] if outcome == "pass" else [text or "status is 200, not 409"],
        "curl": text or curl,
    }


def exchange(n: int, text: str = "") -> dict[str, Any]:
    """Return one exchange, in turn: creation, query and payment of a charge, a balance, a transfer."""
    operation, method, path, status = ROUTES[(n - 1) % len(ROUTES)]
    name = f"chg_{(n - 1) // len(ROUTES)}"
    data = {"id": name, "status": status, "amount": 100, "filler": "x" * 400}
    request = {"method": method, "url": f"http://127.0.0.1:1{path.format(id=name)}", "headers": [["x-run", "r-1"]]}
    response = {"status": 200, "headers": [["content-type", "application/json"]], "bytes": 512, "truncated": False}
    return {
        "id": n,
        "api": "payments",
        "role": "merchant",
        "operation": operation,
        "test": f"suites/payments/test_{n // 20}.py::test_story",
        "started": f"2026-11-21T01:{n // 60 % 60:02}:{n % 60:02}.456Z",
        "elapsed_ms": 1.5 + n % 37 / 4 + (90 if n % 50 == 0 else 0),
        "request": request | {"body": text or '{"amountInCents":100.0}'},
        "response": response | {"body": text or json.dumps({"success": True, "data": data})},
        "error": None,
    }


def delivery(n: int, text: str = "") -> dict[str, Any]:
    """Return one delivery; every third is the second attempt of the one before."""
    event = n - 1 if n % 3 == 0 else n
    body = {"id": f"evt-{event}", "type": "transaction", "event": text or "transaction_paid"}
    return {
        "id": n,
        "api": "payments",
        "path": text or f"/hook/{event}",
        "received": f"2026-11-21T01:02:{n % 60:02}.100Z",
        "method": "POST",
        "headers": [["service-signature", "t=1,v1=***"]],
        "body": json.dumps(body),
        "answered": 500 if n % 3 == 2 else 200,
        "fault": "slow" if n % 7 == 0 else None,
    }


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
