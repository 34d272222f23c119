"""Freedoms of the payments API at the open points beside its requests: tokens, errors, rates, webhooks, events."""

from __future__ import annotations

import ipaddress
import json
import uuid
from typing import Any
from urllib.parse import urlsplit

from pix_conformance.proof.variants.payments_habits import AsksPostbacks
from pix_conformance.proof.variants.payments_people import AsksAddresses
from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

NO_MONEY = "the balance does not suffice"
LIVES_S = 45
"""Seconds of the clock after which an unpaid charge is canceled."""


class WantsMoney(PaymentsRules):
    """No rule and no code is shown for a transfer beyond the balance: one of its own, as for no bad body."""

    refuses_without_funds = True

    def open_transfer(self, call: Call, read: dict[str, Any]) -> Answer:
        """Refuse in other words."""
        try:
            return super().open_transfer(call, read)
        except Refusal:
            raise Refusal("invalid", NO_MONEY) from None

    def error_code(self, refusal: Refusal) -> str:
        """Have a code for it."""
        return "INSUFFICIENT_FUNDS" if refusal.message == NO_MONEY else super().error_code(refusal)


class CancelsOverdrawn(PaymentsRules):
    """No rule is shown for a transfer beyond the balance: taken, then canceled (payments.md, lines 191 and 328)."""

    overdrawn_status = "canceled"


class RefusesOverdrawn(PaymentsRules):
    """No rule is shown for a transfer beyond the balance: taken, then refused (payments.md, lines 192 and 328)."""

    overdrawn_status = "refused"


class FindsNothing(PaymentsRules):
    """What a method gets that a path does not have is not shown: 404, as an unknown path."""

    def no_route(self, methods: list[str]) -> Refusal:
        """Find nothing."""
        return super().no_route([] if methods else methods)


class RefusesBodies(PaymentsRules):
    """No body is accepted, says the document of three routes: what one gets is not shown."""

    async def serve(self, call: Call) -> Answer:
        """Refuse it, once the caller is known."""
        answer = super().serve
        self.find_route(call)
        if call.body and call.operation in {"authenticate", "pay_charge", "complete_transfer"}:
            raise self.invalid("body", "is not accepted")
        return await answer(call)


class SchemesAsWritten(PaymentsRules):
    """Whether the schemes have a case is not shown."""

    def basic_pair(self, header: str) -> tuple[str, str] | None:
        """Insist on the capital."""
        return super().basic_pair(header) if header.startswith("Basic ") else None

    def authorize(self, call: Call) -> Access:
        """Insist on the capital."""
        if not call.headers.get("authorization", "").startswith("Bearer "):
            raise self.unauthorized("token is missing, invalid or expired")
        return super().authorize(call)


class NamesScopes(PaymentsRules):
    """Scopes of a credential are not shown."""

    def token_claims(self, access: Access) -> dict[str, Any]:
        """Say some, and when the token ends."""
        claims = super().token_claims(access)
        return claims | {"scope": "pix.in pix.out", "expires": claims["iat"] + self.token_lifetime_ms / 1000}


class LooksFirst(PaymentsRules):
    """Which of two errors comes first is not shown: the other one than the token."""

    def authorize(self, call: Call) -> Access:
        """Refuse for the body or the id first."""
        try:
            return super().authorize(call)
        except Refusal:
            if call.operation == "create_charge":
                self.read_charge(self.json_body(call))
            if call.operation == "get_charge" and not self.knows_charge(call.params["id"]):
                raise self.not_found(call) from None
            raise


class LimitsNowAndThen(PaymentsRules):
    """Calls beyond a rate that is not shown get 429, without a word of when to come again (payments.md, line 373)."""

    limited_each = 150
    served = 12

    def limit_rate(self, call: Call) -> None:
        """Refuse one call of many."""
        super().limit_rate(call)
        self.served += 1
        if self.served % self.limited_each == 15:  # noqa: PLR2004  # the third call is one of them
            raise Refusal("limited", "too many requests")


class AnnouncesChanges(PaymentsRules):
    """How a deprecation is announced is not shown."""

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Tell of a sunset."""
        return super().headers(call, answer) | {"sunset": "Fri, 31 Dec 2038 23:59:59 GMT"}


class CancelsUnpaid(PaymentsRules):
    """Transitions beside those of the table are not shown: an unpaid charge is canceled after a while."""

    def owned(self, call: Call, table: str, number: object) -> Row:
        """See its age."""
        row = super().owned(call, table, number)
        if table != "payments_charge" or row["status"] != "pending":
            return row
        if self.clock.now() - row["created_at"] > LIVES_S:
            with self.store.transaction():
                if self.claim_charge(row, {"status": "canceled"}):
                    self.emit("transaction_updated", "transaction", row | {"status": "canceled"})
        return super().owned(call, table, number)


class OtherEnvironments(PaymentsRules):
    """A simulation of the own production charge may be refused as forbidden or as not found."""

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Say whose it is not."""
        try:
            return super().owned(call, table, number)
        except Refusal:
            row = self.store.find(table, id=number)
            if call.operation == "pay_charge" and row and row["account"] == call.access.account:
                raise Refusal("forbidden", "the charge belongs to another environment") from None
            raise


class SharesWebhooks(PaymentsRules):
    """Company data, balance, charges and transfers are separate; webhooks are not named."""

    def hooks_of(self, call: Call) -> list[Row]:
        """Show those of both environments."""
        return self.store.rows("webhook", "id", account=call.access.account)


class SharesEvents(SharesWebhooks):
    """Company data, balance, charges and transfers are separate; the events that webhooks receive are not named."""

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Send to those of both environments."""
        hooks = self.store.rows("webhook", account=owner.account, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]


class UniqueWebhooks(PaymentsRules):
    """Whether an address or an event may be named twice is not shown."""

    def new_webhook(self, call: Call, read: dict[str, Any]) -> Row:
        """Refuse both."""
        if any(hook["url"] == read["url"] for hook in self.hooks_of(call)):
            raise self.invalid("url", "is registered already")
        if len(set(read["events"])) < len(read["events"]):
            raise self.invalid("events", "must differ")
        return super().new_webhook(call, read)


class PublicHosts(PaymentsRules):
    """Whether an address is refused for its host is not shown: only public names at the usual port are taken."""

    def judge_webhook_url(self, value: str) -> str | None:
        """Refuse this machine and addresses of numbers."""
        return super().judge_webhook_url(value) or _not_public(value)

    def judge_charge_postback(self, value: str) -> str | None:
        """Likewise."""
        return super().judge_charge_postback(value) or _not_public(value)

    def judge_transfer_postback(self, value: str) -> str | None:
        """Likewise."""
        return super().judge_transfer_postback(value) or _not_public(value)


class PublicPostbacks(PublicHosts):
    """Whether an address is refused for its host is not shown: that of a webhook is not."""

    def judge_webhook_url(self, value: str) -> str | None:
        """Take this machine too."""
        return PaymentsRules.judge_webhook_url(self, value)


def _not_public(value: str) -> str | None:
    parts = urlsplit(value)
    host = parts.hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        public = "." in host and not host.endswith((".invalid", ".local")) and parts.port in {None, 443}
        return None if public else "must be a public address"
    return "must be a public address"


class NumbersOnly(PaymentsRules):
    """What an id that is no number gets is not shown."""

    def webhook_number(self, text: str) -> int:
        """Refuse it as no id."""
        if not text.isdecimal():
            raise self.invalid("id", "must be a number")
        return super().webhook_number(text)


class OneScope(PaymentsRules):
    """What the scope says is not shown."""

    def event_scope(self, kind: str) -> str:  # noqa: ARG002  # the same for all
        """Name the product."""
        return "pix"


class IdsOfThings(PaymentsRules):
    """The id of a payload is called a UUID without saying of what: of the charge or transfer."""

    def event_id(self, event: str, row: Row) -> str:  # noqa: ARG002  # the same for all
        """Be the same in every event about it."""
        return str(uuid.uuid5(uuid.NAMESPACE_OID, row["id"]))


class OpensInfractions(PaymentsRules):
    """An infraction comes by itself, and of its status only a sample is shown."""

    def settle(self, charge: Row) -> None:
        """Have the payer complain."""
        super().settle(charge)
        self.emit("infraction", "transaction", charge)

    def event_payload(self, event: str, kind: str, row: Row) -> dict[str, Any]:
        """Describe the complaint."""
        payload = super().event_payload(event, kind, row)
        if event != "infraction":
            return payload
        pix = {"endToEndId": row["end_to_end_id"]}
        case = {"id": str(uuid.uuid4()), "amount": row["amount"], "status": "ANALYSIS", "pix": pix}
        disputed = payload["transaction"] | {"status": "infraction"}
        return payload | {"type": "infraction", "infraction": case, "transaction": disputed}


class SignsPostbacks(PaymentsRules):
    """Whether a postback is signed, and with what, is not shown."""

    def send_letter(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Sign with a secret of the account."""
        super().send_letter(url, payload, {"id": None, "secret": "of-the-account"} if hook is None else hook)

    def is_still_registered(self, hook: Row) -> bool:
        """Keep a postback address."""
        return hook["id"] is None or super().is_still_registered(hook)


class SignsAnew(PaymentsRules):
    """Whether a repeated event is signed anew is not shown: so it is, more than a second later."""

    event_first_retry_seconds = 1.2


class SignsOnce(SignsAnew):
    """Whether a repeated event is signed anew is not shown: the first signature stays."""

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> tuple[bytes, dict[str, str]]:
        """Keep what was written first, for each secret."""
        kept: dict[str, tuple[bytes, dict[str, str]]] = self.__dict__.setdefault("_written", {})
        name = json.dumps([payload["id"], payload["event"], secret])
        return kept.setdefault(name, super().write_event(attempt, payload, secret))


FREEDOMS = [
    Freedom("payments-money", ("PAY-TRF-10",), {"own-code": WantsMoney}),
    Freedom("payments-overdrawn", ("PAY-TRF-10",), {"canceled": CancelsOverdrawn, "refused": RefusesOverdrawn}),
    Freedom("payments-methods", ("PAY-GEN-11",), {"unknown": FindsNothing}),
    Freedom("payments-no-body", ("PAY-AUTH-20", "PAY-PAYS-17", "PAY-CMP-17"), {"refused": RefusesBodies}),
    Freedom("payments-schemes", ("PAY-AUTH-23",), {"written": SchemesAsWritten}),
    Freedom("payments-claims", ("PAY-AUTH-24",), {"scopes": NamesScopes}),
    Freedom("payments-order", ("PAY-ERR-14",), {"token-last": LooksFirst}),
    Freedom("payments-limited", ("PAY-RATE-02", "PAY-RATE-03"), {"silent": LimitsNowAndThen}),
    Freedom("payments-sunset", ("PAY-VER-03",), {"told": AnnouncesChanges}),
    Freedom("payments-unpaid", ("PAY-CHG-76",), {"canceled": CancelsUnpaid}),
    Freedom("payments-environments", ("PAY-ENV-06",), {"forbidden": OtherEnvironments}),
    Freedom("payments-shared-webhooks", ("PAY-ENV-07",), {"shared": SharesWebhooks}),
    Freedom("payments-shared-events", ("PAY-ENV-07", "PAY-ENV-18"), {"shared": SharesEvents}),
    Freedom("payments-unique-webhooks", ("PAY-WH-13",), {"unique": UniqueWebhooks}),
    Freedom(
        "payments-hosts",
        ("PAY-WH-14",),
        {"public": PublicHosts, "postbacks": PublicPostbacks, "asked": AsksAddresses, "asked-back": AsksPostbacks},
    ),
    Freedom("payments-webhook-ids", ("PAY-WH-65",), {"numbers": NumbersOnly}),
    Freedom("payments-scope", ("PAY-EVT-58",), {"one": OneScope}),
    Freedom("payments-event-ids", ("PAY-EVT-59",), {"things": IdsOfThings}),
    Freedom("payments-infractions", ("PAY-EVT-90",), {"opened": OpensInfractions}),
    Freedom("payments-postback-signature", ("PAY-SIG-07",), {"signed": SignsPostbacks}),
    Freedom("payments-signed-again", ("PAY-SIG-08",), {"anew": SignsAnew, "once": SignsOnce}),
]
