"""Text that a server sent, made safe to show: on a page, in Markdown, in XML."""

import re

from pix_conformance.model.printable import BIDI, CONTROL, clip, visible

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_\[\]#|~])")


def one_line(text: str, limit: int = 300) -> str:
    """Put `text` on one line, visible and clipped."""
    return visible(clip(" ".join(text[: 4 * limit].split()), limit))


def markdown(text: str, limit: int = 300) -> str:
    """Write `text` as one line of Markdown that renders as itself: no markup, no mention, no HTML."""
    text = one_line(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", text).replace("@", "@\u200b")  # no backslash stops a mention


def xml(text: str) -> str:
    """Write `text` without control characters, reordering marks and other characters that XML 1.0 forbids."""
    return _NOT_XML.sub("", BIDI.sub("", CONTROL.sub("", text)))
