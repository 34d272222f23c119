"""The time in the signature of an event of the payments API."""

from __future__ import annotations

import pytest

from pix_conformance.checks.payments.signatures import HEADER, SKEW_S, is_signed_between
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.vocabulary import Api
from pix_conformance.oracles import signature
from tests.support.conclusions import mismatch

ARRIVED, TURNED_S = 1_795_255_380.0, 3600.0


def event(t: object) -> Delivery:
    return Delivery(7, "/hook", "POST", ARRIVED, ((HEADER, f"t={t},v1=00"),), b"{}", 200, api=Api.PAYMENTS)


@pytest.mark.parametrize("seconds", [0, SKEW_S, -SKEW_S])
def test_t_is_the_time_of_the_arrival_within_five_minutes(seconds: int) -> None:
    t = round(ARRIVED) - seconds
    for written in (t, t * 1000):
        assert mismatch(is_signed_between(ARRIVED - 3, ARRIVED), event(written)) is None


@pytest.mark.parametrize("seconds", [SKEW_S + 4, -SKEW_S - 1, 3 * 3600])
def test_another_t_is_not(seconds: int) -> None:
    assert mismatch(is_signed_between(ARRIVED - 3, ARRIVED), event(round(ARRIVED) - seconds))


def test_an_event_may_be_signed_before_the_clock_was_advanced() -> None:
    matcher = is_signed_between(ARRIVED - TURNED_S - 3, ARRIVED)

    assert mismatch(matcher, event(round(ARRIVED - TURNED_S))) is None
    assert mismatch(matcher, event(round(ARRIVED - TURNED_S - SKEW_S) - 4))


def test_the_reason_names_the_right_signature() -> None:
    right = signature.sign("12", b"{}", "a-secret")
    mismatch = signature.mismatch("t=12,v1=00", b"{}", "a-secret")
    assert mismatch is not None
    assert f"(right is {right})" in mismatch
    assert "a-secret" not in mismatch
