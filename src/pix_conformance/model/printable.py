"""Texts of a server, made safe to print: a terminal or browser executes nothing in them."""

import re

# C0 and C1 controls without tab, line feed and carriage return: a terminal or browser may execute them.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Marks that change the order of the visible characters.
BIDI = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
CLIP = 4_000
"""Characters of one text that a page or a line shows."""


def visible(text: str) -> str:
    """Return the text with every control character, reordering mark and lone surrogate as an escape sequence."""
    text = CONTROL.sub(_escape, text)
    text = BIDI.sub(_escape, text)
    return _SURROGATE.sub(_escape, text)


def clip(text: str, limit: int = CLIP) -> str:
    """Return the first `limit` characters, followed by the number of the omitted ones."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … ({len(text) - limit:,} more characters)"


def one_line(text: str, limit: int = 300) -> str:
    """Put `text` on one line, visible and clipped."""
    return visible(clip(" ".join(text[: 4 * limit].split()), limit))


def for_terminal(text: str, limit: int = 30_000) -> str:
    """Return the text for a terminal: `visible`, clipped, and with carriage returns escaped."""
    return visible(clip(text, limit)).replace("\r", "\\x0d")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004  # two hex digits
