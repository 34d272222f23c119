"""Freedoms of the business charge API that a suite trips over: late effects, short lists, narrow texts, fees."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.store import Row

LATER_S, LISTED_S, POSTED_S = 1.8, 0.8, 9.0
PLANE, LATIN, SIGNS = 0x10000, 0x100, " .,:;-_/#@+()"


class ConfirmsLater(BusinessRules):
    """How soon a transition takes effect is not stated: polling tells (business.md, line 105)."""

    under_way: frozenset[asyncio.Task[None]] = frozenset()

    async def pay_charge(self, call: Call) -> Answer:
        """Accept now, pay soon."""
        ready = self.may_simulate(call.access) and self.may_pay(self.seen(call, self.owned(call)))
        return self._accepted(call, super().pay_charge) if ready else await super().pay_charge(call)

    def _accepted(self, call: Call, act: Callable[[Call], Awaitable[Answer]]) -> Answer:
        async def later() -> None:
            await asyncio.sleep(LATER_S)
            with suppress(Refusal):
                await act(call)

        self.under_way |= {asyncio.get_running_loop().create_task(later())}
        return Answer(202, {"accepted": True})


class ListsFifty(BusinessRules):
    """Up to 200 records may be fewer (business.md, line 110)."""

    list_limit = 50


class ListsBriefly(BusinessRules):
    """The table of fields is headed as that of creation and query: rows of a list are shorter."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show what one chooses by."""
        view = super().charge_view(call, charge)
        brief = ("id", "status", "amount_cents") if call.operation == "list_charges" else view
        return {name: view[name] for name in brief}


class ListsLater(BusinessRules):
    """How soon a new charge is listed is not stated (business.md, line 110): after a moment."""

    def list_view(self, call: Call, charges: list[Row]) -> Any:
        """Leave out the newest ones."""
        shown_until = self.clock.now() - LISTED_S
        return super().list_view(call, [one for one in charges if one["created_at"] <= shown_until])


class StampsApart(BusinessRules):
    """Charges made at one moment have no order of their own: the clocks of several machines are a little apart."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Take the time of one of them."""
        charge, apart = super().new_charge(access, read), random.random() * 0.3  # noqa: S311  # skew
        return charge | {name: charge[name] - apart for name in ("created_at", "expires_at")}


class TakesPrintableTexts(BusinessRules):
    """Only the length of a text is stated; a service may refuse characters that cannot be printed or kept."""

    def is_storable(self, key: str, text: str) -> bool:
        """Refuse controls, marks of direction and all beyond the first plane."""
        return super().is_storable(key, text) and all(one.isprintable() and ord(one) < PLANE for one in text)


class TakesTrimmedTexts(BusinessRules):
    """Only the length of a text is stated; a service may refuse blanks around it."""

    def is_storable(self, key: str, text: str) -> bool:
        """Refuse what trimming would change."""
        return super().is_storable(key, text) and text == text.strip()


class TakesLatinTexts(BusinessRules):
    """Only the length of a text is stated; a service may take letters of its own language, digits and a few signs."""

    def is_storable(self, key: str, text: str) -> bool:
        """Refuse what is not of Latin-1, and signs that mean something to other syntaxes."""
        return super().is_storable(key, text) and all(
            ord(one) < LATIN and (one.isalnum() or one in SIGNS) for one in text
        )


class PostsNet(BusinessRules):
    """Whether the ledger shows the gross or the net amount is not stated: the net, its fee apart."""

    def capture(self, charge: Row) -> None:
        """Keep one per cent."""
        fee = charge["amount"] // 100 + 1
        owner = Access(charge["account"], charge["environment"])
        net = charge["amount"] - fee
        self.post(owner, "payment.captured", "net", ("psp_clearing", DEBIT, net), ("merchant_available", CREDIT, net))
        self.post(owner, "payment.fee", "fee", ("psp_clearing", DEBIT, fee), ("service_fees", CREDIT, fee))


class PostsOnSettlement(BusinessRules):
    """When a payment is posted is not stated: on settlement, a day later."""

    def capture(self, charge: Row) -> None:
        """Leave the ledger as it is."""


class PostsLater(BusinessRules):
    """When a payment is posted is not stated: some seconds later."""

    def capture(self, charge: Row) -> None:
        """Post when others have had their turn."""
        asyncio.get_running_loop().call_later(random.random() * POSTED_S, super().capture, charge)  # noqa: S311  # jitter


FREEDOMS = [
    Freedom("business-confirmation", ("BUS-PAY-03",), {"later": ConfirmsLater}),
    Freedom("business-list-size", ("BUS-LIST-15",), {"fifty": ListsFifty}),
    Freedom("business-rows", ("BUS-LIST-11",), {"brief": ListsBriefly}),
    Freedom("business-listing", ("BUS-LIST-01", "BUS-LIST-10"), {"later": ListsLater}),
    Freedom("business-clocks", ("BUS-LIST-08", "BUS-LIST-10"), {"apart": StampsApart}),
    Freedom(
        "business-texts",
        ("BUS-CHG-39",),
        {"printable": TakesPrintableTexts, "trimmed": TakesTrimmedTexts, "latin": TakesLatinTexts},
    ),
    Freedom(
        "business-ledger",
        ("BUS-FIN-19", "BUS-FIN-20"),
        {"net": PostsNet, "settlement": PostsOnSettlement, "later": PostsLater},
    ),
]
