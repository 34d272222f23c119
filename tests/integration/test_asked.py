"""Which requests of a client belong to which of its commands."""

import json
from collections.abc import Sequence

import pytest

from pix_conformance.integration.asked import Asked
from pix_conformance.model.exchange import Exchange, Request
from pix_conformance.model.vocabulary import Api, Role

EARLIER, OWN, UNASKED = 1_003, 1_006, 777


def sent(number: int, cents: int | None, key: str = "", operation: str = "create_transfer") -> Exchange:
    """Return a request of the client; a charge and a transfer have an amount."""
    body = b"" if cents is None else json.dumps({"amount": cents}).encode()
    request = Request("POST", "http://h/", (("x-idempotency-key", key),) if key else (), body)
    return Exchange(number, Api.PAYMENTS, Role.MERCHANT, operation, None, 0, 0, request, None)


LOGIN = sent(1, None, operation="authenticate")
LATE = sent(2, EARLIER, "a")
LATE_WITH_OTHER_BODY = sent(3, UNASKED, "a")
FIRST = sent(4, OWN, "b")
WITH_OTHER_BODY = sent(5, UNASKED, "b")
UNKNOWN = sent(6, UNASKED, "c")
UNKNOWN_CHARGE = sent(7, UNASKED, "d", "create_charge")
WITHOUT_KEY = sent(8, UNASKED)


@pytest.mark.parametrize(
    ("meanwhile", "own"),
    [
        ([LATE, FIRST], [FIRST]),
        ([LOGIN, LATE], [LOGIN]),
        ([LATE, LATE_WITH_OTHER_BODY, UNKNOWN], [UNKNOWN]),
        ([UNKNOWN, LATE, FIRST, WITH_OTHER_BODY], [FIRST, WITH_OTHER_BODY]),
        ([UNKNOWN_CHARGE, WITHOUT_KEY, FIRST], [UNKNOWN_CHARGE, FIRST]),
        ([WITHOUT_KEY, UNKNOWN], [WITHOUT_KEY, UNKNOWN]),
    ],
    ids=[
        "a-late-repetition-is-of-its-command",
        "a-request-without-amount-is-of-the-running-command",
        "a-late-repetition-with-another-amount-is-of-the-command-of-its-key",
        "an-amount-that-was-not-asked-for-is-of-an-earlier-run-beside-one-that-was",
        "so-it-is-beside-one-of-the-same-operation-alone",
        "without-one-that-was-asked-for-it-is-of-the-running-command",
    ],
)
def test_a_request_belongs_to_a_command(meanwhile: Sequence[Exchange], own: Sequence[Exchange]) -> None:
    asked = Asked([LATE, *meanwhile])
    asked.amounts += [EARLIER, OWN]
    assert asked.requests({OWN}, since=1) == own


def test_requests_that_show_an_amount_or_the_key_of_one_are_named_by_it() -> None:
    asked = Asked([LOGIN, LATE, FIRST, LATE_WITH_OTHER_BODY, UNKNOWN, WITHOUT_KEY])
    asked.amounts += [EARLIER, OWN]
    assert asked.by_amount() == {EARLIER: [LATE, LATE_WITH_OTHER_BODY], OWN: [FIRST]}


def test_one_key_of_several_commands_leaves_each_the_requests_of_its_amount() -> None:
    asked = Asked([LATE, sent(4, OWN, "a")])
    asked.amounts += [EARLIER, OWN]
    assert asked.requests({OWN}, since=0) == [sent(4, OWN, "a")]
