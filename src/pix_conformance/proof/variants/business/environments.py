"""Conforming variants where BUS-ENV is silent: sandbox and production."""

from typing import Any

from pix_conformance.proof.variants.common.checks import checks_arguments
from pix_conformance.proof.variants.common.idempotency import keys_of_all_accounts
from pix_conformance.reference.call import Call, Refusal


def refuse_production(rules: Any, call: Call) -> None:
    row = rules.store.find("business_charge", id=call.params["id"], account=call.access.account)
    if row and row["environment"] == "production":
        raise Refusal("forbidden", "payment simulation is not available in production")


VARIANTS = {
    "BUS-ENV-07": {"keys-of-all-accounts": keys_of_all_accounts(
            "A key of another account or environment conflicts: whose keys are meant is not stated "
            "(business.md, line 130).").also("BUS-ISO-09")},
    "BUS-ENV-12": {"refused-for-environment-of-charge": checks_arguments(
            "A payment of the account's own production charge with a sandbox key returns 403: a payment in production "
            "does (business.md, line 120).", pay_charge=refuse_production)},
}  # fmt: skip
