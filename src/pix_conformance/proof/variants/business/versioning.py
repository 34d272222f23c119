"""Conforming variants where BUS-VER is silent: versioning."""

from pix_conformance.proof.difference import setting

VARIANTS = {
    "BUS-VER-02": {"deprecation-headers": setting(
            "Each response has Deprecation and Sunset: the change notice is not shown (business.md, line 201).",
            extra_headers={"deprecation": "@1798761600", "sunset": "Fri, 31 Dec 2027 23:59:59 GMT"})},
}  # fmt: skip
