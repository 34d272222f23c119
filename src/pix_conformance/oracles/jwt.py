"""Invalid copies of a JSON Web Token.

Sources: PAY-AUTH-04, RFC 7519. Claims and algorithm are not stated, so they are not judged.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode


def unsigned(token: str, algorithm: str = "none") -> str:
    """Return a copy with an algorithm that signs nothing, without a signature, and with the same payload."""
    head, _, rest = token.partition(".")
    header = {**(_json_object(head) or {"typ": "JWT"}), "alg": algorithm}
    return f"{_encoded(header)}.{rest.partition('.')[0] or _encoded({})}."


def tampered(token: str) -> str:
    """Return a copy with another payload and the original signature.

    The copy has one claim more, so that all other claims stay valid. If the payload cannot be read, the first character
    of the middle part is changed: all bits of the first character are decoded, those of the last may not be.
    """
    head, dot, rest = token.partition(".")
    middle, last_dot, tail = (rest if dot else head).partition(".")
    claims = _json_object(middle)
    twin = _other_start(middle) if claims is None else _encoded({**claims, "tampered": _again(claims)})
    return f"{head if dot else ''}{dot}{twin}{last_dot}{tail}"


def reheaded(token: str) -> str:
    """Return a copy with one more header parameter and the original signature, which covers the header (RFC 7515)."""
    head, dot, rest = token.partition(".")
    header = _json_object(head)
    twin = _other_start(head) if header is None else _encoded({**header, "tampered": _again(header)})
    return f"{twin}{dot}{rest}"


def truncated(token: str) -> str:
    """Return a copy without the second half of the signature. It stays base64url.

    Without three parts, half of the text is removed.
    """
    rest, dot, last = token.rpartition(".")
    return rest + dot + last[: len(last) // 8 * 4] if rest and last else token[: len(token) // 2]


def _again(claims: dict[str, object]) -> int:
    """Return a value for the claim `tampered` that the token does not have already."""
    return 2 if claims.get("tampered") == 1 else 1


def _other_start(text: str) -> str:
    return ("B" if text.startswith("A") else "A") + text[1:]


def _encoded(value: dict[str, object]) -> str:
    data = json.dumps(value, separators=(",", ":")).encode()
    return urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(part: str) -> bytes | None:
    """Return the bytes of unpadded base64url, or None. A text of 4n + 1 characters encodes nothing."""
    if not re.fullmatch("[A-Za-z0-9_-]*", part) or len(part) % 4 == 1:
        return None
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _json_object(part: str) -> dict[str, object] | None:
    try:
        value = json.loads((_decoded(part) or b"").decode())
    except (ValueError, RecursionError):  # RecursionError: hostile nesting
        return None
    return value if isinstance(value, dict) else None
