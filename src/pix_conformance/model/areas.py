"""The areas of requirements, which are the middle words of ids, and the topics of the open points."""

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
    "HOOK": "webhook endpoint of an integration",
    "CLI": "client of an integration",
}


def area(requirement: str) -> str:
    """Return the area of a requirement; empty for an unknown one."""
    return AREAS.get(requirement.split("-")[1] if "-" in requirement else "", "")


TOPICS = {
    "Money": "PAY-BAL PAY-SPL BUS-FIN PAY-GEN-02 PAY-GEN-03 PAY-CHG-07 PAY-ITEM-15 PAY-ITEM-16 PAY-TRF-10 PAY-TRF-27 "
    "BUS-CHG-11 BUS-CHG-12",
    "Idempotency": "PAY-IDEM BUS-IDEM BUS-ENV-07 BUS-ISO-09",
    "States and time": "PAY-TRF BUS-EXP BUS-STATE PAY-CHG-76 PAY-CMP-15 BUS-CAN-07 BUS-LIST-14 BUS-PAY-05 BUS-PAY-06 "
    "BUS-PAY-07",
    "Events and webhooks": "PAY-EVT PAY-SIG PAY-WH PAY-HOOK BUS-EVT BUS-SIG BUS-RETRY PAY-CHG-20 PAY-TRF-24 PAY-ENV-07",
    "Ids and PIX keys": "PAY-KEY BUS-QR PAY-WH-65 PAY-EVT-59 BUS-CHG-61 BUS-EVT-15",
    "Validation": "PAY-CHG PAY-CUS PAY-ITEM PAY-PAYS PAY-CMP BUS-CHG BUS-CAN BUS-PAY PAY-GEN-04 PAY-GEN-07 PAY-GEN-08 "
    "PAY-GEN-09 PAY-AUTH-20 PAY-TRF-15 BUS-LIST-13",
    "Errors": "PAY-ERR BUS-ERR PAY-GEN-11 PAY-PAYS-16 PAY-CMP-16 BUS-GEN-06 BUS-GEN-08 BUS-AUTH-16",
    "Responses": "PAY-GEN BUS-GEN BUS-LIST PAY-CHG-45 PAY-TRF-40 BUS-CHG-02 BUS-CHG-60 BUS-CAN-03 BUS-PAY-03 PAY-WH-56 "
    "PAY-WH-57",
    "Credentials and environments": "PAY-AUTH BUS-AUTH PAY-ENV BUS-ENV PAY-ISO BUS-ISO",
    "Limits and versions": "PAY-RATE PAY-VER BUS-VER BUS-GEN-04",
}
"""Areas and single requirements of each topic, in the order in which an integrator needs the topics.

A single requirement is looked up before its area.
"""
OTHER = "Other"

_TOPIC = {name: topic for topic, names in TOPICS.items() for name in names.split()}


def topic(requirement: str) -> str:
    """Return the topic of a requirement; `Other` for an unknown one."""
    return _TOPIC.get(requirement) or _TOPIC.get(requirement.rpartition("-")[0], OTHER)
