"""Transfers that are served by the type of their key."""

from collections.abc import Callable
from typing import ClassVar

from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference import formats
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules


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
    }),
)  # fmt: skip


class TakesEventsOfBothApis(PaymentsRules):
    """A webhook may ask for the events of the business charge API."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Know them."""
        return super().is_event(name) or name.startswith("business.pix.")
