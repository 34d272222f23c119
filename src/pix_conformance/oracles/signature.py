"""Webhook signatures: the header `t=<timestamp>,v1=<hash>`, verified, and what a wrong sender did instead.

The hash is HMAC-SHA256, in hexadecimal, of `<timestamp>.<raw body>`; the key is the text of the secret. Upper case
digits are accepted. Entries other than `t` and `v1` are ignored; of several `v1` one must be right. Sources:
PAY-SIG, BUS-SIG.
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import combinations, product
from typing import Final, Literal, NamedTuple

from pix_conformance.oracles.signed_texts import other_texts

Join = Callable[[bytes, bytes], bytes]
Encode = Callable[[bytes, bytes], tuple[str, ...]]
Deviation = tuple[str, "_Recipe"]
# A number below this is seconds (until the year 5138); from this on it is milliseconds (since 1973).
_FIRST_MILLISECONDS: Final = 10**11
_DIGITS: Final = 14
_DRIFT: Final = 5
_MOST_IDS: Final = 6


class Signature(NamedTuple):
    """The entries of a header: the text of `t` ("" if absent) and every `v1`."""

    t: str
    v1s: tuple[str, ...]


class _Recipe(NamedTuple):
    """One way to sign; None means the right choice."""

    key: bytes | None = None
    t: str | None = None
    body: bytes | None = None
    join: Join | None = None
    encode: Encode | None = None


def parse(header: object) -> Signature:
    """Parse a header; spaces around its entries are allowed. A missing entry is empty.

    >>> parse("t=12, v1=ab, v0=cd, v1=ef")
    Signature(t='12', v1s=('ab', 'ef'))
    """
    entries = [entry.partition("=") for entry in header.split(",")] if isinstance(header, str) else []
    pairs = [(name.strip(), value.strip()) for name, _, value in entries]
    t = next((value for name, value in pairs if name == "t"), "")
    return Signature(t, tuple(value for name, value in pairs if name == "v1"))


def sign(t: str, body: bytes, secret: str) -> str:
    """Return the right `v1` for this timestamp, body and secret."""
    return hmac.digest(_bytes(secret), _dotted(_bytes(t), body), "sha256").hex()


def verify(header: object, body: bytes, secret: str) -> str | None:
    """Return why the header does not sign this body; None if it does. The age of `t` is not judged."""
    signature = parse(header)
    if not signature.t:
        return "the signature header has no t"
    if not any(signature.v1s):
        return "the signature header has no v1"
    if sign(signature.t, body, secret) in (v1.lower() for v1 in signature.v1s):
        return None
    return "no v1 is the HMAC-SHA256 of <t>.<raw body>, in hexadecimal"


def unit(t: str) -> Literal["seconds", "milliseconds"] | None:
    """Return the unit of a timestamp, decimals allowed; None if it is neither seconds nor milliseconds since 1970.

    >>> unit("1580306324.5"), unit("1580306324381"), unit("2026-11-20T12:00:00Z")
    ('seconds', 'milliseconds', None)
    """
    if not re.fullmatch(rf"[0-9]{{1,{_DIGITS}}}(\.[0-9]+)?", t):
        return None
    return "seconds" if float(t) < _FIRST_MILLISECONDS else "milliseconds"


def age(t: str, now: float) -> float | None:
    """Return by how many seconds `t` is before `now` (epoch seconds). None if `t` is not a number of seconds or ms."""
    counted = unit(t)
    if counted is None:
        return None
    return now - float(t) / (1000 if counted == "milliseconds" else 1)


def diagnose(header: object, body: bytes, secret: str) -> str | None:
    """Return which one or two wrong choices produce the header's signature.

    None if the signature is right, or if no known choices produce it.
    """
    signature = parse(header)
    if verify(header, body, secret) is None:
        return None
    given = {text for v1 in signature.v1s if v1 for text in (v1, v1.lower())}
    for words, recipe in _recipes(signature.t, body, secret):
        if given.intersection(_signed(recipe, signature.t, body, secret)):
            return words
    return None


def mismatch(
    header: str, body: bytes, secret: str, *, others: Iterable[str] = (), earlier: Iterable[str] = ()
) -> str | None:
    """Return why a header does not sign the raw body, the right `v1`, and the mistake if known; None if it does.

    The sender may have used one of the `others`, secrets of other webhooks, or the `t` of an earlier signature.
    """
    problem = verify(header, body, secret)
    if problem is None:
        return None
    recipe = _mixed_up(header, body, secret, others, earlier) or diagnose(header, body, secret)
    t = parse(header).t
    due = f" (right is {sign(t, body, secret)})" if t else ""
    if recipe is None and not body:
        return f"{problem}{due}; the body that came is empty"
    return f"{problem}{due}: the sender {recipe}" if recipe else f"{problem}{due}; no known mistake explains it"


def _mixed_up(header: str, body: bytes, secret: str, others: Iterable[str], earlier: Iterable[str]) -> str | None:
    v1s = [v1.lower() for v1 in parse(header).v1s]
    if any(verify(header, body, other) is None for other in others if other != secret):
        return "signed with the secret of another webhook"
    if any(sign(t, body, secret) in v1s for t in earlier):
        return "signed the t of an earlier delivery"
    return None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _dotted(t: bytes, body: bytes) -> bytes:
    return t + b"." + body


def _hex(key: bytes, message: bytes) -> tuple[str, ...]:
    return (hmac.digest(key, message, "sha256").hex(),)


def _signed(recipe: _Recipe, t: str, body: bytes, secret: str) -> tuple[str, ...]:
    key = _bytes(secret) if recipe.key is None else recipe.key
    body = body if recipe.body is None else recipe.body
    message = (recipe.join or _dotted)(_bytes(t if recipe.t is None else recipe.t), body)
    return (recipe.encode or _hex)(key, message)


def _recipes(t: str, body: bytes, secret: str) -> Iterator[Deviation]:
    """Yield each deviation alone, other schemes, every two deviations of different kinds, then other timestamps."""
    kinds = (list(_bodies(body)), list(_keys(secret)), list(_units(t)), list(_JOINS), list(_ENCODINGS))
    for kind in kinds:
        yield from kind
    yield from _schemes(body, kinds[1])
    for group, other in combinations(kinds, 2):
        for (words, first), (more, second) in product(group, other):
            yield f"{words} and {more}", _both(first, second)
    yield from _drifts(t)


def _both(first: _Recipe, second: _Recipe) -> _Recipe:
    return first._replace(**{name: choice for name, choice in second._asdict().items() if choice is not None})


def _keys(secret: str) -> Iterator[Deviation]:
    without_prefix = secret.removeprefix("whsec_")
    if without_prefix != secret:
        yield "removed the whsec_ prefix from the secret", _Recipe(key=_bytes(without_prefix))
    if secret != secret.strip():
        yield "removed white space around the secret", _Recipe(key=_bytes(secret.strip()))
    for name, decode in (("base64", _from_base64), ("hexadecimal", bytes.fromhex)):
        try:
            yield f"decoded the secret from {name}", _Recipe(key=decode(without_prefix))
        except ValueError:
            continue
    yield "signed with an empty secret", _Recipe(key=b"")


def _from_base64(text: str) -> bytes:
    return b64decode(text + "=" * (-len(text) % 4), altchars="-_" if re.search("[-_]", text) else None, validate=True)


def _bodies(body: bytes) -> Iterator[Deviation]:
    for words, other in other_texts(body):
        yield words, _Recipe(body=other)


def _schemes(body: bytes, keys: Sequence[Deviation]) -> Iterator[Deviation]:
    """Yield the ways in which other services sign, each also with a decoded key and with a digest in base64."""
    ids = _ids(body)
    mercado_pago = "signed id and ts without the body, as Mercado Pago does"
    joins = [
        ("signed `v0:<t>:<body>`, as Slack does", lambda t, body: b"v0:" + t + b":" + body),
        *(("signed `<id>.<t>.<body>`, as Standard Webhooks does", _behind(id_)) for id_ in ids),
        *((mercado_pago, _manifest(*pair)) for pair in product(ids, repeat=2)),
    ]
    for words, join in joins:
        for encode in (None, _in_base64):
            for _, recipe in (("", _Recipe()), *keys):
                yield words, recipe._replace(join=join, encode=encode)


def _behind(id_: str) -> Join:
    return lambda t, body: _bytes(id_) + b"." + t + b"." + body


def _manifest(id_: str, request: str) -> Join:
    """Return the text of Mercado Pago, which leaves out the id of the request if there is none: that is an id again."""
    middle = "" if request == id_ else f"request-id:{request};"
    return lambda t, _: _bytes(f"id:{id_};{middle}ts:") + t + b";"


def _ids(body: bytes) -> list[str]:
    """Return the values of the members `id` of a body, at any depth, the first few."""
    ids: list[str] = []

    def note(row: dict[str, object]) -> dict[str, object]:
        ids.extend([str(row["id"])] if "id" in row else [])
        return row

    try:
        json.loads(body, object_hook=note)
    except (ValueError, RecursionError):
        return []
    return ids[-_MOST_IDS:]


def _units(t: str) -> Iterator[Deviation]:
    if not t.isdecimal():
        return
    if unit(t) == "milliseconds":
        yield "signed t in seconds, while the header has milliseconds", _Recipe(t=t[:-3])
    if unit(t) == "seconds":
        yield "signed t in milliseconds, while the header has seconds", _Recipe(t=t + "000")


def _drifts(t: str) -> Iterator[Deviation]:
    """Yield timestamps near the header's, for a sender that read its clock twice."""
    for drift in range(-_DRIFT, _DRIFT + 1):
        if unit(t) and t.isdecimal() and drift:
            words = f"signed a t that differs from the header's by {drift:+d}"
            yield words, _Recipe(t=str(int(t) + drift))


def _separated(by: bytes) -> Join:
    return lambda t, body: t + by + body


_JOINS: Final[tuple[Deviation, ...]] = (
    ("signed the body alone, without t", _Recipe(join=lambda _, body: body)),
    ("signed t alone", _Recipe(join=lambda t, _: t)),
    ("signed t and body without the dot", _Recipe(join=_separated(b""))),
    ("signed body and t the other way round", _Recipe(join=lambda t, body: body + b"." + t)),
    *(
        (f"signed t and body joined by {by!r}", _Recipe(join=_separated(by.encode())))
        for by in (":", ",", "|", "-", "\n", " ")
    ),
    ("signed the text `t=` before t", _Recipe(join=lambda t, body: b"t=" + t + b"." + body)),
)


def _hexadecimal_of(algorithm: str) -> Encode:
    return lambda key, message: (hmac.digest(key, message, algorithm).hex(),)


def _in_base64(key: bytes, message: bytes) -> tuple[str, ...]:
    """Return both alphabets, with and without padding."""
    digest = hmac.digest(key, message, "sha256")
    both = b64encode(digest).decode(), urlsafe_b64encode(digest).decode()
    return (*both, *(text.rstrip("=") for text in both))


def _prefixed(key: bytes, message: bytes) -> tuple[str, ...]:
    return (f"sha256={_hex(key, message)[0]}",)


def _without_hmac(key: bytes, message: bytes) -> tuple[str, ...]:
    return tuple(sha256(text).hexdigest() for text in (message, key + message, message + key))


_ENCODINGS: Final[tuple[Deviation, ...]] = (
    ("used SHA-256 without HMAC", _Recipe(encode=_without_hmac)),
    ("wrote the digest in base64", _Recipe(encode=_in_base64)),
    ("put `sha256=` before the digest", _Recipe(encode=_prefixed)),
    ("used SHA-1", _Recipe(encode=_hexadecimal_of("sha1"))),
    ("used SHA-512", _Recipe(encode=_hexadecimal_of("sha512"))),
    ("swapped secret and message", _Recipe(encode=lambda key, message: _hex(message, key))),
)
