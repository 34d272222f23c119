"""The suites make the reference send each event of which there are generated mutants: else these survive."""

from functools import cache

import pytest

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.events import event_names
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.runner import Job, run_all
from pix_conformance.sandbox.mutants import schema

SENDING = "tests.support.reference_rules:sending:"
EVENTS = [(api, event) for api in Api for event in event_names(api) if event in schema.SENT]


@pytest.mark.parametrize("api", Api)
def test_there_are_mutants_of_each_event_that_a_run_can_show(api: Api) -> None:
    """Of those that the reference sends by a setting alone too."""
    shown = {event for event in event_names(api) if not catalogue()[schema.announcement(api, event)].unobservable}
    assert shown - schema.SENT == set(), "SENT_WITH of sandbox/mutants/schema.py has no setting that sends these events"


@cache
def outcomes() -> dict[str, str]:
    """Return by event what the tests say of the requirement that it is sent, of a reference that sends it."""
    stated = {event: schema.announcement(api, event) for api, event in EVENTS}
    jobs = [
        Job(event, (f"{SENDING}{event}",) if api is Api.PAYMENTS else (), (stated[event],), apis=api)
        for api, event in EVENTS
    ]
    return {result.name: result.outcomes[stated[result.name]] for result in run_all(jobs)}


@pytest.mark.parametrize(("api", "event"), EVENTS, ids=[event for _, event in EVENTS])
def test_the_tests_make_the_reference_send_an_event(api: Api, event: str) -> None:
    rule, outcome = schema.announcement(api, event), outcomes()[event]
    assert outcome == "pass", (
        f"{event} of specs/{api}/states.toml: {rule} is {outcome}, as no test makes the reference send it, and its "
        "mutants of sandbox/mutants/schema.py survive. Name the setting that makes it in SENT_WITH there; "
        f"if no setting does, let a fixture of fixtures/{api}/events.py send the request"
    )
