"""Texts that a wrong sender signs in place of the raw body of a webhook: the same JSON, written or encoded otherwise.

The escapes are those of Go's `encoding/json` (`<`, `>`, `&`) and of PHP's `json_encode` (`/`, what is not ASCII).
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Final

SignedText = tuple[str, bytes]
"""What the sender did, in words, and what it signed."""
Change = Callable[[str], str]

_LAYOUTS: Final[dict[str, tuple[int | None, tuple[str, str]]]] = {
    "compact": (None, (",", ":")),
    "with blanks": (None, (", ", ": ")),
    "indented by two": (2, (",", ": ")),
    "indented by four": (4, (",", ": ")),
}
_ESCAPES: Final = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9A-Fa-f]{4})+)")
_OF_HTML: Final = re.compile("[<>&\u2028\u2029]")
_BEYOND_BMP: Final = re.compile("[\U00010000-\U0010ffff]")
_NO_ASCII: Final = re.compile(r"[^\x00-\x7f]")


def other_texts(body: bytes) -> Iterator[SignedText]:
    """Yield what a sender may have signed in place of a body; nothing that is equal to it."""
    for words, other in (*_trimmed(body), *_changed(body), *_serialised(body)):
        if other != body:
            yield words, other


def _trimmed(body: bytes) -> Iterator[SignedText]:
    yield "signed the body without the white space around it", body.strip()
    yield "signed the body with a trailing newline", body + b"\n"
    yield "signed an empty body", b""


def _serialised(body: bytes) -> list[SignedText]:
    """Return the same JSON in the layouts of common serialisers."""
    try:
        value = json.loads(body)
        shapes = product(_LAYOUTS, (False, True), (False, True))
        return [(_in_words(*shape), _dumped(value, *shape)) for shape in shapes]
    except (ValueError, RecursionError):  # RecursionError: hostile nesting
        return []


def _in_words(layout: str, order: bool, escape: bool) -> str:  # noqa: FBT001 - both come from one product
    return f"signed the re-serialised body ({layout}{', keys sorted' * order}{', escaped to ASCII' * escape})"


def _dumped(value: object, layout: str, order: bool, escape: bool) -> bytes:  # noqa: FBT001 - as above
    indent, separators = _LAYOUTS[layout]
    return _utf8(json.dumps(value, indent=indent, separators=separators, sort_keys=order, ensure_ascii=escape))


def _changed(body: bytes) -> Iterator[SignedText]:
    """Yield the body with other escapes, other characters, or in another encoding."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return
    for words, change in _CHANGES.items():
        yield words, _utf8(change(text))
    yield "signed the body in Latin-1", text.encode("latin-1", "replace")
    yield "signed the body in UTF-16", text.encode("utf-16-le")
    yield "signed the body with its UTF-8 encoded once more", body.decode("latin-1").encode()
    yield "signed characters beyond the BMP as two surrogates of three bytes each", _surrogates(text)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _escape(character: str) -> str:
    return "".join(f"\\u{unit:04x}" for unit in _units(character))


def _units(character: str) -> list[int]:
    """Return the units of UTF-16 of a character."""
    data = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2)]


def _surrogates(text: str) -> bytes:
    """Encode a text as CESU-8."""
    return _utf8(_BEYOND_BMP.sub(lambda match: "".join(map(chr, _units(match[0]))), text))


def _escaping(characters: re.Pattern[str]) -> Change:
    return lambda text: characters.sub(lambda match: _escape(match[0]), text)


def _unescaping(characters: re.Pattern[str]) -> Change:
    """Make a function that writes characters of a kind as themselves where a text has their escapes."""

    def write(match: re.Match[str]) -> str:
        units = bytes.fromhex(match[2].replace("\\u", "")).decode("utf-16-be", "surrogatepass")
        return match[1] + "".join(unit if characters.match(unit) else _escape(unit) for unit in units)

    return lambda text: _ESCAPES.sub(write, text)


def _with_slashes_escaped(text: str) -> str:
    return re.sub(r"(?<!\\)/", r"\\/", text)


def _without_escaped_slashes(text: str) -> str:
    return text.replace("\\/", "/")


_CHANGES: Final[dict[str, Change]] = {
    "signed the body with <, > and & escaped, as Go does": _escaping(_OF_HTML),
    "signed the body before <, > and & were escaped, as Go does": _unescaping(_OF_HTML),
    "signed the body with / written as \\/, as PHP does": _with_slashes_escaped,
    "signed the body before / was written as \\/, as PHP does": _without_escaped_slashes,
    "signed the body with what is not ASCII escaped": _escaping(_NO_ASCII),
    "signed the body before what is not ASCII was escaped": _unescaping(_NO_ASCII),
    "signed the body with / and what is not ASCII escaped, as PHP does": lambda text: _escaping(_NO_ASCII)(
        _with_slashes_escaped(text)
    ),
    "signed the body before / and what is not ASCII were escaped, as PHP does": lambda text: _unescaping(_NO_ASCII)(
        _without_escaped_slashes(text)
    ),
    "signed `?` for each character that is not ASCII": lambda text: _NO_ASCII.sub("?", text),
    "signed `?` for each character beyond the BMP": lambda text: _BEYOND_BMP.sub("?", text),
    "signed `??` for each character beyond the BMP": lambda text: _BEYOND_BMP.sub("??", text),
    "signed U+FFFD for each character beyond the BMP": lambda text: _BEYOND_BMP.sub("\ufffd", text),
    "signed two U+FFFD for each character beyond the BMP": lambda text: _BEYOND_BMP.sub("\ufffd\ufffd", text),
    "signed the body with characters beyond the BMP escaped": _escaping(_BEYOND_BMP),
    "signed the body without characters beyond the BMP": lambda text: _BEYOND_BMP.sub("", text),
}
