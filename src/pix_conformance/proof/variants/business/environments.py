"""Conforming variants where BUS-ENV is silent: sandbox and production."""

from pix_conformance.proof.variants.common.idempotency import keys_of_all_accounts

VARIANTS = {
    "BUS-ENV-07": {"keys-of-all-accounts": keys_of_all_accounts(
            "A key of another account or environment conflicts: whose keys are meant is not stated "
            "(business.md, line 130).").also("BUS-ISO-09")},
}  # fmt: skip
