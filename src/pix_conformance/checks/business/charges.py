"""Relations of charges: to their creation, to a repeated creation, to other charges, of simultaneous requests."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pix_conformance.checks.business.charge_list import charges_in
from pix_conformance.checks.business.exchange_history import ROUNDING_S
from pix_conformance.checks.clocks import off_clock
from pix_conformance.checks.conclusion import Problem, Undecided, Unknown
from pix_conformance.checks.relation import relation
from pix_conformance.checks.relations import shown_in
from pix_conformance.model import openapi
from pix_conformance.model.exchange import NO_ROUTE, Exchange
from pix_conformance.model.states import states_of
from pix_conformance.model.subject import MISSING, shown
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.oracles.timestamp import read_utc

CLOCK_TOLERANCE = timedelta(minutes=2)
PENDING = "pending"
STATUSES = states_of(Api.BUSINESS)["charge"].statuses


def moment(charge: Exchange, name: str) -> datetime:
    """Return a timestamp of a charge; Undecided if it is none in UTC."""
    try:
        return read_utc(charge.at(name))
    except ValueError as reason:
        raise Undecided(Why.PRECONDITION, f"{name}: {reason} ({charge.evidence})") from None


def is_within_lifetime(charge: Exchange, stated: datetime, now: float, tolerance: timedelta = CLOCK_TOLERANCE) -> bool:
    """Whether a stated time lies between the creation of a charge and `now`, an epoch time of this machine.

    Both ends are read from the service's own clock: created_at of the charge, and how long ago that was.
    """
    created, age = moment(charge, "created_at"), timedelta(seconds=now - charge.started)
    return created - tolerance <= stated <= created + age + tolerance


CLOCKS_APART_S = 900.0
"""By how much the clock of the service and ours may differ."""


def documented_fields(operation: str) -> tuple[str, ...]:
    """Name the fields that the document gives the response of an operation."""
    schema = openapi.answer_schema(Api.BUSINESS, operation, 200) or {}
    return tuple(schema["properties"])


@relation("expires_at is {seconds} seconds after created_at")
def expires_after(charge: Exchange, seconds: int, creation: Exchange) -> str | None:
    """Compare the two timestamps: each may be rounded, and taken at any moment of the creation."""
    lifetime = (moment(charge, "expires_at") - moment(charge, "created_at")).total_seconds()
    far = abs(lifetime - seconds) > ROUNDING_S + creation.elapsed_ms / 1000
    return f"expires_at is {lifetime} seconds after created_at, not {seconds}" if far else None


@relation("created_at is the time of the request")
def created_at_time_of_request(charge: Exchange, now: float) -> Problem:
    """Compare created_at with the clock of the suite (epoch seconds), which may be a quarter of an hour off."""
    return off_clock("created_at", moment(charge, "created_at").timestamp() - now, charge, CLOCKS_APART_S)


@relation("{names} as in {creation}")
def unchanged_since(charge: Exchange, creation: Exchange, *names: str) -> str | None:
    """Compare fields of two responses about one charge; timestamps agree to the second."""
    return next(filter(None, (_difference(creation, charge, name) for name in names)), None)


def _difference(before: Exchange, after: Exchange, name: str) -> str | None:
    if before.at(name) == after.at(name):
        return None
    if name.endswith("_at") and abs((moment(before, name) - moment(after, name)).total_seconds()) < 1:
        return None
    return f"{name} was {shown(before.at(name))} on creation and is {shown(after.at(name))}"


@relation("the same charge as in {first}")
def same_response_as(second: Exchange, first: Exchange) -> str | None:
    """Compare two bodies field by field; of the fields that no table of the document has, the values may differ."""
    if not isinstance(first.json, dict) or not isinstance(second.json, dict):
        return None if first.json == second.json else "the bodies differ"
    other = [name for name in documented_fields("create_charge") if first.at(name) != second.at(name)]
    other += sorted((first.json.keys() ^ second.json.keys()) - set(other))
    return f"the bodies differ in {', '.join(other)}" if other else None


@relation("not the charge of {other}")
def is_not_the_charge_of(answer: Exchange, other: Exchange) -> str | None:
    """Expect another id or another qr_code: each account and environment may count its ids from one."""
    same = answer.ok and all(shown_in(answer, name) == shown_in(other, name) for name in ("id", "qr_code"))
    return f"it is the charge of {other.evidence}" if same else None


@relation("qr_code does not contain {text}")
def qr_code_lacks(charge: Exchange, text: str) -> str | None:
    """Search the qr_code for a text, in upper or in lower case."""
    return "qr_code contains the description" if text.lower() in str(charge.at("qr_code")).lower() else None


@relation("the route exists")
def route_exists(answer: Exchange) -> str | None:
    """Expect none of the statuses of an unknown path or method."""
    return f"status is {answer.status}" if answer.status in NO_ROUTE else None


@relation("the response shows no other e2e_id than {charge}")
def shows_no_other_payment_than(again: Exchange, charge: Exchange) -> str | None:
    """Expect a second payment, if it is accepted, to show the e2e_id of the first or none."""
    id_ = again.at("e2e_id") if again.ok else MISSING
    other = isinstance(id_, str) and id_ != shown_in(charge, "e2e_id")
    return f"it shows the e2e_id {id_}" if other else None


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
