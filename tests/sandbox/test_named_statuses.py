"""Each status that has an event and no request: the reference sends it, a mutant does not, a variant has the status."""

import re
from collections.abc import Iterator

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.events import event_names
from pix_conformance.model.states import states_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.events import EVENT_OF_STATUS
from pix_conformance.reference.state import ServerState
from pix_conformance.sandbox.mutants import registry
from pix_conformance.sandbox.mutants.schema import announcement
from pix_conformance.sandbox.variants.registry import all_variants
from tests.support.reference_rules import ENDS

KINDS = {"transaction": "charge", "transfer": "transfer"}
"""By the first word of an event, the object that it is about."""
Row = tuple[str, str, str]
"""A requirement that an event is sent, the event, and a status that the statement names."""


def requirements_of(event: str) -> list[str]:
    """Return the requirements that an event is sent: to webhooks, to the postbackUrl."""
    rules = catalogue().of_document(Api.PAYMENTS)
    return [row.id for row in rules if re.search(rf"sends {event}\b", row.statement) and row.statement[:4] == "When"]


def rows() -> Iterator[Row]:
    """Yield what the statements say of events that no request causes."""
    tables = states_of(Api.PAYMENTS)
    requested = {event for states in tables.values() for event in states.events}
    for event in set(event_names(Api.PAYMENTS)) - requested:
        states = tables.get(KINDS.get(event.partition("_")[0], ""))
        for rule in requirements_of(event) if states else ():
            condition = catalogue()[rule].statement.partition(", the service sends")[0]
            named = set(re.findall(r"\w+", condition)).intersection(states.statuses if states else ())
            yield from ((rule, event, status) for status in named)


ROWS = sorted(rows())
each_row = pytest.mark.parametrize(("rule", "event", "status"), ROWS, ids=[f"{row[0]}-{row[2]}" for row in ROWS])
OBSERVABLE = sorted({(event, status) for rule, event, status in ROWS if not catalogue()[rule].unobservable})
each_observable = pytest.mark.parametrize(("event", "status"), OBSERVABLE)


def setting_of(event: str) -> str:
    """Return the setting that names the status in which the reference ends an object of an event by itself."""
    return ENDS[Api.PAYMENTS, KINDS[event.partition("_")[0]]]


@each_row
def test_the_reference_announces_a_status_by_the_event_of_its_requirement(rule: str, event: str, status: str) -> None:
    rules = PaymentsRules(ServerState())
    sent = rules.event_of_status(event.partition("_")[0], status)
    assert sent == event, f"EVENT_OF_STATUS of reference/payments/events.py, {status}: statement of {rule}"


def test_each_event_of_the_reference_for_a_status_is_stated() -> None:
    """By each requirement that the event is sent, to webhooks and to the postbackUrl."""
    for (_, status), event in EVENT_OF_STATUS.items():
        assert announcement(Api.PAYMENTS, event) in requirements_of(event), event
        for rule in requirements_of(event):
            place = f"statement of {rule}, and EVENT_OF_STATUS of reference/payments/events.py"
            assert (rule, event, status) in ROWS, f"{event} of {status}: {place}"


@each_observable
def test_a_mutant_does_not_send_the_event_of_a_status(event: str, status: str) -> None:
    rules, name = set(requirements_of(event)), setting_of(event)
    shown = {
        mutant.difference.members.get(name)
        for mutant in registry.listed().values()
        if rules.intersection(mutant.breaks)
    }
    assert status in shown, (
        f'sandbox/mutants/payments has no mutant with {name}="{status}" of {sorted(rules)}, as not_to_webhooks makes it'
    )


@each_observable
def test_a_variant_differs_by_the_status_of_an_event_alone(event: str, status: str) -> None:
    shown = [variant.difference.members for variant in all_variants().values()]
    assert {setting_of(event): status} in shown, (
        f'sandbox/variants/payments has no variant that is setting("...", {setting_of(event)}="{status}"): a right '
        f"server that sends {event}"
    )
