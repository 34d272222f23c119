"""A relation is recorded with the numbers of the exchanges that it compares, and read back from the recording."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pix_conformance.checks.expectation_in_words import expectation
from pix_conformance.checks.matchers import read
from pix_conformance.checks.relation import Relation
from pix_conformance.checks.relations import creates_no_second_transfer
from pix_conformance.model.exchange import Exchange, Request, Response
from pix_conformance.model.secret import Secret
from pix_conformance.model.vocabulary import Api, Role
from tests.support.conclusions import mismatch


def an_exchange(number: int, transfer: str) -> Exchange:
    """Return an exchange whose answer shows that transfer."""
    body = json.dumps({"data": {"id": transfer}}).encode()
    sent = Request("POST", "https://t/api/transfers", ())
    came = Response(200, (), body, len(body))
    return Exchange(number, Api.PAYMENTS, Role.MERCHANT, "create_transfer", None, 0.0, 1.0, sent, came)


FIRST, REPLAY, OTHER = an_exchange(1, "t-1"), an_exchange(2, "t-1"), an_exchange(3, "t-2")


def test_a_relation_compares_the_subject_with_its_arguments() -> None:
    assert mismatch(creates_no_second_transfer(FIRST), REPLAY) is None
    assert mismatch(creates_no_second_transfer(FIRST), OTHER) == 'data.id is "t-2", not "t-1"'


def test_a_recorded_relation_gives_the_same_verdict_again() -> None:
    row = json.loads(json.dumps(creates_no_second_transfer(FIRST).to_dict()))
    assert row["arguments"] == {"first": {"evidence": "exchange 1"}}
    again = read(row, {"exchange 1": FIRST}.__getitem__)
    assert again == creates_no_second_transfer(FIRST)
    assert mismatch(again, OTHER) == 'data.id is "t-2", not "t-1"'


def test_a_recorded_relation_says_in_words_what_it_expects() -> None:
    row = creates_no_second_transfer(FIRST).to_dict()
    assert expectation(row) == "the answer is the transfer of exchange 1 or 409"


@pytest.mark.parametrize(
    "name", ["relations.no_such_function", "no_such_module.any", "relations.moment", "os", "..os.path"]
)
def test_a_name_that_is_no_relation_is_refused(name: str) -> None:
    with pytest.raises(KeyError):
        read({"matcher": "relation", "name": name, "words": "", "arguments": {}})


def test_what_was_not_recorded_cannot_be_compared_with() -> None:
    with pytest.raises(KeyError):
        read(creates_no_second_transfer(FIRST).to_dict())


@pytest.mark.parametrize("value", [None, "x", 1, ("a", FIRST), {"a": FIRST}])
def test_values_of_every_kind_are_read_back(value: Any) -> None:
    relation = Relation("relations.creates_no_second_transfer", "", {"first": value})
    assert read(json.loads(json.dumps(relation.to_dict())), {"exchange 1": FIRST}.__getitem__) == relation


def test_a_secret_is_not_recorded() -> None:
    relation = Relation("relations.creates_no_second_transfer", "", {"first": Secret("abc")})
    assert "abc" not in json.dumps(relation.to_dict())
    with pytest.raises(KeyError):
        read(relation.to_dict())
