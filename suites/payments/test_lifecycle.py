"""Sequences of requests against the model of charges, transfers, keys and webhooks (payments.md, lines 154-206)."""

from __future__ import annotations

from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from fixtures.payments.state_machine import (
    CHARGE_RULES,
    HOOK_RULES,
    TRANSFER_RULES,
    Machine,
    MachineOfAll,
    walk_charges_and_hooks,
    walk_transfers,
)
from pix_conformance.harness.clients.payments import Payments
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.target import Target


def _run(machine: type[Machine], payments: Payments, target: Target) -> None:
    # A failing sequence is short enough as it is: shrinking it would send it again and again.
    phases = [Phase.explicit, Phase.generate]
    bounds = settings(max_examples=max(2, target.examples // 4), stateful_step_count=8, phases=phases)
    run_state_machine_as_test(lambda: machine(payments), settings=bounds)  # type: ignore[arg-type]  # any factory serves


@requirement(*CHARGE_RULES, *HOOK_RULES)
def test_any_sequence_of_charges_and_webhooks_follows_the_model(payments: Payments, target: Target) -> None:
    """One walk that takes every move, then random ones."""
    walk_charges_and_hooks(payments)
    _run(Machine, payments, target)


@requirement(*TRANSFER_RULES)
def test_any_sequence_with_transfers_follows_the_model(payments: Payments, target: Target) -> None:
    """Charges and webhooks move between the transfers."""
    walk_transfers(payments)
    _run(MachineOfAll, payments, target)
