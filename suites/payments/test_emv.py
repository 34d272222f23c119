"""The copy-and-paste code of a charge, held against the format of the field. The document calls it a code only."""

from __future__ import annotations

import pytest

from fixtures.payments.account import LAST
from fixtures.payments.bodies import a_charge
from fixtures.payments.charges import codes, plain_charge
from pix_conformance.checks.matchers import computed, has, not_field
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.deferred import deferred
from pix_conformance.harness.expect import expect, precondition
from pix_conformance.harness.requirement import requirement
from pix_conformance.harness.run import Run
from pix_conformance.oracles import emv

RULES = {
    "PAY-CHG-50": ("tlv", "no_duplicates"),
    "PAY-CHG-51": ("format_indicator",),
    "PAY-CHG-52": ("crc",),
    "PAY-CHG-53": ("pix_template",),
    "PAY-CHG-54": ("mcc",),
    "PAY-CHG-55": ("currency",),
    "PAY-CHG-57": ("country",),
    "PAY-CHG-58": ("name", "city"),
    "PAY-CHG-59": ("additional",),
    "PAY-CHG-60": ("initiation",),
}
ROWS = [pytest.param(names, marks=requirement(rule), id="-".join(names)) for rule, names in RULES.items()]


@pytest.mark.parametrize("names", ROWS)
def test_the_emv_code_keeps_a_rule_of_its_format(payments: Payments, names: tuple[str, ...]) -> None:
    """Each rule is judged alone, as far as the text could be read."""
    charge = plain_charge(payments)
    code = precondition(charge, has("data.pix.emv")).at("data.pix.emv")
    expect(charge, *(computed(name, emv.RULES[name](code)) for name in names))


@requirement("PAY-CHG-81")
def test_two_equal_requests_make_two_codes(payments: Payments) -> None:
    """Two charges of the same payer and amount have two different copy-and-paste codes."""
    first, second = (precondition(payments.create_charge(a_charge()), has("data.pix.emv", "string")) for _ in range(2))
    expect(second, not_field("data.pix.emv", first.at("data.pix.emv")))


@deferred(LAST)
@requirement("PAY-CHG-52")
def test_every_code_of_the_run_has_its_checksum(payments: Payments, run: Run) -> None:
    """A checksum begins with 0 once in sixteen codes: a single charge would not show that the 0 is lost."""
    wrong = [f"{number}: {words}" for number, code in codes(run.ledger.exchanges) if (words := emv.RULES["crc"](code))]
    more = f" (and of {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    expect(plain_charge(payments), computed("crc of every charge", f"exchange {wrong[0]}{more}" if wrong else None))


@requirement("PAY-CHG-56")
@pytest.mark.parametrize("cents", [1001, 1050, 98_765])
def test_the_amount_of_the_emv_code_is_that_of_the_charge(payments: Payments, cents: int) -> None:
    """A code may leave its amount out or say 0, but not another."""
    charge = precondition(payments.create_charge(a_charge(amountInCents=cents)), has("data.pix.emv"))
    code = charge.at("data.pix.emv")
    form = emv.RULES["amount_form"](code)
    expect(charge, computed("amount_form", form), computed("amount_agrees", emv.amount_agrees(code, cents)))
