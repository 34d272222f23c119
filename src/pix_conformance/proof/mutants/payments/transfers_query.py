"""Mutants of PAY-TRF: the query of a transfer, its ids and its statuses."""

from typing import Any

from pix_conformance.proof.difference import changes_result, mutant
from pix_conformance.proof.mutants.guards import (
    DESCRIBED,
    OF_MALFORMED_ID,
    amount_from,
    in_status,
    older_than,
    to_key,
)
from pix_conformance.proof.mutants.operators.idempotency import id_in, on_replay
from pix_conformance.proof.mutants.operators.ids import answers_ids, is_long
from pix_conformance.proof.mutants.operators.ownership import does_not_find
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.proof.mutants.operators.responses import in_response, responds_with
from pix_conformance.proof.situation import Guard
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "state"
OTHER_PAYMENT = "E99999999202611211000abcdefghijk"
COMPLETED = in_status("completed")
PROCESSED_2_S_AGO = Guard(
    "its processedAt is more than 2.5 s old", lambda it: it.rules.clock.now() - it.row["processed_at"] > 2.5
)
PROCESSED_AT_ONCE = Guard(
    "it was processed within 2 s of its creation", lambda it: it.row["processed_at"] - it.row["created_at"] < 2
)


def newest_id(rules: Any, answer: Answer, call: Call) -> Answer:
    newest = rules.store.rows("transfer", "seq DESC", 1, account=call.access.account)[0]
    return Answer(200, answer.body | {"data": answer.body["data"] | {"id": newest["id"]}})


def approve_again(rules: Any, _: Call, earlier: Row) -> None:
    rules.store.update("transfer", {"status": rules.transfer_approved_status}, id=id_in(earlier))


MUTANTS = {
    "PAY-TRF-39": {
        "processing-is-approved": in_response("get_transfer", "data.status", "approved").when(in_status("processing")),
    },
    "PAY-TRF-50": {
        "returns-201": responds_with("get_transfer", 201),
        "to-cpf-not-found": does_not_find("get_transfer").when(to_key("cpf")),
        "to-cnpj-not-found": does_not_find("get_transfer").when(to_key("cnpj")),
        "to-email-not-found": does_not_find("get_transfer").when(to_key("email")),
        "to-phone-not-found": does_not_find("get_transfer").when(to_key("phone")),
        "not-found-after-40-s": does_not_find("get_transfer complete_transfer").says("A transfer is not found")
            .when(in_status("processing"), older_than(40)).seen_in("PAY-AUTH-10").of("time"),
    },
    "PAY-TRF-63": {
        "newest": changes_result(
            "The query of a transfer returns the id of the newest one of its account.", get_transfer=newest_id),
        "prefixed-if-completed": in_response("get_transfer", "data.id", lambda text: f"pay_{text}")
            .says("The query of a transfer returns the id of its payment").when(COMPLETED),
    },
    "PAY-TRF-64": {
        "zero": in_response("get_transfer", "data.amount", 0),
        "whole-reais-to-phone": in_response("get_transfer", "data.amount", lambda cents: cents // 100)
            .says("The query of a transfer returns its amount in whole reais").when(to_key("phone"))
            .seen_in("PAY-CMP-01").of("schema"),
    },
    "PAY-TRF-65": {
        "other-fees": in_response(
            "get_transfer", "data", lambda data: data | {"fees": data["fees"] + 1, "netAmount": data["netAmount"] - 1})
            .says("The query of a transfer returns other fees than its creation."),
        "key-masked": in_response("get_transfer", "data.pixKey", lambda key: "***" + key[-4:])
            .says("The query of a transfer masks the pixKey."),
    },
    "PAY-TRF-69": {
        "null": in_response("get_transfer", "data.endToEndId", None),
        "another-if-described": in_response("get_transfer", "data.endToEndId", OTHER_PAYMENT)
            .when(COMPLETED, DESCRIBED).seen_in("PAY-CMP-01").of("schema"),
    },
    "PAY-TRF-70": {
        "unknown-returns-200": refused("missing", "get_transfer", status=200, body={"success": True, "data": None})
            .also("PAY-ISO-03", "PAY-ENV-05", "PAY-TRF-52", "PAY-TRF-77"),
    },
    "PAY-TRF-71": {
        "malformed-returns-400": refused("missing", "get_transfer", status=400, code="INVALID_REQUEST")
            .when(OF_MALFORMED_ID),
        "long-id-returns-500": answers_ids("get_transfer", is_long).also("PAY-TRF-77", "PAY-ERR-12")
            .says("The query of a transfer by an id of more than 100 characters returns 500."),
    },
    "PAY-TRF-73": {
        "processing-by-replay": on_replay("A replay makes its transfer processing again.", approve_again).of("state"),
        "processing-if-completed-at-once": in_response("get_transfer", "data.status", "banking_processing")
            .when(COMPLETED, PROCESSED_2_S_AGO, PROCESSED_AT_ONCE).seen_in("PAY-CMP-01"),
    },
    "PAY-TRF-76": {
        "no-fees": in_response("get_transfer", "data.fees", 0).also("PAY-TRF-65").of("schema"),
        "net-off-by-one-if-large": in_response("get_transfer", "data.netAmount", lambda cents: cents - 1)
            .says("The netAmount in the query of a transfer lacks a cent").when(amount_from(10_00))
            .seen_in("PAY-CMP-01").of("schema"),
    },
    "PAY-TRF-78": {"key-of-newest": changes_result(
            "The query of a transfer returns the pixKey of the newest one of its account.",
            transfer_view=lambda rules, view, transfer: view | {
                "pixKey": rules.store.rows("transfer", "seq DESC", 1, account=transfer["account"])[0]["pix_key"]})},
}  # fmt: skip


@mutant("PAY-TRF-72/charge-found")
class ChargeFound(PaymentsRules):
    """The query of a transfer finds charges, too."""

    async def get_transfer(self, call: Call) -> Answer:
        found = self.store.find("payments_charge", id=call.params["id"])
        if found is None or not self.sees(call.access, Access(found["account"], found["environment"]), "get_transfer"):
            return await super().get_transfer(call)
        seen = self.transfer_view(found | {"pix_key": "", "processed_at": None})
        return Answer(200, {"success": True, "data": seen})
