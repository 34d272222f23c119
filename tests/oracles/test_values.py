"""Money, timestamps, end-to-end ids and texts: tables of right and wrong values."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from unicodedata import normalize

import pytest

from fixtures import texts as text
from pix_conformance.oracles import end_to_end_id, money, timestamp


@pytest.mark.parametrize(
    ("written", "cents", "whole_float"),
    [
        ("1050", True, False),
        ("-3", True, False),
        ("100.0", True, True),
        ("1e2", True, True),
        ("10.5", False, False),
        ("true", False, False),
        ('"1050"', False, False),
        ("null", False, False),
        ("[]", False, False),
        ("1e999", False, False),
        ("NaN", False, False),
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
        ("2026-11-20T12:00:00Z", True, True),
        ("2026-11-20t12:00:00z", True, True),
        ("2026-11-20T12:00:00.000000000Z", True, True),
        ("2026-11-20T12:00:00+00:00", True, True),
        ("2026-11-20T12:00:00-00:00", True, True),
        ("2026-11-20T12:00:00,0Z", True, False),
        ("2026-11-20T12:00:00+0000", True, False),
        ("20261120T120000Z", True, False),
        ("20261120T120000+00", True, False),
        ("2026-11-20T12:00Z", True, False),
        ("2026-11-20T09:00:00-03:00", False, True),
    ],
)
def test_right_forms_of_noon_are_read(written: str, iso: bool, rfc: bool) -> None:  # noqa: FBT001 - columns
    assert [parsed(parser, written) for parser in PARSERS] == [_NOON if right else None for right in (iso, rfc)]


@pytest.mark.parametrize(
    "wrong",
    [
        "2026-11-20T12:00:00",
        "2026-11-20 12:00:00Z",
        "2026-11-20",
        "2026-11-31T12:00:00Z",
        "2026-13-20T12:00:00Z",
        "2026-11-20T25:00:00Z",
        "2026-11-20T12:00:61Z",
        "2026-11-20T12:00:00.Z",
        "2026-11-20T12:00:00+24:00",
        "2026-1120T12:00:00Z",
        "2026-11-20T12:00:00Z\n",
        "\uff12026-11-20T12:00:00Z",
        "1614265330",
        1614265330,
        "",
        None,
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
        ("E12345678202611201200abcdef12345", True),
        ("E1234ABCD202611201200ABCDEF12345", True),
        ("E88631478202009091221ghijk78901234", False),
        ("E9999901012341234123412345678900", False),
        ("D12345678202009091000abcde123456", False),
        ("e12345678202611201200abcdef12345", False),
        ("E12345678202611201200abcdef1234-", False),
        ("E12345678202611201200abcdef12345\n", False),
        ("", False),
        (None, False),
    ],
)
def test_an_end_to_end_id_has_its_form(value: object, right: bool) -> None:  # noqa: FBT001 - a column of the table
    assert (not end_to_end_id.mismatches(value)) is right


@pytest.mark.parametrize(
    ("text", "points", "utf16", "utf8"),
    [
        (text.ascii_text(140), 140, 140, 140),
        (text.accented_letters(140), 140, 140, 280),
        (text.emoji(140), 140, 280, 560),
        (text.combining_accents(140), 280, 280, 420),
        (text.ascii_text(0), 0, 0, 0),
    ],
)
def test_texts_have_the_lengths_they_state(text: str, points: int, utf16: int, utf8: int) -> None:
    assert (len(text), len(text.encode("utf-16-le")) // 2, len(text.encode())) == (points, utf16, utf8)


def test_combining_characters_compose() -> None:
    assert len(normalize("NFC", text.combining_accents(140))) == 140


def test_awkward_texts_are_distinct_valid_and_within_every_limit() -> None:
    texts = [awkward for awkward, _ in text.UNUSUAL_TEXTS]
    assert len(set(texts)) == len(texts)
    assert all(1 <= len(awkward) <= 120 and awkward.encode() for awkward in texts)
