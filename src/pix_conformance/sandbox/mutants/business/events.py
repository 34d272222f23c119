"""Mutants of BUS-EVT, BUS-SIG and BUS-RETRY: events, signatures and retries."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import Operation
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "events"
GROUP_OF_AREA = {"BUS-SIG": "auth", "BUS-RETRY": "time"}

CREATED, PAID, CANCELED = "business.pix.created", "business.pix.paid", "business.pix.canceled"


def charge_of_beginning(rules: Any, call: Call) -> Row:
    label = str(sent_body(call)["external_ref"])[: rules.external_ref_limit]
    charge = {"account": "merchant-a", "environment": "sandbox", "amount": 1_000, "end_to_end_id": None}
    return charge | {"external_ref": label}


def lose_fifteenth(rules: Any, right: Callable[..., None], url: str, payload: dict[str, Any]) -> None:
    rules.__dict__["events"] = number = rules.__dict__.get("events", 0) + 1
    if number % 15:
        right(url, payload)


def note_query(rules: Any, right: Operation, call: Call) -> Awaitable[Answer]:
    rules.__dict__.setdefault("queried", set()).add(call.params["id"])
    return right(call)


def about_first_payment(rules: Any, event: str, row: Row) -> tuple[str, Row]:
    owner = {name: row[name] for name in ("account", "environment", "external_ref")}
    rows = rules.store.rows("business_charge", status="paid", **owner) if row["external_ref"] else []
    return event, rows[0] if event == PAID and rows else row


def hash_of_first_attempt(rules: Any, written: Written, attempt: int, _payload: Any) -> Written:
    body, headers = written
    moment = int(rules.event_timestamp())
    first = rules.event_hash(str(moment - attempt + 1), body)
    return body, headers | {rules.event_signature_header: f"t={moment},v1={first}"}


def hour_old_from_third_attempt(rules: Any, written: Written, attempt: int, _payload: Any) -> Written:
    body, headers = written
    moment = str(int(rules.event_timestamp()) - 3600)
    old = {rules.event_signature_header: f"t={moment},v1={rules.event_hash(moment, body)}"}
    return (body, headers | old) if attempt > 2 else written


def delivered_by(sentence: str, *statuses: int) -> Difference:
    """Take other statuses for a delivery, too."""
    return changes_result(sentence, is_delivered=lambda _, right, status: right or status in statuses).of("events")


def one_attempt(event: str) -> Difference:
    """Attempt one event once."""
    return changes_result(f"{event} is attempted once.", webhook_request=lambda _, request, _url, payload: (
        replace(request, attempts=1) if payload["type"] == event else request)).of("events")  # fmt: skip


def ended_by_silence(_: Any, request: WebhookRequest, *_about: Any) -> WebhookRequest:
    answered = [True]

    async def pause(attempt: int) -> bool:
        return await request.pause(attempt) and answered[0]

    def write(attempt: int) -> Written:
        answered[0] = False
        return request.write(attempt)

    def accepts(status: int) -> bool:
        answered[0] = True
        return request.accepts(status)

    return replace(request, pause=pause, write=write, accepts=accepts)


MUTANTS = {
    "BUS-EVT-01/none-of-creation": no_event(CREATED),
    "BUS-EVT-01/none-of-unlabelled": no_event(CREATED).when(UNLABELLED),
    "BUS-EVT-01/none-of-second-of-label": no_event(CREATED).when(ANOTHER_OF_LABEL),
    "BUS-EVT-01/fifteenth-is-lost": overrides("Every fifteenth event is never sent; events of all kinds are counted.",
        send_event=lose_fifteenth).seen_in("BUS-PAY-01"),
    "BUS-EVT-02/none-of-payment": no_event(PAID),
    "BUS-EVT-02/none-of-second-of-label": no_event(PAID).when(ANOTHER_OF_LABEL),
    "BUS-EVT-02/none-of-small": no_event(PAID).when(amount_below(BusinessRules.minimum_charge + 99)),
    "BUS-EVT-02/none-of-10000": no_event(PAID).when(amount_from(10_000_01)),
    "BUS-EVT-02/none-with-email": no_event(PAID).when(WITH_EMAIL),
    "BUS-EVT-02/none-of-unlabelled": no_event(PAID).when(UNLABELLED),
    "BUS-EVT-02/none-once-created-again": overrides(
        "No business.pix.paid is sent, if the creation was sent again with its key.",
        replay=lambda rules, right, call, earlier: rules.__dict__.setdefault(id_in(earlier), right(call, earlier)),
        should_emit=lambda rules, right, event, row: right(event, row) and not (
            event == PAID and row["id"] in rules.__dict__)),
    "BUS-EVT-03/none-of-unlabelled": no_event(CANCELED).when(UNLABELLED),
    "BUS-EVT-03/none-of-described": no_event(CANCELED).when(DESCRIBED),
    "BUS-EVT-03/none-once-queried": overrides(
        "No business.pix.canceled is sent, if the charge was queried before.", get_charge=note_query,
        should_emit=lambda rules, right, event, row: right(event, row) and not (
            event == CANCELED and row["id"] in rules.__dict__.get("queried", ()))),
    "BUS-EVT-04/sent-by-put": setting("Events are sent by PUT.", event_method="PUT"),
    "BUS-EVT-09/amount-in-reais": in_payload("data.amount_cents", lambda cents: cents / 100)
        .says("The amount of an event is in reais, with a fraction."),
    "BUS-EVT-11/missing-when-paid": in_payload("data.external_ref", GONE, PAID),
    "BUS-EVT-11/missing-when-canceled": in_payload("data.external_ref", GONE, CANCELED),
    "BUS-EVT-12/whole-reais-as-reais": in_payload("data.amount_cents", in_whole_reais, PAID).seen_in("BUS-PAY-15")
        .says("The amount of a paid event is in reais if it is whole."),
    "BUS-EVT-13/no-pictures": in_payload(
        "data.external_ref", lambda text: "".join(letter if ord(letter) < 0x10000 else "?" for letter in text))
        .says("Characters beyond U+FFFF become question marks in the external_ref of an event."),
    "BUS-EVT-13/one-line": in_payload("data.external_ref", lambda text: " ".join(text.splitlines()))
        .says("Line breaks become blanks in the external_ref of an event."),
    "BUS-EVT-13/digits-as-number": in_payload("data.external_ref", as_number)
        .says("An external_ref of digits is a number in an event."),
    "BUS-EVT-13/trimmed-when-paid": in_payload("data.external_ref", str.strip, PAID)
        .says("A paid event has its external_ref without the blanks around it."),
    "BUS-EVT-13/escaped-when-canceled": in_payload("data.external_ref", lambda text: text.replace('"', "&quot;"),
        CANCELED).says("A canceled event has the quotes of its external_ref escaped."),
    "BUS-EVT-08/empty-when-repeated": changes_result("The body of a repeated attempt is empty.",
        write_event=lambda rules, written, attempt, _payload: (
            (b"", rules.event_headers(b"")) if attempt > 1 else written)).seen_in("BUS-RETRY-01").of("events"),
    "BUS-EVT-14/empty-in-retries": in_later_attempts("data.e2e_id", ""),
    "BUS-EVT-14/first-payment-of-label": changes_arguments(
        "A paid event has the data of the first charge that was paid with its external_ref.",
        event_data=about_first_payment).seen_in("BUS-PAY-15"),
    "BUS-EVT-18/constant": in_payload("id", "evt_00000000000000000000000000000001").says("All events have one id."),
    "BUS-EVT-19/cancel-of-expired": sends_though_refused(CANCELED, "cancel_charge", "state", charge_of)
        .when(in_status("expired")),
    "BUS-EVT-19/pay-of-expired": sends_though_refused(PAID, "pay_charge", "state", charge_of)
        .when(in_status("expired")),
    "BUS-EVT-19/label-that-is-too-long": sends_though_refused(
        CREATED, "create_charge", "invalid", charge_of_beginning, lambda text: "external_ref" in text)
        .says("A creation that is refused for the length of its external_ref sends an event with its beginning."),
    "BUS-EVT-19/pay-in-production": sends_though_refused(
        PAID, "pay_charge", "forbidden", lambda rules, call: rules.owned(call) | {"environment": "sandbox"})
        .says("A simulation that is refused in production sends a paid event."),
    "BUS-EVT-28/two-of-a-creation-without-key": sends_again(CREATED, "create_charge").when(WITHOUT_KEY),
    "BUS-EVT-20/plain-text": setting("Events are labelled text/plain.", event_content_type="text/plain"),
    "BUS-EVT-21/without-zone": in_payload("created_at", lambda text: text.removesuffix("Z"))
        .says("The created_at of an event names no zone."),
    "BUS-EVT-26/tomorrow": in_payload("created_at", lambda text: later(text, days=1), PAID).also("BUS-EVT-29")
        .says("The created_at of a paid event is a day ahead."),
    "BUS-EVT-27/created-of-no-charge": invents(CREATED, external_ref="order-1001").seen_in("BUS-LIST-09", "BUS-EVT-01"),
    "BUS-SIG-01/none-on-retries": changes_result("From the second attempt on, an event has no signature.",
        write_event=lambda _, written, attempt, _payload: (
            written if attempt == 1 else (written[0], {"Content-Type": written[1]["Content-Type"]})))
        .seen_in("BUS-ENV-01"),
    "BUS-SIG-02/other-order": changes_result(
        "The header holds v1 first.", event_signature=lambda _, text, _body: ",".join(text.split(",")[::-1])),
    "BUS-SIG-03/body-alone": setting("The signature covers the body alone.", signed_text=lambda _, _moment, body: body),
    "BUS-SIG-03/order": setting("The signature covers the body, a dot and t.",
        signed_text=lambda _, moment, body: body + b"." + moment.encode()),
    "BUS-SIG-03/hash-of-first-attempt": changes_result("Each attempt has its own t, and the hash of the first attempt.",
        write_event=hash_of_first_attempt).seen_in("BUS-CHG-35"),
    "BUS-SIG-03/question-mark-beyond-bmp": changes_result("The signature covers ? for each character beyond the BMP.",
        signed_text=lambda _, text, *_about: re.sub("[\U00010000-\U0010ffff]", "?", text.decode()).encode())
        .seen_in("BUS-CHG-58", "BUS-EVT-13"),
    "BUS-SIG-04/hour-behind": changes_result("The t of each signature is an hour behind.",
        event_timestamp=lambda _, text: str(int(text) - 3600)).also("BUS-SIG-07"),
    "BUS-SIG-07/hour-behind-from-third-attempt": changes_result(
        "From the third attempt on, the t of a signature is an hour behind.",
        write_event=hour_old_from_third_attempt).seen_in("BUS-RETRY-02"),
    "BUS-SIG-05/milliseconds": setting("The t of a signature counts milliseconds.",
        event_timestamp=lambda rules: str(int(rules.clock.now() * 1000))),
    "BUS-RETRY-01/one-attempt-if-paid": one_attempt(PAID),
    "BUS-RETRY-01/one-attempt-if-canceled": one_attempt(CANCELED),
    "BUS-RETRY-01/ended-by-503": delivered_by("A 503 ends the attempts.", 503),
    "BUS-RETRY-02/one-attempt-more": setting(
        "Events are attempted once too often.", event_attempts=BusinessRules.event_attempts + 1),
    "BUS-RETRY-03/fivefold": setting("Each pause is five times the one before.", event_backoff_factor=5.0),
    "BUS-RETRY-03/equal-and-events-after-3-s": setting(
        "All pauses are as long as the first one, and events are sent after 3 s.",
        event_backoff_factor=1.0, event_delay_seconds=3.0),
    "BUS-RETRY-04/cap-of-an-hour": setting("Pauses grow up to an hour.",
        event_first_retry_seconds=16.0, event_longest_retry_seconds=3600.0).seen_in("BUS-LIST-02"),
    "BUS-RETRY-05/after-three-seconds": setting(
        "A call without a response is given up after 3 s.", event_timeout_seconds=3.0),
    "BUS-RETRY-06/ended-by-silence": changes_result(
        "A call without a response ends the attempts.", webhook_request=ended_by_silence),
    "BUS-RETRY-07/other-id": in_later_attempts("id", lambda text: f"{text}2"),
    "BUS-RETRY-13/only-200": setting("Any 2xx but 200 is followed by another attempt.",
        is_delivered=lambda _, status: status == 200).also("BUS-RETRY-08"),
    "BUS-RETRY-08/sent-twice": setting("Each event is sent twice.", event_copies=2).of("events"),
    "BUS-RETRY-09/type-of-paid": in_later_attempts("type", PAID).also("BUS-EVT-06"),
    "BUS-RETRY-09/empty-external-ref": in_later_attempts("data.external_ref", "").also("BUS-EVT-13"),
}  # fmt: skip
