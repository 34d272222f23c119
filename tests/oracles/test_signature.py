"""The signature oracle: forms of the header, and the name of every known mistake."""

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import pytest

from pix_conformance.oracles import signature

_SECRET = "whsec_test_secret"  # noqa: S105 - a made-up one
_T = "1614265330"
_BODY = '{"name": "João", "a": [1, 2]}'.encode()
_VALUE = json.loads(_BODY)


def _mac(message: bytes, key: bytes = _SECRET.encode(), algorithm: str = "sha256") -> bytes:
    return hmac.digest(key, message, algorithm)


def _over(body: bytes, key: bytes = _SECRET.encode()) -> str:
    return _mac(_T.encode() + b"." + body, key).hex()


def _dumps(**layout: Any) -> bytes:
    return json.dumps(_VALUE, **layout).encode()


RECIPES = [
    ("re-serialised body (compact)", _over(_dumps(ensure_ascii=False, separators=(",", ":")))),
    ("re-serialised body (with blanks, escaped to ASCII)", _over(_dumps())),
    (
        "re-serialised body (compact, keys sorted)",
        _over(_dumps(ensure_ascii=False, sort_keys=True, separators=(",", ":"))),
    ),
    ("re-serialised body (indented by two)", _over(_dumps(ensure_ascii=False, indent=2))),
    ("re-serialised body (indented by four, escaped to ASCII)", _over(_dumps(indent=4))),
    ("trailing newline", _over(_BODY + b"\n")),
    ("empty body", _over(b"")),
    ("body alone", _mac(_BODY).hex()),
    ("t alone", _mac(_T.encode()).hex()),
    ("without the dot", _mac(_T.encode() + _BODY).hex()),
    ("other way round", _mac(_BODY + b"." + _T.encode()).hex()),
    ("joined by ':'", _mac(_T.encode() + b":" + _BODY).hex()),
    ("whsec_ prefix", _over(_BODY, b"test_secret")),
    ("empty secret", _over(_BODY, b"")),
    ("t in milliseconds", _mac(_T.encode() + b"000." + _BODY).hex()),
    ("by +2", _mac(b"1614265332." + _BODY).hex()),
    ("base64", b64encode(_mac(_T.encode() + b"." + _BODY)).decode()),
    ("SHA-1", _mac(_T.encode() + b"." + _BODY, algorithm="sha1").hex()),
    ("SHA-512", _mac(_T.encode() + b"." + _BODY, algorithm="sha512").hex()),
    ("sha256=", "sha256=" + _over(_BODY)),
    ("body alone, without t and wrote the digest in base64", b64encode(_mac(_BODY)).decode()),
]


@pytest.mark.parametrize(
    ("pattern", "right"),
    [
        ("t={t},v1={v1}", True),
        (" v1={v1} , t={t} ", True),
        ("t={t},v1=00,v1={v1}", True),
        ("t={t},v0=aa,v1={V1}", True),
        ("t={t},v0={v1}", False),
        ("t={t}", False),
        ("v1={v1}", False),
        ("t={t},v1=", False),
        ("{v1}", False),
        ("", False),
        (None, False),
    ],
)
def test_headers_of_many_forms(pattern: str | None, right: bool) -> None:  # noqa: FBT001 - a column of the table
    v1 = _over(_BODY)
    header = None if pattern is None else pattern.format(t=_T, v1=v1, V1=v1.upper())
    assert (signature.verify(header, _BODY, _SECRET) is None) is right


@pytest.mark.parametrize(("words", "v1"), RECIPES)
def test_a_known_mistake_is_named(words: str, v1: str) -> None:
    header = f"t={_T},v1={v1}"
    assert signature.verify(header, _BODY, _SECRET)
    assert words in (signature.diagnose(header, _BODY, _SECRET) or "")


@pytest.mark.parametrize(
    ("secret", "decode", "words"),
    [
        ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b64decode, "from base64"),
        ("00ff10ab", bytes.fromhex, "from hexadecimal"),
        (" padded ", lambda _: b"padded", "removed white space around the secret"),
    ],
)
def test_a_changed_secret_is_named(secret: str, decode: Callable[[str], bytes], words: str) -> None:
    header = f"t={_T},v1={_over(_BODY, decode(secret.removeprefix('whsec_')))}"
    assert words in (signature.diagnose(header, _BODY, secret) or "")


def test_a_trimmed_body_is_named() -> None:
    assert (
        signature.diagnose(f"t={_T},v1={_over(b'x')}", b" x\n", _SECRET)
        == "signed the body without the white space around it"
    )


def test_milliseconds_signed_as_seconds_are_named() -> None:
    header = f"t={_T}123,v1={_over(_BODY)}"
    assert "t in seconds" in (signature.diagnose(header, _BODY, _SECRET) or "")


def test_an_unknown_mistake_has_no_name() -> None:
    assert signature.diagnose(f"t={_T},v1={'00' * 32}", _BODY, _SECRET) is None


@pytest.mark.parametrize(
    ("t", "age"),
    [
        ("1000", 500.0),
        ("1614265330", 1500 - 1614265330),
        ("1614265330500", 1500 - 1614265330.5),
        ("1000.25", 499.75),
        ("", None),
        ("-1", None),
    ],
)
def test_the_age_counts_in_seconds_also_of_a_t_in_milliseconds(t: str, age: float | None) -> None:
    assert signature.age(t, 1500.0) == age
