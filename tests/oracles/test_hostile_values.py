"""No oracle raises on any value, and every example in a docstring is right."""

import contextlib
import doctest
from collections.abc import Callable
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pix_conformance.oracles import emv, end_to_end_id, jwt, money, pix_key, qr_image, signature, timestamp

MODULES = ["end_to_end_id", "emv", "jwt", "money", "pix_key", "qr_image", "signature", "tax_id", "timestamp"]
_CODES = st.text()  # surrogates included: JSON may carry them
# Texts that pass the first check of an oracle.
_NEARLY = st.sampled_from(
    ["0002", "01", "6304", "E12345678", "data:image/png;base64,", "iVBORw0KGgo", "eyJ", ".", "é", "2026-11-20T"]
)
_TEXT = _CODES | st.lists(_NEARLY | _CODES, max_size=6).map("".join)
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | _TEXT | st.binary()
VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_CODES, inner, max_size=3))


def read(parse: Callable[[object], object], value: object) -> object:
    """Return what a parser reads; None for ValueError, which is how it refuses a value."""
    with contextlib.suppress(ValueError):
        return parse(value)
    return None


ORACLES: list[Callable[[object], object]] = [
    end_to_end_id.mismatches,
    money.is_cents,
    pix_key.kind,
    qr_image.decode,
    qr_image.mismatches,
    lambda value: read(timestamp.parse_date_time, value),
    lambda value: read(timestamp.parse_utc, value),
    emv.length,
    lambda value: emv.amount_agrees(value, 1050),
    signature.parse,
    *emv.RULES.values(),
]


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_no_oracle_raises(value: object) -> None:
    for oracle in ORACLES:
        oracle(value)


@settings(max_examples=60, deadline=None)
@given(VALUES, st.binary(), _TEXT, st.from_regex(r"t=[0-9]{0,15},v1=.{0,5}"))
def test_no_signature_raises(value: object, body: bytes, secret: str, header: str) -> None:
    for given_header in (value, header):
        assert signature.verify(given_header, body, secret)
        signature.diagnose(given_header, body, secret)
    signature.age(secret, 0.0)


@settings(max_examples=100, deadline=None)
@given(_TEXT)
def test_no_invalid_copy_raises(token: str) -> None:
    assert jwt.unsigned(token) != token
    assert jwt.tampered(token) != token
    assert len(jwt.truncated(token)) < len(token) or not token


@pytest.mark.parametrize(
    "deep",
    ["[" * 100_000, "[" * 500 + "]" * 500, '{"a":' * 990 + "1" + "}" * 990, "9" * 5000],
    ids=["open", "lists", "objects", "number"],
)
def test_nesting_and_long_numbers_raise_nothing(deep: str) -> None:
    assert signature.diagnose("t=1,v1=00", deep.encode(), "secret") is None
    assert read(timestamp.parse_utc, deep) is None


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_true(name: str) -> None:
    result = doctest.testmod(import_module(f"pix_conformance.oracles.{name}"))
    assert result.failed == 0
