"""Rules for the requests of an integration's client, each a relation of one request, or of it and earlier ones."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from pix_conformance.checks.conclusion import Problem, Unknown
from pix_conformance.checks.matchers import KINDS
from pix_conformance.checks.relation import relation
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.printable import one_line
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.states import states_of
from pix_conformance.model.subject import MISSING, at, changed_members, parsed, shown
from pix_conformance.model.vocabulary import Api
from pix_conformance.model.why import Why
from pix_conformance.oracles import pix_key

LONGEST, MOST_CHANGES = 60, 3
"""Characters of one value, and members, that a sentence about two bodies shows."""
ABSENT = Unknown(Why.NOT_SHOWN, "the request does not have it")
LEFT: frozenset[str] = frozenset(states_of(Api.PAYMENTS)["transfer"].table["approval"])
"""The statuses that a transfer has to leave before it is completed."""
UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def _optional(exchange: Exchange, path: str) -> Any:
    """Return a member that may be absent. Null counts as absent: the documents do not say what it means."""
    value = _sent(exchange, path)
    return MISSING if value is None else value


def _sent(exchange: Exchange, path: str) -> Any:
    return at(parsed(exchange.request.body), path)


@relation("{path} of the body is an integer, {least} or more")
def sends_integer(exchange: Exchange, path: str, least: int, most: int | None = None) -> Problem:
    """Look at a number of the body; Unknown without it where it may be absent."""
    value = _sent(exchange, path) if most is None else _optional(exchange, path)
    if value is MISSING and most is not None:
        return ABSENT
    if not KINDS["integer"](value):
        return f"{path} of the request is {shown(value)}, not an integer"
    if value < least or (most is not None and value > most):
        return f"{path} of the request is {value}, not {least} or more" + (f", and {most} at most" if most else "")
    return None


@relation("{path} of the body is {cents}")
def asks_for(exchange: Exchange, path: str, cents: int) -> Problem:
    """Compare an amount of the body with what it should be, in cents."""
    value = _sent(exchange, path)
    if isinstance(value, str):
        return f"{path} of the request is the text {shown(value)}, not the number {cents}, the price in cents"
    if KINDS["integer"](value) and value == cents:
        return None
    price = f"{cents / 100:.2f}"
    by_float = f": int({price} * 100), of a float, is {value}" if value == int(float(price) * 100) else ""
    return f"{path} of the request is {shown(value)}, and the price in cents is {cents}{by_float}"


@relation("{path} of the body has at most {longest} characters")
def sends_text(exchange: Exchange, path: str, longest: int) -> Problem:
    """Look at the length of a text of the body."""
    value = _optional(exchange, path)
    if value is MISSING:
        return ABSENT
    if not isinstance(value, str):
        return f"{path} of the request is {shown(value)}, not a text"
    return (
        None if len(value) <= longest else f"{path} of the request has {len(value)} characters, not {longest} at most"
    )


@relation("{path} of the body is {form}")
def sends_form(exchange: Exchange, path: str, pattern: str, form: str, *, is_required: bool = False) -> Problem:
    """Compare a text of the body with a pattern, which `form` says in words."""
    value = _sent(exchange, path) if is_required else _optional(exchange, path)
    if value is MISSING and not is_required:
        return ABSENT
    if isinstance(value, str) and re.fullmatch(pattern, value):
        return None
    return f"{path} of the request is {shown(value)}, not {form}"


@relation("{path} of the body is an object")
def sends_object(exchange: Exchange, path: str) -> Problem:
    """Look for an object in the body."""
    value = _sent(exchange, path)
    return None if isinstance(value, dict) else f"{path} of the request is {shown(value)}, not an object"


@relation("the body is a JSON object, with Content-Type application/json")
def sends_json(exchange: Exchange) -> Problem:
    """Look at the media type and the body."""
    if not exchange.request.body:
        return "the request has no body"
    if not isinstance(parsed(exchange.request.body), dict):
        return f"the body of the request is no JSON object: {exchange.request.text[:80]}"
    kind = _header(exchange, "content-type") or ""
    is_json = kind.partition(";")[0].strip().lower() == "application/json"
    return None if is_json else f"Content-Type of the request is {kind or 'absent'}, not application/json"


@relation("there is no body")
def sends_no_body(exchange: Exchange) -> Problem:
    """Look for a body where none belongs."""
    body = exchange.request.text
    return f"the request has the body {body[:80]!r}, and none belongs there" if body else None


@relation("Authorization is {words}")
def has_authorization(exchange: Exchange, words: str) -> Problem:
    """Compare the credential of a request, in words."""
    given = exchange.request.authorization
    if given.startswith(words):
        return None
    scheme, _, value = (_header(exchange, "authorization") or "").partition(" ")
    what = given or (f"{scheme} with another value" if value else "absent")
    return f"Authorization of the request is {what}, not {words}"


@relation("the request has the header {name}")
def has_header(exchange: Exchange, name: str) -> Problem:
    """Look for a header that has a value."""
    return None if _header(exchange, name) else f"the request has no {name}"


@relation("{name} is a UUID")
def has_uuid(exchange: Exchange, name: str) -> Problem:
    """Read a header as a UUID."""
    value = _header(exchange, name)
    if value is None:
        return ABSENT
    if not UUID_TEXT.fullmatch(value):
        return f"{name} is {value!r}, not a UUID"
    return None if UUID(value).int else f"{name} is the UUID of zeros"


def own_key(exchange: Exchange) -> str:
    """Return the idempotency key of a request, in the header that its API names; empty without one."""
    return _header(exchange, PROFILES[exchange.api].key_header) or ""


@relation("its key is that of no request with another body, such as {earlier}")
def has_key_of_its_body(exchange: Exchange, earlier: Sequence[Exchange]) -> Problem:
    """Compare a request with the earlier ones that have its key."""
    key = own_key(exchange)
    if not key:
        return ABSENT
    others = (other for other in earlier if own_key(other) == key)
    different = next((other for other in others if parsed(other.request.body) != parsed(exchange.request.body)), None)
    if different is None:
        return None
    words = f"the key {shown(key)} was sent before with another body, in {different.evidence}"
    return words + _changes(different, exchange)


@relation("the client gets a new token, and goes on with it")
def goes_on_with_a_token(exchange: Exchange, logins: Sequence[Exchange]) -> Problem:
    """Look at the last request of a client whose token had expired, and at its logins since then."""
    if exchange.ok:
        return None
    done = "logged in again, but its last request" if logins else "did not log in again, and its request"
    turned = "the token had expired, as the run has turned the sandbox's clock"
    return f"{turned}: the client {done} was answered {exchange.status or 'nothing'}"


@relation("its key is another than that of {first}")
def has_another_key(exchange: Exchange, first: Exchange) -> Problem:
    """Compare the keys of two new transfers; Unknown if one of them has none, which is another requirement."""
    key, before = own_key(exchange), own_key(first)
    if not key or not before:
        return ABSENT
    if key == before:
        return f"the key {shown(key)} is that of {first.evidence} too, which was sent for another transfer"
    return None


@relation("it leads to one further transfer at most, not to {transfers}")
def leads_to_one_transfer(_event: Exchange, transfers: Sequence[Exchange]) -> Problem:
    """Count the transfers that a client sends after an event about one; requests of one key are one transfer."""
    keys = {own_key(exchange) or exchange.evidence: exchange for exchange in transfers}
    if len(keys) <= 1:
        return None
    return f"{len(keys)} further transfers were sent: {', '.join(exchange.evidence for exchange in keys.values())}"


@relation("it has the key and the body of {first}")
def repeats(exchange: Exchange, first: Exchange, between: Sequence[Exchange] = (), since: str = "") -> Problem:
    """Compare a request with the one that it repeats; `between` are the repetitions that were sent meanwhile.

    `since` says what has happened meanwhile.
    """
    key, before = own_key(exchange), own_key(first)
    earlier = f"{first.evidence}, {_answer_to(first)}"
    if between:
        earlier += f"; the last repetition, {between[-1].evidence}, is one {_answer_to(between[-1])}"
    if since:
        earlier += f", and {since}"
    if not before:
        return f"this request is sent again after {earlier}, and neither has a key: the service takes it for a new one"
    if key != before:
        return f"the key of the repetition is {shown(key)}, not {shown(before)} as in {earlier}"
    if parsed(exchange.request.body) != parsed(first.request.body):
        return f"the repetition has the key of {earlier}, and another body{_changes(first, exchange)}"
    return None


@relation("the request names the charge {own}")
def names_charge(exchange: Exchange, own: str, others: Sequence[str]) -> Problem:
    """Look for the id of a charge in the path; `others` are those of other orders of the same client."""
    parts = exchange.request.url.partition("?")[0].split("/")
    other = next((number for number in others if number in parts), None)
    if own in parts or other is None:
        return None
    return f"the request names the charge {shown(other)} of another order, not {shown(own)}: they were taken at once"


@relation("the client cancels this charge too, as in {other}")
def is_canceled_too(_creation: Exchange, other: Exchange) -> Problem:
    """Say that the charge of one order was not canceled, and that of another one taken at the same moment was."""
    at_once = "they were taken at the same moment, so does the client keep the charge of each?"
    return f"no cancellation of this charge was sent for its order, as for another one in {other.evidence}: {at_once}"


def _answer_to(exchange: Exchange) -> str:
    """Say what the client got for a request."""
    if exchange.status:
        return f"which was answered {exchange.status}"
    return f"to which the client got no response ({(exchange.fault or '').partition(':')[0]})"


def _changes(before: Exchange, after: Exchange) -> str:
    """Say which members of the body differ, and how; nothing of bodies that have none."""
    members, others = after.request.json_object, before.request.json_object
    names = changed_members(others, members)
    changes = [
        f"{one_line(name)} was {shown(others.get(name, MISSING), LONGEST)}, and is "
        f"{shown(members.get(name, MISSING), LONGEST)}"
        for name in names[:MOST_CHANGES]
    ]
    more = [f"{len(names) - MOST_CHANGES} more"] if len(names) > MOST_CHANGES else []
    return ": " + "; ".join([*changes, *more]) if names else ""


@relation("the client has logged in {most} times at most")
def follows_few_logins(exchange: Exchange, logins: Sequence[Exchange], most: int) -> Problem:
    """Count the logins of one command."""
    if len(logins) <= most:
        return None
    names = ", ".join(login.evidence for login in logins)
    until = f"until {exchange.evidence}, though its first token was valid"
    return f"the client logged in {len(logins)} times ({names}) {until}: {most} would do"


@relation("after this 429 the client sends nothing to that route for {seconds} s")
def is_followed_by_a_pause(limited: Exchange, later: Sequence[Exchange], seconds: float) -> Problem:
    """Compare the time of a request that was answered 429 with those of the later ones to its route."""
    if not later or (passed := later[0].started - limited.ended) >= seconds:
        return None
    after = f"{passed * 1000:.0f} ms after {limited.evidence} was answered 429"
    return f"the client sent {later[0].evidence} {after}: the document asks for minutes, this test for {seconds:g} s"


@relation("the client has asked the service after expires_at")
def was_queried(exchange: Exchange, queries: Sequence[Exchange]) -> Problem:
    """Look for queries of a charge."""
    words = f"the client takes the order of {exchange.evidence} for expired, and has sent no query since expires_at"
    return None if queries else f"{words}, past which the run has turned the sandbox's clock"


@relation("a query has shown that the transfer may be completed")
def completes_after_query(exchange: Exchange, queries: Sequence[Exchange]) -> Problem:
    """Look at the client's queries of the transfer that it completes."""
    statuses = [query.at("data.status") for query in queries]
    if any(isinstance(status, str) and status not in LEFT for status in statuses):
        return None
    queried = f"the queries before showed {', '.join(map(shown, statuses))}" if queries else "has not queried it before"
    return f"the client completes the transfer with {exchange.evidence}, and {queried}"


@relation("it is a route of the document")
def has_route(exchange: Exchange) -> Problem:
    """Look for an operation of that method and path."""
    path = urlsplit(exchange.request.url).path
    return None if exchange.operation else f"the document has no route {exchange.request.method} {path}"


@relation("{path} of the body is a PIX key of an accepted type")
def sends_pix_key(exchange: Exchange, path: str) -> Problem:
    """Read the form of a PIX key."""
    value = _sent(exchange, path)
    return None if pix_key.kind(value) else f"{path} of the request is {shown(value)}, a key of no documented type"


@relation("each item has its members")
def sends_items(exchange: Exchange) -> Problem:
    """Look at the items of a charge."""
    items = _optional(exchange, "items")
    if items is MISSING or items == []:
        return ABSENT
    kinds = {"title": "string", "tangible": "boolean", "quantity": "integer", "amountInCents": "integer"}
    for item in items if isinstance(items, list) else [items]:
        for name, kind in kinds.items():
            if not KINDS[kind](at(item, name)):
                return f"{name} of an item is {shown(at(item, name))}, not of type {kind}"
    return None


@relation("each split has an e-mail and a share, and all of them are at most 100")
def sends_splits(exchange: Exchange) -> Problem:
    """Look at the splits of a charge."""
    splits = _optional(exchange, "splits")
    if splits is MISSING or splits == []:
        return ABSENT
    total = 0.0
    for split in splits if isinstance(splits, list) else [splits]:
        share = at(split, "percentage")
        if pix_key.kind(at(split, "email")) != "email":
            return f"email of a split is {shown(at(split, 'email'))}, not an e-mail"
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0.01 <= share <= 100:  # noqa: PLR2004  # PAY-CLI-14
            return f"percentage of a split is {shown(share)}, not a number from 0.01 to 100"
        total += share
    return None if total <= 100 + 1e-9 else f"the splits are {total:g} together, more than 100"  # PAY-CLI-14


@relation("events of the body are names of the document, one or more")
def sends_event_names(exchange: Exchange, names: Sequence[str]) -> Problem:
    """Look at the events of a new webhook."""
    events = _sent(exchange, "events")
    if not isinstance(events, list) or not events:
        return f"events of the request is {shown(events)}, not a list of names"
    unknown = [event for event in events if event not in names]
    return f"events of the request has {shown(unknown)}, which the document does not have" if unknown else None


def _header(exchange: Exchange, name: str) -> str | None:
    return next((value for key, value in exchange.request.headers if key.lower() == name.lower()), None)
