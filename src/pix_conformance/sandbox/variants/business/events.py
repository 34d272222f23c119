"""Conforming variants where BUS-EVT and BUS-SIG are silent: events and their signatures."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from zlib import crc32

from pix_conformance.reference.outbox import Written
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *


def next_number(rules: Any, _event: str, _row: Row) -> str:
    rules.__dict__["numbered"] = rules.__dict__.get("numbered", 0) + 1
    return str(rules.__dict__["numbered"])


def dated_as_mail(_rules: Any, url: str, payload: dict[str, Any]) -> tuple[Any, ...]:
    stamp = payload.get("created_at", "")
    if stamp == "":  # no event, but a challenge
        return url, payload
    moment = datetime.fromisoformat(stamp) if isinstance(stamp, str) else datetime.fromtimestamp(stamp, UTC)
    return url, payload | {"created_at": format_datetime(moment)}


def verify_endpoint(rules: Any, right: Callable[..., None], url: str, payload: dict[str, Any]) -> None:
    if not rules.__dict__.setdefault("asked", False):
        rules.__dict__["asked"] = True
        right(url, {"type": "endpoint.verification", "challenge": "abc"})
    right(url, payload)


def send_balance(_rules: Any, right: Callable[..., None], event: str, row: Row) -> None:
    right(event, row)
    if event == "business.pix.paid":
        right("business.balance.updated", row)


def send_expiry(rules: Any, claimed: object, charge: Row, changes: Row) -> object:
    if claimed and changes.get("status") == "expired":
        with rules.store.transaction():
            rules.emit("business.pix.expired", charge | changes)
    return claimed


def as_signed_first(rules: Any, written: Written, _attempt: int, payload: dict[str, Any]) -> Written:
    first: Written = rules.__dict__.setdefault("first_attempts", {}).setdefault(payload.get("id"), written)
    return first[0], written[1] | {
        name: text for name, text in first[1].items() if name == rules.event_signature_header
    }


VARIANTS = {
    "BUS-EVT-15/unknown-is-null": setting(
        "Data of an event is null while there is none: what it is then is not stated.",
        absent_in_event=lambda _rules, _name: None).also("BUS-EVT-16"),
    "BUS-EVT-15/unknown-is-absent": changes_result(
        "Data of an event is absent while there is none: what it is then is not stated.",
        event_data=lambda _rules, data, *_: {
            name: value for name, value in data.items() if value not in (None, "")}).also("BUS-EVT-16"),
    "BUS-EVT-15/unknown-label-is-id": changes_result(
        "external_ref in events is the id of a charge that has none: what it is then is not stated.",
        event_data=lambda _rules, data, _event, row: data | {"external_ref": row["external_ref"] or row["id"]}
        ).also("BUS-EVT-16"),
    "BUS-EVT-15/unknown-label-is-made": changes_result(
        "external_ref in events is made by the service if the charge has none: what it is then is not stated.",
        event_data=lambda _rules, data, _event, row: data | {
            "external_ref": row["external_ref"] or f"ref-{crc32(row['id'].encode())}"}).also("BUS-EVT-16"),
    "BUS-EVT-17/events-of-production": changes_arguments(
        "The endpoint also receives events of production: one endpoint is configured.",
        should_emit=lambda _rules, event, row: (event, row | {"environment": "sandbox"})).also("BUS-ENV-17"),
    "BUS-EVT-17/endpoint-verified": overrides(
        "An unsigned challenge is sent before the first event: nothing excludes it.",
        send_event=verify_endpoint, event_headers=lambda rules, right, body: (
            {"Content-Type": rules.event_content_type} if b'"challenge"' in body else right(body))),
    "BUS-EVT-17/balance-event": overrides(
        "Each payment sends another event, of the balance: no sentence excludes further events.", emit=send_balance),
    "BUS-EVT-17/expiry-event": changes_result(
        "Expiry sends an event: each state change does, though none is listed for it.", claim_charge=send_expiry),
    "BUS-EVT-21/dated-as-mail": changes_arguments(
        "created_at of an event has the form of mail: its form is not stated.", send_event=dated_as_mail),
    "BUS-EVT-22/attempts-numbered": ATTEMPTS_NUMBERED,
    "BUS-EVT-22/content-type-with-charset": WITH_CHARSET,
    "BUS-EVT-22/sent-in-pieces": SENT_IN_PIECES,
    "BUS-EVT-22/ids-are-numbers": setting(
        "The id of an event is a number, from one on: a string of any form is an id.", event_id=next_number),
    "BUS-EVT-22/dated-by-charge": changes_result(
        "created_at of an event is that of its charge: of what it is, is not stated.",
        event_payload=lambda rules, payload, _event, row: payload | {"created_at": rules.moment(row["created_at"])}),
    "BUS-EVT-22/extra-fields": changes_result(
        "A payload has a version and the id of the charge besides: no sentence excludes further fields.",
        event_payload=lambda _rules, payload, _event, row: {**payload, "version": 2, "charge_id": row["id"]}),
    "BUS-SIG-03/hash-in-capitals": HASH_IN_CAPITALS,
    "BUS-SIG-03/body-indented": EVENTS_INDENTED,
    "BUS-SIG-04/clock-behind": skewed("The clock of the server is 75 s behind: up to 300 s are accepted.", -75),
    "BUS-SIG-08/signed-once": changes_result(
        "Each attempt carries the body and signature of the first one: whether it is signed again is not stated.",
        write_event=as_signed_first),
    "BUS-SIG-05/timestamp-with-decimals": SIGNED_WITH_DECIMALS,
}  # fmt: skip
