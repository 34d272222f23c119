"""Recorded deliveries are read from bundles, from files of other recorders and from HAR files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pix_conformance.model.delivery import Delivery, DeliveryFileError, read_deliveries

LINE = {"received": "2026-11-21T01:02:03.456Z", "headers": [["X-A", "1"]], "body": "{}"}
HAR_ENTRY = {
    "startedDateTime": "2026-11-21T01:02:03.456-03:00",
    "request": {
        "method": "POST",
        "url": "https://mine.example/hook",
        "headers": [{"name": "X-Sig", "value": "t=1"}],
        "postData": {"mimeType": "application/json", "text": '{"a":"é"}'},
    },
    "response": {"status": 204},
}
texts = st.text(st.characters(codec="utf-8"), max_size=20)
stored = st.builds(
    Delivery,
    id=st.integers(1),
    path=texts,
    method=texts,
    received=st.integers(1_600_000_000_000_000, 2_000_000_000_000_000).map(lambda micros: micros / 1e6),
    headers=st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
    body=st.binary(max_size=40) | texts.map(str.encode),
    answered=st.none() | st.integers(200, 599),
    fault=st.none() | texts,
    left_s=st.none() | st.floats(0, 100),
    api=st.sampled_from([None, "payments", "business"]),
)


def file_of(directory: Path, content: str | bytes) -> Path:
    file = directory / "recorded"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def har(*entries: Any) -> str:
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1)


def changed(entry: dict[str, Any], **request: Any) -> dict[str, Any]:
    return {**entry, "request": {**entry["request"], **request}}


@given(stored)
def test_a_stored_delivery_is_read_back(delivery: Delivery) -> None:
    assert Delivery.from_dict(json.loads(json.dumps(delivery.to_dict()))) == delivery


def test_the_repr_shows_neither_headers_nor_body() -> None:
    delivery = Delivery(1, "/", "POST", 0.0, (("x-token", "secret of a header"),), b"secret of a body")
    assert "secret" not in repr(delivery)


def test_the_stored_form_is_the_bundle_s() -> None:
    delivery = Delivery(3, "/hook/abc", "POST", 1795222923.456, (("A", "b"),), b"{}", 200)
    request = {"id": 3, "path": "/hook/abc", "method": "POST", "received": "2026-11-21T01:02:03.456000Z"}
    content = {"headers": [["A", "b"]], "body": "{}"}
    assert delivery.to_dict() == request | content | {"answered": 200, "fault": None, "api": None}


@pytest.mark.parametrize(
    ("body", "value"),
    [(b'{"a": 1}', {"a": 1}), (b"", None), (b"\xff", None), (b'{"a": NaN}', None), (b"[" * 10**5, None)],
)
def test_a_body_that_is_not_json_has_no_json(body: bytes, value: Any) -> None:
    assert Delivery(1, "/", "POST", 0, (), body).json == value


def test_lines_are_read_with_new_ids(tmp_path: Path) -> None:
    lines = [{**LINE, "id": 7, "path": "/business", "api": "business"}, {**LINE, "body": "\u2028\r\n"}]
    file = file_of(tmp_path, "\n\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\r\n")
    first, second = read_deliveries(file)
    assert (first.id, first.path, first.api, first.body) == (1, "/business", "business", b"{}")
    assert (second.id, second.path, second.method, second.body) == (2, "/", "POST", b"\xe2\x80\xa8\r\n")
    assert first.received == 1795222923.456


def test_other_recorders_may_write_epochs_header_objects_and_base64(tmp_path: Path) -> None:
    line = {"received": 1795222923.5, "headers": {"X-A": "1"}, "body_base64": "AP8="}
    (delivery,) = read_deliveries(file_of(tmp_path, "\ufeff" + json.dumps(line)))
    assert (delivery.received, delivery.header("x-a"), delivery.body) == (1795222923.5, "1", b"\x00\xff")


def test_a_har_gives_its_requests(tmp_path: Path) -> None:
    base64 = {"encoding": "base64", "text": "AP8="}
    file = file_of(tmp_path, har(HAR_ENTRY, changed(HAR_ENTRY, postData=base64)))
    first, second = read_deliveries(file)
    assert (first.path, first.method, first.answered) == ("https://mine.example/hook", "POST", 204)
    assert (first.body, first.header("x-sig")) == ('{"a":"é"}'.encode(), "t=1")
    assert first.received == 1795222923.456 + 3 * 3600
    assert second.body == b"\x00\xff"


@pytest.mark.parametrize("part", [b'{"received": 1', b'{"body": "\xc3', b"\xc3"])
def test_a_part_of_the_last_line_is_left_out_of_a_file_that_grows(part: bytes, tmp_path: Path) -> None:
    whole = json.dumps(LINE).encode() + b"\n"
    assert len(read_deliveries(file_of(tmp_path, whole + part), is_growing=True)) == 1
    with pytest.raises(DeliveryFileError, match=r"line 2: not JSON|not UTF-8"):
        read_deliveries(file_of(tmp_path, whole + part))
    with pytest.raises(DeliveryFileError, match="line 1: not JSON"):
        read_deliveries(file_of(tmp_path, b"{\n" + whole), is_growing=True)


def test_an_empty_file_holds_no_deliveries(tmp_path: Path) -> None:
    assert read_deliveries(file_of(tmp_path, "\n")) == []
    assert read_deliveries(file_of(tmp_path, har())) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"body": None}, "the body is neither raw text"),
        ({"body": {"a": 1}}, "the body is neither raw text"),
        ({"body": "\ud800"}, "the body is neither raw text"),
        ({"body_base64": "?"}, "the body is neither raw text"),
        ({"received": "yesterday"}, "not a time"),
        ({"received": None}, "not a time"),
        ({"received": True}, "not a time"),
        ({"received": "2026-11-21T01:02:03"}, "without an offset"),
        ({"headers": None}, "headers are neither"),
        ({"headers": [["a"]]}, "headers are neither"),
        ({"headers": [["a", 1]]}, "a header is not text"),
        ({"path": 1}, "path is 1"),
        ({"answered": "200"}, "answered is '200'"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    file = file_of(tmp_path, json.dumps(LINE) + "\n" + json.dumps(LINE | change))
    with pytest.raises(DeliveryFileError, match=rf"^recorded: line 2: .*{words}"):
        read_deliveries(file)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff", "not UTF-8"),
        ("{", "line 1: not JSON"),
        ("[1]", "line 1: not a JSON object"),
        (json.dumps({"received": 0, "headers": []}), "line 1: the raw body is absent"),
        ('{"log": 1}', "a HAR without log.entries"),
        (har(1), "entry 1: not a HAR request"),
        (har({"request": {}}), "entry 1: not a HAR request: KeyError"),
        (har(changed(HAR_ENTRY, postData={"params": [{"name": "a"}]})), "entry 1: the raw body is absent"),
        (har(changed(HAR_ENTRY, postData=None, bodySize=9)), "entry 1: the raw body is absent"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(DeliveryFileError, match=f"recorded: {words}"):
        read_deliveries(file_of(tmp_path, content))
