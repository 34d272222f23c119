"""Rules that hold in the sandbox alone, or for creations that come one after the other."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.business.errors import owner_of
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row

WINDOW_S = 0.02


class BusLivePayToldState(BusinessRules):
    """Paying a canceled production charge is refused for its state, not for the environment."""

    group = "isolation"
    breaks = ("BUS-PAY-09",)

    async def pay_charge(self, call: Call) -> Answer:
        """Look at the state first."""
        row = self.owned(call)
        if not call.access.is_sandbox and row["status"] == "canceled":
            raise self.not_possible(call, row)
        return await super().pay_charge(call)


class BusLivePayCaptures(BusinessRules):
    """A simulation that is refused in production is captured there."""

    group = "isolation"
    breaks = ("BUS-ENV-05",)

    async def pay_charge(self, call: Call) -> Answer:
        """Capture before the refusal."""
        row = self.owned(call)
        if not call.access.is_sandbox and row["status"] == "pending":
            self.capture(row)
        return await super().pay_charge(call)


class BusLiveCanceledTwice(BusinessRules):
    """In production a second cancel succeeds as the first did."""

    group = "isolation"
    breaks = ("BUS-CAN-05",)

    async def cancel_charge(self, call: Call) -> Answer:
        """Show the charge again."""
        row = self.owned(call)
        if not call.access.is_sandbox and row["status"] == "canceled":
            return Answer(200, self.cancel_view(call, row))
        return await super().cancel_charge(call)


class BusLiveFilterIgnored(BusinessRules):
    """In production a list ignores its filter."""

    group = "isolation"
    breaks = ("BUS-LIST-02",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """List all."""
        return super().listed(access, status if access.is_sandbox else None)


class BusLiveListAfterLimit(BusinessRules):
    """A list holds what is of its environment among the newest 200 charges of the account in both."""

    group = "limits"
    breaks = ("BUS-LIST-07",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Choose among those."""
        where = {"account": access.account} | ({} if status is None else {"status": status})
        found = self.store.rows("business_charge", self.list_order(), self.list_limit, **where)
        return [row for row in found if owner_of(row) == access]


class BusLiveKeysIgnored(BusinessRules):
    """In production an idempotency key means nothing."""

    group = "idempotency"
    breaks = ("BUS-IDEM-03",)

    def idempotency_key(self, call: Call) -> str | None:
        """Read it in the sandbox."""
        return super().idempotency_key(call) if call.access.is_sandbox else None


class BusLiveConflictReplays(BusinessRules):
    """In production a key with another body is answered with its first charge."""

    group = "idempotency"
    breaks = ("BUS-IDEM-04",)

    def repeated(self, call: Call, earlier: Row, fingerprint: str) -> Answer:
        """Compare in the sandbox."""
        if not call.access.is_sandbox:
            return self.replay(call, earlier)
        return super().repeated(call, earlier, fingerprint)


class ReadsLive(BusinessRules):
    """Reads some field of a production charge otherwise."""

    field = ""

    async def create_charge(self, call: Call) -> Answer:
        """Remember the environment while the body is read."""
        self.__dict__["sandbox"] = call.access.is_sandbox
        return await super().create_charge(call)

    def complaint(self, key: str, value: Any, field: Any) -> str | None:
        """Take anything in production."""
        free = key == self.field and not self.__dict__.get("sandbox", True)
        return None if free else super().complaint(key, value, field)


class BusLiveDescriptionUnlimited(ReadsLive):
    """In production a description may have any length."""

    group = "limits"
    breaks = ("BUS-CHG-16",)
    field = "description"


class BusLiveAmountOfNothing(ReadsLive):
    """In production an amount may be nothing."""

    group = "limits"
    breaks = ("BUS-CHG-04",)
    field = "amount_cents"


class BusLiveEmailForgotten(BusinessRules):
    """In production the e-mail of a charge is not kept."""

    group = "schema"
    breaks = ("BUS-CHG-59",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Leave it out."""
        return super().new_charge(access, read if access.is_sandbox else {**read, "customer_email": None})


class BusSimultaneousConflictReplays(BusinessRules):
    """Of different bodies sent under one new key at once each is answered with the charge of the first."""

    group = "concurrency"
    breaks = ("BUS-IDEM-04",)

    async def once(self, call: Call, body: Any, effect: Callable[[], Answer]) -> Answer:
        """Compare bodies where the key was used when the call came."""
        key = self.idempotency_key(call)
        used = key is not None and self.earlier(call, key) is not None
        await asyncio.sleep(WINDOW_S)
        first = None if key is None or used else self.earlier(call, key)
        if first is not None:
            return Answer(first["status"], json.loads(first["body"]))
        return await super().once(call, body, effect)


class BusSandboxListsPendingOfLive(BusinessRules):
    """The list of pending sandbox charges holds those of production too."""

    group = "isolation"
    breaks = ("BUS-ENV-04",)

    def listed(self, access: Access, status: str | None) -> list[Row]:
        """Leave the environment out."""
        if not access.is_sandbox or status != "pending":
            return super().listed(access, status)
        where = {"account": access.account, "status": status}
        return self.store.rows("business_charge", self.list_order(), self.list_limit, **where)
