"""The QR image of a charge (payments.md, line 82)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.payments.charges import id_of, picture, plain_charge
from pix_conformance.checks.matchers import computed, has
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import Observer, expect, inconclusive, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.exchange import Exchange
from pix_conformance.oracles import qr_image

UNREAD = "no QR code can be read in the image"


@requirement("PAY-CHG-43")
def test_the_qr_code_is_an_image(payments: Payments) -> None:
    """Of any kind, opened and not only sniffed."""
    charge = precondition(plain_charge(payments), has("data.pix.qrCode"))
    problems = qr_image.mismatches(charge.at("data.pix.qrCode"))
    expect(charge, computed("qrCode is an image", "; ".join(problems) or None))


def queried(payments: Payments) -> Exchange:
    """Query the plain charge."""
    return payments.get_charge(id_of(plain_charge(payments)))


@requirement("PAY-CHG-82")
@pytest.mark.parametrize("asked", [plain_charge, queried], ids=["creation", "query"])
def test_the_image_shows_a_qr_code(payments: Payments, asked: Callable[[Payments], Exchange]) -> None:
    """A QR code can be read in the qrCode of a charge, whatever text it holds."""
    charge = precondition(asked(payments), has("data.pix.qrCode"))
    readable = qr_image.is_readable(charge.at("data.pix.qrCode"))
    if readable is None:
        raise inconclusive(f"the image cannot be opened, or a QR code in it not be decoded ({charge.evidence})")
    expect(charge, computed("a QR code can be read in the image", None if readable else UNREAD))


@requirement("PAY-CHG-44")
def test_the_image_shows_the_copy_and_paste_code(payments: Payments) -> None:
    """Whoever scans and whoever pastes pays the same charge."""
    charge = precondition(plain_charge(payments), has("data.pix.qrCode"), has("data.pix.emv"))
    image = charge.at("data.pix.qrCode")
    if picture(image)[1] == "SVG" or qr_image.mismatches(image):
        raise inconclusive("the image is an SVG or none at all: no text can be read from it")
    shown = qr_image.decode(image)
    problem = None if shown == charge.at("data.pix.emv") else f"the image shows {shown!r}, not pix.emv"
    expect(charge, computed("the image shows pix.emv", UNREAD if shown is None else problem))


@requirement("PAY-CHG-45")
def test_the_form_of_the_image_is_noted(payments: Payments, observe: Observer) -> None:
    """Bare base64 or a data URI, and the kind of image, are both right."""
    charge = precondition(plain_charge(payments), has("data.pix.qrCode"))
    head, kind = picture(charge.at("data.pix.qrCode"))
    form = f"a data URI ({head})" if head else "bare base64"
    observe("PAY-CHG-45", f"{form} of {kind}", {"head": head, "kind": kind}, charge)
