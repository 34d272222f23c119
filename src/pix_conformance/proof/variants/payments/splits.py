"""Conforming variants where PAY-SPL is silent: the splits of a charge."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pix_conformance.proof.difference import changes_result, overrides
from pix_conformance.proof.variants.common.checks import checks_result
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row


def refuse_small_shares(rules: Any, read: dict[str, Any], _: Any) -> None:
    net = read["amountInCents"] - rules.charge_fees(read["amountInCents"])
    for one in read["splits"] or []:
        if 0 < net * Decimal(one["percentage"]) / 100 < 1:
            raise rules.invalid("splits[].percentage", "must be a cent at least")


def refuse_unknown_companies(rules: Any, read: dict[str, Any], _: Any) -> None:
    for split in read.get("splits") or ():
        if rules.company(split["email"], "sandbox") is None:
            raise rules.invalid("splits[].email", "must be a company of the service")


def refuse_second_splits(rules: Any, read: dict[str, Any], *_: Any) -> None:
    named = [one["email"].lower() for one in read["splits"] or []]
    if len(set(named)) < len(named):
        raise rules.invalid("splits[].email", "must not appear twice")


def configure_no_company(_rules: Any, right: Callable[..., None], world: ServerState) -> None:
    world.accounts.split_email = ""
    right(world)


def known_shares(rules: Any, right: Callable[..., list[tuple[str, int]]], charge: Row, net: int) -> object:
    """Leave the share of an e-mail of no company with the payee."""
    return [(email, cents) for email, cents in right(charge, net) if rules.company(email, charge["environment"])]


def read_with_one_split_each(rules: Any, right: Callable[..., dict[str, Any]], body: Any) -> dict[str, Any]:
    read = right(body)
    refuse_second_splits(rules, read)
    return read


VARIANTS = {
    "PAY-SPL-14": {
        "two-decimals": changes_result(
            "A percentage with more than two decimals is refused: its precision is not stated (payments.md, line 67).",
            judge_percentage=lambda _rules, complaint, value: complaint or (
                None if Decimal(value) * 100 % 1 == 0 else "must have at most two decimals")),
        "share-of-a-cent": checks_result(
            "A split whose share of the net amount is less than one cent is refused: "
            "what becomes of one is not stated (payments.md, lines 67 and 72).", read_charge=refuse_small_shares),
    },
    "PAY-SPL-15": {
        "unknown-companies-refused": checks_result(
            "A split to an e-mail of no company is refused: a split goes to a company of the service "
            "(payments.md, line 66).", read_charge=refuse_unknown_companies),
        "no-company-configured": overrides(
            "No company that receives splits is configured, and their shares stay: none must be "
            "(payments.md, line 66).", __init__=configure_no_company, split_shares=known_shares),
        "one-split-each-and-unknown-shares-stay": overrides(
            "A second split to a company is refused, an unknown one gets nothing: both are open "
            "(payments.md, lines 66-72).", read_charge=read_with_one_split_each, split_shares=known_shares),
    },
    "PAY-SPL-16": {"one-split-each": checks_result(
            "Two splits to one company are refused: whether one may have two is not stated (payments.md, lines 66-72).",
            read_charge=refuse_second_splits)},
}  # fmt: skip
