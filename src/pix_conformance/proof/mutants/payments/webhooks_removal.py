"""Mutants of PAY-WH: the removal of a webhook."""

import asyncio
import re
from typing import Any

from pix_conformance.proof.mutants.operators.payments.ids import ChokesOnIds, choking_on, is_huge
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, answering, refusing
from pix_conformance.proof.mutants.operators.payments.responses import shapes
from pix_conformance.proof.mutants.operators.payments.time import OLD
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class HookRemoved204(PaymentsRules):
    """A removal is answered 204 without a body."""

    breaks = ("PAY-WH-60",)
    group = "state"

    async def delete_webhook(self, call: Call) -> Answer:
        """Answer the other status."""
        await super().delete_webhook(call)
        return Answer(204, None)

    def encode(self, call: Call, body: Any) -> bytes:
        """Send no bytes for nothing."""
        return b"" if body is None else super().encode(call, body)


globals().update(
    shapes(__name__, "HookRemoval", "delete_webhook", {
        "success": ("PAY-WH-61", "true"),
    })
)  # fmt: skip


class HookKeptInList(PaymentsRules):
    """A removed webhook stays in the list, and receives nothing."""

    breaks = ("PAY-WH-62", "PAY-WH-64")
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Switch it off instead."""
        return self.store.update("webhook", {"is_active": 0}, id=hook["id"]) == 1

    def is_still_registered(self, hook: Row) -> bool:
        """Look at the switch."""
        return self.store.find("webhook", id=hook["id"], is_active=1) is not None


class HookRemovedLater(PaymentsRules):
    """A webhook is removed a second after its removal was confirmed."""

    breaks = ("PAY-WH-62", "PAY-WH-64")
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Begin to wait."""
        self.world.outbox.begin(self._remove(hook))
        return True

    async def _remove(self, hook: Row) -> None:
        await asyncio.sleep(1)
        self.store.delete("webhook", id=hook["id"])


class HookRemovalWithoutEffect(PaymentsRules):
    """A removal is confirmed, and removes nothing."""

    breaks = ("PAY-WH-62", "PAY-WH-63", "PAY-WH-64")
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Leave it."""
        del hook
        return True


class RemovedHooksComeBack(PaymentsRules):
    """The removal of a webhook wears off."""

    breaks = ("PAY-WH-62",)
    seen_in = ("PAY-PAYS-01",)
    group = "time"

    def remove_webhook(self, hook: Row) -> bool:
        """Remember it."""
        self.__dict__.setdefault("gone", []).append((self.clock.now(), hook))
        return super().remove_webhook(hook)

    def hooks_of(self, call: Call) -> list[Row]:
        """List it again."""
        back = [hook for since, hook in self.__dict__.get("gone", []) if self.clock.now() - since > OLD]
        own = (call.access.account, call.access.environment)
        return super().hooks_of(call) + [hook for hook in back if (hook["account"], hook["environment"]) == own]


class HookRemovalHides(PaymentsRules):
    """A removed webhook is no longer listed, and still receives events."""

    breaks = ("PAY-WH-63",)
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Hide it from its owner."""
        return self.store.update("webhook", {"name": "removed"}, id=hook["id"]) == 1

    def hooks_of(self, call: Call) -> list[Row]:
        """Leave out what is hidden."""
        return [hook for hook in super().hooks_of(call) if hook["name"] != "removed"]

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Do not find it either."""
        row = super().owned(call, table, number)
        if table == "webhook" and row["name"] == "removed":
            raise self.not_found(call)
        return row


globals().update(
    family(__name__, "state", RefusesOtherwise, {
        "UnknownRemovalBadRequest": ("The removal of an unknown webhook is refused with 400.", "PAY-WH-64",
            refusing("missing", "delete_webhook", answering(400))),
        "UnknownRemovalConfirmed": ("The removal of an unknown webhook is confirmed.", "PAY-WH-64",
            refusing("missing", "delete_webhook", lambda _: Answer(200, {"success": True}))),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "HugeNumberBreaksRemoval": ("The removal of a webhook by a number beyond 64 bits ends in a 500.",
            "PAY-WH-64 PAY-ERR-12", choking_on("delete_webhook", is_huge)),
    })
)  # fmt: skip


class HookRemovalOfAll(PaymentsRules):
    """The removal of one webhook removes all of its account."""

    breaks = ("PAY-WH-66",)
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Forget the id."""
        return self.store.delete("webhook", account=hook["account"], environment=hook["environment"]) > 0


class HookRemovalOfNeighbours(PaymentsRules):
    """The removal of one webhook removes those with the same events."""

    breaks = ("PAY-WH-66",)
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Look by events."""
        return self.store.delete("webhook", account=hook["account"], events=hook["events"]) > 0


class RemovesWholeUrl(PaymentsRules):
    """The removal of a webhook takes all others of its url along."""

    breaks = ("PAY-WH-66",)
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Remove by url."""
        return self.store.delete("webhook", url=hook["url"], account=hook["account"]) > 0


class HookRemovedByPrefix(PaymentsRules):
    """A removal reads the digits that an id begins with."""

    breaks = ("PAY-WH-69",)
    group = "state"

    def webhook_number(self, text: str) -> int:
        """Ignore what follows them."""
        found = re.match(r"\d{1,17}", text)
        return int(found[0]) if found else 0
