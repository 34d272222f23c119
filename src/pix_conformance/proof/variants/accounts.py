"""Freedoms of accounts that others work with, and of what they hold: foreign traffic, ledgers, pages, tokens, races."""

from __future__ import annotations

import asyncio
import base64
import random
import secrets
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference import formats
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.idempotency import OnceRules
from pix_conformance.reference.ledger import CREDIT
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row

PAGE, OFTEN, UNDER_WAY_S = 10, 0.4, 0.02
QUERY_LAG_S = 1.5
MORE_CENTS = 131_337
"""By how much theirs differ from ours: by so much that none of theirs has the amount of another one of ours."""


def _in_book_of(row: Row, number: str) -> str:
    """Return an id with the prefix that other variants give to ids of one account or environment, if any."""
    book, slash, _ = row["id"].rpartition("/")
    return f"{book}{slash}{number}"


class PaymentsColleagues(PaymentsRules):
    """Others may use the account as well: events of their charges and transfers come to its webhooks."""

    def emit(self, event: str, kind: str, row: Row) -> None:
        """Let some of theirs follow."""
        super().emit(event, kind, row)
        theirs = row | {"amount": row["amount"] + MORE_CENTS, "postback_url": None}
        if event == "transaction_created" and random.random() < OFTEN:  # noqa: S311  # by chance, not a secret
            theirs |= {
                "id": _in_book_of(row, self.new_charge_id()),
                "payer_name": "Joana Lima",
                "end_to_end_id": self._e2e(),
            }
            self.keep("payments_charge", theirs | {"status": "refunded"})
            for name, status in (("created", "pending"), ("paid", "paid"), ("refunded", "refunded")):
                super().emit(f"transaction_{name}", kind, theirs | {"status": status})
        if event == "transfer_created":
            theirs |= {"id": _in_book_of(row, self.new_transfer_id()), "status": "canceled"}
            self.keep("transfer", theirs)
            super().emit("transfer_canceled", kind, theirs)

    def keep(self, table: str, row: Row) -> None:
        """Let queries find it."""
        self.store.insert(table, row)

    def _e2e(self) -> str:
        return formats.end_to_end_id(self.clock.now())


class PaymentsLateColleagues(PaymentsColleagues):
    """Others may use the account as well: a query finds what they made a moment after its events."""

    def keep(self, table: str, row: Row) -> None:
        """Wait with it."""
        self.store.after_commit(lambda: self.world.mail.begin(self._keep_later(table, row)))

    async def _keep_later(self, table: str, row: Row) -> None:
        await asyncio.sleep(QUERY_LAG_S)
        self.store.insert(table, row)


class BusinessColleagues(BusinessRules):
    """Others may use the account as well: they create, cancel and are paid charges, with and without a label."""

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Let some of theirs follow."""
        answer = super().open_charge(call, read)
        if random.random() < OFTEN:  # noqa: S311  # by chance, not a secret
            cents = read["amount_cents"] + MORE_CENTS
            paid = self._made(call.access, read | {"external_ref": None, "amount_cents": cents})
            changes = self.paid_changes(paid)
            self.claim_charge(paid, changes)
            self.capture(paid | changes)
            self.emit("business.pix.paid", paid | changes)
            lost = self._made(call.access, read | {"external_ref": "colleague", "amount_cents": cents + 1})
            self.claim_charge(lost, {"status": "canceled"})
            self.emit("business.pix.canceled", lost | {"status": "canceled"})
        return answer

    def _made(self, access: Access, read: dict[str, Any]) -> Row:
        charge = self.new_charge(access, read)
        self.store.insert("business_charge", charge)
        self.emit("business.pix.created", charge)
        return charge


class ShowsOwnEntries(BusinessRules):
    """Which entries a posting shows is not stated: that of the merchant's account alone."""

    def capture(self, charge: Row) -> None:
        """Post one entry."""
        self.post(owner_of(charge), "pix.in", "", ("merchant_available", CREDIT, charge["amount"]))


class NullReserve(BusinessRules):
    """The reserve is shown if it applies to the account (business.md, line 52): null otherwise."""

    def finance_view(self, access: Access) -> dict[str, Any]:
        """Have none."""
        return super().finance_view(access) | {"reserve_cents": None}


class StampsByEpoch(BusinessRules):
    """Of an event and a posting only a timestamp is said (business.md, lines 62 and 153): epoch seconds."""

    def posting_view(self, posting: Row) -> dict[str, Any]:
        """Write them as a string."""
        return super().posting_view(posting) | {"created_at": str(int(posting["created_at"]))}

    def event_payload(self, event: str, row: Row) -> dict[str, Any]:
        """Write them as a number."""
        return super().event_payload(event, row) | {"created_at": int(self.clock.now())}


class PagesByNumber(PaymentsRules):
    """Query parameters for paging are not shown (payments.md, line 280): page and limit, newest first, pages from 0."""

    def webhook_list(self, call: Call, hooks: list[Row]) -> dict[str, Any]:
        """Cut the list into pages of ten, or of the limit."""
        size = self.query_number(call, "limit", PAGE) or PAGE
        offset = (max(1, self.query_number(call, "page", 1)) - 1) * size
        page = [self.webhook_view(call, hook) for hook in hooks[::-1][offset : offset + size]]
        pagination = self.pagination_view(offset, size, len(hooks))
        return {"webhooks": page, "pagination": pagination | {"currentPage": pagination["currentPage"] - 1}}


class FirstPageOnly(PaymentsRules):
    """Query parameters for paging are not shown (payments.md, line 280), and none has to be: the newest ten."""

    def webhook_list(self, call: Call, hooks: list[Row]) -> dict[str, Any]:
        """Show one page."""
        page = [self.webhook_view(call, hook) for hook in hooks[::-1][:PAGE]]
        return {"webhooks": page, "pagination": self.pagination_view(0, PAGE, len(hooks))}


class EncryptedTokens(PaymentsRules):
    """A JWT may be encrypted (RFC 7519, section 3): five parts, of which nothing can be read."""

    def __init__(self, world: World) -> None:
        """Have given out none."""
        super().__init__(world)
        self._given: dict[str, dict[str, Any]] = {}

    def make_token(self, access: Access) -> str:
        """Give random parts behind a head."""
        head = base64.urlsafe_b64encode(b'{"alg":"RSA-OAEP","enc":"A256GCM"}').decode().rstrip("=")
        token = ".".join([head, *(secrets.token_urlsafe(size) for size in (48, 12, 60, 16))])
        self._given[token] = self.token_claims(access)
        return token

    def read_token(self, token: str) -> dict[str, Any] | None:
        """Know it again."""
        return self._given.get(token)


class DirectlyEncryptedTokens(EncryptedTokens):
    """A JWT may be encrypted with a shared key (RFC 7518, section 4.5): five parts, of which the second is empty."""

    def make_token(self, access: Access) -> str:
        """Leave out the key."""
        given = super().make_token(access)
        head, _, *rest = given.split(".")
        token = ".".join([head, "", *rest])
        self._given[token] = self._given.pop(given)
        return token


class TokensOfASecond(PaymentsRules):
    """What tells tokens apart is not shown: their second, so that those of one second are the same."""

    def token_claims(self, access: Access) -> dict[str, Any]:
        """Have no id."""
        claims = super().token_claims(access)
        return {"sub": claims["sub"], "environment": claims["environment"], "iat": int(claims["iat"])}


class KeepsKeysBusy(OnceRules):
    """While the first request of a key is under way, its key conflicts."""

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Refuse the second at once."""
        busy: set[tuple[str, str]] = self.__dict__.setdefault("busy_keys", set())
        name = self.idempotency_key(call)
        key = call.access.book, name or ""
        if key in busy:
            raise self.key_conflict()
        if name is not None:
            busy.add(key)
        try:
            await asyncio.sleep(UNDER_WAY_S if name is not None else 0)
            return await super().once(call, body, effect)
        finally:
            busy.discard(key)


class PaymentsKeepsKeysBusy(KeepsKeysBusy, PaymentsRules):
    """A retry creates no duplicate (payments.md, lines 298-302): while the first is under way its key conflicts."""


class BusinessKeepsKeysBusy(KeepsKeysBusy, BusinessRules):
    """What a repetition gets before there is an original response is not said: its key conflicts."""


FREEDOMS = [
    Freedom("payments-colleagues", ("PAY-BAL-10",), {"events": PaymentsColleagues, "late": PaymentsLateColleagues}),
    Freedom("business-busy-keys", ("BUS-IDEM-12",), {"conflict": BusinessKeepsKeysBusy}),
    Freedom("business-colleagues", ("BUS-FIN-20",), {"charges": BusinessColleagues}),
    Freedom("business-entries", ("BUS-FIN-19",), {"own": ShowsOwnEntries}),
    Freedom("business-no-reserve", ("BUS-FIN-06",), {"null": NullReserve}),
    Freedom("business-stamps", ("BUS-FIN-21",), {"epoch": StampsByEpoch}),
    Freedom("payments-pages", ("PAY-WH-57",), {"numbered": PagesByNumber, "first": FirstPageOnly}),
    Freedom(
        "payments-tokens",
        ("PAY-AUTH-24",),
        {"encrypted": EncryptedTokens, "direct": DirectlyEncryptedTokens, "of-a-second": TokensOfASecond},
    ),
    Freedom("payments-busy-keys", ("PAY-IDEM-05",), {"conflict": PaymentsKeepsKeysBusy}),
]
