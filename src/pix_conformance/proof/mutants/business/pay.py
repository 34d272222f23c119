"""Mutants of BUS-PAY, simulated payments."""

import uuid
from collections.abc import Callable

from pix_conformance.proof.difference import Difference, changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import (
    OF_UNKNOWN_CHARGE,
    UNLABELLED,
    WITH_EMAIL,
    in_status,
    near_expiry,
)
from pix_conformance.proof.mutants.operators.changes import in_text, whole
from pix_conformance.proof.mutants.operators.fields import requires_body
from pix_conformance.proof.mutants.operators.ids import answers_ids, is_huge
from pix_conformance.proof.mutants.operators.refusals import refused, refuses_operation
from pix_conformance.proof.mutants.operators.responses import in_response
from pix_conformance.proof.mutants.operators.states import acts_though_refused, no_transition_to
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.store import Row

GROUP = "state"


def names_payment(sentence: str, change: Callable[[str, Row], str]) -> Difference:
    """Give each payment another e2e_id: a function of the right one and of the charge."""
    return changes_result(
        sentence,
        paid_changes=lambda _, right, charge: right | {"end_to_end_id": change(right["end_to_end_id"], charge)},
    )


def made_of(column: str) -> Callable[[str, Row], str]:
    """Make the e2e_id of a column of the charge, if the charge has it."""

    def made(right: str, charge: Row) -> str:
        last = uuid.uuid5(uuid.NAMESPACE_URL, str(charge[column])).hex[:11]
        return right if charge[column] is None else f"E12345678202611201200{last}"

    return made


MUTANTS = {
    "BUS-PAY-01": {
        "not-with-email": refuses_operation("pay_charge").when(WITH_EMAIL).seen_in("BUS-CHG-56"),
        "not-in-last-30-s": refuses_operation("pay_charge").when(near_expiry(30)).of("time"),
        "without-effect": no_transition_to("paid"),
    },
    "BUS-PAY-02": {"body-required": requires_body("pay_charge").of("validation")
            .also("BUS-CAN-06", "BUS-ENV-03", "BUS-ISO-04", "BUS-PAY-01", "BUS-PAY-09")},
    "BUS-PAY-08": {"of-unknown-returns-200": refused("missing", "pay_charge", status=200).when(OF_UNKNOWN_CHARGE)
            .of("isolation")},
    "BUS-PAY-09": {
        "pays": setting("The simulation pays charges of production.", may_simulate=lambda _, _access: True)
            .of("isolation"),
        "refused-with-409-if-canceled": refused("forbidden", "pay_charge", status=409).when(in_status("canceled"))
            .of("isolation"),
    },
    "BUS-PAY-10": {"refused-and-paid": acts_though_refused(
            "The pay of a production charge is refused, and makes it paid.", "pay_charge", "forbidden",
            lambda rules, charge: rules.store.update("business_charge", {"status": "paid"}, id=charge["id"]))
            .of("isolation")},
    "BUS-PAY-11": {"lower-case-in-list": in_response("list_charges", "*.e2e_id", in_text(str.lower)).of("schema")
            .says("The list shows each e2e_id in lower case.")},
    "BUS-PAY-12": {"no-initial-e": names_payment("The e2e_id of a payment lacks its E.", lambda right, _: right[1:])},
    "BUS-PAY-13": {"made-of-email": names_payment(
            "Payments of charges with one customer_email have one e2e_id.", made_of("customer_email"))
            .seen_in("BUS-CHG-56")},
    "BUS-PAY-15": {
        "not-posted-without-external-ref": setting("A payment is not posted.", capture=lambda _, _charge: None)
            .when(UNLABELLED),
        "whole-reais-in-reais": changes_result(
            "A posting of a whole amount in reais shows reais instead of cents.",
            entry_view=lambda _, view, entry: view | {"amount_cents": whole(entry["amount"])}).of("schema"),
    },
    "BUS-PAY-25": {"huge-number-returns-500": answers_ids("pay_charge", is_huge).also("BUS-GEN-03")
            .says("A pay by an id that is a number beyond 64 bits returns 500.")},
}  # fmt: skip


@mutant("BUS-PAY-15/posted-once-per-external-ref")
class PostedOncePerExternalRef(BusinessRules):
    """Of the payments of charges with one external_ref the first is posted."""

    def capture(self, charge: Row) -> None:
        same = {name: charge[name] for name in ("external_ref", "account")}
        found = self.store.rows("business_charge", status="paid", **same) if charge["external_ref"] is not None else []
        if len(found) <= 1:
            super().capture(charge)


@mutant("BUS-PAY-15/same-amount-within-2-s-not-posted")
class SameAmountWithin2sNotPosted(BusinessRules):
    """A payment is not posted if the one before it has the same amount and was made within two seconds."""

    def capture(self, charge: Row) -> None:
        for last in self.postings(owner_of(charge), 1):
            soon = self.clock.now() - last["created_at"] < 2
            if soon and last["entries"][0]["amount"] == charge["amount"]:
                return
        super().capture(charge)
