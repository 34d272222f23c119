"""Mutants of BUS-FIN, balance and ledger."""

import uuid
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, setting
from pix_conformance.proof.mutants.operators.changes import later
from pix_conformance.proof.mutants.operators.responses import in_response
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access
from pix_conformance.reference.ledger import CREDIT, DEBIT, Entry
from pix_conformance.reference.store import Row

GROUP = "state"


def posts(sentence: str, change: Callable[[int], tuple[int, int]]) -> Difference:
    """Post a payment with other entries: a function of the amount returns those of debit and of credit."""

    def entries(_rules: Any, access: Access, event: str, text: str, *right: Entry) -> tuple[Any, ...]:
        debit, credit = change(right[0][2])
        return access, event, text, ("psp_clearing", DEBIT, debit), ("merchant_available", CREDIT, credit)

    return changes_arguments(sentence, post=entries)


def in_entries(sentence: str, change: Callable[[int], int]) -> Difference:
    """Show entries with other amounts."""
    return changes_result(sentence, entry_view=lambda _, view, entry: (
        view | {"amount_cents": change(entry["amount"])})).of("schema")  # fmt: skip


def oldest(rules: Any, access: Access, limit: int) -> list[Row]:
    return BusinessRules.postings(rules, access, -1)[::-1][:limit]


def sum_of_shown(rules: Any, access: Access) -> int:
    entries = [entry for row in rules.postings(access, rules.postings_limit) for entry in row["entries"]]
    own = [one for one in entries if one["account_code"] == "merchant_available"]
    return sum(one["amount"] if one["direction"] == CREDIT else -one["amount"] for one in own)


def numbered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one | {"id": str(place)} for place, one in enumerate(rows)]


MUTANTS = {
    "BUS-FIN-01": {
        "array": in_response("get_finance", "", lambda one: [one]).says("The balance is in an array of accounts."),
    },
    "BUS-FIN-02": {"empty-object": in_response("get_finance", "", lambda _: {})
            .says("The balance is an empty object.")
            .also("BUS-FIN-03", "BUS-FIN-04", "BUS-FIN-07", "BUS-FIN-01")},
    "BUS-FIN-08": {"51-postings": setting("The ledger shows 51 postings.", postings_limit=51).of("limits")},
    "BUS-FIN-13": {"entries-are-strings": in_response(
            "get_finance", "transactions.*.entries", lambda rows: [str(row) for row in rows])
            .says("The entries of a posting are strings.")},
    "BUS-FIN-17": {"no-debit": posts("A payment is posted as a credit without a debit.", lambda cents: (0, cents))},
    "BUS-FIN-19": {
        "not-posted": setting("A payment is not posted.", capture=lambda _, _charge: None),
        "32-bits": in_entries("The amounts of entries are shown modulo 2^32.", lambda cents: cents % 2**32),
    },
    "BUS-FIN-22": {"49-postings": setting("The ledger shows 49 postings.", postings_limit=49).of("limits")},
    "BUS-FIN-24": {
        "new-id-in-each-response": in_response("get_finance", "transactions.*.id", lambda _: str(uuid.uuid4()))
            .says("A posting has another id in each response."),
        "id-is-its-place": in_response("get_finance", "transactions", numbered).seen_in("BUS-LIST-09")
            .says("The id of a posting is its place, counted from the newest."),
        "time-of-query": changes_result(
            "The created_at of a posting is the time of the query.",
            posting_view=lambda rules, view, _: view | {"created_at": rules.moment(rules.clock.now())})
            .seen_in("BUS-CHG-44").of("schema"),
    },
    "BUS-FIN-25": {"sum-of-shown-postings": setting(
            "The balance is the sum of the postings that the ledger shows.", available=sum_of_shown)},
    "BUS-FIN-26": {"three-hours-behind": in_response(
            "get_finance", "transactions.*.created_at", lambda text: later(text, hours=-3))
            .says("The created_at of a posting is the time of Brasilia, with the Z of UTC.")},
}  # fmt: skip
