"""
JSON Web Tokens: their form, and broken twins of a given token.

Sources: payments.md 230, 307. Claims and algorithm are the service's own business and are not judged.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

_SIGNED: Final = 3
_ENCRYPTED: Final = 5  # RFC 7519 1: a JWT may be a JWE, whose payload cannot be read


def mismatches(token: object) -> list[str]:
    """
    Say what keeps a value from being a JWT in compact form.

    >>> mismatches("eyJhbGciOiJub25lIn0.e30.")
    []
    >>> mismatches("opaque")
    ['has 1 part, not three']
    """
    if not isinstance(token, str):
        return ["is not text"]
    parts = token.split(".")
    if len(parts) not in {_SIGNED, _ENCRYPTED}:
        return [f"has {len(parts)} part{'s' if len(parts) > 1 else ''}, not three"]
    wrong = [f"part {place} is not base64url" for place, part in enumerate(parts, 1) if _decoded(part) is None]
    header = _json_object(parts[0])
    if header is None or not isinstance(header.get("alg"), str):
        wrong.append("its header is not a JSON object that names an algorithm")
    if len(parts) == _SIGNED and _json_object(parts[1]) is None:
        wrong.append("its payload is not a JSON object")
    return wrong


def unsigned(token: str) -> str:
    """Return the twin that claims algorithm `none` and carries no signature; the payload stays."""
    head, _, rest = token.partition(".")
    header = {**(_json_object(head) or {"typ": "JWT"}), "alg": "none"}
    return f"{_encoded(header)}.{rest.partition('.')[0] or _encoded({})}."


def tampered(token: str) -> str:
    """
    Return the twin whose payload says something else under the old signature.

    A claim is added, so that all the others stay right. Where there is no payload to read, the first character of
    the middle part is changed: its bits are all decoded, those of a last character may not be.
    """
    head, dot, rest = token.partition(".")
    middle, last_dot, tail = (rest if dot else head).partition(".")
    claims = _json_object(middle)
    twin = _other_start(middle) if claims is None else _encoded({**claims, "tampered": _again(claims)})
    return f"{head if dot else ''}{dot}{twin}{last_dot}{tail}"


def reheaded(token: str) -> str:
    """Return the twin whose header says one thing more under the old signature, which covers it (RFC 7515, 5.2)."""
    head, dot, rest = token.partition(".")
    header = _json_object(head)
    twin = _other_start(head) if header is None else _encoded({**header, "tampered": _again(header)})
    return f"{twin}{dot}{rest}"


def truncated(token: str) -> str:
    """Return the twin that lacks half of its last part or a little more (it stays base64url), or half of itself."""
    rest, dot, last = token.rpartition(".")
    return rest + dot + last[: len(last) // 8 * 4] if rest and last else token[: len(token) // 2]


def _again(claims: dict[str, object]) -> int:
    """A value that the claim `tampered` does not have already."""
    return 2 if claims.get("tampered") == 1 else 1


def _other_start(text: str) -> str:
    return ("B" if text.startswith("A") else "A") + text[1:]


def _encoded(value: dict[str, object]) -> str:
    data = json.dumps(value, separators=(",", ":")).encode()
    return urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(part: str) -> bytes | None:
    """Return the bytes of unpadded base64url; None if it is not that (four signs and one more decode to nothing)."""
    if not re.fullmatch("[A-Za-z0-9_-]*", part) or len(part) % 4 == 1:
        return None
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _json_object(part: str) -> dict[str, object] | None:
    try:
        value = json.loads((_decoded(part) or b"").decode())
    except (ValueError, RecursionError):  # RecursionError: hostile nesting
        return None
    return value if isinstance(value, dict) else None
