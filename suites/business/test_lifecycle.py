"""Sequences of requests against the model of charges, keys, lists and ledger (business.md, lines 65-83, 126-132)."""

from __future__ import annotations

from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from fixtures.business.state_machine import ASKED, Machine, smoke_walk
from pix_conformance.harness.clients.business import Business
from pix_conformance.harness.requirement import requirement
from pix_conformance.model.target import Target


@requirement(*ASKED)
def test_any_sequence_follows_the_model(business: Business, target: Target) -> None:
    """One walk that takes every move, then random ones; a failing one is short enough as it is."""
    smoke_walk(business)
    bounds = settings(
        max_examples=max(2, target.examples // 4), stateful_step_count=7, phases=[Phase.explicit, Phase.generate]
    )
    run_state_machine_as_test(lambda: Machine(business), settings=bounds)  # type: ignore[arg-type]  # any factory serves
