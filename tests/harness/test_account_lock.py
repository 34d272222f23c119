"""While a test of one worker compares balances, the other workers move no money on the account."""

import threading
import time
from pathlib import Path

import pytest

from pix_conformance.harness.account_lock import AccountLock
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.model.vocabulary import Api, Role

SHORT_S, LONG_S = 0.2, 10.0


def sent(
    lock: AccountLock,
    operation: str,
    api: Api = Api.PAYMENTS,
    *,
    role: Role = Role.MERCHANT,
    shows_balance: bool = True,
) -> threading.Event:
    """Send a request in another thread; the event is set when it was sent."""
    done = threading.Event()

    def send() -> None:
        with lock.around(api, operation, role, shows_balance=shows_balance):
            done.set()

    threading.Thread(target=send, daemon=True).start()
    return done


@pytest.fixture
def two(tmp_path: Path) -> tuple[AccountLock, AccountLock]:
    return AccountLock(tmp_path, Waits()), AccountLock(tmp_path, Waits())


@pytest.mark.parametrize("operation", ["pay_charge", "create_transfer", "complete_transfer", "get_balance"])
def test_another_worker_waits_until_the_test_ends(two: tuple[AccountLock, AccountLock], operation: str) -> None:
    mine, theirs = two
    assert sent(mine, "get_balance").wait(LONG_S)
    waiting = sent(theirs, operation)
    assert not waiting.wait(SHORT_S)
    mine.release()
    assert waiting.wait(LONG_S)


def test_a_test_that_holds_the_account_pays_at_once(two: tuple[AccountLock, AccountLock]) -> None:
    mine, theirs = two
    mine.hold(Api.BUSINESS)
    waiting = sent(theirs, "get_finance", Api.BUSINESS)
    assert not waiting.wait(SHORT_S)
    assert sent(mine, "pay_charge", Api.BUSINESS).wait(LONG_S)
    mine.release()
    assert waiting.wait(LONG_S)


def test_a_payment_beside_a_query_that_waits_for_the_account_waits_for_no_end_of_the_test(
    two: tuple[AccountLock, AccountLock],
) -> None:
    mine, theirs = two
    with theirs.around(Api.PAYMENTS, "pay_charge"):
        query = sent(mine, "get_balance")
        assert not query.wait(SHORT_S)
        payment = sent(mine, "pay_charge")
        assert not payment.wait(SHORT_S)
    assert query.wait(LONG_S)
    assert payment.wait(LONG_S)


def test_the_worker_itself_and_what_shows_or_moves_no_money_do_not_wait(two: tuple[AccountLock, AccountLock]) -> None:
    mine, theirs = two
    assert sent(mine, "get_balance").wait(LONG_S)
    assert sent(mine, "pay_charge").wait(LONG_S)
    assert sent(theirs, "create_charge").wait(LONG_S)
    assert sent(theirs, "pay_charge", Api.BUSINESS).wait(LONG_S)
    assert sent(theirs, "get_balance", shows_balance=False).wait(LONG_S)
    assert sent(theirs, "pay_charge", role=Role.LIVE_MERCHANT).wait(LONG_S)


def test_the_other_workers_list_no_charges_of_the_account_until_then(two: tuple[AccountLock, AccountLock]) -> None:
    mine, theirs = two
    now = time.time()
    mine.keep_unlisted(Api.BUSINESS, Role.MERCHANT, now + 60, now + 70)
    assert sent(theirs, "list_charges", Api.BUSINESS).wait(LONG_S)
    mine.keep_unlisted(Api.BUSINESS, Role.MERCHANT, now, now + 2 * SHORT_S)
    assert sent(mine, "list_charges", Api.BUSINESS).wait(LONG_S)
    waiting = sent(theirs, "list_charges", Api.BUSINESS)
    assert not waiting.wait(SHORT_S)
    assert waiting.wait(LONG_S)


def test_the_other_workers_list_charges_again_as_soon_as_they_may(two: tuple[AccountLock, AccountLock]) -> None:
    mine, theirs = two
    now = time.time()
    allow_lists = mine.keep_unlisted(Api.BUSINESS, Role.MERCHANT, now, now + 60)
    waiting = sent(theirs, "list_charges", Api.BUSINESS)
    assert not waiting.wait(SHORT_S)
    allow_lists()
    assert waiting.wait(LONG_S)


def test_the_end_of_one_test_that_wants_no_lists_leaves_the_others(two: tuple[AccountLock, AccountLock]) -> None:
    mine, theirs = two
    now = time.time()
    allow_lists = mine.keep_unlisted(Api.BUSINESS, Role.MERCHANT, now, now + 60)
    mine.keep_unlisted(Api.BUSINESS, Role.MERCHANT, now, now + 3 * SHORT_S)
    allow_lists()
    waiting = sent(theirs, "list_charges", Api.BUSINESS)
    assert not waiting.wait(SHORT_S)
    assert waiting.wait(LONG_S)


def test_a_balance_is_queried_once_the_payments_under_way_have_ended(two: tuple[AccountLock, AccountLock]) -> None:
    mine, theirs = two
    with theirs.around(Api.PAYMENTS, "pay_charge"):
        assert sent(theirs, "create_transfer").wait(LONG_S)
        queried = sent(mine, "get_balance")
        assert not queried.wait(SHORT_S)
        late = sent(theirs, "create_transfer")
        assert not late.wait(SHORT_S)
    assert queried.wait(LONG_S)
    assert not late.wait(SHORT_S)
    mine.release()
    assert late.wait(LONG_S)


def test_a_worker_sees_that_another_has_the_account_alone(two: tuple[AccountLock, AccountLock]) -> None:
    mine, theirs = two
    taken = [theirs.is_taken(Api.PAYMENTS)]
    assert sent(mine, "get_balance").wait(LONG_S)
    taken += [lock.is_taken(api) for lock in (mine, theirs) for api in (Api.PAYMENTS, Api.BUSINESS)]
    mine.release()
    assert [*taken, theirs.is_taken(Api.PAYMENTS)] == [False, False, False, True, False, False]
