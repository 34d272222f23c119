"""The QR image oracle: images made by segno and Pillow in every format, and values that are no images."""

import io
import itertools
import struct
import zlib
from base64 import b64encode

import pytest
import segno
from PIL import Image, ImageDraw

from pix_conformance.oracles import qr_image

_TEXT = (
    "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000"
    "5204000053039865802BR5913Fulano de Tal6008BRASÍLIA62070503***6304B4F6"
)


def _drawn(kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    segno.make_qr(_TEXT).save(out, kind=kind, **options)
    return out.getvalue()


def _converted(kind: str) -> bytes:
    out = io.BytesIO()
    Image.open(io.BytesIO(_drawn("png", scale=4))).convert("RGB").save(out, format=kind)
    return out.getvalue()


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _bomb() -> bytes:
    """Return a PNG of a few dozen bytes with a size of 60000 by 60000 pixels."""
    header = struct.pack(">IIBBBBB", 60000, 60000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(b"\0")) + _chunk(b"IEND", b"")


IMAGES = {
    "png": _drawn("png", scale=4),
    "small": _drawn("png", scale=1),
    "transparent": _drawn("png", scale=4, light=None),
    "no border": _drawn("png", scale=4, border=0),
    "inverted": _drawn("png", scale=4, dark="white", light="black"),
    "jpeg": _converted("JPEG"),
    "gif": _converted("GIF"),
    "webp": _converted("WEBP"),
    "svg": _drawn("svg"),
    "svg with a byte order mark": b"\xef\xbb\xbf" + _drawn("svg", scale=8, xmldecl=True),
}


@pytest.mark.parametrize("data", IMAGES.values(), ids=IMAGES)
def test_an_image_is_accepted_and_read(data: bytes) -> None:
    assert qr_image.mismatches(_base64(data)) == []
    assert qr_image.decode(_base64(data)) == _TEXT
    assert qr_image.is_readable(_base64(data))


@pytest.mark.parametrize("size", [6, 8, 12, 20])
def test_a_code_of_dots_is_read(size: int) -> None:
    """A reader that finds only squares does not find it."""
    plain = Image.open(io.BytesIO(_drawn("png", scale=1))).convert("L")
    drawn = Image.new("L", (plain.width * size, plain.height * size), 255)
    pen = ImageDraw.Draw(drawn)
    for x, y in itertools.product(range(plain.width), range(plain.height)):
        if plain.getpixel((x, y)) == 0:
            pen.ellipse([x * size + 1, y * size + 1, (x + 1) * size - 2, (y + 1) * size - 2], 0)
    out = io.BytesIO()
    drawn.save(out, format="PNG")
    assert qr_image.decode(_base64(out.getvalue())) == _TEXT


def test_a_damaged_code_is_neither_readable_nor_absent() -> None:
    image = Image.open(io.BytesIO(_drawn("png", scale=8))).convert("L")
    side = image.width
    ImageDraw.Draw(image).rectangle([side * 0.3, side * 0.3, side * 0.7, side * 0.7], 255)
    out = io.BytesIO()
    image.save(out, format="PNG")
    assert qr_image.decode(_base64(out.getvalue())) is None
    assert qr_image.is_readable(_base64(out.getvalue())) is None


def test_a_data_prefix_and_line_breaks_are_allowed() -> None:
    plain = _base64(IMAGES["png"])
    wrapped = "\r\n".join(plain[at : at + 76] for at in range(0, len(plain), 76))
    for text in (f"data:image/png;base64,{plain}", f"data:image/png;charset=utf-8;base64,{plain}", wrapped):
        assert qr_image.mismatches(text) == []
        assert qr_image.decode(text) == _TEXT


EMPTY_SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


def test_an_svg_without_a_code_is_an_image_without_one() -> None:
    assert qr_image.mismatches(_base64(EMPTY_SVG)) == []
    assert qr_image.is_readable(_base64(EMPTY_SVG)) is False


@pytest.mark.parametrize(
    "svg",
    [
        b'<svg xmlns="http://www.w3.org/2000/svg"><unclosed></svg>',
        EMPTY_SVG.replace(b"/>", b'><image href="/dev/zero.png"/></svg>'),
        EMPTY_SVG.replace(b"/>", b"><rect style='fill:url(file:///x)'/></svg>"),
    ],
    ids=["malformed", "a file", "a file in a style"],
)
def test_an_svg_that_cannot_be_drawn_is_an_image_that_is_not_read(svg: bytes) -> None:
    assert qr_image.mismatches(_base64(svg)) == []
    assert not qr_image.is_drawn(_base64(svg))
    assert qr_image.is_readable(_base64(svg)) is None


def test_an_image_without_a_code_has_no_text() -> None:
    out = io.BytesIO()
    Image.new("RGB", (50, 50), "white").save(out, format="PNG")
    assert qr_image.mismatches(_base64(out.getvalue())) == []
    assert qr_image.decode(_base64(out.getvalue())) is None
    assert qr_image.is_readable(_base64(out.getvalue())) is False


WRONG: dict[str, object] = {
    "empty": "",
    "not base64": "not base64!",
    "no padding": _base64(b"ab").rstrip("="),
    "text": _base64(b"hello"),
    "html": _base64(b"<!doctype html><p>no image"),
    "half a png": _base64(IMAGES["png"][:60]),
    "a png's first bytes": _base64(b"\x89PNG\r\n\x1a\n"),
    "a bomb": _base64(_bomb()),
    "a prefix alone": "data:image/png;base64,",
    "no text": None,
}


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_other_values_are_refused(value: object) -> None:
    assert qr_image.mismatches(value)
    assert qr_image.decode(value) is None
