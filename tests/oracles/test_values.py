"""Money, timestamps, end-to-end ids, PIX keys and tokens: tables of right and wrong values."""

import contextlib
import doctest
import json
import uuid
from base64 import urlsafe_b64decode
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module

import jwt as pyjwt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pix_conformance.oracles import emv, end_to_end_id, jwt, money, pix_key, qr_image, signature, timestamp


@pytest.mark.parametrize(
    ("written", "cents", "whole_float"),
    [
        *(("1050", True, False), ("-3", True, False), ("100.0", True, True), ("1e2", True, True)),
        *((text, False, False) for text in ("10.5", "true", '"1050"', "null", "[]", "1e999", "NaN")),
    ],
)
def test_cents_are_whole_json_numbers(written: str, cents: bool, whole_float: bool) -> None:  # noqa: FBT001 - columns
    value = json.loads(written)
    assert (money.is_cents(value), money.is_whole_float(value)) == (cents, whole_float)


_NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PARSERS = (timestamp.parse_utc, timestamp.parse_date_time)


def parsed(parse: Callable[[object], datetime], written: object) -> datetime | None:
    try:
        return parse(written)
    except ValueError:
        return None


@pytest.mark.parametrize(
    ("written", "iso", "rfc"),
    [
        *((f"2026-11-20{text}", True, True) for text in ("T12:00:00Z", "t12:00:00z", "T12:00:00.000000000Z")),
        *((f"2026-11-20T12:00:00{text}", True, True) for text in ("+00:00", "-00:00")),
        *((f"2026-11-20T12:00{text}", True, False) for text in (":00,0Z", ":00+0000", "Z")),
        *((f"20261120T120000{text}", True, False) for text in ("Z", "+00")),
        ("2026-11-20T09:00:00-03:00", False, True),
    ],
)
def test_right_forms_of_noon_are_read(written: str, iso: bool, rfc: bool) -> None:  # noqa: FBT001 - columns
    assert [parsed(parser, written) for parser in PARSERS] == [_NOON if right else None for right in (iso, rfc)]


@pytest.mark.parametrize(
    "wrong",
    [
        *("2026-11-20T12:00:00", "2026-11-20 12:00:00Z", "2026-11-20", "2026-11-31T12:00:00Z", "2026-13-20T12:00:00Z"),
        *("2026-11-20T25:00:00Z", "2026-11-20T12:00:61Z", "2026-11-20T12:00:00.Z", "2026-11-20T12:00:00+24:00"),
        *("2026-1120T12:00:00Z", "2026-11-20T12:00:00Z\n", "\uff12026-11-20T12:00:00Z"),
        *("1614265330", 1614265330, "", None),
    ],
)
def test_other_values_are_no_timestamp(wrong: object) -> None:
    assert [parsed(parser, wrong) for parser in PARSERS] == [None, None]


@pytest.mark.parametrize(
    "written", ["2026-11-20T12:00:00", "20261120T12", "2026-11-20T12:00:00.000000", "20261120T1200Z"]
)
def test_a_timestamp_of_a_utc_field_may_lack_its_designator(written: str) -> None:
    assert timestamp.read_utc(written) == _NOON


@pytest.mark.parametrize("wrong", ["2026-11-20T12:00:00-03:00", "2026-11-20T12:00:00+03", "2026-11-20", "", 7, None])
def test_another_offset_or_no_time_at_all_is_not_read_as_utc(wrong: object) -> None:
    with pytest.raises(ValueError, match="not an ISO 8601 timestamp"):
        timestamp.read_utc(wrong)


@pytest.mark.parametrize(
    "written",
    [
        *("2026-11-20T12:00:00-03:00", "2026-11-20 12:00:00.5 UTC", "20261120T12", "2026-W47-5", "2026-324T12:00"),
        *("20/11/2026 09:00", "20.11.26 9:00", "Fri Nov 20 12:00:00 2026", "20 de novembro de 2026", "1795255380.5"),
    ],
)
def test_a_text_with_a_date_is_a_timestamp(written: str) -> None:
    assert timestamp.is_timestamp(written)


@pytest.mark.parametrize("wrong", ["", "now", "a moment ago", "Friday 03:04:05", "12:00", "7", "3 days ago", "maybe"])
def test_a_text_without_a_date_is_no_timestamp(wrong: str) -> None:
    assert not timestamp.is_timestamp(wrong)


def test_decimals_beyond_microseconds_are_cut_and_a_leap_second_is_read() -> None:
    assert timestamp.parse_utc("2026-11-20T12:00:00.123456789Z").microsecond == 123456
    assert timestamp.parse_date_time("2016-12-31T23:59:60Z").second == 59


@pytest.mark.parametrize(
    ("value", "right"),
    [
        *(("E12345678202611201200abcdef12345", True), ("E1234ABCD202611201200ABCDEF12345", True)),
        *(("E88631478202009091221ghijk78901234", False), ("E9999901012341234123412345678900", False)),
        *(("D12345678202009091000abcde123456", False), ("e12345678202611201200abcdef12345", False)),
        *(("E12345678202611201200abcdef1234-", False), ("E12345678202611201200abcdef12345\n", False)),
        *(("", False), (None, False)),
    ],
)
def test_an_end_to_end_id_has_its_form(value: object, right: bool) -> None:  # noqa: FBT001 - a column of the table
    assert (not end_to_end_id.mismatches(value)) is right


BUILDERS = [pix_key.cpf, pix_key.cnpj, pix_key.email, pix_key.phone, pix_key.evp]
MALFORMED = (
    *("", "   ", "not a key", "12345", "1234567890", "123456789012", "1122233300018", "112223330001811"),
    *("5299822472X", "529.982.247-25", "11.222.333/0001-81", "52998224725\n", "\uff15\uff12998224725"),
    *("pix.example.com", "@example.com", "pix@", "pix@@example.com", "p ix@example.com"),
    *("+12125550100", "+55", "+5511", "+551198765432100000", "+55119876abcde"),
    "123e4567-e12b-42d1-a456-42665544000",
    "123e4567-e12b-42d1-a456-4266554400000",
    "123e4567-e12b-42d1-a456-42665544000g",
)
"""Texts that fit no accepted type. Not listed are eleven digits (the form of a CPF), wrong check digits (the documents
do not say that they are verified), surrounding spaces and unhyphenated UUIDs (a service may normalise them)."""


@pytest.mark.parametrize("build", BUILDERS)
def test_a_builder_makes_distinct_keys_of_its_kind_and_the_same_ones_again(build: Callable[[int], str]) -> None:
    keys = [build(n) for n in range(-50, 200)]
    assert {pix_key.kind(key) for key in keys} == {build.__name__}
    assert len(set(keys)) == len(keys)
    assert keys == [build(n) for n in range(-50, 200)]


def test_built_documents_have_right_check_digits_and_random_keys_are_version_4() -> None:
    for n in range(100):
        cpf, cnpj = pix_key.cpf(n), pix_key.cnpj(n)
        assert cpf[9:] == pix_key.cpf_check_digits(cpf[:9])
        assert cnpj[12:] == pix_key.cnpj_check_digits(cnpj[:12])
        assert uuid.UUID(pix_key.evp(n)).version == 4


@pytest.mark.parametrize("key", MALFORMED)
def test_a_malformed_key_is_of_no_kind(key: str) -> None:
    assert pix_key.kind(key) is None


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("123E4567-E12B-12D1-A456-426655440000", "evp"),
        ("+556133334444", "phone"),
        ("+5561912345678", "phone"),
        ("Jose.Silva+pix@Example.com.br", "email"),
        ("00000000000", "cpf"),
    ],
)
def test_the_kind_is_told_by_form(key: str, kind: str) -> None:
    assert pix_key.kind(key) == kind


@pytest.mark.parametrize("cpf", ["52998224725", "12345678909", "11144477735", "00000000191"])
def test_known_cpfs_have_these_check_digits(cpf: str) -> None:
    assert pix_key.cpf_check_digits(cpf[:9]) == cpf[9:]


_KEY = "a key of thirty-two bytes or more"
_TOKEN = pyjwt.encode({"sub": "merchant", "exp": 4102444800}, _KEY, algorithm="HS256")


@pytest.mark.parametrize("twin", [jwt.tampered(_TOKEN), jwt.truncated(_TOKEN), jwt.tampered(jwt.tampered(_TOKEN))])
def test_an_invalid_copy_fails_only_by_its_signature(twin: str) -> None:
    with pytest.raises(pyjwt.InvalidSignatureError):
        pyjwt.decode(twin, _KEY, algorithms=["HS256"])


def test_the_tampered_copy_keeps_the_claims_and_the_signature() -> None:
    twin = jwt.tampered(_TOKEN)
    claims = pyjwt.decode(twin, options={"verify_signature": False})
    assert claims["sub"] == "merchant"
    assert twin.rpartition(".")[2] == _TOKEN.rpartition(".")[2]


def test_the_unsigned_copy_has_algorithm_none_and_the_same_payload() -> None:
    twin = jwt.unsigned(_TOKEN)
    assert pyjwt.get_unverified_header(twin)["alg"] == "none"
    assert twin.split(".")[1:] == [_TOKEN.split(".")[1], ""]


def test_the_first_character_is_changed_if_no_claims_can_be_read() -> None:
    before, after = (urlsafe_b64decode(text.split(".")[1]) for text in ("a.QUJD.c", jwt.tampered("a.QUJD.c")))
    assert before != after


MODULES = ["end_to_end_id", "emv", "jwt", "money", "pix_key", "qr_image", "signature", "timestamp"]
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
