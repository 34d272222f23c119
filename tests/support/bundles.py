"""Bundles of any size, with plain or hostile texts, for the tests of the reports."""

import json
from pathlib import Path
from typing import Any

from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle

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
DOCUMENTS = {
    "payments": ("Idempotency of transfers", "Errors", "Limits"),
    "business": ("Events", "Authentication"),
}
ROUTES = (
    ("create_charge", "POST", "/api/v1/pix/in/qrcode"),
    ("get_charge", "GET", "/api/v1/pix/in/qrcode/{id}"),
    ("pay_charge", "POST", "/api/v1/pix/in/qrcode/{id}/pay"),
    ("get_balance", "GET", "/api/v1/balance"),
    ("create_transfer", "POST", "/api/v1/pix/out/pixkey"),
)
STATUSES = {
    "create_charge": "pending",
    "get_charge": "pending",
    "pay_charge": "paid",
    "create_transfer": "queued",
}


def write(directory: Path, requirements: int = 24, exchanges: int = 60, *, text: str = "") -> Path:
    """Write a bundle into `directory`. `text` replaces every text that a server may choose."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "results.json").write_text(json.dumps(results(requirements, exchanges, text=text)))
    _lines(directory / "exchanges.jsonl", (exchange(n, text) for n in range(1, exchanges + 1)))
    _lines(directory / "deliveries.jsonl", (delivery(n, text) for n in range(1, min(exchanges, 400) // 4 + 1)))
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
    rows = [requirement(n, exchanges, text) for n in range(requirements)]
    return {
        "suite": "1.0.0",
        "headline": text or "2 musts fail against the embedded reference: status is 200, not 409.",
        "notices": [text] if text else ["events: nothing reached the receiver for 2 of 60 charges"],
        "documents": {"payments": "a1" * 32, "business": "b2" * 32},
        "target": {
            "name": "embedded reference",
            "base_url": "http://127.0.0.1:1",
            "embedded": True,
            "capabilities": ["sandbox"],
        },
        "run": {
            "id": "r-1",
            "seed": 1,
            "started": "2026-11-21T01:02:03Z",
            "seconds": 21.4,
            "partial": False,
            "exit": 1,
        },
        "totals": {"requests": exchanges, "deliveries": 1, "must": {"pass": 1}, "should": {}, "open": {}},
        "requirements": rows,
        "journal": [created(n, text) for n in range(1, exchanges, 5)],
    }


def requirement(n: int, exchanges: int = 60, text: str = "", **changed: Any) -> dict[str, Any]:
    """Return one requirement with its verdict. Every twelfth fails, the others have all other outcomes."""
    api = "payments" if n % 2 == 0 else "business"
    section = DOCUMENTS[api][n % len(DOCUMENTS[api])]
    outcome, level = _fate(n)
    evidence = f"exchange {n * 7 % max(exchanges, 1) + 1}"
    row = {
        "id": f"{PROFILES[Api(api)].prefix}-{section[:4].upper()}-{n:02}",
        "api": api,
        "document": api,
        "level": level,
        "section": section,
        "lines": [[200 + n, 200 + n], [300, 302]],
        "statement": text
        or f"A key that is used again with another body (variant {n}) is refused and creates nothing.",
        "outcome": outcome,
        "reason": text or REASONS[outcome],
        "not_asked": ["live_credentials: PIX_LIVE_CLIENT_ID is not set"] if outcome == "not applicable" else [],
        "tests": [f"suites/{api}/test_{n % 5}.py::test_question_{n}"],
        "asked_by": [
            {"test": f"suites/{api}/test_{n % 5}.py::test_question_{n}", "words": f"question {n}.", "cases": 1}
        ],
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


def _fate(n: int) -> tuple[str, str]:
    if n % 6 == 5:
        return "observed", "open"
    odd = {4: "fail", 40: "error", 7: "inconclusive", 15: "warn", 30: "waived", 8: "not applicable"}
    outcome = odd.get(n % 48, "pass")
    return outcome, "should" if outcome == "warn" or n % 5 == 3 else "must"


def seen(evidence: str, text: str) -> dict[str, Any]:
    """Return an observation."""
    return {
        "words": text or "the envelope is an object with `items`",
        "data": {"keys": ["items"]},
        "evidence": [evidence],
    }


def judgement(evidence: str, outcome: str, text: str = "") -> dict[str, Any]:
    """Return the record of two matchers on one exchange."""
    return {
        "test": "suites/payments/test_transfers.py::test_key_reuse",
        "target": evidence,
        "matchers": [
            {"matcher": "status", "codes": [409]},
            {"matcher": "field", "path": "error", "expected": "CONFLICT"},
        ],
        "mismatches": [] if outcome == "pass" else [text or "status is 200, not 409"],
        "curl": text
        or "curl -X POST http://127.0.0.1:1/api/v1/pix/out/pixkey -H \"authorization: Bearer $PIX_TOKEN\" -d '{}'",
    }


def created(n: int, text: str = "") -> dict[str, Any]:
    """Return a line of the journal."""
    state = ("left", "removed", "canceled")[n % 3]
    return {
        "api": "payments",
        "role": "merchant",
        "kind": "charge",
        "id": text or f"chg_{n}",
        "exchange": n,
        "state": state,
    }


def exchange(n: int, text: str = "") -> dict[str, Any]:
    """Return one exchange, in turn: creation, query and payment of a charge, a balance, a transfer."""
    operation, method, path = ROUTES[(n - 1) % len(ROUTES)]
    name = f"chg_{(n - 1) // len(ROUTES)}"
    answer = {
        "success": True,
        "data": {"id": name, "status": STATUSES.get(operation), "amount": 100, "filler": "x" * 400},
    }
    response = {
        "status": 200,
        "headers": [["content-type", "application/json"]],
        "bytes": 512,
        "truncated": False,
    }
    return {
        "id": n,
        "api": "payments",
        "role": "merchant",
        "operation": operation,
        "test": f"suites/payments/test_{n // 20}.py::test_story",
        "started": f"2026-11-21T01:{n // 60 % 60:02}:{n % 60:02}.456Z",
        "elapsed_ms": 1.5 + n % 37 / 4 + (90 if n % 50 == 0 else 0),
        "request": {
            "method": method,
            "url": f"http://127.0.0.1:1{path.format(id=name)}",
            "headers": [["x-run", "r-1"]],
            "body": text or '{"amountInCents":100.0}',
        },
        "response": response | {"body": text or json.dumps(answer)},
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


def _lines(path: Path, rows: Any) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
