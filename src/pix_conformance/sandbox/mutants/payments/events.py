"""Mutants of PAY-EVT and PAY-SIG: which events are sent and why, who receives them, signatures and payloads."""

import asyncio
import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.outbox import WebhookRequest, Written
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row, owner_of
from pix_conformance.sandbox.mutants.operators import *

GROUP = "events"
CREATED, PAID = "transaction_created", "transaction_paid"
SENT, UPDATED, COMPLETED, CANCELED = "transfer_created", "transfer_updated", "transfer_completed", "transfer_canceled"
NO_ID = "0b7b6f5e-8a53-4c12-9d0e-6f3b1a2c4d5e"
TO_PHONE = Guard("it goes to a phone", lambda it: it.row["pix_key"].startswith("+"))
INVALID_CHARGE = {
    "amountInCents": PaymentsRules.minimum_charge - 1,
    "customer": {"name": "x", "document": "52998224725"},
    "description": None,
    "postbackUrl": None,
    "splits": [],
}


def newest_of_url(rules: Any, right: list[Row], _event: str, owner: Access) -> list[Row]:
    hooks = rules.store.rows("webhook", "id", account=owner.account, environment=owner.environment)
    newest = {hook["url"]: hook["id"] for hook in hooks}.values()
    return [hook for hook in right if hook["id"] in newest]


def hash_of_first_attempt(rules: Any, written: Written, _attempt: int, payload: Any, secret: str | None) -> Written:
    body, headers = written
    moment, _, right = headers.get(rules.event_signature_header, "").partition(",v1=")
    first = rules.__dict__.setdefault("first_hashes", {}).setdefault((payload["id"], secret), right)
    return body, headers | ({rules.event_signature_header: f"{moment},v1={first}"} if right else {})


def charge_without(field: str) -> Any:
    """Make a charge of the body without one field."""

    def make(rules: Any, call: Call) -> Row:
        rest = {name: value for name, value in rules.json_body(call).items() if name != field}
        charge: Row = rules.new_charge(call.access, rules.read_body(rest, rules.charge_fields()))
        return charge

    return make


def note_creation(rules: Any, right: Callable[..., None], event: str, row: Row, payload: dict[str, Any]) -> None:
    rules.__dict__["since"] = row["created_at"]
    right(event, row, payload)


def note_failure(rules: Any, request: WebhookRequest, _url: str, _body: Any, hook: Row | None) -> WebhookRequest:
    def accepts(status: int) -> bool:
        accepted = request.accepts(status)
        if hook and not accepted:
            shared(rules, "failed", dict).setdefault(hook["account"], rules.clock.now())
        return accepted

    return replace(request, accepts=accepts)


def registered_before_failure(rules: Any, hooks: list[Row], _event: str, owner: Any) -> list[Row]:
    failed_at = shared(rules, "failed", dict).get(owner.account, float("inf"))
    return [hook for hook in hooks if hook["created_at"] < failed_at]


def send_paid_again(rules: Any, _: None, event: str, row: Row, payload: dict[str, Any]) -> None:
    again = payload | {"id": rules.event_id(event, row)}

    async def send() -> None:
        await asyncio.sleep(1)
        for hook in rules.listeners(event, owner_of(row)):
            rules.send_webhook_request(hook["url"], again, hook)

    if event == PAID:
        rules.state.outbox.begin(send())


def send_to_earlier_charges(rules: Any, _: None, event: str, row: Row, payload: dict[str, Any]) -> None:
    charges = rules.store.rows("payments_charge", account=row["account"], environment=row["environment"])
    urls = {charge["postback_url"] for charge in charges if charge["postback_url"]} - {row["postback_url"]}
    for url in urls if event == PAID else ():
        rules.send_webhook_request(url, payload, None)


def renamed_for_one_event(_: Any, request: WebhookRequest, _url: str, _body: Any, hook: Row | None) -> WebhookRequest:
    def write(attempt: int) -> Written:
        body, headers = request.write(attempt)
        return body, {f"X-{name}" if name == "Service-Signature" else name: value for name, value in headers.items()}

    return replace(request, write=write) if hook and len(json.loads(hook["events"])) == 1 else request


MUTANTS = {
    "PAY-EVT-01/none-of-company": no_event(CREATED).when(OF_COMPANY),
    "PAY-EVT-01/20-oldest-webhooks-only": to_some_webhooks(
        "An event is sent to the twenty oldest webhooks that ask for it.", lambda hooks: hooks[:20]),
    "PAY-EVT-02/none-from-1000": no_event(PAID).when(amount_from(1_000_00)).seen_in("PAY-AUTH-11"),
    "PAY-EVT-02/none-of-small-amount": no_event(PAID).when(amount_below(100_00)).seen_in("PAY-SPL-17"),
    "PAY-EVT-02/none-with-splits": no_event(PAID).when(WITH_SPLITS),
    "PAY-EVT-02/none-to-webhooks-after-creation": overrides(
        "An event goes to the webhooks that were there when its charge or transfer was created.",
        send_event=note_creation, listeners=lambda rules, right, event, owner: [
            hook for hook in right(event, owner) if hook["created_at"] <= rules.__dict__["since"]]),
    "PAY-EVT-02/none-to-webhooks-after-a-failure": changes_result(
        "Once a webhook has failed, none that its account registers later is sent anything.",
        webhook_request=note_failure, listeners=registered_before_failure),
    "PAY-EVT-02/newest-webhook-of-url-only": changes_result(
        "Of several webhooks with one url, only the newest is sent what it asks for.", listeners=newest_of_url),
    "PAY-EVT-03/none": not_to_webhooks(SENT),
    "PAY-EVT-03/none-without-postback-url": no_event(SENT).when(WITHOUT_POSTBACK),
    "PAY-EVT-03/none-with-description": no_event(SENT).when(DESCRIBED),
    "PAY-EVT-03/none-to-phone": no_event(SENT).when(TO_PHONE).seen_in("PAY-CMP-01"),
    "PAY-EVT-03/none-below-1": no_event(SENT).when(amount_below(1_00)).seen_in("PAY-CMP-01"),
    "PAY-EVT-03/none-from-10": no_event(SENT).when(amount_from(10_00)),
    "PAY-EVT-04/none": not_to_webhooks(COMPLETED),
    "PAY-EVT-04/none-without-postback-url": no_event(COMPLETED).when(WITHOUT_POSTBACK),
    "PAY-EVT-04/none-with-description": no_event(COMPLETED).when(DESCRIBED),
    "PAY-EVT-04/none-from-10": no_event(COMPLETED).when(amount_from(10_00)),
    "PAY-EVT-05/none": not_to_webhooks(UPDATED),
    "PAY-EVT-05/none-from-4": no_event(UPDATED).when(amount_from(4_00)).seen_in("PAY-TRF-65", "PAY-CMP-01"),
    "PAY-EVT-06/none-when-refused": not_to_webhooks(CANCELED, overdrawn_status="refused")
        .says("A transfer beyond the balance is taken, and refused without an event."),
    "PAY-EVT-18/second-pay": sends_though_refused(PAID, "pay_charge", "state", charge_of),
    "PAY-EVT-18/pay-by-another-account": sends_though_refused(PAID, "pay_charge", "missing",
        lambda rules, call: (charge := charge_of(rules, call)) and charge | {"status": "paid"})
        .when(in_status("pending")).of("isolation").seen_in("PAY-ISO-02"),
    "PAY-EVT-18/second-completion": sends_though_refused(COMPLETED, "complete_transfer", "state",
        lambda rules, call: rules.store.find("transfer", id=call.params["id"])).when(in_status("completed")),
    "PAY-IDEM-04/refused-and-sent": sends_though_refused(SENT, "create_transfer", "key_conflict",
        lambda rules, call: rules.new_transfer(call.access, rules.read_transfer(rules.json_body(call))))
        .also("PAY-EVT-18"),
    "PAY-EVT-18/invalid-charge": sends_though_refused(
        CREATED, "create_charge", "invalid", lambda rules, call: rules.new_charge(call.access, INVALID_CHARGE)),
    "PAY-EVT-18/splits-of-more-than-the-whole": sends_though_refused(
        CREATED, "create_charge", "invalid", charge_without("splits"), lambda message: "in total" in message)
        .says("A charge whose splits exceed the whole is refused, and transaction_created sent."),
    "PAY-EVT-18/wrong-description": sends_though_refused(
        CREATED, "create_charge", "invalid", charge_without("description"), lambda text: "description" in text)
        .says("A charge whose description is wrong is refused, and transaction_created sent."),
    "PAY-EVT-19/each-twice": setting("Every event is sent twice, though it was received.", event_copies=2),
    "PAY-EVT-19/paid-again-after-1-s": changes_result(
        "transaction_paid is sent again a second after it was received, with another id.", send_event=send_paid_again),
    "PAY-EVT-95/url-without-query": to_other_url(
        "Events come to the url of a webhook without its query.", without_query, postback=False),
    "PAY-EVT-96/url-without-query": to_other_url(
        "Events come to a postbackUrl without its query.", without_query, postback=True),
    "PAY-EVT-94/created-of-no-charge": invents(CREATED, id=NO_ID),
    "PAY-EVT-11/paid-to-created": to_webhooks_for(CREATED, PAID),
    "PAY-EVT-11/created-to-paid": to_webhooks_for(PAID, CREATED),
    "PAY-EVT-12/oldest-only": to_some_webhooks(
        "Of several webhooks for an event only the oldest receives it.", lambda hooks: hooks[:1]),
    "PAY-EVT-12/oldest-only-when-completed": to_some_webhooks(
        "Of several webhooks only the oldest receives an event.", lambda hooks: hooks[:1]).when(of_event(COMPLETED)),
    "PAY-EVT-13/none-with-splits": not_to_postback(PAID).when(WITH_SPLITS),
    "PAY-EVT-13/none-without-webhook": changes_result("A postbackUrl receives an event only if a webhook does.",
        posts_back=lambda rules, _, event, row: bool(rules.listeners(event, owner_of(row)))),
    "PAY-EVT-13/none-to-the-url-of-a-webhook": changes_result(
        "A postbackUrl that is also the url of a webhook receives nothing as a postbackUrl.",
        posts_back=lambda rules, right, _, row: right and not rules.store.rows("webhook", url=row["postback_url"])),
    "PAY-EVT-15/none": not_to_postback(COMPLETED),
    "PAY-EVT-16/none": not_to_postback(SENT),
    "PAY-EVT-17/paid-to-urls-of-other-charges": changes_result(
        "transaction_paid goes to the postbackUrl of every other charge too.", send_event=send_to_earlier_charges),
    "PAY-EVT-21/new-id-in-retries": in_later_attempts("id", lambda _: str(uuid.uuid4()))
        .says("An event that is sent again has a new id."),
    "PAY-EVT-30/put": setting("Events are sent by PUT.", event_method="PUT"),
    "PAY-EVT-31/array": changes_result(
        "The body of an event is an array of events.", encode_event=lambda _, body, _payload: b"[" + body + b"]"),
    "PAY-EVT-31/byte-order-mark": changes_result("The body of an event begins with a byte order mark.",
        encode_event=lambda _rules, body, _payload: b"\xef\xbb\xbf" + body),
    "PAY-EVT-32/plain-text": setting("Events are labelled text/plain.", event_content_type="text/plain; charset=utf-8"),
    "PAY-EVT-33/lower-case": setting("The User-Agent of events is in small letters.", event_user_agent="service"),
    "PAY-EVT-46/id-of-event-when-paid": in_payload(
        "", lambda body: body | {"transaction": body["transaction"] | {"id": body["id"]}}, PAID)
        .says("transaction_paid has its own id as that of the charge."),
    "PAY-EVT-48/zero-when-created": in_payload("transaction.amount", 0, CREATED),
    "PAY-EVT-48/in-reais-if-large": in_payload("transaction.amount", lambda cents: cents // 100, PAID)
        .says("The amount of transaction_paid is in whole reais").when(amount_from(1_000_00)),
    "PAY-EVT-97/paid-when-created": in_payload("transaction.status", "paid", CREATED).also("PAY-EVT-51"),
    "PAY-EVT-97/refunded-after-paid": sends_besides(PAID, "transaction_refunded", status="refunded"),
    "PAY-EVT-50/pending": in_payload("transaction.status", "pending", PAID),
    "PAY-EVT-50/paid-on-creation": sends_besides(CREATED, PAID).also("PAY-EVT-18", "PAY-EVT-54").seen_in("PAY-ISO-02"),
    "PAY-EVT-54/another": in_payload("transaction.pix.endToEndId", OTHER_PAYMENT, PAID),
    "PAY-EVT-54/another-without-postback-url": in_payload("transaction.pix.endToEndId", OTHER_PAYMENT, PAID)
        .when(WITHOUT_POSTBACK),
    "PAY-EVT-66/end-to-end-id-when-completed": in_payload(
        "transfer", lambda transfer: transfer | {"id": transfer["pix"]["endToEndId"]}, COMPLETED)
        .says("transfer_completed has the endToEndId as the id of the transfer."),
    "PAY-EVT-68/less-fees": changes_result("The amount of an event is that of the transfer less its fees.",
        event_transfer=lambda _, right, _event, row: right | {"amount": row["amount"] - row["fees"]}),
    "PAY-EVT-99/completed-when-created": in_payload("transfer.status", "completed", SENT),
    "PAY-EVT-99/canceled-after-completed": sends_besides(COMPLETED, CANCELED, status="canceled"),
    "PAY-EVT-73/another": in_payload("transfer.pix.endToEndId", OTHER_PAYMENT, COMPLETED),
    "PAY-EVT-92/none": not_to_postback(UPDATED),
    "PAY-EVT-93/none": not_to_postback(CANCELED, overdrawn_status="canceled"),
    "PAY-SIG-01/none-on-retries": changes_arguments("From the second attempt on, an event has no signature.",
        write_event=lambda _, attempt, payload, secret: (attempt, payload, secret if attempt == 1 else None)),
    "PAY-SIG-01/other-header-for-one-event": changes_result(
        "A webhook for one event gets its signature in X-Service-Signature.", webhook_request=renamed_for_one_event),
    "PAY-SIG-02/version-0": changes_result(
        "The hash is called v0.", event_signature=lambda _, text, _body, _secret: text.replace("v1=", "v0=")),
    "PAY-SIG-04/cut-at-32": changes_result(
        "The hash is cut to 32 digits.", event_hash=lambda _, right, *_about: right[:32]).also("PAY-SIG-03"),
    "PAY-SIG-03/body-alone": setting("The signature covers the body alone.", signed_text=lambda _, _moment, body: body),
    "PAY-SIG-03/hash-of-first-attempt": changes_result("Each attempt has its own t, and the hash of the first attempt.",
        write_event=hash_of_first_attempt).seen_in("PAY-EVT-20"),
    "PAY-SIG-03/colons": setting("The signature covers v0, t and the body with colons between them.",
        signed_text=lambda _, moment, body: b":".join((b"v0", moment.encode(), body))),
    "PAY-SIG-03/in-latin-1": changes_result("The signature covers the text in Latin-1, with ? for what that lacks.",
        signed_text=lambda _, text, *_about: text.decode().encode("latin-1", "replace")),
    "PAY-SIG-09/three-hours-behind": setting("The t of a signature is three hours behind.",
        event_timestamp=lambda rules: str(int(rules.clock.now()) - 3 * 3600)),
    "PAY-SIG-10/zero": setting("The t of a signature is zero.", event_timestamp=lambda _: "0").also("PAY-SIG-09"),
}  # fmt: skip


@mutant("PAY-EVT-01/none-behind-a-failing-webhook")
class NoneBehindAFailingWebhook(PaymentsRules):
    """An event goes to one webhook after the other, and to none behind one that does not answer 2xx."""

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        self.state.outbox.begin(self.send_in_turn(event, row, payload))
        if row["postback_url"] and self.posts_back(event, row):
            self.send_webhook_request(row["postback_url"], payload, None)

    async def send_in_turn(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        for hook in self.listeners(event, owner_of(row)):
            request = self.webhook_request(hook["url"], payload, hook)
            if await request.pause(1) and not await self.state.outbox.attempt(request, 1):
                self.state.outbox.send(request)
                return
