"""Conforming variants where BUS-ERR is silent: error responses."""

from typing import Any

from pix_conformance.proof.difference import changes_result
from pix_conformance.proof.variants.common.messages import MESSAGES
from pix_conformance.reference.call import Answer, Call


def as_problem(_rules: Any, headers: dict[str, str], _call: Call, answer: Answer) -> dict[str, str]:
    return headers | ({"content-type": "application/problem+json"} if answer.status >= 400 else {})


VARIANTS = {
    "BUS-ERR-04": {slug: one.also("BUS-GEN-05") for slug, one in MESSAGES.items()},
    "BUS-ERR-05": {"problem-details": changes_result(
            "Errors have the media type of problem details: only their JSON body is stated "
            "(business.md, line 174; RFC 9457).", headers=as_problem).also("BUS-GEN-05")},
}  # fmt: skip
