"""Text that a server sent, made safe to show: on a page, in Markdown, in XML."""

import re

# C0 and C1 controls without tab, line feed and carriage return: a terminal or browser may obey them.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Marks that reorder what a reader sees.
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~])")
CLIP = 4_000
"""Characters of one text that a page shows."""


def visible(text: str) -> str:
    """Write `text` with every control, reordering mark and lone surrogate written out instead of obeyed."""
    text = _CONTROL.sub(_escape, text)
    text = _BIDI.sub(_escape, text)
    return _SURROGATE.sub(_escape, text)


def clip(text: str, limit: int = CLIP) -> str:
    """Take the first `limit` characters of `text`, saying how many were left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … ({len(text) - limit:,} more characters)"


def one_line(text: str, limit: int = 300) -> str:
    """Put `text` on one line, visible and clipped."""
    return visible(clip(" ".join(text[: 4 * limit].split()), limit))


def markdown(text: str, limit: int = 300) -> str:
    """Write `text` as one line of Markdown that renders as itself: no markup, no mention, no HTML."""
    text = one_line(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", text).replace("@", "@\u200b")  # no backslash stops a mention


def xml(text: str) -> str:
    """Write `text` without control characters, reordering marks and whatever else XML 1.0 forbids."""
    return _NOT_XML.sub("", _BIDI.sub("", _CONTROL.sub("", text)))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004  # two hex digits
