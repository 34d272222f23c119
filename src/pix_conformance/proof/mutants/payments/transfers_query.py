"""Mutants of PAY-TRF: the query of a transfer."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.json_values import GONE
from pix_conformance.proof.mutants.operators.payments.charges import OTHER_PAYMENT
from pix_conformance.proof.mutants.operators.payments.ids import ChokesOnIds, choking_on, is_long
from pix_conformance.proof.mutants.operators.payments.refusals import (
    GET_TRANSFER,
    RefusesOtherwise,
    answering,
    refusing,
)
from pix_conformance.proof.mutants.operators.payments.responses import (
    ChangesAnswers,
    in_answers,
    once_completed,
    shapes,
    with_id_of_payment,
)
from pix_conformance.proof.mutants.payments.charges_query import ChargesVanish
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row


class NotFoundByKey(PaymentsRules):
    """The query does not find transfers to keys of one type."""

    breaks_key: ClassVar[Callable[[str], bool]]

    async def get_transfer(self, call: Call) -> Answer:
        """Look at the key."""
        if type(self).breaks_key(self.owned(call, "transfer", call.params["id"])["pix_key"]):
            raise self.not_found(call)
        return await super().get_transfer(call)


def key(judge: Callable[[str], bool]) -> dict[str, object]:
    """Members of a class that judges keys."""
    return {"breaks_key": staticmethod(judge)}


globals().update(
    family(__name__, "state", NotFoundByKey, {
        "CpfTransferNotFound": (
            "The query does not find a transfer to a CPF.",
            "PAY-TRF-50",
            key(lambda text: formats.is_digits(text, 11)),
        ),
        "CnpjTransferNotFound": (
            "The query does not find a transfer to a CNPJ.",
            "PAY-TRF-50",
            key(lambda text: formats.is_digits(text, 14)),
        ),
        "EmailTransferNotFound": (
            "The query does not find a transfer to an e-mail.",
            "PAY-TRF-50",
            key(formats.is_email),
        ),
        "PhoneTransferNotFound": (
            "The query does not find a transfer to a phone: its plus is lost.",
            "PAY-TRF-50",
            key(formats.is_brazilian_phone),
        ),
    })
)  # fmt: skip


class TransfersVanish(ChargesVanish):
    """A transfer that nobody completes is no longer found after a while."""

    breaks = ("PAY-TRF-50",)
    seen_in = ("PAY-AUTH-10",)
    group = "time"
    table, open_status = "transfer", "processing"


class TransferNotFoundWhilePending(PaymentsRules):
    """A transfer is not found before its approval is over."""

    breaks = ("PAY-TRF-50",)
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Look among the approved."""
        if self.owned(call, "transfer", call.params["id"])["status"] == "pending":
            raise self.not_found(call)
        return await super().get_transfer(call)


globals().update(
    shapes(__name__, "TransferQuery", "get_transfer", {
        "success": ("PAY-TRF-51", "true"),
        "data": ("PAY-TRF-52 PAY-TRF-50", lambda data: [data]),
        "data.status": ("PAY-TRF-54", None),
        "data.amount": ("PAY-TRF-55", lambda cents: f"{cents / 100:.2f}"),
        "data.netAmount": ("PAY-TRF-56", str),
        "data.fees": ("PAY-TRF-57", None),
        "data.pixKey": ("PAY-TRF-58", lambda key: [key]),
        "data.endToEndId": ("PAY-TRF-59 PAY-TRF-69", lambda text: {"id": text}),
        "data.createdAt": ("PAY-TRF-60", 1_795_255_380),
        "data.updatedAt": ("PAY-TRF-61", None),
        "data.processedAt": ("PAY-TRF-62 PAY-TRF-68", lambda text: text is not None),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChangesAnswers, {
        "TransferIdMissingInQuery": (
            "The query of a transfer does not repeat the id.",
            "PAY-TRF-53",
            in_answers("get_transfer", "data.id", GONE),
        ),
        "TransferAmountFraction": (
            "The query of a transfer shows its amount in currency units, as a number with a fraction.",
            "PAY-TRF-55",
            in_answers("get_transfer", "data.amount", lambda cents: cents / 100 + 0.001),
        ),
        "TransferEndToEndEmptyObject": (
            "A transfer without an endToEndId shows an empty object for it.",
            "PAY-TRF-59",
            in_answers("get_transfer", "data.endToEndId", lambda text: text or {}),
        ),
        "TransferCreatedAtDateOnly": (
            "The createdAt of a transfer is a date without a time.",
            "PAY-TRF-60",
            in_answers("get_transfer", "data.createdAt", lambda text: text[:10]),
        ),
        "TransferUpdatedAtInWords": (
            "The updatedAt of a transfer is written as in a mail header.",
            "PAY-TRF-61",
            in_answers("get_transfer", "data.updatedAt", "Sat, 21 Nov 2026 10:00:00 GMT"),
        ),
        "TransferProcessedAtEmpty": (
            "A transfer that is not processed has an empty text for processedAt, where null is due.",
            "PAY-TRF-62",
            in_answers("get_transfer", "data.processedAt", lambda text: text or ""),
        ),
        "TransferProcessedAtMissingUntilProcessed": (
            "A transfer that is not processed has no processedAt at all.",
            "PAY-TRF-62",
            in_answers("get_transfer", "data.processedAt", lambda text: text or GONE),
        ),
    })
)  # fmt: skip


def _net(transfer: dict[str, Any]) -> dict[str, Any]:
    return transfer | ({"amount": transfer["netAmount"]} if transfer["status"] == "completed" else {})


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "CompletedOfAnotherId": ("The query of a completed transfer shows another id.", "PAY-TRF-63",
            in_answers("get_transfer", "data", with_id_of_payment)),
        "TransferQueryOfAnotherId": ("The query of a transfer answers another id.", "PAY-TRF-63",
            in_answers(GET_TRANSFER, "data.id", lambda text: text[::-1])),
        "CompletedShowsNet": ("The query of a completed transfer shows the net amount as its amount.", "PAY-TRF-64",
            in_answers("get_transfer", "data", _net)),
        "TransferAmountConstant": ("The query of a transfer shows an amount of zero.", "PAY-TRF-64",
            in_answers(GET_TRANSFER, "data.amount", 0)),
        "TransferQueryWithFees": ("The query of a transfer shows other fees than its creation.", "PAY-TRF-65",
            in_answers(GET_TRANSFER, "data", lambda d: d | {"fees": d["fees"] + 1, "netAmount": d["netAmount"] - 1})),
        "TransferQueryOfAnotherKey": ("The query of a transfer masks the pixKey that its creation showed.",
            "PAY-TRF-65", in_answers(GET_TRANSFER, "data.pixKey", lambda key: "***" + key[-4:])),
        "TransferWithoutEndToEndId": ("The query of a completed transfer has no endToEndId.", "PAY-TRF-69",
            in_answers(GET_TRANSFER, "data.endToEndId", None)),
        "TransferOfAnotherEndToEndId": (
            "The query of a transfer shows another endToEndId than the completion.",
            "PAY-TRF-69",
            in_answers(GET_TRANSFER, "data", once_completed({"endToEndId": "E99999999202611211000abcdefghijk"})),
        ),
    })
)  # fmt: skip


class TransferQueryOfTheNewest(PaymentsRules):
    """The query answers the newest transfer of the account, whatever it is asked for."""

    breaks = ("PAY-TRF-63",)
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Look for another one."""
        asked = self.owned(call, "transfer", call.params["id"])
        newest = self.store.rows("transfer", "seq DESC", 1, account=asked["account"])[0]
        return Answer(200, {"success": True, "data": self.transfer_view(asked | {"id": newest["id"]})})


class PhoneTransferQueriedInReais(PaymentsRules):
    """The query of a transfer to a phone has its amount in whole reais."""

    group = "schema"
    breaks = ("PAY-TRF-64",)
    seen_in = ("PAY-CMP-01",)

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Divide."""
        view = super().transfer_view(transfer)
        return view | {"amount": view["amount"] // 100} if transfer["pix_key"].startswith("+") else view


class TransferQueryShowsNet(PaymentsRules):
    """The query of a transfer shows the net amount as its amount."""

    breaks = ("PAY-TRF-64",)
    group = "state"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Take the fees off, one cent at least."""
        view = super().transfer_view(transfer)
        return view | {"amount": view["amount"] - max(1, view["fees"])}


class DescribedTransferEndsOtherwise(PaymentsRules):
    """The query of a completed transfer with a description has another endToEndId than its completion."""

    group = "schema"
    breaks = ("PAY-TRF-69",)
    seen_in = ("PAY-CMP-01",)

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Name another one."""
        other = transfer["status"] == "completed" and transfer["description"]
        return super().transfer_view(transfer) | ({"endToEndId": OTHER_PAYMENT} if other else {})


globals().update(
    family(__name__, "state", RefusesOtherwise, {
        "UnknownTransferBadRequest": ("The query of an unknown transfer is refused with 400.",
            "PAY-TRF-70 PAY-ISO-03 PAY-ENV-05",
            refusing("missing", GET_TRANSFER, answering(400))),
        "UnknownTransferEmpty": ("The query of an unknown transfer answers 200 with null.",
            "PAY-TRF-70 PAY-ISO-03 PAY-ENV-05 PAY-TRF-52 PAY-TRF-77",
            refusing("missing", GET_TRANSFER, lambda _: Answer(200, {"success": True, "data": None}))),
    })
)  # fmt: skip


globals().update(
    family(__name__, "schema", ChokesOnIds, {
        "LongTransferIdBreaks": ("The query of a transfer by an id of more than 100 characters ends in a 500.",
            "PAY-TRF-71 PAY-TRF-77 PAY-ERR-12", choking_on("get_transfer", is_long)),
        "LongTransferIdFound": ("The query of a transfer by an id of more than 100 characters is answered 200.",
            "PAY-TRF-71 PAY-TRF-77", choking_on("get_transfer", is_long, Answer(200, {"success": True, "data": None}))),
    })
)  # fmt: skip


class MalformedTransferIdRefused(PaymentsRules):
    """An id of another form is refused with 400 by the query of a transfer."""

    breaks = ("PAY-TRF-71",)
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Judge the form first."""
        if not formats.is_uuid(call.params["id"]):
            raise self.invalid("transferId", "must be a UUID")
        return await super().get_transfer(call)


class MalformedTransferIdBreaks(PaymentsRules):
    """An id of another form ends in a 500 in the query of a transfer."""

    breaks = ("PAY-TRF-71", "PAY-TRF-77", "PAY-ERR-12")
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Fail to read the id."""
        if not formats.is_uuid(call.params["id"]):
            return Answer(500, {"error": "INTERNAL", "message": "invalid input syntax for type uuid"})
        return await super().get_transfer(call)


class ChargeFoundAsTransfer(PaymentsRules):
    """The query of transfers finds charges too: both are transactions."""

    breaks = ("PAY-TRF-72",)
    group = "state"

    async def get_transfer(self, call: Call) -> Answer:
        """Show a charge like a transfer."""
        found = self.store.find("payments_charge", id=call.params["id"])
        if found is None or not self.sees(call.access, Access(found["account"], found["environment"]), GET_TRANSFER):
            return await super().get_transfer(call)
        seen = self.transfer_view(found | {"pix_key": "", "processed_at": None})
        return Answer(200, {"success": True, "data": seen})
