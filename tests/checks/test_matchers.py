"""The sentences of matchers: what was expected, and what came instead."""

from __future__ import annotations

import pytest

from pix_conformance.checks.expectation_in_words import expectation
from pix_conformance.checks.matchers import KINDS, has
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.vocabulary import Api, Role
from tests.support.conclusions import mismatch

ANSWER = Exchange(
    id=1,
    api=Api.PAYMENTS,
    role=Role.MERCHANT,
    operation=None,
    test=None,
    started=0,
    elapsed_ms=0,
    request=Request("GET", "/", ()),
    response=Response(200, (), b"{}", 2),
)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_has_its_article(kind: str) -> None:
    matcher = has("data", kind)
    article = "an" if kind in {"object", "array", "integer"} else "a"
    assert mismatch(matcher, ANSWER) == f"data is missing, not {article} {kind}"
    assert expectation(matcher.to_dict()) == f"data is {article} {kind}"
