"""States of a charge of the business document (lines 65-83) as data."""

from types import MappingProxyType

from specs.lifecycle import Transition

PENDING, PAID, EXPIRED, CANCELED = "pending", "paid", "expired", "canceled"

STATUSES = frozenset({PENDING, PAID, EXPIRED, CANCELED})
"""All that a charge can be (lines 34, 71-74)."""

FINAL = STATUSES - {PENDING}
"""Where a charge stays: it moves to exactly one destination (line 67)."""

TRANSITIONS = (
    Transition(None, "create_charge", "valid request", PENDING, "business.pix.created", "BUS-STATE-01"),
    Transition(PENDING, "pay_charge", "before expiry", PAID, "business.pix.paid", "BUS-PAY-01"),
    Transition(PENDING, "cancel_charge", "before expiry", CANCELED, "business.pix.canceled", "BUS-CAN-01"),
    Transition(PENDING, "get_charge", "after expiry", EXPIRED, None, "BUS-EXP-01"),
    Transition(PENDING, "pay_charge", "after expiry", EXPIRED, None, "BUS-EXP-02"),
)
"""The table of lines 78-81. A cancel after an expiry that nobody has noticed is open (BUS-CAN-07)."""

CONFLICTS = MappingProxyType({PAID: "BUS-CAN-04", CANCELED: "BUS-CAN-05", EXPIRED: "BUS-CAN-06"})
"""The requirement that promises 409 to a cancel, by status (line 83)."""

STAYS = MappingProxyType({PAID: "BUS-STATE-03", CANCELED: "BUS-STATE-04", EXPIRED: "BUS-STATE-05"})
"""The requirement that a charge does not leave this status, whatever is asked of it."""
