"""What the author of a test imports: `from pix_conformance.testing import *`.

`payments` and `business` have the names of one API. What a test stands on, such as request bodies, is in `fixtures`.
"""

from pix_conformance.checks.clocks import clock_ahead
from pix_conformance.checks.events import no_second_event_received
from pix_conformance.checks.history import LATER_S, SETTLED_S, looks_sequential, named
from pix_conformance.checks.key_histories import Repetition, judged_keys
from pix_conformance.checks.matchers import *
from pix_conformance.checks.object_histories import *
from pix_conformance.checks.qr_code import *
from pix_conformance.checks.relation import Relation
from pix_conformance.checks.relations import *
from pix_conformance.checks.unanswered import dropped_requests, is_not_the_last_response, unanswered_routes
from pix_conformance.generation.requests import Generated, cases, fuzzed, send_generated
from pix_conformance.generation.walks import Walks, is_fast
from pix_conformance.harness.clients.client import NO_AUTHORIZATION, Authorization, in_base64
from pix_conformance.harness.clock import Clock
from pix_conformance.harness.concurrency import repeat_concurrently, run_concurrently, send_concurrently
from pix_conformance.harness.deferred import AT_THE_END, deferred
from pix_conformance.harness.events import *
from pix_conformance.harness.expect import *
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.polling import SETTLING_S, poll_status, poll_until
from pix_conformance.harness.requirement import asked, case, quick, requirement
from pix_conformance.harness.run import Run
from pix_conformance.model import operations
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import event_names, event_of, mentions
from pix_conformance.model.exchange import Exchange, NetworkFault, key_of
from pix_conformance.model.openapi import limit
from pix_conformance.model.operations import Effect
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.questions import Question, refusals_of, requirements_for, rules_about
from pix_conformance.model.settings import Generation
from pix_conformance.model.subject import MISSING, at, shown
from pix_conformance.model.target import Target
from pix_conformance.model.undecided import is_decided
from pix_conformance.model.vocabulary import Api, Role
from pix_conformance.oracles import jwt, pix_key, signature
from pix_conformance.oracles.money import is_cents
from pix_conformance.testing.contents import contents

__all__ = [
    "AT_THE_END", "LATER_S", "MISSING", "NO_AUTHORIZATION", "PROFILES", "SETTLED_S", "SETTLING_S", "Api",
    "Authorization", "Clock", "Delivery", "Effect", "Exchange", "Generated", "Generation", "Inconclusive", "Matcher",
    "NetworkFault", "NotApplicable", "Observer", "Question", "Relation", "Repetition", "Role", "Run", "Target", "Walks",
    "answers_as_replay", "asked", "at", "await_deliveries", "await_event", "case", "cases", "client_error",
    "clock_ahead", "created_ids", "creates_no_second_transfer", "deferred", "detail_names", "differs_in",
    "does_not_succeed", "dropped_requests", "error", "event_names", "event_of", "expect", "expect_every", "field",
    "field_in", "follows_emv_rule", "fuzzed", "has", "has_an_id_of_its_own", "has_another_id_than", "has_created_at_of",
    "has_its_own", "has_no_other_amount", "has_no_timestamp", "has_one_order_of_current_states_with",
    "has_one_order_with", "image_format", "in_base64", "is_409_for_another_body", "is_an_end_to_end_id", "is_an_image",
    "is_cents", "is_dated", "is_dated_after", "is_decided", "is_fast", "is_met", "is_no_server_error",
    "is_not_sent_again", "is_not_the_last_response", "is_raised_by_one_amount", "judged_histories", "judged_keys",
    "jwt", "key_of", "limit", "looks_sequential", "matches", "mentions", "message_names", "named",
    "no_second_event_received", "not_field", "operations", "pix_key", "poll_status", "poll_until", "precondition",
    "quick", "refusals_of", "repeat_concurrently", "require_field", "require_refusal", "requirement",
    "requirements_for", "rules_about", "run_concurrently", "send_concurrently", "send_generated", "sends",
    "sends_no_event", "sends_no_second", "shown", "shows_a_qr_code", "shows_no_charge_of_another_account",
    "shows_no_transfer_of_another_account", "shows_one_end_to_end_id", "shows_one_was_accepted", "shows_the_code",
    "signature", "status", "status_is_kept", "success", "unanswered_routes", "wait_quiet_period",
]  # fmt: skip

__doc__ += "\n\n" + contents(__all__, globals())
