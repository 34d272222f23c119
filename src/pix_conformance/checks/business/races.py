"""Relations of simultaneous requests: to one charge, and with one idempotency key."""

from __future__ import annotations

from collections.abc import Sequence

from pix_conformance.checks.business.charge_list import charges_in
from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.model.business_states import PENDING
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING
from pix_conformance.model.why import Why


@relation("{responses} and this query show one e2e_id")
def names_one_payment(query: Exchange, responses: Sequence[Exchange]) -> Problem:
    """Compare the e2e_ids in responses to payments and in queries; Unknown if none shows an e2e_id."""
    shown = [response.at("e2e_id") for response in (*responses, query) if response.ok]
    ids = {id_ for id_ in shown if isinstance(id_, str) and id_}
    if not ids:
        return Unknown(Why.PRECONDITION, f"the paid charge shows no e2e_id ({query.evidence})")
    return f"one charge has {len(ids)} e2e_ids: {', '.join(sorted(ids))}" if len(ids) > 1 else None


@relation("the status is that of {earlier}, and not pending after {payment} or {cancel} was accepted")
def ends_in_one_status(query: Exchange, payment: Exchange, cancel: Exchange, earlier: Exchange) -> Problem:
    """Expect a simultaneous payment and cancel to leave one status; Unknown if neither was accepted."""
    now, then = query.at("status"), earlier.at("status")
    if not payment.ok and not cancel.ok:
        return Unknown(
            Why.PRECONDITION, f"neither the payment nor the cancel was accepted ({payment.evidence}, {cancel.evidence})"
        )
    if then != now:
        return f"the charge was {then} and then {now}"
    return "the charge is still pending" if now == PENDING else None


@relation("one of {responses} at most is a success")
def has_one_success_at_most(_last: Exchange, responses: Sequence[Exchange]) -> str | None:
    """Count the successes among simultaneous requests, of which the first excludes the others."""
    count = sum(1 for response in responses if response.ok)
    return f"{count} of {len(responses)} requests succeeded" if count > 1 else None


@relation("{responses} created one charge")
def created_one_charge(listing: Exchange, refs: Sequence[str], responses: Sequence[Exchange]) -> Problem:
    """Count the ids in the responses, and those of the external_refs in the list; Unknown if there are none."""
    ids = {str(response.at("id")) for response in responses if response.ok and response.at("id") is not MISSING}
    ids |= {str(row.get("id")) for row in charges_in(listing) if row.get("external_ref") in refs}
    if not ids:
        return Unknown(Why.PRECONDITION, "not tested: no creation was accepted of those sent simultaneously")
    return f"one key made {len(ids)} charges" if len(ids) > 1 else None
