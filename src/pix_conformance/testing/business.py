"""What the author of a test of the business charge API imports, beside the names of `pix_conformance.testing`."""

from pix_conformance.checks.business import charge_list, charges, ledger, list_contents
from pix_conformance.checks.business import postings as postings_shown
from pix_conformance.checks.business.charge_list import MOST_LISTED
from pix_conformance.checks.business.charges import *
from pix_conformance.checks.business.event_charges import *
from pix_conformance.checks.business.event_history import CANCELED, CREATED, PAID, Histories
from pix_conformance.checks.business.events import *
from pix_conformance.checks.business.exchange_history import Records, judged_by_state, rows_of
from pix_conformance.checks.business.ledger import *
from pix_conformance.checks.business.ledger_history import PaymentsOfCharge, judged_by_captures, shows_no_more_captures
from pix_conformance.checks.business.list_contents import *
from pix_conformance.checks.business.list_history import judged_by_omissions, judged_by_order
from pix_conformance.checks.business.qr_code import first_breaking, has_no_image, qr_code_has_amount, qr_code_keeps
from pix_conformance.checks.business.retries import *
from pix_conformance.harness.clients.business import CHARGES, Business
from pix_conformance.harness.outcomes import undecided_ends_test
from pix_conformance.testing.contents import contents

with_outcome = undecided_ends_test()
ages_in = with_outcome(list_contents.ages_in)
balance_delta = with_outcome(ledger.balance_delta)
contents_of = with_outcome(postings_shown.contents_of)
charges_in = with_outcome(charge_list.charges_in)
has_more = with_outcome(ledger.has_more)
kinds_of = with_outcome(postings_shown.kinds_of)
moment = with_outcome(charges.moment)
more_than_control = with_outcome(ledger.more_than_control)
order_of = with_outcome(postings_shown.order_of)
postings = with_outcome(postings_shown.postings)
postings_of = with_outcome(postings_shown.postings_of)

__all__ = [
    "ACCEPTED", "CANCELED", "CHARGES", "CREATED", "MOST_LISTED", "ONE_AGE", "PAID", "PENDING", "STATUSES", "Business",
    "Histories", "ListsOfAccount", "PaymentsOfCharge", "Records", "ReportedCharge", "Shown", "attempted_again",
    "balance_delta", "balance_unmoved_by", "captured_once", "captures_nothing", "charges_in", "contents_of",
    "created_at_time_of_request", "created_one_charge", "credited_at_most_once", "credited_for_each", "credited_once",
    "dated_within_lifetime_of", "dated_within_ten_minutes_of", "dates_postings_of", "describe_attempts",
    "describe_balance_delta", "describe_field", "describe_pauses", "documented_fields", "ends_in_one_status",
    "ends_the_attempts", "events_in", "events_in_lists", "expires_after", "first_breaking", "given_up_in_time",
    "has_fields_of", "has_no_image", "has_one_success_at_most", "holds_at_least", "holds_at_most", "holds_charge",
    "holds_charge_if_not_full", "holds_charge_once", "holds_no_ref", "holds_only", "holds_own_charge_only",
    "holds_ref_as_sent", "holds_ref_once", "holds_the_newest_of", "is_a_balance", "is_a_list", "is_balanced",
    "is_not_credited_with", "is_not_the_charge_of", "judged_by_captures", "judged_by_omissions", "judged_by_order",
    "judged_by_state", "keeps_postings", "lacks_charge", "latest_created_event", "leaves_out_none_while_there_is_room",
    "most_repetitions", "names_one_payment", "newest_first", "no_pause_beyond_the_longest", "not_attempted_too_often",
    "order_of", "pauses_double", "posted_no_later_than", "postings", "postings_of", "qr_code_has_amount",
    "qr_code_keeps", "qr_code_lacks", "raises_balance", "route_exists", "rows_of", "same_in_each_attempt",
    "same_response_as", "shows_any_posting", "shows_as", "shows_new_posting", "shows_no_more_captures",
    "shows_no_more_than_it_may", "shows_no_other_payment_than", "shows_no_payment_of_another",
    "shows_no_posting_twice", "shows_posting", "shows_sent_value", "shows_statuses_of", "takes_nothing_back",
    "unchanged_since", "undocumented_fields", "unexplained_events", "whole_events",
]  # fmt: skip

__doc__ += "\n\n" + contents(__all__, globals())
