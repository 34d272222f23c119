"""An integration is sent each event as openapi.yaml describes it: a new field of an event is missed where it lacks."""

from collections.abc import Iterator
from typing import Any

import pytest

from pix_conformance.checks.schema import judge_json
from pix_conformance.integration.event_form import OrderCharge
from pix_conformance.integration.events import FORMS
from pix_conformance.model import openapi
from pix_conformance.model.vocabulary import Api

CHARGE_ID = "0f5fdaf0-5b0c-4c55-9d0a-0d0c35b8d7c1"
EVENTS = [(api, event) for api in Api for event in openapi.description(api)["webhooks"]]


def lacking(example: Any, body: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each field of an example that a body lacks."""
    if isinstance(example, dict) and isinstance(body, dict):
        for name, value in example.items():
            if name in body:
                yield from lacking(value, body[name], f"{path}{name}.")
            else:
                yield f"{path}{name}"


@pytest.mark.parametrize(("api", "event"), EVENTS)
def test_an_event_has_the_fields_of_its_description(api: Api, event: str) -> None:
    """It meets the schema, has no field besides, and has each field of the example in openapi.yaml."""
    charge = OrderCharge(api, CHARGE_ID, 1050, "order-1001", "E9040088820260102030405678901234")
    body = FORMS[api].fields(charge, event, "paid")
    place = f"integration/{api}_form.py, fields"
    schema = openapi.event_schema(api, event)
    assert not [finding for finding in judge_json(schema, body) if finding.mismatch], place
    assert not list(openapi.beyond(schema, body)), place
    media = openapi.description(api)["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]
    assert not list(lacking(openapi.example_of(media), body)), place
