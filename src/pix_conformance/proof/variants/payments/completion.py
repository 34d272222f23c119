"""Conforming variants where PAY-CMP is silent: the completion of a transfer."""

from pix_conformance.proof.difference import setting

VARIANTS = {
    "PAY-CMP-15": {"pending-is-completed": setting(
            "A pending transfer is completed: the response is not stated, only that one should wait "
            "(payments.md, lines 200 and 268).", transfer_incompletable=("completed", "canceled"))},
}  # fmt: skip
