"""Conforming variants where PAY-VER is silent: versioning."""

from pix_conformance.proof.difference import changes_result

VARIANTS = {
    "PAY-VER-03": {"sunset-header": changes_result(
            "Each response has a Sunset header: the change notice is not shown (payments.md, line 395).",
            headers=lambda _rules, right, *_: right | {"sunset": "Fri, 31 Dec 2038 23:59:59 GMT"})},
}  # fmt: skip
