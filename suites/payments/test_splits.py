"""The splits of a charge."""

from functools import partial
from typing import Any

import pytest
from hypothesis import example, given

from fixtures import *
from fixtures.payments import *
from pix_conformance.testing import *
from pix_conformance.testing.payments import *

LEAST, WHOLE = (
    limit(Api.PAYMENTS, "create_charge", "splits.percentage", keyword) for keyword in ("minimum", "maximum")
)
"""Limits of a percentage; all splits of a charge together have the upper one too (PAY-SPL-13)."""
APART_MS = 15
"""How long after one of several creations the next one is sent, while that may be in progress."""
GENERATED = ("PAY-SPL-02", "PAY-SPL-03", "PAY-SPL-04", "PAY-SPL-06")
"""Requirements that the generated requests break, one at a time; the rows below ask the others."""
REFUSED_ALONE = [
    case("PAY-SPL-05", "splits.0.email", "@example.com", id="splits.0.email-without-name"),
    case("PAY-SPL-05", "splits.0.email", "", id="splits.0.email-empty"),
    case("PAY-SPL-07", "splits.0.percentage", "10", id="splits.0.percentage-string"),
    case("PAY-SPL-07", "splits.0.percentage", True, id="splits.0.percentage-boolean"),
    case("PAY-SPL-09", "splits.0.percentage", LEAST * 9 / 10, id="splits.0.percentage-just-below-the-minimum"),
    case("PAY-SPL-09", "splits.0.percentage", -1, id="splits.0.percentage-negative"),
]
REFUSED_BESIDE_A_VALID_SPLIT = [
    case("PAY-SPL-07", "splits.0.percentage", "10", id="splits.0.percentage-string"),
    case("PAY-SPL-04", "splits.1.email", None, id="splits.1.email-null"),
]


@requirement("PAY-SPL-01")
def test_a_split_to_a_company_is_accepted(answer_to_a_split: Exchange, pending_charge: Exchange) -> None:
    """A charge of which 10 percent go to a company of the service is accepted."""
    expect(answer_to_a_split, *accepted_like(pending_charge))


@pytest.mark.parametrize(
    "percentage", [case("PAY-SPL-08", LEAST, id="smallest"), case("PAY-SPL-10", WHOLE, id="largest")]
)
def test_a_percentage_at_its_limit_is_accepted(
    payments: Payments, charge_with_a_split: Exchange, percentage: float
) -> None:
    """A single split of the smallest percentage, and one of the largest, is accepted as one of 10 percent is."""
    answer = payments.create_charge(a_split_charge(payments, percentage))
    expect(answer, *accepted_like(charge_with_a_split))


@pytest.mark.fewer_examples
@requirement("PAY-SPL-12")
@given(percentages=strategies.percentages_that_add_up_to(WHOLE))
@example(percentages=(LEAST, WHOLE - LEAST))
@example(percentages=(33.03, 36.71, 30.26))  # more than the whole in binary fractions
def test_every_combination_of_exactly_the_whole_is_accepted(
    payments: Payments, pending_charge: Exchange, several_splits: SeveralSplits, percentages: tuple[float, ...]
) -> None:
    """Every generated combination of 2 to 5 percentages that add up to 100 is accepted, as decimal numbers."""
    answer = payments.create_charge(several_splits(*percentages))
    expect(answer, *accepted_like(pending_charge))


@pytest.mark.generated
@pytest.mark.parametrize("rule", rules(GENERATED, "PAY-ERR-08", unnamed=("PAY-SPL-02",)))
def test_every_split_that_breaks_one_requirement_is_refused(
    payments: Payments, charge_with_a_split: Exchange, generation: Generation, rule: str
) -> None:
    """Every generated charge with a split that breaks exactly one requirement is refused with 400."""
    precondition(charge_with_a_split)
    expect_refusals(generation, "create_charge", rule, "PAY-ERR-08", lambda request: send_charge(payments, request))


@requirement("PAY-ERR-08")
@pytest.mark.parametrize(("path", "bad"), REFUSED_ALONE)
def test_a_split_with_one_bad_field_is_refused(
    payments: Payments, charge_with_a_split: Exchange, rule: str, path: str, bad: Any
) -> None:
    """A single split with one missing or invalid field is refused with 400, and the message names the field."""
    precondition(charge_with_a_split)
    answer = payments.create_charge(with_field(a_split_charge(payments, 10), path, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(last_name(path)), of="PAY-ERR-08")


@requirement("PAY-ERR-08")
@pytest.mark.parametrize(("path", "bad"), REFUSED_BESIDE_A_VALID_SPLIT)
def test_a_split_with_one_bad_field_beside_a_valid_one_is_refused(
    payments: Payments, several_splits: SeveralSplits, rule: str, path: str, bad: Any
) -> None:
    """A split beside a valid one with one invalid field is refused with 400, and the message names the field."""
    answer = payments.create_charge(with_field(several_splits(10, 20), path, bad))
    expect(answer, status(400), of=rule)
    expect(answer, status(400), message_names(last_name(path)), of="PAY-ERR-08")


@requirement("PAY-SPL-11")
def test_a_percentage_above_the_whole_is_refused(payments: Payments, charge_with_a_split: Exchange) -> None:
    """A single split of little more than 100 percent is refused with 400."""
    precondition(charge_with_a_split)
    expect(payments.create_charge(a_split_charge(payments, WHOLE + LEAST)), status(400))


@pytest.mark.fewer_examples
@requirement("PAY-SPL-13")
@given(percentages=strategies.percentages_that_add_up_to(WHOLE + LEAST))
@example(percentages=(33.34, 33.33, 33.34))  # the whole or less when rounded or cut to whole numbers
@example(percentages=(33.334, 33.333, 33.334))  # and when rounded to two decimals, alone or together
def test_every_combination_of_more_than_the_whole_is_refused(
    payments: Payments, several_splits: SeveralSplits, percentages: tuple[float, ...]
) -> None:
    """Every generated combination of 2 to 5 percentages of 100.01 is refused with 400, as is one of 100.001."""
    expect(payments.create_charge(several_splits(*percentages)), status(400))


@requirement("PAY-SPL-14")
def test_the_answer_to_a_percentage_of_more_than_two_decimals_is_noted(
    payments: Payments, charge_with_a_split: Exchange, observe: Observer
) -> None:
    """Whether a percentage of three decimals is accepted is noted: the range is documented, not the precision."""
    precondition(charge_with_a_split)
    note_charges(observe, payments, "PAY-SPL-14", {"12.345": a_split_charge(payments, 12.345)})


@requirement("PAY-SPL-15")
def test_the_answer_to_a_split_to_an_unknown_company_is_noted(payments: Payments, observe: Observer) -> None:
    """Whether a split to an e-mail that belongs to no company is accepted is noted: the document does not say."""
    bodies = {"a split to an unknown company": a_charge(splits=[a_split(UNKNOWN_COMPANY)])}
    note_charges(observe, payments, "PAY-SPL-15", bodies)


@requirement("PAY-SPL-16")
def test_the_answer_to_two_splits_to_one_company_is_noted(
    answer_to_two_splits_of_a_company: Exchange, observe: Observer
) -> None:
    """Whether two splits of 10 and 20 percent to one company are accepted is noted: the document does not say."""
    note_answers(observe, "PAY-SPL-16", {"10 and 20 to one company": answer_to_two_splits_of_a_company})


@requirement("PAY-SPL-17")
def test_a_small_share_is_taken_from_the_payment(
    payments: Payments, shared_charge: SeveralSplits, payment_without_splits: PaymentBetweenBalances
) -> None:
    """A payment with a split of half a percent raises the free balance by less than one of the amount without it."""
    plain, percentage, most = payment_without_splits, 0.5, 0.9999
    rise = wallet_delta(plain.before, plain.after)
    paid = pay_split(payments, shared_charge(percentage), lambda moved: most * rise < moved <= rise)
    expect(paid.after, is_raised_less_than_without_splits(paid.before, plain.before, plain.after, most))


@requirement("PAY-SPL-17")
def test_the_shares_of_two_splits_are_taken_from_the_payment(
    payments: Payments, several_shares: SeveralSplits, payment_without_splits: PaymentBetweenBalances
) -> None:
    """A payment with splits of 30 and 60 percent raises the free balance by at most 20 percent of one without them."""
    plain = payment_without_splits
    rise = wallet_delta(plain.before, plain.after)
    paid = pay_split(payments, several_shares(30, 60), lambda moved: 0.2 * rise < moved <= rise)
    expect(paid.after, is_raised_less_than_without_splits(paid.before, plain.before, plain.after, 0.2))


@requirement("PAY-SPL-17")
@pytest.mark.concurrent
def test_the_share_of_a_charge_that_is_created_at_once_with_others_is_taken(
    payments: Payments, shared_charge: SeveralSplits, payment_without_splits: PaymentBetweenBalances
) -> None:
    """A charge with a split, created at once with charges without one, raises the free balance by less than these.

    Before it is paid, a charge with a smaller split is created.
    """
    plain = payment_without_splits
    rise = wallet_delta(plain.before, plain.after)
    bodies = [a_charge(amountInCents=SHARED), shared_charge(50), a_charge(amountInCents=SHARED)]
    creations = [partial(payments.create_charge, it, group="splits") for it in bodies]
    _, created, _ = send_concurrently(*creations, apart_ms=APART_MS)
    precondition(payments.create_charge(shared_charge(1)))
    paid = pay_created_split(payments, precondition(created), lambda moved: 0.9 * rise < moved <= rise)
    expect(paid.after, is_raised_less_than_without_splits(paid.before, plain.before, plain.after, 0.9))


@requirement("PAY-SPL-19")
def test_a_refused_second_payment_pays_no_share_again(
    payments: Payments, other_payments: Payments, shared_charge: SeveralSplits
) -> None:
    """A second payment that returns 400 does not raise the free balance of the split's company by its share again."""

    def pay_again(cents: int) -> Relation:
        created = precondition(payments.create_charge({**shared_charge(50), "amountInCents": cents}))
        before = precondition(other_payments.get_balance())
        precondition(payments.pay_charge(id_of(created)))
        paid = precondition(other_payments.get_balance())
        if not (share := wallet_delta(before, paid)):
            raise NotApplicable("a payment with a split does not move the free balance of the second account at once")
        require_refusal(payments.pay_charge(id_of(created)), 400)
        return is_not_credited_again(paid, share)

    expect_balance_after(other_payments, (20_118, 20_332), pay_again)


PERCENT = 62.34
"""A percentage of two decimals, of which each is worth several cents."""


@requirement("PAY-SPL-18")
def test_a_share_is_a_percentage_of_the_net_amount(
    payments: Payments, shared_charge: SeveralSplits, pay_between_balances: PayBetweenBalances
) -> None:
    """62.34 percent of a payment with fees are those of its net amount; not asked where the fees are below 4 cents.

    Other traffic may move the balance by as much as a wrong server would: a second amount has to show it too.
    """
    for cents in (20_000, 23_458):
        plain = pay_between_balances(cents)
        fees = plain.created.at("data.fees")
        if not is_cents(fees) or fees < 4:  # the share of less is lost in rounding
            raise NotApplicable(f"the fees are too small to tell a part of the net amount ({plain.created.evidence})")
        net = cents - int(fees)
        if wallet_delta(plain.before, plain.after) != net:
            raise NotApplicable("a payment does not move the free balance by its net amount at once")
        body = {**shared_charge(PERCENT), "amountInCents": cents}
        paid = pay_split(payments, body, (0, net).__contains__)
        if paid.created.at("data.fees") != fees:
            raise NotApplicable(f"a charge with splits has other fees ({paid.created.evidence})")
        share = loses_a_share_of_the_net_amount(paid.before, paid.created, cents, PERCENT)
        if is_met(share, paid.after):
            break

    expect(paid.after, share)
