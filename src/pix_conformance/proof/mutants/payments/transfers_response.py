"""Mutants of PAY-TRF: the response to the creation of a transfer, and the timestamps of its query."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result
from pix_conformance.proof.mutants.operators.json_values import changed
from pix_conformance.proof.mutants.operators.responses import in_response
from pix_conformance.reference.call import Answer

GROUP = "schema"
BOTH = "create_transfer get_transfer"


def queried(sentence: str, change: Callable[[Any, Any], dict[str, Any]]) -> Difference:
    """Answer the query of a transfer as if these columns had other values."""
    return changes_arguments(
        sentence, transfer_view=lambda rules, transfer: (transfer | change(rules, transfer),)).of("time")  # fmt: skip


def once_processed(moment: Callable[[Any, Any], float]) -> Callable[[Any, Any], dict[str, Any]]:
    return lambda rules, transfer: {"processed_at": transfer["processed_at"] and moment(rules, transfer)}


MUTANTS = {
    "PAY-TRF-33": {"number": changes_result(
            "The id of a transfer is a number in the response to its creation.",
            new_transfer_id=lambda rules, _: str(int(rules.clock.now() * 1_000_000)),
            transfer_answer=lambda _rules, body, _call, _transfer: changed(body, ["data", "id"], int))
            .also("PAY-CMP-08")},
    "PAY-TRF-41": {"zero-in-replay": changes_result(
            "A replay returns the first transfer with an amount of zero.",
            replay=lambda _rules, answer, _call, _earlier: Answer(
                answer.status, changed(answer.body, ["data", "amount"], lambda _: 0), answer.headers))
            .of("idempotency")},
    "PAY-TRF-42": {"masked": in_response("create_transfer", "data.pixKey", lambda key: "***" + key[-4:]).of("state")
            .says("The creation of a transfer masks the pixKey.")},
    "PAY-TRF-43": {"off-by-one-without-fees": in_response(
            BOTH, "data", lambda data: data | {"fees": 0, "netAmount": data["amount"] - 1})
            .says("The netAmount of a transfer is one cent below the amount, and its fees are zero.")
            .also("PAY-TRF-76").of("state")},
    "PAY-TRF-45": {"same-for-same-amount": changes_result(
            "Transfers of the same amount have the same id.",
            new_transfer_view=lambda rules, view, transfer: view | {"id": rules.store.rows(
                "transfer", "seq", 1, account=transfer["account"], amount=transfer["amount"])[0]["id"]})
            .also("PAY-IDEM-07", "PAY-IDEM-09", "PAY-CMP-19", "PAY-IDEM-01", "PAY-TRF-78").of("state")},
    "PAY-TRF-66": {
        "three-hours-less": queried(
            "The createdAt of a transfer is three hours early.",
            lambda _, transfer: {"created_at": transfer["created_at"] - 3 * 3600}),
        "changed-by-completion": changes_result(
            "The completion of a transfer changes its createdAt.",
            completed_changes=lambda _, right, transfer: right | {"created_at": transfer["created_at"] - 120})
            .of("time"),
    },
    "PAY-TRF-67": {"before-creation": queried(
            "The updatedAt of a transfer is a minute before its createdAt.",
            lambda _, transfer: {"updated_at": transfer["created_at"] - 60})},
    "PAY-TRF-68": {"always-null": in_response("get_transfer", "data.processedAt", None).of("state")},
    "PAY-TRF-75": {"set-at-creation": changes_result(
            "A transfer has a processedAt from its creation on.",
            new_transfer=lambda rules, right, _access, _read: right | {"processed_at": rules.clock.now()}).of("time")},
    "PAY-TRF-78": {"zeros-lost": in_response(
            "create_transfer", "data.pixKey", lambda key: key.lstrip("0") if key.isdigit() else key).of("state")
            .says("The creation of a transfer returns a pixKey of digits without its first zeros.")},
    "PAY-TRF-79": {"time-of-creation": queried(
            "The processedAt of a completed transfer is its createdAt.",
            once_processed(lambda _, transfer: transfer["created_at"]))},
    "PAY-TRF-80": {"time-of-query": queried(
            "The processedAt of a completed transfer is the time of the query.",
            once_processed(lambda rules, _: rules.clock.now()))},
    "PAY-TRF-81": {"time-of-creation": queried(
            "The updatedAt of a transfer is always its createdAt.",
            lambda _, transfer: {"updated_at": transfer["created_at"]})},
}  # fmt: skip
