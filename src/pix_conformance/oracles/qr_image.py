"""QR images: base64 of an image, and the text of its QR code.

Source: PAY-CHG-36. It says that `qrCode` is an image of the QR code, not which text that code contains.
"""

import io
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.Image import Image

_PREFIX: Final = re.compile(r"data:image/[a-z0-9.+-]+(?:;[a-z0-9=-]+)*?;base64,", re.IGNORECASE)
_LONGEST: Final = 8_000_000  # characters of base64
_PIXELS: Final = 16_000_000  # a few kilobytes can claim gigapixels
_RADII: Final = (0, 2, 4, 6)  # radius of the blur in pixels, with which codes made of dots can be read
_SMALLER: Final = (1000, 1000)  # pixels of an image that is blurred
_WIDTH: Final = 1000  # pixels of a drawn SVG
_ELSEWHERE: Final = re.compile(rb"""(?:href\s*=\s*["']|url\(\s*["']?)\s*(?!data:|#)""", re.IGNORECASE)
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


def mismatches(text: object) -> list[str]:
    """Return what is wrong with base64 of an image; empty if nothing is. A `data:` prefix and line breaks are allowed.

    PNG, JPEG, GIF, WEBP and BMP are decoded; an SVG is recognised by its root element, and drawn to be read.

    >>> mismatches("aGVsbG8=")
    ['its base64 is not a PNG, JPEG, GIF, WEBP, BMP or SVG image']
    """
    if not isinstance(text, str):
        return ["is not text"]
    data = _data(text)
    if not data:
        return ["is not base64" if text else "is empty"]
    if _is_svg(data) or _opened(data):
        return []
    return ["its base64 is not a PNG, JPEG, GIF, WEBP, BMP or SVG image"]


def decode(text: object) -> str | None:
    """Return the text of the QR code in a base64 image. None if it cannot be read."""
    image = _opened((_data(text) if isinstance(text, str) else None) or b"")
    return next((shown for shown in _texts(image) if shown), None) if image else None


def is_readable(text: object) -> bool | None:
    """Return whether a QR code can be read in the image. None for a damaged code, and if the image cannot be opened."""
    image = _opened((_data(text) if isinstance(text, str) else None) or b"")
    if image is None:
        return None
    texts = list(_texts(image))
    return any(texts) or (None if texts else False)


def _texts(image: "Image") -> Iterator[str]:
    """Yield the text of each QR code that is found, in the image as it is and blurred; "" for a damaged code."""
    # Imported here: a native library that only this function needs.
    import PIL.ImageFilter  # noqa: PLC0415 - as in _opened
    from zxingcpp import BarcodeFormat, BarcodeFormats, TextMode, read_barcodes  # noqa: PLC0415 - see above

    plain, codes = _on_white(image), BarcodeFormats(BarcodeFormat.QRCode)
    for radius in _RADII:
        seen = plain.filter(PIL.ImageFilter.GaussianBlur(radius)) if radius else plain
        for barcode in read_barcodes(seen, formats=codes, text_mode=TextMode.Plain, return_errors=True):
            yield barcode.text if barcode.valid else ""
        plain.thumbnail(_SMALLER)


def _data(text: str) -> bytes | None:
    """Return the bytes of standard base64 with padding. None if it is malformed or too long."""
    if len(text) > _LONGEST:
        return None
    try:
        return b64decode(re.sub(r"[\r\n]", "", _PREFIX.sub("", text, count=1)), validate=True)
    except ValueError:
        return None


def is_drawn(text: object) -> bool:
    """Return whether base64 of an image can be opened; False of an SVG that cannot be drawn."""
    return _opened((_data(text) if isinstance(text, str) else None) or b"") is not None


def _drawn(svg: bytes) -> bytes:
    """Draw an SVG as a PNG; empty if it cannot be drawn, or refers to files, which are not read."""
    # Imported here, like Pillow: a native library that few images need.
    import resvg_py  # noqa: PLC0415 - see above

    if _ELSEWHERE.search(svg):
        return b""
    with suppress(ValueError, UnicodeDecodeError):
        markup = svg.decode("utf-8-sig")
        return resvg_py.svg_to_bytes(svg_string=markup, width=_WIDTH, background="white", skip_system_fonts=True)
    return b""


def _is_svg(data: bytes) -> bool:
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith((b"<svg", b"<?xml", b"<!")) and b"<svg" in start[:2000]


def _opened(data: bytes) -> "Image | None":
    """Return the decoded image. None if the bytes are no image, damaged, or too large."""
    # Imported here: most runs and commands need no Pillow.
    import PIL.Image  # noqa: PLC0415 - see above

    data = _drawn(data) if _is_svg(data) else data
    try:
        image = PIL.Image.open(io.BytesIO(data), formats=_FORMATS)
        if image.width * image.height > _PIXELS:
            return None
        image.load()
    except Exception:  # noqa: BLE001 - on hostile bytes Pillow raises exceptions of a dozen classes
        return None
    return image


def _on_white(image: "Image") -> "Image":
    """Put the image on a white background, because transparent pixels would be read as black."""
    import PIL.Image  # noqa: PLC0415 - as in _opened

    drawn = image.convert("RGBA")
    white = PIL.Image.new("RGBA", drawn.size, "white")
    return PIL.Image.alpha_composite(white, drawn).convert("L")
