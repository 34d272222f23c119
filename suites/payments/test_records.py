"""Every answer of the run, held against what was asked for (payments.md, lines 106-125 and 228-262)."""

from __future__ import annotations

import pytest

from fixtures.payments.account import LAST
from pix_conformance.checks.history import FEW, first_violation
from pix_conformance.checks.matchers import field, has
from pix_conformance.checks.payments.exchange_history import Records
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect, not_applicable, precondition
from pix_conformance.harness.requirement import case, requirement
from pix_conformance.harness.run import Run

pytestmark = [pytest.mark.usefixtures("payments"), pytest.mark.looks_back]


@pytest.fixture(scope="module")
def records(run: Run) -> Records:
    """Return what the run's successes say."""
    return Records(run.ledger.exchanges)


@deferred(LAST)
@pytest.mark.parametrize(
    "operation",
    [
        case("PAY-TRF-41", "create_transfer", id="create_transfer"),
        case("PAY-TRF-64", "get_transfer", id="get_transfer"),
    ],
)
def test_every_transfer_has_the_amount_that_was_sent(records: Records, operation: str) -> None:
    """Whatever else was sent with it, and whatever became of it."""
    expect(*first_violation("data.amount is the one sent", records.amounts(operation)))


@deferred(LAST)
@requirement("PAY-TRF-73")
def test_transfers_that_were_completed_soon_are_still_completed(payments: Payments, records: Records) -> None:
    """What was under way with them, such as their approval, does not take them back."""
    soonest = records.completed_soonest()
    if not soonest:
        raise not_applicable("no transfer was completed in this run")
    for one in soonest[:FEW]:
        expect(
            precondition(payments.get_transfer(one), has("data.status", "string")), field("data.status", "completed")
        )


@deferred(LAST)
@pytest.mark.parametrize(
    "operation",
    [
        case("PAY-TRF-76", "create_transfer", id="create_transfer"),
        case("PAY-TRF-76", "get_transfer", id="get_transfer"),
    ],
)
def test_every_net_amount_is_explained_by_the_fees(records: Records, operation: str) -> None:
    """Taken from the amount, or beside it, however large it is."""
    expect(*first_violation("netAmount is amount, or amount less fees", records.nets(operation)))


@deferred(LAST)
@pytest.mark.parametrize(
    "operation",
    [
        case("PAY-CHG-71", "get_charge", id="get_charge"),
        case("PAY-PAYS-08", "pay_charge", id="pay_charge"),
        case("PAY-TRF-63", "get_transfer", id="get_transfer"),
        case("PAY-CMP-08", "complete_transfer", id="complete_transfer"),
    ],
)
def test_every_answer_has_the_id_that_was_asked_for(records: Records, operation: str) -> None:
    """Whatever was sent at the creation."""
    expect(*first_violation("data.id is the one asked for", records.ids(operation)))


@deferred(LAST)
@requirement("PAY-TRF-69")
def test_every_completed_transfer_keeps_its_end_to_end_id(records: Records) -> None:
    """As its completion answered it."""
    expect(*first_violation("data.endToEndId is the completion's", records.ends()))


@deferred(LAST)
@requirement("PAY-TRF-80")
def test_every_completed_transfer_keeps_its_final_moment(records: Records) -> None:
    """However often it is asked for."""
    expect(*first_violation("data.processedAt stays", records.final_moments()))


@deferred(LAST)
@requirement("PAY-TRF-66")
def test_every_transfer_keeps_its_first_moment(records: Records) -> None:
    """However often it is asked for, from its creation to the end of the run."""
    expect(*first_violation("data.createdAt stays", records.first_moments()))


@deferred(LAST)
@pytest.mark.parametrize(
    ("query", "last"),
    [
        case("PAY-PAYS-11", "get_charge", "paid", id="get_charge"),
        case("PAY-TRF-73", "get_transfer", "completed", id="get_transfer"),
    ],
)
def test_nothing_leaves_its_last_status(records: Records, query: str, last: str) -> None:
    """Once a query has shown it, and others have had time to learn of it."""
    expect(*first_violation(f"what is {last} stays so", records.statuses(query, last)))


@deferred(LAST)
@requirement("PAY-CHG-40")
def test_every_new_charge_is_pending(records: Records) -> None:
    """Whatever was sent at the creation."""
    expect(*first_violation("data.status is pending", records.births()))


@deferred(LAST)
@requirement("PAY-CHG-79")
def test_no_image_shows_the_code_of_another_charge(records: Records) -> None:
    """Of those that were made last."""
    expect(*first_violation("the image shows no other charge's code", records.foreign_images()))


@deferred(LAST)
@requirement("PAY-CHG-41")
def test_no_two_charges_share_an_id(records: Records) -> None:
    """However many there are, and however alike."""
    expect(*first_violation("data.id is new", records.repeated_ids()))


@deferred(LAST)
@requirement("PAY-CHG-81")
def test_no_two_charges_share_a_code(records: Records) -> None:
    """Each charge of the run has a copy-and-paste code of its own, however alike the charges are."""
    expect(*first_violation("data.pix.emv is new", records.repeated_codes()))


@deferred(LAST)
@requirement("PAY-CHG-77")
def test_every_query_of_a_pending_charge_shows_its_code(records: Records) -> None:
    """Whatever was sent at the creation."""
    expect(*first_violation("the code stays", records.kept("pix.emv")))


@deferred(LAST)
@requirement("PAY-CHG-72")
def test_every_query_of_a_pending_charge_repeats_its_creation(records: Records) -> None:
    """Whatever was sent at the creation."""
    expect(*first_violation("code, image and fees stay", records.kept("pix.emv", "pix.qrCode", "fees")))


@deferred(LAST)
@requirement("PAY-CHG-43")
def test_every_qr_code_is_an_image(records: Records) -> None:
    """Whatever was sent at the creation."""
    expect(*first_violation("qrCode is an image", records.images()))


@deferred(LAST)
@requirement("PAY-PAYS-19")
def test_no_charge_is_paid_that_nobody_paid(records: Records) -> None:
    """However often it was asked for."""
    expect(*first_violation("data.status is not paid", records.unpaid()))
