"""Mutants of BUS-PAY and BUS-FIN: the simulation of a payment, balance and ledger."""

import struct
import uuid
from collections.abc import Callable
from typing import Any

from pix_conformance.model.vocabulary import Api
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.ledger import CREDIT
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "state"


def made_of_email(_rules: Any, right: Row, charge: Row) -> Row:
    last = uuid.uuid5(uuid.NAMESPACE_URL, str(charge["customer_email"])).hex[:11]
    return right | ({"end_to_end_id": f"E12345678202611201200{last}"} if charge["customer_email"] else {})


def post_first_of_label(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    same = {name: charge[name] for name in ("external_ref", "account")}
    charges = rules.store.rows("business_charge", status="paid", **same) if charge["external_ref"] is not None else []
    if len(charges) <= 1:
        right(charge)


def post_other_amount(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    for last in rules.postings(owner_of(charge), 1):
        soon = rules.clock.now() - last["created_at"] < 2
        if soon and last["entries"][0]["amount"] == charge["amount"]:
            return
    right(charge)


def sum_of_shown(rules: Any, access: Access) -> int:
    entries = [entry for row in rules.postings(access, rules.postings_limit) for entry in row["entries"]]
    own = [entry for entry in entries if entry["account_code"] == "merchant_available"]
    return sum(entry["amount"] if entry["direction"] == CREDIT else -entry["amount"] for entry in own)


def as_float(cents: int) -> int:
    return int(struct.unpack("f", struct.pack("f", cents))[0])


def enter_in_four_bytes(rules: Any, right: Callable[..., None], posting: Row, account: str, *given: Any) -> None:
    right(posting, account, *given)
    held = rules.store.find("balance", book=posting["book"], account_code=account)
    rules.store.put("balance", held | {"amount": as_float(held["amount"])})


def three_percent(_rules: Any, _right: Callable[[int], int], amount: int) -> int:
    return amount * 3 // 100


MUTANTS = {
    "BUS-PAY-01/not-with-email": refuses_operation("pay_charge").when(WITH_EMAIL).seen_in("BUS-CHG-56"),
    "BUS-PAY-01/not-in-last-30-s": refuses_operation("pay_charge").when(near_expiry(30)).of("time"),
    "BUS-PAY-26/without-effect": no_transition_to("paid"),
    "BUS-PAY-02/body-required": requires_body("pay_charge").of("validation")
        .also("BUS-CAN-06", "BUS-ENV-12", "BUS-ISO-04", "BUS-PAY-01", "BUS-PAY-09"),
    "BUS-PAY-08/of-unknown-returns-200": refused("missing", "pay_charge", status=200).when(OF_UNKNOWN_CHARGE)
        .also("BUS-PAY-25").of("isolation"),
    "BUS-PAY-08/huge-number-returns-500": answers_ids("pay_charge", is_huge).also("BUS-GEN-03"),
    "BUS-PAY-09/pays": setting("The simulation pays charges of production.", may_simulate=lambda _, _access: True)
        .of("isolation"),
    "BUS-PAY-09/refused-with-409-if-canceled": refused("forbidden", "pay_charge", status=409)
        .when(in_status("canceled")).of("isolation"),
    "BUS-PAY-10/refused-and-paid": acts_though_refused("The pay of a production charge is refused, and makes it paid.",
        "pay_charge", "forbidden", becomes("paid")).of("isolation"),
    "BUS-PAY-12/no-initial-e": changes_result("The e2e_id of a payment lacks its E.",
        paid_changes=lambda _, right, _charge: right | {"end_to_end_id": right["end_to_end_id"][1:]}),
    "BUS-PAY-12/time-of-brasilia": changes_result("The e2e_id of a payment has the time of Brasilia.",
        paid_changes=lambda rules, right, _charge: right | {
            "end_to_end_id": formats.end_to_end_id(rules.clock.now() - 10_800)}),
    "BUS-FIN-29/float-of-32-bits": changes_result("The available_cents is kept as a floating-point number of 32 bits.",
        available=lambda _, cents, _access: as_float(cents)).of("limits"),
    "BUS-FIN-29/float-of-32-bits-less-fees": overrides(
        "The available_cents is kept as a floating-point number of 32 bits; a payment raises it less three per cent.",
        available=lambda _, right, access: as_float(right(access)), capture_fee=three_percent).of("limits"),
    "BUS-FIN-29/kept-in-four-bytes": overrides("A payment is added to a balance that is kept as a float of 32 bits.",
        enter=enter_in_four_bytes).of("limits"),
    "BUS-PAY-13/made-of-email": changes_result("Payments of charges with one customer_email have one e2e_id.",
        paid_changes=made_of_email).seen_in("BUS-CHG-56"),
    "BUS-PAY-15/not-posted-without-external-ref": setting("A payment is not posted.", capture=lambda _, _charge: None)
        .when(UNLABELLED),
    "BUS-PAY-15/posted-once-per-external-ref": overrides(
        "Of the payments of charges with one external_ref the first is posted.", capture=post_first_of_label),
    "BUS-PAY-15/same-amount-within-2-s-not-posted": overrides(
        "A payment is not posted if the one before it has the same amount and was made within two seconds.",
        capture=post_other_amount),
    "BUS-PAY-15/whole-reais-in-reais": changes_result(
        "A posting of a whole amount in reais shows reais instead of cents.",
        entry_view=lambda _, view, entry: view | {"amount_cents": in_whole_reais(entry["amount"])}).of("schema"),
    "BUS-PAY-25/long-id-returns-500": answers_ids("pay_charge", is_long).also("BUS-GEN-03"),
    "BUS-PAY-27/refused-pay-posted": acts_though_refused(
        "A pay is refused with 403, and posted to the ledger.", "pay_charge", "forbidden",
        lambda rules, charge: rules.capture(charge)).when(IN_PRODUCTION, in_status("pending")).of("isolation"),
    "BUS-PAY-28/id-with-blanks-returns-422": answers_ids(
        "pay_charge", contains(" ", "a blank"), 422, detail="id is malformed"),
    "BUS-FIN-01/array": in_whole_body(Api.BUSINESS, "get_finance", lambda entry: [entry])
        .says("The balance is in an array of accounts."),
    "BUS-FIN-08/one-more": setting(
        "The ledger shows one posting too many.", postings_limit=BusinessRules.postings_limit + 1).of("limits"),
    "BUS-FIN-17/no-debit": changes_arguments("A payment is posted as a credit without a debit.",
        post=lambda _, access, event, text, *entries: (
            access, event, text, *(entry for entry in entries if entry[1] == CREDIT))),
    "BUS-FIN-19/not-posted": setting("A payment is not posted.", capture=lambda _, _charge: None),
    "BUS-FIN-19/32-bits": changes_result("The amounts of entries are shown modulo 2^32.",
        entry_view=lambda _, view, entry: view | {"amount_cents": entry["amount"] % 2**32}).of("schema"),
    "BUS-FIN-22/one-fewer": setting(
        "The ledger shows one posting too few.", postings_limit=BusinessRules.postings_limit - 1).of("limits"),
    "BUS-FIN-24/new-id-in-each-response": in_response("get_finance", "transactions.*.id", lambda _: str(uuid.uuid4()))
        .says("A posting has another id in each response."),
    "BUS-FIN-24/id-is-its-place": in_response(
        "get_finance", "transactions", lambda rows: [row | {"id": str(place)} for place, row in enumerate(rows)])
        .says("The id of a posting is its place, counted from the newest."),
    "BUS-FIN-24/time-of-query": changes_result("The created_at of a posting is the time of the query.",
        posting_view=lambda rules, view, _: view | {"created_at": rules.moment(rules.clock.now())})
        .seen_in("BUS-CHG-44").of("schema"),
    "BUS-FIN-28/last-write-wins": last_write_wins("merchant_available", "capture").of("concurrency"),
    "BUS-FIN-28/last-write-wins-less-fees": last_write_wins("merchant_available", "capture", capture_fee=three_percent)
        .says("Of simultaneous payments the last one overwrites the balance of the others; each raises it less a fee.")
        .of("concurrency"),
    "BUS-FIN-25/sum-of-shown-postings": setting(
        "The balance is the sum of the postings that the ledger shows.", available=sum_of_shown),
    "BUS-FIN-26/three-hours-behind": in_response(
        "get_finance", "transactions.*.created_at", lambda text: later(text, hours=-3))
        .says("The created_at of a posting is the time of Brasilia, with the Z of UTC."),
}  # fmt: skip
