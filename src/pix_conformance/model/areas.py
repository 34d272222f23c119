"""The areas of requirements: the middle word of an id, spelled out."""

from __future__ import annotations

AREAS = {
    "GEN": "general",
    "AUTH": "authentication",
    "CHG": "charge",
    "CUS": "customer",
    "ITEM": "item",
    "SPL": "split",
    "PAYS": "simulated payment",
    "TRF": "transfer",
    "KEY": "PIX key",
    "CMP": "completion of a transfer",
    "IDEM": "idempotency",
    "BAL": "balance",
    "WH": "webhook",
    "EVT": "event",
    "SIG": "signature",
    "ERR": "error",
    "ENV": "environment, sandbox and production",
    "ISO": "isolation of accounts",
    "RATE": "rate limit",
    "VER": "version",
    "QR": "QR code",
    "LIST": "list of charges",
    "CAN": "cancellation",
    "PAY": "simulated payment",
    "EXP": "expiry",
    "STATE": "state",
    "FIN": "finance, balance and ledger",
    "RETRY": "retry of deliveries",
}


def area(requirement: str) -> str:
    """Return the area of a requirement; empty for an unknown one."""
    return AREAS.get(requirement.split("-")[1] if "-" in requirement else "", "")
