"""Conforming variants where BUS-VER is silent: versioning."""

from __future__ import annotations

from typing import ClassVar

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules


class AnnouncesItsEnd(BusinessRules):
    """The change notice is not shown (business.md, line 201)."""

    extra_headers: ClassVar[dict[str, str]] = {"deprecation": "@1798761600", "sunset": "Fri, 31 Dec 2027 23:59:59 GMT"}


VARIANTS = [
    Variant("business-end", ("BUS-VER-02",), {"announced": AnnouncesItsEnd}),
]
