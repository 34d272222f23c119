"""Conforming variants where PAY-SPL is silent: the splits of a charge."""

from decimal import Decimal
from typing import Any

from pix_conformance.proof.difference import changes_result, variant
from pix_conformance.proof.variants.common.checks import checks_result
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row


def refuse_small_shares(rules: Any, read: dict[str, Any], _: Any) -> None:
    net = read["amountInCents"] - rules.charge_fees(read["amountInCents"])
    for one in read["splits"] or []:
        if net * Decimal(one["percentage"]) / 100 < 1:
            raise rules.invalid("splits[].percentage", "must be a cent at least")


def refuse_unknown_companies(rules: Any, read: dict[str, Any], _: Any) -> None:
    for split in read.get("splits") or ():
        if rules.company(split["email"], "sandbox") is None:
            raise rules.invalid("splits[].email", "must be a company of the service")


def refuse_second_splits(rules: Any, read: dict[str, Any], *_: Any) -> None:
    named = [one["email"].lower() for one in read["splits"] or []]
    if len(set(named)) < len(named):
        raise rules.invalid("splits[].email", "must not appear twice")


def two_decimals(_rules: Any, complaint: str | None, value: Decimal | int) -> str | None:
    return complaint or (None if Decimal(value) * 100 % 1 == 0 else "must have at most two decimals")


VARIANTS = {
    "PAY-SPL-14": {
        "two-decimals": changes_result(
            "A percentage with more than two decimals is refused: its precision is not stated (payments.md, line 67).",
            judge_percentage=two_decimals),
        "share-of-a-cent": checks_result(
            "A split whose share of the net amount is less than one cent is refused: "
            "what becomes of one is not stated (payments.md, lines 67 and 72).", read_charge=refuse_small_shares),
    },
    "PAY-SPL-15": {"unknown-companies-refused": checks_result(
            "A split to an e-mail of no company is refused: a split goes to a company of the service "
            "(payments.md, line 66).", read_charge=refuse_unknown_companies)},
    "PAY-SPL-16": {"one-split-each": checks_result(
            "Two splits to one company are refused: whether one may have two is not stated (payments.md, lines 66-72).",
            read_charge=refuse_second_splits)},
}  # fmt: skip


class UnknownSharesStay(PaymentsRules):
    """Leaves the share of an e-mail of no company with the payee."""

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        shares = super().split_shares(charge, net)
        return [(email, cents) for email, cents in shares if self.company(email, charge["environment"])]


@variant("PAY-SPL-15/no-company-configured")
class NoCompanyConfigured(UnknownSharesStay):
    """No company that receives splits is configured, and their shares stay: none must be (payments.md, line 66)."""

    def __init__(self, world: ServerState) -> None:
        world.accounts.split_email = ""
        super().__init__(world)


@variant("PAY-SPL-15/one-split-each-and-unknown-shares-stay")
class OneShareEach(UnknownSharesStay):
    """A second split to a company is refused, an unknown one gets nothing: both are open (payments.md, lines 66-72)."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        read = super().read_charge(body)
        refuse_second_splits(self, read)
        return read
