"""States of charges and transfers of the payments document (lines 154-206) as data."""

from types import MappingProxyType

from specs.lifecycle import Transition

PENDING, PAID, CANCELED, REFUNDED = "pending", "paid", "canceled", "refunded"
COMPLETED, MANUAL_ANALYSIS = "completed", "manual_analysis"

CHARGE_STATUSES = (PENDING, PAID, CANCELED, REFUNDED)
"""All that the query of a charge can say (lines 160-163)."""

TRANSFER_STATUSES = (
    *("queued", "processing", PENDING, "pending_analysis"),
    *("banking_processing", "banking_refused", "banking_error", MANUAL_ANALYSIS),
    *(COMPLETED, CANCELED, "refused", "error"),
)
"""All that creation and query of a transfer can say (line 178); `paid` is a callback's word (line 206)."""

UNDER_WAY = ("queued", "processing", PENDING, "pending_analysis", "banking_processing", MANUAL_ANALYSIS)
"""Statuses of a transfer that has neither ended nor gone wrong (lines 182-186 and 189)."""

CALLBACK_STATUSES = MappingProxyType({"transaction_paid": PAID, "transfer_completed": PAID})
"""The status that an event shows of its charge or transfer (lines 170 and 206)."""

APPROVAL = (PENDING, MANUAL_ANALYSIS)
"""What a transfer has to leave before its completion is to be called (lines 198 and 200)."""

CLOSED = (COMPLETED, CANCELED)
"""Statuses of a transfer whose completion is refused with 400 (line 268)."""

COMPLETABLE = tuple(one for one in TRANSFER_STATUSES if one not in {*APPROVAL, *CLOSED})
"""Statuses of a transfer from which the table has it completed (line 198)."""

CHARGE = (
    Transition(None, "create_charge", "valid request", PENDING, "transaction_created", "PAY-CHG-40"),
    Transition(PENDING, "pay_charge", "sandbox credential", PAID, "transaction_paid", "PAY-PAYS-11"),
)
"""The table of lines 169-170; other ways are not shown (PAY-CHG-76)."""

TRANSFER = (
    Transition(None, "create_transfer", "valid request", None, "transfer_created", "PAY-TRF-40"),
    *(
        Transition(one, "complete_transfer", "sandbox credential", COMPLETED, "transfer_completed", "PAY-CMP-10")
        for one in COMPLETABLE
    ),
)
"""The table of lines 197-198; other ways are not shown (PAY-TRF-74)."""
