"""Text that a server chose, made safe to show: nothing in it is obeyed by a terminal or a browser."""

from __future__ import annotations

import re

# C0 and C1 controls without tab, line feed and carriage return: a terminal or browser may obey them.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Marks that reorder what a reader sees.
BIDI = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
CLIP = 4_000
"""Characters of one text that a page or a line shows."""


def visible(text: str) -> str:
    """Write `text` with every control, reordering mark and lone surrogate written out instead of obeyed."""
    text = CONTROL.sub(_escape, text)
    text = BIDI.sub(_escape, text)
    return _SURROGATE.sub(_escape, text)


def clip(text: str, limit: int = CLIP) -> str:
    """Take the first `limit` characters of `text`, saying how many were left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … ({len(text) - limit:,} more characters)"


def for_terminal(text: str, limit: int = 30_000) -> str:
    """Write `text` for a terminal: visible, clipped, and no line overwritten by a carriage return."""
    return visible(clip(text, limit)).replace("\r", "\\x0d")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004  # two hex digits
