"""Answers that differ from what was asked for where a charge or transfer carries something."""

from typing import Any

from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

OTHER, LARGE, MIDDLING, CNPJ_DIGITS = "E0000000020260101000000000000000", 100_000, 1_000, 14


class DescribedTransferToldLess(PaymentsRules):
    """The creation of a transfer with a description answers an amount that lacks a cent."""

    group = "schema"
    breaks = ("PAY-TRF-41", "PAY-TRF-64", "PAY-TRF-76")
    seen_in = ("PAY-EVT-46",)

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Take it off."""
        view = super().new_transfer_view(transfer)
        return view | {"amount": view["amount"] - 1} if transfer["description"] else view


class LargeTransferQueriedNetLess(PaymentsRules):
    """The query of a transfer of 10.00 or more has a netAmount that lacks a cent."""

    group = "schema"
    breaks = ("PAY-TRF-76",)
    seen_in = ("PAY-CMP-01",)

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Take it off."""
        view = super().transfer_view(transfer)
        return view | {"netAmount": view["netAmount"] - 1} if transfer["amount"] >= MIDDLING else view


class PhoneTransferQueriedInReais(PaymentsRules):
    """The query of a transfer to a phone has its amount in whole reais."""

    group = "schema"
    breaks = ("PAY-TRF-64",)
    seen_in = ("PAY-CMP-01",)

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Divide."""
        view = super().transfer_view(transfer)
        return view | {"amount": view["amount"] // 100} if transfer["pix_key"].startswith("+") else view


class LargeChargePaidUnderOtherId(PaymentsRules):
    """The pay of a charge of 1,000.00 or more answers another id."""

    group = "schema"
    breaks = ("PAY-PAYS-08",)

    def pay_view(self, charge: Row) -> dict[str, Any]:
        """Name another one."""
        view = super().pay_view(charge)
        return view | {"id": view["id"][::-1]} if charge["amount"] >= LARGE else view


class DescribedCompletionUnderOtherId(PaymentsRules):
    """The completion of a transfer with a description answers another id."""

    group = "schema"
    breaks = ("PAY-CMP-08",)
    seen_in = ("PAY-EVT-46",)

    def complete_view(self, transfer: Row) -> dict[str, Any]:
        """Name another one."""
        view = super().complete_view(transfer)
        return view | {"id": view["id"][::-1]} if transfer["description"] else view


class DescribedTransferEndsOtherwise(PaymentsRules):
    """The query of a completed transfer with a description has another endToEndId than its completion."""

    group = "schema"
    breaks = ("PAY-TRF-69",)
    seen_in = ("PAY-CMP-01",)

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Name another one."""
        other = transfer["status"] == "completed" and transfer["description"]
        return super().transfer_view(transfer) | ({"endToEndId": OTHER} if other else {})


class CompanysChargeQueriedUnderOtherId(PaymentsRules):
    """The query of a paid charge for a cnpj answers another id."""

    group = "schema"
    breaks = ("PAY-CHG-71",)
    seen_in = ("PAY-PAYS-01",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Name another one."""
        view = super().charge_view(call, charge)
        other = charge["status"] == "paid" and len(charge["payer_document"]) == CNPJ_DIGITS
        return view | {"id": view["id"][::-1]} if other else view
