"""Ids of charges and transfers in both APIs."""

import uuid
from contextlib import suppress
from typing import Any

from pix_conformance.proof.difference import Difference
from pix_conformance.reference.call import Call, Refusal
from pix_conformance.reference.store import Row


def by_its_number(row: Row) -> Row:
    """Return a row under the number that it has in its environment or account."""
    return row | {"id": row["id"].rpartition("/")[2]}


def digits(_rules: Any) -> str:
    """Return an id of 16 digits."""
    return str(uuid.uuid4().int)[:16]


class FindsIdsInAnyCase:
    """Looks for an id in lower case if it finds none as it is written."""

    def owned(self, call: Call, *asked: Any) -> Row:
        above: Any = super()
        with suppress(Refusal):
            return dict(above.owned(call, *asked))
        asked = (asked[0], asked[1].lower()) if asked and isinstance(asked[1], str) else asked
        call.params = {name: text.lower() for name, text in call.params.items()}
        return dict(above.owned(call, *asked))


IDS_IN_ANY_CASE = Difference(
    "An id is found in capitals too: whether it has a case is not stated (payments.md, line 80; business.md, line 33).",
    FindsIdsInAnyCase)  # fmt: skip
