"""The names of tests of an integration: `from pix_conformance.testing.integration import *`."""

from pix_conformance.checks.client_requests import *
from pix_conformance.checks.credits import accepted, answered_within, credited, credits_nothing, raises_wallet, refused
from pix_conformance.integration.commands import CommandError
from pix_conformance.integration.driver import SIDE_BY_SIDE, Integration, Order
from pix_conformance.integration.event_form import OrderCharge
from pix_conformance.integration.events import (
    FORMS,
    SignedEvent,
    created,
    fields_of,
    paid,
    signed,
    signed_with_another_secret,
    signed_with_no_secret,
    signed_without_t,
    unsigned,
    with_another_body,
    with_empty_header,
    with_hash_cut,
    without_hash,
    written,
)
from pix_conformance.integration.gateway import Fault
from pix_conformance.integration.hook import ANSWER_S
from pix_conformance.model.exchange import CLOSED_BEFORE_ANSWER
from pix_conformance.model.vocabulary import SUCCESS
from pix_conformance.model.why import Why
from pix_conformance.testing.contents import contents

__all__ = [
    "ANSWER_S",
    "CLOSED_BEFORE_ANSWER",
    "FORMS",
    "SIDE_BY_SIDE",
    "SUCCESS",
    "CommandError",
    "Fault",
    "Integration",
    "Order",
    "OrderCharge",
    "SignedEvent",
    "Why",
    "accepted",
    "answered_within",
    "asks_for",
    "completes_after_query",
    "created",
    "credited",
    "credits_nothing",
    "fields_of",
    "follows_few_logins",
    "goes_on_with_a_token",
    "has_another_key",
    "has_authorization",
    "has_header",
    "has_key_of_its_body",
    "has_route",
    "has_uuid",
    "is_canceled_too",
    "is_followed_by_a_pause",
    "leads_to_one_transfer",
    "names_charge",
    "own_key",
    "paid",
    "raises_wallet",
    "refused",
    "repeats",
    "sends_event_names",
    "sends_form",
    "sends_integer",
    "sends_items",
    "sends_json",
    "sends_no_body",
    "sends_object",
    "sends_pix_key",
    "sends_splits",
    "sends_text",
    "signed",
    "signed_with_another_secret",
    "signed_with_no_secret",
    "signed_without_t",
    "unsigned",
    "was_queried",
    "with_another_body",
    "with_empty_header",
    "with_hash_cut",
    "without_hash",
    "written",
]  # fmt: skip

__doc__ += "\n\n" + contents(__all__, globals())
