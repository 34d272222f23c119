"""Each status that has an event and no request: the reference sends it, a mutant does not, a variant has the status."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.events import event_names
from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.events import EVENT_OF_OTHERS, EVENT_OF_STATUS
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.mutants.schema import announcement
from pix_conformance.sandbox.variants.registry import all_variants
from tests.support.event_statements import condition_of, requirements_of
from tests.support.reference_rules import KINDS, leading_to

OTHER_SETTING = "If another setting leads to the status, name that in SENT_WITH of sandbox/mutants/schema.py"
Row = tuple[str, str, str]
"""A requirement that an event is sent, the event, and a status that the statement names."""


def rows() -> Iterator[Row]:
    """Yield what the statements say of events that no request causes, but for those of any other status.

    A status that a row of states.toml has in `from` alone is the one before the event.
    """
    tables = states_of(Api.PAYMENTS)
    requested = {event for states in tables.values() for event in states.events}
    for event in set(event_names(Api.PAYMENTS)) - requested - set(EVENT_OF_OTHERS.values()):
        if states := tables.get(KINDS.get(event.partition("_")[0], "")):
            own = [row for row in states.unrequested if row.event == event]
            before = {status for row in own for status in row.sources if status not in row.targets}
            for rule in requirements_of(event):
                named = set(re.findall(r"\w+", condition_of(rule, event))).intersection(states.statuses)
                yield from ((rule, event, status) for status in named - before)


ROWS = sorted(rows())
each_row = pytest.mark.parametrize(("rule", "event", "status"), ROWS, ids=[f"{row[0]}-{row[2]}" for row in ROWS])
OBSERVABLE = sorted({(event, status) for rule, event, status in ROWS if not catalogue()[rule].unobservable})
each_observable = pytest.mark.parametrize(("event", "status"), OBSERVABLE)


def settings_of(event: str, status: str) -> dict[str, Any]:
    """Return the settings with which the reference brings an object of an event to a status by itself."""
    return leading_to(Api.PAYMENTS, KINDS[event.partition("_")[0]], status)


@each_row
def test_the_reference_announces_a_status_by_the_event_of_its_requirement(rule: str, event: str, status: str) -> None:
    rules = PaymentsRules(ServerState())
    sent = rules.event_of_status(event.partition("_")[0], status)
    assert sent == event, (
        f"EVENT_OF_STATUS of reference/payments/events.py, {status}: statement of {rule}. If {status} is the status "
        f"before {event}, specs/payments/states.toml has a row without `trigger` with it in `from`"
    )


def test_each_event_of_the_reference_for_a_status_is_stated() -> None:
    """By each requirement that the event is sent, to webhooks and to the postbackUrl."""
    for (_, status), event in EVENT_OF_STATUS.items():
        for rule in {announcement(Api.PAYMENTS, event), *requirements_of(event)}:
            assert status in condition_of(rule, event), (
                f"{event} of {status}: statement of {rule}, and EVENT_OF_STATUS of reference/payments/events.py"
            )


@each_observable
def test_a_mutant_does_not_send_the_event_of_a_status(event: str, status: str) -> None:
    rules, wanted = set(requirements_of(event)), settings_of(event, status)
    shown = [mutant.difference.members for mutant in registry.listed().values() if rules.intersection(mutant.breaks)]
    assert any(wanted.items() <= members.items() for members in shown), (
        f"sandbox/mutants/payments has no mutant of {sorted(rules)} with {written(wanted)}, as not_to_webhooks makes "
        f"it. {OTHER_SETTING}"
    )


@each_observable
def test_a_variant_differs_by_the_status_of_an_event_alone(event: str, status: str) -> None:
    wanted = settings_of(event, status)
    assert wanted in [variant.difference.members for variant in all_variants().values()], (
        f'sandbox/variants/payments has no variant that is setting("...", {written(wanted)}): a right server that '
        f"sends {event}. {OTHER_SETTING}"
    )


def written(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in settings.items())
