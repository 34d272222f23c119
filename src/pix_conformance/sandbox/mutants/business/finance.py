"""Mutants of BUS-FIN, balance and ledger."""

import uuid
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.ledger import CREDIT
from pix_conformance.sandbox.mutants.operators import *

GROUP = "state"


def sum_of_shown(rules: Any, access: Access) -> int:
    entries = [entry for row in rules.postings(access, rules.postings_limit) for entry in row["entries"]]
    own = [entry for entry in entries if entry["account_code"] == "merchant_available"]
    return sum(entry["amount"] if entry["direction"] == CREDIT else -entry["amount"] for entry in own)


MUTANTS = {
    "BUS-FIN-01/array": in_response("get_finance", "", lambda entry: [entry])
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
    "BUS-FIN-25/sum-of-shown-postings": setting(
        "The balance is the sum of the postings that the ledger shows.", available=sum_of_shown),
    "BUS-FIN-26/three-hours-behind": in_response(
        "get_finance", "transactions.*.created_at", lambda text: later(text, hours=-3))
        .says("The created_at of a posting is the time of Brasilia, with the Z of UTC."),
}  # fmt: skip
