"""Texts without the parts that change from run to run, for a comparison."""

import re

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
VOLATILE = re.compile(
    rf"\b{UUID.pattern}\b"
    r"|\b\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:\d\d)?"  # timestamp
    r"|\b[0-9a-f]{16,}\b"  # other identifiers
    r"|\b\d{6,}\b",
    re.IGNORECASE,
)


def stable(text: str) -> str:
    """Mask ids, timestamps and long numbers in a text."""
    return VOLATILE.sub("…", text)
