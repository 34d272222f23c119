"""Images of a QR code in other formats, each as Base64."""

import base64
import io
import itertools
import time

import segno
from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo

DARK = 128
DOT = 10
"""Pixels of a dot."""


def opened(code: str) -> Image.Image:
    """Open an image of points."""
    return Image.open(io.BytesIO(base64.b64decode(code)))


def encoded(written: io.BytesIO) -> str:
    """Return the bytes of an image in Base64."""
    return base64.b64encode(written.getvalue()).decode()


def in_blue(code: str) -> str:
    """Draw an image in blue on a transparent ground, with the time of drawing."""
    plain, written, info = opened(code).convert("L"), io.BytesIO(), PngInfo()
    drawn = Image.new("RGBA", plain.size, (255, 255, 255, 0))
    drawn.paste((20, 30, 90, 255), mask=plain.point(lambda shade: 255 if shade < DARK else 0))
    info.add_text("drawn", str(time.time()))
    drawn.save(written, "PNG", pnginfo=info)
    return encoded(written)


def as_jpeg(code: str) -> str:
    """Return an image as a JPEG of double size, in lines."""
    plain, written = opened(code).convert("RGB"), io.BytesIO()
    plain.resize((plain.width * 2, plain.height * 2)).save(written, "JPEG", quality=70)
    return base64.encodebytes(written.getvalue()).decode()


def as_bitmap(code: str) -> str:
    """Return an image as a BMP."""
    written = io.BytesIO()
    opened(code).save(written, "BMP")
    return encoded(written)


def vectors(emv: str) -> str:
    """Draw a code as an SVG."""
    written = io.BytesIO()
    segno.make_qr(emv).save(written, kind="svg")
    return encoded(written)


def dots(emv: str) -> str:
    """Draw a code in green dots, with a badge in the middle, as WebP."""
    plain, written = io.BytesIO(), io.BytesIO()
    segno.make_qr(emv, error="h").save(plain, kind="png")
    modules = Image.open(plain).convert("L")
    side = modules.width
    drawn = Image.new("RGB", (side * DOT, side * DOT), "white")
    pen = ImageDraw.Draw(drawn)
    for x, y in itertools.product(range(side), range(side)):
        if modules.getpixel((x, y)) == 0:
            pen.ellipse((x * DOT, y * DOT, x * DOT + DOT - 1, y * DOT + DOT - 1), (0, 110, 100))
    middle = side * DOT // 2
    pen.ellipse((middle - 4 * DOT, middle - 4 * DOT, middle + 4 * DOT, middle + 4 * DOT), (240, 200, 80))
    drawn.save(written, "WEBP")
    return encoded(written)
