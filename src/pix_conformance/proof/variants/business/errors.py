"""Conforming variants where BUS-ERR is silent: error responses."""

from pix_conformance.proof.difference import changes_result
from pix_conformance.proof.variants.common.messages import MESSAGES

VARIANTS = {
    "BUS-ERR-04": {slug: one.also("BUS-GEN-05") for slug, one in MESSAGES.items()},
    "BUS-ERR-05": {"problem-details": changes_result(
            "Errors have the media type of problem details: only their JSON body is stated "
            "(business.md, line 174; RFC 9457).",
            headers=lambda _rules, headers, _call, answer: headers | (
                {"content-type": "application/problem+json"} if answer.status >= 400 else {})).also("BUS-GEN-05")},
}  # fmt: skip
