"""What the author of a test of the payments API imports, beside the names of `pix_conformance.testing`."""

from pix_conformance.checks.passive import undocumented_fields, undocumented_fields_observed
from pix_conformance.checks.payments import balance, webhook_list
from pix_conformance.checks.payments.balance import *
from pix_conformance.checks.payments.event_history import lacks_no_event
from pix_conformance.checks.payments.events import *
from pix_conformance.checks.payments.exchange_history import Records
from pix_conformance.checks.payments.refusals import accepts_a_valid_request, has_no_effect, is_not_an_unknown_path
from pix_conformance.checks.payments.signature_times import *
from pix_conformance.checks.payments.tokens import *
from pix_conformance.checks.payments.transfers import *
from pix_conformance.checks.payments.webhook_list import *
from pix_conformance.checks.relations import unchanged_since
from pix_conformance.harness.clients.payments import CHARGES, TRANSFERS, Payments
from pix_conformance.harness.outcomes import undecided_ends_test
from pix_conformance.testing.contents import contents

has_url_of = undecided_ends_test()(webhook_list.has_url_of)
is_far_below_zero = undecided_ends_test()(balance.is_far_below_zero)
wallet_cents = undecided_ends_test()(balance.wallet_cents)
wallet_delta = undecided_ends_test()(balance.wallet_delta)

__all__ = [
    "APPROVAL", "CHARGES", "FAILED", "HEADER", "TRANSFERS", "Payments", "Records",
    "accepts_a_valid_request", "accepts_the_token", "adds_no_more_than_was_paid", "blocks_nothing",
    "claims_agree_with_lifetime", "claims_of", "comes_to_address_with", "counts_its_pages", "counts_its_webhooks",
    "counts_the_cents", "does_not_list_webhook", "ends_in_cents", "farthest_apart", "goes_on_like",
    "has_agreeing_neighbours", "has_another_time_than", "has_events", "has_net_amount_less_fees",
    "has_net_amount_with_or_without_fees", "has_no_effect", "has_secret_of", "has_signature_form",
    "has_signature_header", "is_a_consistent_first_page", "is_counted_in_units", "is_credited_its_own",
    "is_credited_once", "is_debited_once", "is_far_below_zero", "is_moved_by_each", "is_moved_since",
    "is_not_an_unknown_path", "is_not_charged_for", "is_not_credited_again", "is_not_debited", "is_not_signed_with",
    "is_not_the_balance_of", "is_not_the_transfer_of", "is_raised_less_than_without_splits",
    "is_separate_from_wallet", "is_signed_between", "is_still_the_time", "is_the_one_transfer_of",
    "lacks_no_event", "lends_no_more", "lists_as_sent", "lists_no_url", "lists_webhook",
    "loses_a_share_of_the_net_amount", "read", "receives_only_its_events", "refuses_a_token", "same_body_as",
    "shows_no_other_key", "shows_no_other_transfer", "unchanged_since", "undocumented_fields",
    "undocumented_fields_observed", "uses_of_valid_tokens", "wallet_cents", "wallet_delta",
]  # fmt: skip

__doc__ += "\n\n" + contents(__all__, globals())
