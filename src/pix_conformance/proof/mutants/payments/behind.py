"""Effects behind a refusal, and what holds for one half of the world only: a route, an account, an address."""

from typing import ClassVar

from pix_conformance.proof.mutants.payments.wallets import SandboxPaidFromProduction
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row

MERCHANT = ROLES["merchant"]
CNPJ_LENGTH = 14
ALL_REFUSALS = "PAY-AUTH-10 PAY-AUTH-11 PAY-AUTH-12 PAY-AUTH-13 PAY-AUTH-14"


class ActsUnauthorized(PaymentsRules):
    """Answers 401 on one route, and does there what was asked."""

    route: ClassVar[str] = ""

    def authorize(self, call: Call) -> Access:
        """Act, then refuse."""
        try:
            return super().authorize(call)
        except Refusal:
            if call.operation == self.route:
                self.act(call.params["id"])
            raise

    def act(self, number: str) -> None:
        """Do what the route does."""
        if hook := self.store.find("webhook", id=self.webhook_number(number)):
            self.remove_webhook(hook)
        if charge := self.store.find("payments_charge", id=number):
            self.claim_charge(charge, self.paid_changes(charge))
        if transfer := self.store.find("transfer", id=number):
            self.claim_transfer(transfer, self.completed_changes(transfer))


globals().update(
    family(__name__, "auth", ActsUnauthorized, {
        "RemovalWithoutTokenPretended": ("A removal without a right token is refused with 401, and done all the same.",
            ALL_REFUSALS, {"route": "delete_webhook"}),
        "PayWithoutTokenPretended": ("A pay without a right token is refused with 401, and done all the same.",
            "PAY-AUTH-10 PAY-AUTH-11", {"route": "pay_charge"}),
        "CompletionWithoutTokenPretended": (
            "A completion without a right token is refused with 401, and done all the same.",
            "PAY-AUTH-10 PAY-AUTH-11", {"route": "complete_transfer"}),
    }),
)  # fmt: skip


class SandboxCompletedFromProduction(SandboxPaidFromProduction):
    """The completion of a sandbox transfer takes the production token of its account."""

    group = "isolation"
    breaks = ("PAY-ENV-13",)

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Look at the account alone."""
        alike = operation == "complete_transfer" and access.account == owner.account
        return alike or PaymentsRules.sees(self, access, owner, operation)


class PostbackNeedsWebhook(PaymentsRules):
    """Where no webhook asks for an event, its postbackUrl does not receive it either."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def posts_back(self, event: str, row: Row) -> bool:
        """Look whether anybody listens."""
        owner = Access(row["account"], row["environment"])
        return bool(self.listeners(event, owner)) and super().posts_back(event, row)


class TransfersOverheard(PaymentsRules):
    """Events of transfers go to the webhooks of all accounts; those of charges stay with their own."""

    breaks = ("PAY-ISO-08",)
    group = "isolation"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Look by environment alone."""
        if not event.startswith("transfer"):
            return super().listeners(event, owner)
        hooks = self.store.rows("webhook", environment=owner.environment, is_active=1)
        return [hook for hook in hooks if self.subscribes(hook, event)]


class FirstOverhears(PaymentsRules):
    """The webhooks of the oldest account hear the events of all others."""

    breaks = ("PAY-ISO-08",)
    group = "isolation"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Add its webhooks."""
        found = super().listeners(event, owner)
        return found if owner == MERCHANT else [*found, *super().listeners(event, MERCHANT)]


class DocumentLikeANumber(PaymentsRules):
    """A document needs to be read as a number only: it may have a point in it."""

    breaks = ("PAY-CUS-09",)
    group = "validation"

    def judge_document(self, value: str) -> str | None:
        """Leave a point out."""
        return super().judge_document(value.replace(".", "", 1) if value.count(".") == 1 else value)


class PhoneOfAnyText(PaymentsRules):
    """A phone as key needs its +55 only, and something behind it."""

    breaks = ("PAY-TRF-04",)
    group = "validation"

    def is_phone_key(self, value: str) -> bool:
        """Look at the beginning."""
        return value.startswith("+55") and len(value) > len("+55")


def of_company(charge: Row) -> bool:
    """Whether the customer of a charge is a company: its number has 14 digits."""
    return len(charge["payer_document"]) == CNPJ_LENGTH


class SplitNotPostedBack(PaymentsRules):
    """The postbackUrl of a charge with splits is not told of its payment."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def posts_back(self, event: str, row: Row) -> bool:
        """Look at the splits."""
        split = event == "transaction_paid" and row["splits"] != "[]"
        return not split and super().posts_back(event, row)


class SplitCreatedNotAnnounced(PaymentsRules):
    """transaction_created is sent for charges without splits only."""

    breaks = ("PAY-EVT-01",)
    group = "events"

    def should_emit(self, event: str, row: Row) -> bool:
        """Look at the splits."""
        split = event == "transaction_created" and row["splits"] != "[]"
        return not split and super().should_emit(event, row)


class CompaniesNeverPaid(PaymentsRules):
    """A charge of a company cannot be paid in the sandbox."""

    breaks = ("PAY-PAYS-01",)
    group = "state"

    def may_pay(self, charge: Row) -> bool:
        """Look at the customer."""
        return not of_company(charge) and super().may_pay(charge)


class CompanyPaymentNotAnnounced(PaymentsRules):
    """transaction_paid is sent for charges of persons only."""

    breaks = ("PAY-EVT-02", "PAY-EVT-13")
    group = "events"

    def should_emit(self, event: str, row: Row) -> bool:
        """Look at the customer."""
        return not (event == "transaction_paid" and of_company(row)) and super().should_emit(event, row)


class TakesEventsInCapitals(PaymentsRules):
    """Event names are compared without regard to capitals."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Write it in small letters."""
        return super().is_event(name.lower())
