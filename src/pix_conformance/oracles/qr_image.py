"""
QR images: base64 of a picture, and the text that it shows.

Sources: payments.md 82. That the picture shows the copy-and-paste code is the field's own rule, not a stated one.
"""

import io
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.Image import Image

_PREFIX: Final = re.compile(r"data:image/[a-z0-9.+-]+(?:;[a-z0-9=-]+)*?;base64,", re.IGNORECASE)
_LONGEST: Final = 8_000_000  # characters of base64
_PIXELS: Final = 16_000_000  # a few kilobytes can claim gigapixels
_RADII: Final = (0, 2, 4, 6)  # of softening, in pixels: codes of dots are read so
_SMALLER: Final = (1000, 1000)  # pixels of what is softened
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


def mismatches(text: object) -> list[str]:
    """
    Say what keeps a value from being base64 (a `data:` prefix and line breaks allowed) of an image.

    PNG, JPEG, GIF, WEBP and BMP are opened, not only sniffed; SVG is told by its element.

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
    """Return the text of the QR code in a base64 image; None if there is none to read, as with every SVG."""
    image = _opened((_data(text) if isinstance(text, str) else None) or b"")
    return next((shown for shown in _texts(image) if shown), None) if image else None


def is_readable(text: object) -> bool | None:
    """Say whether a QR code can be read in the image; None where it is damaged, and of what cannot be opened."""
    image = _opened((_data(text) if isinstance(text, str) else None) or b"")
    if image is None:
        return None
    found = list(_texts(image))
    return any(found) or (None if found else False)


def _texts(image: "Image") -> Iterator[str]:
    """Read each QR code that is found, in the image as it is and softened: "" of one that cannot be decoded."""
    # Loaded here: a native library that only this question needs.
    import PIL.ImageFilter  # noqa: PLC0415 - as in _opened
    from zxingcpp import BarcodeFormat, BarcodeFormats, TextMode, read_barcodes  # noqa: PLC0415 - see above

    plain, codes = _on_white(image), BarcodeFormats(BarcodeFormat.QRCode)
    for radius in _RADII:
        seen = plain.filter(PIL.ImageFilter.GaussianBlur(radius)) if radius else plain
        for one in read_barcodes(seen, formats=codes, text_mode=TextMode.Plain, return_errors=True):
            yield one.text if one.valid else ""
        plain.thumbnail(_SMALLER)


def _data(text: str) -> bytes | None:
    """Return the bytes of standard base64, padding due; None if it is not that or too long to look at."""
    if len(text) > _LONGEST:
        return None
    try:
        return b64decode(re.sub(r"[\r\n]", "", _PREFIX.sub("", text, count=1)), validate=True)
    except ValueError:
        return None


def _is_svg(data: bytes) -> bool:
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith((b"<svg", b"<?xml", b"<!")) and b"<svg" in start[:2000]


def _opened(data: bytes) -> "Image | None":
    """Return the loaded picture; None if it is none, broken or too large."""
    # Loaded here: with no image asked about, nothing of Pillow is needed.
    import PIL.Image  # noqa: PLC0415 - see above

    try:
        image = PIL.Image.open(io.BytesIO(data), formats=_FORMATS)
        if image.width * image.height > _PIXELS:
            return None
        image.load()
    except Exception:  # noqa: BLE001 - on hostile bytes Pillow raises a dozen unrelated kinds
        return None
    return image


def _on_white(image: "Image") -> "Image":
    """Transparent reads as black otherwise."""
    import PIL.Image  # noqa: PLC0415 - as in _opened

    drawn = image.convert("RGBA")
    white = PIL.Image.new("RGBA", drawn.size, "white")
    return PIL.Image.alpha_composite(white, drawn).convert("L")
