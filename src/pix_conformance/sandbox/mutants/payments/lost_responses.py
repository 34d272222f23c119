"""Mutants of the payments API that are wrong where the connection of a request breaks."""

from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "network"


def report_only(rules: Any, _right: Any, call: Call, read: dict[str, Any]) -> Answer:
    transfer = rules.new_transfer(call.access, read)
    payload = rules.event_payload("transfer_created", "transfer", transfer)
    rules.send_event("transfer_created", transfer, payload)
    raise Refusal("state", "undone")


def undo_payment(rules: Any, call: Call) -> None:
    """Take back the status of a charge, but not its posting."""
    rules.store.update("payments_charge", {"status": "pending", "end_to_end_id": None}, id=call.params["id"])


def debit_again(rules: Any, right: Any, transfer: Row) -> None:
    right(transfer)
    rules.book_transfer(transfer)


def register_twice(rules: Any, right: Any, call: Call, read: dict[str, Any]) -> Row:
    rules.store.insert("webhook", right(call, read))
    hook: Row = right(call, read)
    return hook


MUTANTS = {
    "PAY-IDEM-01/no-key-when-cut": no_key_when_cut("transfer", "create_transfer").also("PAY-IDEM-16"),
    "PAY-IDEM-16/key-kept-once-answered": key_kept_once_answered("transfer").also("PAY-IDEM-01"),
    "PAY-IDEM-01/undone-but-reported": if_request_breaks(
        "A transfer whose connection is broken is undone, but its event was sent.",
        "create_transfer", open_transfer=report_only),
    "PAY-EVT-68/cut-body-completed": completes_cut_bodies(),
    "PAY-EVT-13/lost-with-its-requester": loses_event("transaction_paid", "pay_charge"),
    "PAY-EVT-15/lost-with-its-requester": loses_event("transfer_completed", "complete_transfer"),
    "PAY-BAL-13/credited-twice-when-cut": if_request_breaks(
        "A charge is credited twice if the connection of its payment is broken.",
        "pay_charge", credit_payment=twice),
    "PAY-BAL-13/undone-but-credited": if_response_breaks(
        "A payment whose response cannot be sent is undone, but for its posting.", "pay_charge", undo_payment),
    "PAY-BAL-14/debited-twice-when-cut": if_request_breaks(
        "A transfer is debited again if the connection of its completion is broken.",
        "complete_transfer", book_completion=debit_again),
    "PAY-PAYS-11/never-paid-once-cut": stuck(
        "A charge whose payment was cut is never paid.", "pay_charge", "claim_charge"),
    "PAY-CMP-10/never-completed-once-cut": stuck(
        "A transfer whose completion was cut is never completed.", "complete_transfer", "claim_transfer"),
    "PAY-WH-53/registered-twice-when-cut": if_request_breaks(
        "A webhook is registered twice if the connection of its request is broken.",
        "create_webhook", new_webhook=register_twice),
}  # fmt: skip


@mutant("PAY-WH-62/not-removed-when-cut")
class NotRemovedWhenCut(PaymentsRules):
    """A webhook whose removal is cut is not removed, and another removal finds none."""

    async def pause(self, call: Call, place: str) -> None:
        await super().pause(call, place)
        if place == "delete":
            removals, number = self.__dict__.setdefault("cut_removals", set()), call.params["id"]
            if number in removals or await has_gone(call):
                removals.add(number)
                raise self.not_found(call)
