"""The splits of a charge (payments.md, lines 62-72). A plain split is the control of every other."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from fixtures.bodies import with_field, without_field
from fixtures.payments.bodies import a_charge
from fixtures.payments.charges import NAMED, OF_KIND, as_plain, leaf, plain_charge
from fixtures.payments.splits import (
    known_at_all,
    one_company_twice,
    plain_pair,
    plain_split,
    require_a_receiver,
    split,
)
from fixtures.payments.wallet import confirm_with_each, shared_of_gross, split_not_deducted
from pix_conformance.checks.events import require_refusal
from pix_conformance.checks.matchers import computed, error, message_names, status
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.expect import expect
from pix_conformance.harness.requirement import case, requirement

LACKING = [
    case("PAY-SPL-03", "splits.0.email", id="splits.0.email"),
    case("PAY-SPL-06", "splits.0.percentage", id="splits.0.percentage"),
]
WRONG = [
    *(
        case("PAY-SPL-04", "splits.0.email", OF_KIND[kind], id=f"splits.0.email-{kind}")
        for kind in ("number", "boolean", "array", "object")
    ),
    *(case("PAY-SPL-04", "splits.1.email", OF_KIND[kind], id=f"splits.1.email-{kind}") for kind in ("null",)),
    case("PAY-SPL-05", "splits.0.email", "company.example.com", id="splits.0.email-no-at"),
    case("PAY-SPL-05", "splits.1.email", "company@", id="splits.1.email-no-domain"),
    case("PAY-SPL-05", "splits.0.email", "@example.com", id="splits.0.email-no-name"),
    case("PAY-SPL-05", "splits.0.email", "", id="splits.0.email-empty"),
    case("PAY-SPL-07", "splits.0.percentage", "10", id="splits.0.percentage-string"),
    *(
        case("PAY-SPL-07", "splits.0.percentage", OF_KIND[kind], id=f"splits.0.percentage-{kind}")
        for kind in ("boolean", "array", "object", "null")
    ),
    case("PAY-SPL-09", "splits.1.percentage", 0, id="splits.1.percentage-zero"),
    case("PAY-SPL-09", "splits.0.percentage", 0.009, id="splits.0.percentage-just-below"),
    case("PAY-SPL-09", "splits.0.percentage", -10, id="splits.0.percentage-negative"),
]
ACCEPTED = [
    pytest.param(0.01, marks=requirement("PAY-SPL-08"), id="smallest"),
    pytest.param(100, marks=requirement("PAY-SPL-10"), id="largest"),
]
EXACTLY_100 = [
    pytest.param((60, 40), id="whole"),
    pytest.param((99.99, 0.01), id="smallest-part"),
    pytest.param((33.33, 33.33, 33.34), id="thirds"),
    pytest.param((33.03, 36.71, 30.26), id="above-100-in-binary"),
    pytest.param((62.1, 9.3, 9.5, 9.5, 9.6), id="tenths"),
]
ABOVE_100 = [
    pytest.param((60, 41), id="whole"),
    pytest.param((99.99, 0.02), id="by-a-hundredth"),
    pytest.param((33.34, 33.33, 33.34), id="thirds"),
    pytest.param((50.4, 50), id="not-when-rounded"),
    pytest.param((10.03, 89.98), id="not-when-cut-to-hundredths"),
    pytest.param((100, 100), id="each-all"),
]


@requirement("PAY-SPL-01")
def test_a_split_to_a_company_is_accepted(payments: Payments) -> None:
    """Ten percent go to a company of the service."""
    expect(known_at_all(payments, payments.create_charge(split(payments, 10))), *as_plain(plain_charge(payments)))


@requirement("PAY-SPL-02")
@pytest.mark.parametrize("element", ["10", 10, True, ["10"], None], ids=lambda one: type(one).__name__)
def test_a_split_that_is_no_object_is_refused(payments: Payments, element: Any) -> None:
    """It stands alone in its array."""
    plain_split(payments)
    expect(payments.create_charge(a_charge(splits=[element])), status(400))


@requirement(NAMED)
@pytest.mark.parametrize("path", LACKING)
def test_a_split_without_a_required_field_is_refused(payments: Payments, rule: str, path: str) -> None:
    """All else about the charge is right."""
    plain_split(payments)
    answer = payments.create_charge(without_field(split(payments, 10), path))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(leaf(path)), of=NAMED)


@requirement(NAMED)
@pytest.mark.parametrize(("path", "bad"), WRONG)
def test_a_split_with_a_bad_field_is_refused(payments: Payments, rule: str, path: str, bad: Any) -> None:
    """One field of the only split, or of the second, is bad in one way, and the message names it."""
    plain_split(payments)
    charge = plain_pair(payments)(10, 20) if path.startswith("splits.1.") else split(payments, 10)
    answer = payments.create_charge(with_field(charge, path, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(leaf(path)), of=NAMED)


@pytest.mark.parametrize("percentage", ACCEPTED)
def test_a_percentage_at_its_limit_is_accepted(payments: Payments, percentage: float) -> None:
    """From 0.01 to 100, both included."""
    expect(payments.create_charge(split(payments, percentage)), *as_plain(plain_split(payments)))


@requirement("PAY-SPL-11")
@pytest.mark.parametrize("percentage", [100.01, 101, 1000])
def test_a_percentage_above_100_is_refused(payments: Payments, percentage: float) -> None:
    """Alone it is above the sum's limit too, so the message may name either."""
    plain_split(payments)
    expect(payments.create_charge(split(payments, percentage)), status(400))


@requirement("PAY-SPL-12")
@pytest.mark.parametrize("percentages", EXACTLY_100)
def test_splits_of_exactly_100_are_accepted(payments: Payments, percentages: tuple[float, ...]) -> None:
    """The sum of decimals is 100, whatever binary numbers make of it."""
    several = plain_pair(payments)
    expect(payments.create_charge(several(*percentages)), *as_plain(plain_charge(payments)))


@requirement("PAY-SPL-13")
@pytest.mark.parametrize("percentages", ABOVE_100)
def test_splits_of_more_than_100_are_refused(payments: Payments, percentages: tuple[float, ...]) -> None:
    """Each percentage is within its own limits."""
    several = plain_pair(payments)
    expect(payments.create_charge(several(*percentages)), status(400))


@requirement("PAY-ERR-04")
def test_the_code_of_splits_of_more_than_100_is_that_of_a_bad_body(payments: Payments) -> None:
    """The sum is a rule of the body, though of no single field in it."""
    several = plain_pair(payments)
    expect(require_refusal(payments.create_charge(several(60, 60)), 400), error("INVALID_REQUEST"))


@requirement("PAY-SPL-07")
@pytest.mark.parametrize("place", [0, 1], ids=["first", "second"])
def test_a_bad_split_beside_a_good_one_is_refused(payments: Payments, place: int) -> None:
    """Every element is looked at."""
    plain_pair(payments)
    expect(payments.create_charge(with_field(split(payments, 10, 20), f"splits.{place}.percentage", "10")), status(400))


@requirement("PAY-SPL-17")
@pytest.mark.parametrize(("percentages", "most"), [((50,), 0.9), ((0.5,), 0.9999), ((1, 49), 0.9)])
def test_the_shares_of_a_payment_leave_it(payments: Payments, percentages: Any, most: float) -> None:
    """Half of a payment, the least part of it, or two shares of it go to another company when it is confirmed."""
    require_a_receiver(payments)
    several = one_company_twice(payments) if len(percentages) > 1 else partial(split, payments)
    balance, words = split_not_deducted(payments, several(*percentages), most)
    expect(balance, computed("a split takes its share", words))


@requirement("PAY-SPL-18")
def test_a_share_is_one_of_the_net_amount(payments: Payments) -> None:
    """What is left of a payment with fees, half of which goes to another company, is half of its net amount."""
    require_a_receiver(payments)
    after, words = confirm_with_each(
        lambda amount: shared_of_gross(payments, split(payments, 50) | {"amountInCents": amount}), 20_000, 23_458
    )
    expect(
        after, computed("a share is one of the net amount", words and "half of the gross amount was taken, both times")
    )
