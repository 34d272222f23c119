"""The statements that an event is sent when something has happened, all in one form."""

import re

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.vocabulary import Api

SENTENCE = re.compile(r"When (?P<condition>.+), the service sends (?P<event>\w+)(?: to [^,]+)?\.")


def condition_of(rule: str, event: str) -> str:
    """Return the condition in the statement of a requirement that an event is sent; it fails for another form."""
    said = SENTENCE.fullmatch(catalogue()[rule].statement)
    form = f"When ..., the service sends {event}.` or `When ..., the service sends {event} to its postbackUrl."
    assert said, f"the statement of {rule} in requirements.toml has to have the form `{form}`"
    assert said["event"] == event, f"the statement of {rule} in requirements.toml has to have the form `{form}`"
    return said["condition"]


def requirements_of(event: str) -> list[str]:
    """Return the requirements of the payments API that an event is sent: to webhooks, to the postbackUrl."""
    said = {row.id: SENTENCE.fullmatch(row.statement) for row in catalogue().of_document(Api.PAYMENTS)}
    return [rule for rule, sentence in said.items() if sentence and sentence["event"] == event]
