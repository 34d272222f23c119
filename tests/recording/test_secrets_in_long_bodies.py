"""A secret across the end of what is kept of a body is masked whole, and no representation of a message shows one."""

import json

import pytest

from pix_conformance.checks.matchers import field
from pix_conformance.harness.current_test import CurrentTest
from pix_conformance.harness.expect import expect
from pix_conformance.harness.outcomes import RequirementFailed
from pix_conformance.recording.recorder import STORED_BYTES, Recorder
from tests.support.exchanges import exchange

MASKED = "s3cret-value-of-a-webhook-that-is-long"
TRANSCRIPT = 1_000
"""Characters of a body that a failure shows."""


@pytest.mark.parametrize("shown", range(4, len(MASKED), 6))
def test_a_secret_across_the_end_of_what_is_kept_is_masked(shown: int) -> None:
    recorder = Recorder()
    recorder.redact.learn(MASKED)
    body = b"x" * (STORED_BYTES - shown) + MASKED.encode() + b"x" * 100
    recorder.record(exchange(body, operation="get_charge"))
    (recorded,) = recorder.facts.exchanges
    assert recorded.response
    assert recorded.response.truncated
    assert recorded.body.rstrip(b"x*") == b""


@pytest.mark.parametrize("shown", range(4, len(MASKED), 6))
def test_a_secret_across_the_end_of_what_a_failure_shows_is_masked(shown: int) -> None:
    test = CurrentTest(requirements=("PAY-CHG-01",))
    test.recorder.redact.learn(MASKED)
    begin = '{"a": "'
    text = begin + "x" * (TRANSCRIPT - len(begin) - shown) + MASKED + '", "status": "paid"}'
    with pytest.raises(RequirementFailed) as failure:
        expect(exchange(json.loads(text), current_test=test), field("status", "pending"))
    assert MASKED[:shown] not in str(failure.value).replace("x", "")


def test_the_representation_of_an_exchange_shows_no_header() -> None:
    sent = exchange({}, sends=("GET", "http://t", (("Authorization", f"Bearer {MASKED}"),)))
    assert MASKED not in f"{sent!r} {sent.request!r} {[sent]}"
