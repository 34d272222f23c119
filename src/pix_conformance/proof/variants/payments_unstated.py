"""Freedoms of the payments API where a name or an example suggests more than a sentence of the document states."""

from __future__ import annotations

import asyncio
import time
from typing import Any, ClassVar

from pix_conformance.proof.variants.payments_open import ADDRESS, OneSplitEach, StrictAddresses
from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row

SERVED_S = 0.05
"""How long a simulation takes: requests that are sent at the same time overlap."""


class SharesOfStrangersStay(PaymentsRules):
    """What becomes of the share of an e-mail that no company has is not stated: it stays with the payee."""

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """Share with known companies only."""
        shares = super().split_shares(charge, net)
        return [(email, cents) for email, cents in shares if self.company(email, charge["environment"])]


class NoCompanyIsNamed(SharesOfStrangersStay):
    """No company that may receive splits has to be named: none is, and the shares of others stay with the payee."""

    def __init__(self, world: World) -> None:
        """Name none."""
        world.accounts.split_email = ""
        super().__init__(world)


class OneShareEach(OneSplitEach, SharesOfStrangersStay):
    """Whether one company may have two splits is not shown: it may not, and the share of a stranger stays."""


class KnownKeysOnly(PaymentsRules):
    """A destination key is one that somebody has: a transfer to a key that nobody registered is refused."""

    def judge_pix_key(self, value: str) -> str | None:
        """Look it up once its form is right."""
        unknown = value != self.world.accounts.transfer_key
        return super().judge_pix_key(value) or ("is not registered" if unknown else None)


class NoKeyIsNamed(KnownKeysOnly):
    """No key that may receive transfers has to be named: none is, and those that nobody registered are refused."""

    def __init__(self, world: World) -> None:
        """Name none."""
        world.accounts.transfer_key = ""
        super().__init__(world)


class KnownKeysLater(PaymentsRules):
    """A destination key is one that somebody has: the bank refuses a transfer to another one after its approval."""

    async def approve(self, transfer: Row) -> None:
        """Refuse it as soon as the bank has looked."""
        await super().approve(transfer)
        if transfer["pix_key"] != self.world.accounts.transfer_key:
            with self.store.transaction():
                now = self.store.find("transfer", id=transfer["id"]) or transfer
                changes = {"status": "refused", "updated_at": self.clock.now()}
                if now["status"] != "completed" and self.claim_transfer(now, changes):
                    self.emit("transfer_canceled", "transfer", now | changes)

    def may_complete(self, transfer: Row) -> bool:
        """Leave what was refused."""
        return transfer["status"] != "refused" and super().may_complete(transfer)


class NoKeyIsNamedLater(KnownKeysLater):
    """No key that may receive transfers has to be named: none is, and the bank refuses those that nobody registered."""

    def __init__(self, world: World) -> None:
        """Name none."""
        world.accounts.transfer_key = ""
        super().__init__(world)


class DeniesUnknownRemovals(PaymentsRules):
    """The removal lists no errors, but a boolean: an unknown webhook is answered 200 with success false."""

    async def delete_webhook(self, call: Call) -> Answer:
        """Answer false where there is none."""
        try:
            return await super().delete_webhook(call)
        except Refusal as refusal:
            if refusal.kind != "missing":
                raise
            return Answer(200, {"success": False})


class DecimalComma(PaymentsRules):
    """The separator of the two decimals is not named: a comma, as Brazil writes it."""

    def money_text(self, cents: int) -> str:
        """Write it so."""
        return super().money_text(cents).replace(".", ",")


class NeverProcessed(PaymentsRules):
    """The processedAt of a transfer may be null: no sentence says that a simulated completion sets it."""

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show none."""
        return super().transfer_view(transfer) | {"processedAt": None}


class ProcessedOnApproval(PaymentsRules):
    """Processing is a status of its own, which ends before the completion: its end is the final moment."""

    def claim_transfer(self, transfer: Row, changes: Row) -> bool:
        """Stamp the first change, and keep that."""
        first = transfer["processed_at"] or self.clock.now()
        return super().claim_transfer(transfer, changes | {"processed_at": first})


class ProcessedAtOnce(PaymentsRules):
    """From when on a transfer has a processedAt is not stated: from its creation."""

    def new_transfer(self, access: Access, read: dict[str, Any]) -> Row:
        """Stamp it."""
        return super().new_transfer(access, read) | {"processed_at": self.clock.now()}

    def completed_changes(self, transfer: Row) -> Row:
        """Keep the stamp."""
        return super().completed_changes(transfer) | {"processed_at": transfer["processed_at"]}


class UpdatedByEditsOnly(PaymentsRules):
    """What counts as an update is not stated: a change of status does not."""

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Show the moment of the creation."""
        return super().transfer_view(transfer | {"updated_at": transfer["created_at"]})


class NetOfTax(PaymentsRules):
    """No sentence relates amount, fees and netAmount: a tax of one cent is taken too."""

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Take it off."""
        view = super().new_transfer_view(transfer)
        return view | {"netAmount": max(0, view["netAmount"] - 1)}


class NetWithRebate(PaymentsRules):
    """No sentence relates amount, fees and netAmount: a rebate of two cents is added."""

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Add it."""
        view = super().new_transfer_view(transfer)
        return view | {"netAmount": view["netAmount"] + 2}


class OverlappingSimulationsAgree(PaymentsRules):
    """Nothing is promised of simultaneous calls: those that overlap are all told of the one payment or completion."""

    async def pause(self, call: Call, place: str) -> None:
        """Take a while."""
        await asyncio.sleep(SERVED_S if place in {"pay", "complete"} else 0)
        await super().pause(call, place)

    async def pay_charge(self, call: Call) -> Answer:
        """Answer what was done meanwhile."""
        begun = time.monotonic()
        try:
            answer = await super().pay_charge(call)
        except Refusal as refusal:
            charge = self._done_since(refusal, begun, call, "payments_charge")
            return Answer(200, self.pay_answer(call, charge))
        self._done[call.params["id"]] = time.monotonic()
        return answer

    async def complete_transfer(self, call: Call) -> Answer:
        """Answer what was done meanwhile."""
        begun = time.monotonic()
        try:
            answer = await super().complete_transfer(call)
        except Refusal as refusal:
            transfer = self._done_since(refusal, begun, call, "transfer")
            return Answer(200, self.complete_answer(call, transfer))
        self._done[call.params["id"]] = time.monotonic()
        return answer

    def _done_since(self, refusal: Refusal, begun: float, call: Call, table: str) -> Row:
        number = call.params["id"]
        if refusal.kind != "state" or self._done.get(number, 0.0) < begun:
            raise refusal
        return self.owned(call, table, number)

    @property
    def _done(self) -> dict[str, float]:
        done: dict[str, float] = self.__dict__.setdefault("_done_at", {})
        return done


class ReissuesCodes(PaymentsRules):
    """That a charge keeps its code is implied only: each query issues another one, and all of them can be paid."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Issue it."""
        view = super().charge_view(call, charge)
        if call.operation != "get_charge" or charge["status"] != "pending":
            return view
        emv = self.code(self.new_charge_id().replace("-", ""), charge["amount"])
        return view | {"pix": {"emv": emv, "qrCode": self.qr_image(emv)}}


class CountsRemovedWebhooks(PaymentsRules):
    """The figures of the pagination are named only: totalCount counts the webhooks that were ever registered."""

    def remove_webhook(self, hook: Row) -> bool:
        """Count it."""
        owner = owner_of(hook)
        self._gone[owner] = self._gone.get(owner, 0) + 1
        return super().remove_webhook(hook)

    def webhook_list(self, call: Call, hooks: list[Row]) -> dict[str, Any]:
        """Add those that are gone."""
        found = super().webhook_list(call, hooks)
        total = found["pagination"]["totalCount"] + self._gone.get(call.access, 0)
        return found | {"pagination": found["pagination"] | {"totalCount": total}}

    @property
    def _gone(self) -> dict[Access, int]:
        gone: dict[Access, int] = self.__dict__.setdefault("_gone_of", {})
        return gone


class ActiveOnceServed(PaymentsRules):
    """What isActive is about is not spelled out: whether an event has been sent to the webhook."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Look among those to which one was."""
        return super().webhook_view(call, hook) | {"isActive": hook["id"] in self._served}

    def send_letter(self, url: str, payload: dict[str, Any], hook: Row | None) -> None:
        """Remember it."""
        if hook:
            self._served.add(hook["id"])
        super().send_letter(url, payload, hook)

    @property
    def _served(self) -> set[int]:
        served: set[int] = self.__dict__.setdefault("_served_hooks", set())
        return served


class CitiesByNumber(StrictAddresses):
    """The types of an address's fields are not shown: the city is the number that the statistics office gave it."""

    address_fields: ClassVar[tuple[Field, ...]] = tuple(
        Field(one, "integer" if one == "city" else "string") for one in ADDRESS
    )


FREEDOMS = [
    Freedom("payments-receivers", ("PAY-SPL-15",), {"none": NoCompanyIsNamed, "one-share": OneShareEach}),
    Freedom(
        "payments-lookup",
        ("PAY-KEY-12",),
        {"at-once": KnownKeysOnly, "none": NoKeyIsNamed, "later": KnownKeysLater, "none-later": NoKeyIsNamedLater},
    ),
    Freedom("payments-unknown-removal", ("PAY-WH-64",), {"denied": DeniesUnknownRemovals}),
    Freedom("payments-separator", ("PAY-BAL-08",), {"comma": DecimalComma}),
    Freedom(
        "payments-processed",
        ("PAY-TRF-68", "PAY-TRF-75", "PAY-TRF-79"),
        {"never": NeverProcessed, "approval": ProcessedOnApproval, "creation": ProcessedAtOnce},
    ),
    Freedom("payments-edits", ("PAY-TRF-81",), {"only": UpdatedByEditsOnly}),
    Freedom("payments-net", ("PAY-TRF-43", "PAY-TRF-76"), {"tax": NetOfTax, "rebate": NetWithRebate}),
    Freedom("payments-overlap", ("PAY-PAYS-18", "PAY-CMP-18"), {"agree": OverlappingSimulationsAgree}),
    Freedom("payments-codes-of-queries", ("PAY-CHG-72", "PAY-CHG-77"), {"anew": ReissuesCodes}),
    Freedom("payments-totals", ("PAY-WH-54", "PAY-WH-55", "PAY-WH-67"), {"ever": CountsRemovedWebhooks}),
    Freedom("payments-activity", ("PAY-WH-30",), {"served": ActiveOnceServed}),
    Freedom("payments-cities", ("PAY-CUS-26",), {"numbers": CitiesByNumber}),
]
