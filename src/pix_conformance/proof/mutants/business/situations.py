"""Rules that are broken in one situation only: without key or label, for the expired, in production, in a list."""

import uuid
from typing import Any, ClassVar

from pix_conformance.proof.mutants.business.aftermath import NET, ShowsDone
from pix_conformance.proof.mutants.business.answers import later
from pix_conformance.proof.mutants.business.auth import Keys
from pix_conformance.proof.mutants.business.events import CANCELED, CREATED, PAID, Payloads, announced
from pix_conformance.proof.mutants.business.events import at as in_event
from pix_conformance.proof.mutants.business.expiry import shows
from pix_conformance.proof.mutants.business.isolation import Leaks, leaking, to_live, to_sandbox
from pix_conformance.proof.mutants.business.listing import Lists, choosing
from pix_conformance.proof.mutants.business.schema import sent
from pix_conformance.proof.mutants.business.tables import ActsThough, ChangesAnswers, in_answers
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.store import Row

DAY_S, HOUR_S, SHORT, FAILED = 86_400, 3_600, 100, 500


def once(state: str, **shown: Any) -> dict[str, Any]:
    """Members of a class that shows these values once a charge is in a state."""
    return {"state": state, "change": staticmethod(lambda _: shown)}


globals().update(
    family(__name__, "schema", ShowsDone, {
        "BusRefLostOnExpiry": (
            "An expired charge has lost its label.", "BUS-CHG-58", once("expired", external_ref=None),
        ),
        "BusAmountZeroOnExpiry": (
            "An expired charge shows an amount of 0.", "BUS-CHG-56", once("expired", amount_cents=0),
        ),
        "BusCodeEmptyOnExpiry": (
            "An expired charge has an empty code.", "BUS-CHG-66", once("expired", qr_code=""),
        ),
        "BusCodeEmptyOnCancel": (
            "A canceled charge has an empty code.", "BUS-CHG-66", once("canceled", qr_code=""),
        ),
    }),
    **family(__name__, "events", ActsThough, {
        "BusExpiredPaymentAnnounced": (
            "The payment of an expired charge is refused, and announced by an event.",
            "BUS-EVT-19",
            {"operation": "pay_charge", "states": ("expired",), "act": announced(PAID)},
        ),
        "BusExpiredCancelAnnounced": (
            "The cancel of an expired charge is refused, and announced by an event.",
            "BUS-EVT-19",
            {"operation": "cancel_charge", "states": ("expired",), "act": announced(CANCELED)},
        ),
    }),
    **family(__name__, "events", Payloads, {
        "BusEventInLocalTime": (
            "The created_at of an event is the time of Brasilia, with the Z of UTC.",
            "BUS-EVT-21 BUS-EVT-26",
            in_event("created_at", lambda text: later(text, hours=-3)),
        ),
        "BusPaidEventTomorrow": (
            "The created_at of a paid event lies a day ahead.",
            "BUS-EVT-21 BUS-EVT-26",
            in_event("created_at", lambda text: later(text, days=1), PAID),
        ),
    }),
    **family(__name__, "schema", ChangesAnswers, {
        "BusListShowsPaidNet": (
            "The list shows the amount of what is paid less a fee.",
            "BUS-CHG-56",
            in_answers("list_charges", "*", lambda row: row | (
                {"amount_cents": int(row["amount_cents"] * NET)} if row["status"] == "paid" else {}
            )),
        ),
        "BusListOtherE2e": (
            "The list shows the e2e_id of a paid charge in small letters.",
            "BUS-PAY-11",
            in_answers("list_charges", "*.e2e_id", sent(str.lower)),
        ),
        "BusListCodeCut": (
            "The list shows the first 40 signs of a code.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.qr_code", lambda text: text[:40]),
        ),
        "BusListLivesLonger": (
            "The list shows an expires_at that is three hours late.",
            "BUS-LIST-11",
            in_answers("list_charges", "*.expires_at", lambda text: later(text, hours=3)),
        ),
        "BusPostedInLocalTime": (
            "The created_at of a posting is the time of Brasilia, with the Z of UTC.",
            "BUS-FIN-26",
            in_answers("get_finance", "transactions.*.created_at", lambda text: later(text, hours=-3)),
        ),
    }),
    **family(__name__, "state", Lists, {
        "BusPaidListReversed": (
            "A list of the paid has the oldest first.",
            "BUS-LIST-08",
            choosing(lambda rows, status: rows[::-1] if status == "paid" else rows),
        ),
        "BusCanceledListReversed": (
            "A list of the canceled has the oldest first.",
            "BUS-LIST-08",
            choosing(lambda rows, status: rows[::-1] if status == "canceled" else rows),
        ),
        "BusListOfLabelled": (
            "A list leaves out the charges without external_ref.",
            "BUS-LIST-01",
            choosing(lambda rows, _: [row for row in rows if row["external_ref"] is not None]),
        ),
    }),
    **family(__name__, "limits", Lists, {
        "BusPendingListShort": (
            "A list of the pending holds a hundred charges at most.",
            "BUS-LIST-15",
            choosing(lambda rows, status: rows[:SHORT] if status == "pending" else rows),
        ),
    }),
    **family(__name__, "isolation", Leaks, {
        "BusLiveCanceledFromSandbox": (
            "The sandbox key cancels charges of production.", "BUS-ENV-03", leaking("cancel_charge", to_sandbox),
        ),
        "BusLivePaidFromSandbox": (
            "The sandbox key pays charges of production.",
            "BUS-ENV-03, seen in BUS-PAY-15",
            leaking("pay_charge", to_sandbox),
        ),
        "BusSandboxCanceledFromLive": (
            "The production key cancels charges of the sandbox.", "BUS-ENV-02", leaking("cancel_charge", to_live),
        ),
    }),
    **family(__name__, "auth", Keys, {
        "BusKeyOfEitherPrefix": (
            "A key is accepted with the prefix of the other environment too.",
            "BUS-AUTH-07",
            {"fits": staticmethod(lambda one, key: one[8:] == key[8:])},
        ),
    }),
    **family(__name__, "time", BusinessRules, {
        "BusLongestLifeIgnored": (
            "A charge that is to live 86400 seconds lives an hour.",
            "BUS-CHG-35",
            shows(lambda seconds: HOUR_S if seconds == DAY_S else seconds),
        ),
    }),
    **family(__name__, "schema", BusinessRules, {
        "BusCodeAmountUnpadded": (
            "Cents below ten lose their zero in the code: 10.05 becomes 10.5.",
            "BUS-QR-14",
            {"code_amount": lambda _rules, cents: f"{cents // 100}.{cents % 100}"},
        ),
    }),
)  # fmt: skip


class BusListForgetsStatus(BusinessRules):
    """A list without filter shows every charge as pending."""

    group = "state"
    breaks = ("BUS-LIST-07",)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the first status there."""
        view = super().charge_view(call, charge)
        whole = call.operation == "list_charges" and not call.query.get("status")
        return view | {"status": "pending"} if whole else view


class BusKeyForgottenOnceExpired(BusinessRules):
    """The key of a charge is free again once it has expired."""

    group = "idempotency"
    breaks = ("BUS-IDEM-03",)

    def claim_charge(self, charge: Row, changes: Row) -> bool:
        """Forget the key with the expiry."""
        if changes["status"] == "expired":
            for kept in self.store.rows("idempotency"):
                if charge["id"] in kept["body"]:
                    self.store.delete("idempotency", scope=kept["scope"], key=kept["key"])
        return super().claim_charge(charge, changes)


class BusKeylessAnnouncedTwice(BusinessRules):
    """A creation without a key sends two created events, each with an id of its own."""

    group = "events"
    breaks = ("BUS-EVT-19",)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Send another one."""
        answer = super().open_charge(call, read)
        row = self.store.find("business_charge", id=answer.body["id"])
        if row and self.idempotency_key(call) is None:
            self.emit(CREATED, row)
        return answer


class BusDescribedUnannounced(BusinessRules):
    """The cancel of a charge with a description sends no event."""

    group = "events"
    breaks = ("BUS-EVT-03",)

    def should_emit(self, event: str, row: Row) -> bool:
        """Leave it out."""
        return (event != CANCELED or row["description"] is None) and super().should_emit(event, row)


class BusKeylessUnstored(BusinessRules):
    """A creation without a key is answered, and not kept."""

    group = "schema"
    breaks = ("BUS-CHG-64", "BUS-LIST-01", "BUS-PAY-01", "BUS-CAN-01")

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Drop it."""
        answer = super().open_charge(call, read)
        if self.idempotency_key(call) is None:
            self.store.delete("business_charge", id=answer.body["id"])
        return answer


class BusUnlabelledUnpayable(BusinessRules):
    """A charge without external_ref cannot be paid."""

    group = "state"
    breaks = ("BUS-PAY-01",)

    def may_pay(self, charge: Row) -> bool:
        """Ask for its label."""
        return charge["external_ref"] is not None and super().may_pay(charge)


class BusCodeOfLabel(BusinessRules):
    """Charges of one label and amount have one code."""

    group = "schema"
    breaks = ("BUS-QR-17",)

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Derive the code."""
        row = super().new_charge(access, read)
        label = read["external_ref"]
        token = uuid.uuid5(uuid.NAMESPACE_URL, label).hex if label else ""
        return row | {"qr_code": self.code(token, read["amount_cents"])} if label else row


class OfProduction(BusinessRules):
    """Makes charges of production otherwise."""

    change: ClassVar[Any]

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Change the row."""
        row = super().new_charge(access, read)
        return row if access.is_sandbox else row | self.change(row)


globals().update(
    family(__name__, "isolation", OfProduction, {
        "BusLiveCodeUnsealed": (
            "The CRC of a production code is 0000.",
            "BUS-QR-04",
            {"change": staticmethod(lambda row: {"qr_code": row["qr_code"][:-4] + "0000"})},
        ),
        "BusLiveLivesADay": (
            "A production charge lives a day by default.",
            "BUS-CHG-34",
            {"change": staticmethod(lambda row: {"expires_at": row["created_at"] + DAY_S})},
        ),
    })
)  # fmt: skip


class BusLiveCancelForbidden(BusinessRules):
    """A production charge cannot be canceled: 403."""

    group = "isolation"
    breaks = ("BUS-CAN-01",)

    async def cancel_charge(self, call: Call) -> Answer:
        """Take the route for one of the sandbox."""
        if not call.access.is_sandbox:
            raise Refusal("forbidden", "not available in production")
        return await super().cancel_charge(call)


class BusCapturedOnCreation(BusinessRules):
    """A charge is captured when it is created, not when it is paid."""

    group = "state"
    breaks = ("BUS-STATE-04",)

    def open_charge(self, call: Call, read: dict[str, Any]) -> Answer:
        """Book it at once."""
        answer = super().open_charge(call, read)
        row = self.store.find("business_charge", id=answer.body["id"])
        if row:
            super().capture(row)
        return answer

    def capture(self, charge: Row) -> None:
        """Book nothing more."""


class BusCreditedTwice(BusinessRules):
    """Every payment raises the balance by twice its amount, and is posted once."""

    group = "state"
    breaks = ("BUS-STATE-06",)

    def available(self, access: Access) -> int:
        """Count credits twice."""
        return 2 * super().available(access)


class BusOddIdFails(BusinessRules):
    """The query of an id that is not of the service's own form is answered with 500."""

    group = "schema"
    breaks = ("BUS-GEN-03", "BUS-CHG-70")

    async def get_charge(self, call: Call) -> Answer:
        """Fail to read it."""
        if not call.params["id"].startswith("chg_"):
            return Answer(FAILED, {"detail": "internal error"})
        return await super().get_charge(call)


class BusCapturedTwice(BusinessRules):
    """Every payment is captured twice."""

    group = "state"
    breaks = ("BUS-STATE-06",)

    def capture(self, charge: Row) -> None:
        """Book it again."""
        super().capture(charge)
        super().capture(charge)
