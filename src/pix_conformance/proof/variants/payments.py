"""Freedoms of the payments API: charges, transfers, keys, webhook records."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pix_conformance.proof.variants.payments_habits import QuarterMinute
from pix_conformance.proof.variants.registry import Freedom
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.formats import is_digits
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.state import World
from pix_conformance.reference.store import Row


class CuidCharges(PaymentsRules):
    """The id of a charge is a string, of whatever form."""

    def new_charge_id(self) -> str:
        """Look like a cuid."""
        return f"cm{uuid.uuid4().hex[:23]}"


class NumericIds(PaymentsRules):
    """The ids of charges and transfers are strings, of whatever form."""

    def new_charge_id(self) -> str:
        """Be digits only."""
        return str(uuid.uuid4().int)[:16]

    def new_transfer_id(self) -> str:
        """Be digits only."""
        return str(uuid.uuid4().int)[:16]


class DataUriImage(PaymentsRules):
    """The Base64 image may be a data URI."""

    def qr_image(self, emv: str) -> str:
        """Say what kind of image it is."""
        return f"data:image/png;base64,{super().qr_image(emv)}"


class OffsetMoments(PaymentsRules):
    """A date-time may carry any offset (RFC 3339, section 5.6)."""

    def moment(self, epoch: float) -> str:
        """Write +00:00 and microseconds."""
        return datetime.fromtimestamp(epoch, UTC).isoformat()


class CheckedDocuments(PaymentsRules):
    """Whether check digits are validated is not shown."""

    checks_document_digits = True


class AnyLengthDocuments(PaymentsRules):
    """Digits only is all that is said of a document."""

    def judge_customer(self, customer: dict[str, Any]) -> str | None:  # noqa: ARG002  # any length will do
        """Take any number of digits."""
        return None


class WantsHttpsPostback(PaymentsRules):
    """Whether a postbackUrl of plain http is accepted is not shown."""

    def judge_charge_postback(self, value: str) -> str | None:
        """Take https only."""
        return super().judge_charge_postback(value) or _not_https(value)

    def judge_transfer_postback(self, value: str) -> str | None:
        """Take https only."""
        return super().judge_transfer_postback(value) or _not_https(value)


def _not_https(value: str) -> str | None:
    return None if urlsplit(value).scheme == "https" else "must be an HTTPS address"


class KnownSplitsOnly(PaymentsRules):
    """A split goes to a company of the service; what an unknown e-mail gets is not shown."""

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Refuse a split to an unknown company."""
        read = super().read_charge(body)
        for split in read.get("splits") or ():
            if self.company(split["email"], "sandbox") is None:
                raise self.invalid("splits[].email", "must be a company of the service")
        return read


class WholeFloats(PaymentsRules):
    """Whether 1050.0 is a decimal value is not clear: to JSON Schema it is an integer."""

    whole_floats_are_integers = True


class RefusesNull(PaymentsRules):
    """Whether null stands for an absent optional field is not shown."""

    null_is_absent = False


class ProductiveCodes(PaymentsRules):
    """The codes of sandbox refusals are not shown."""

    error_codes: ClassVar[dict[str, str]] = {
        **PaymentsRules.error_codes,
        "state": "INVALID_REQUEST",
        "forbidden": "SANDBOX_ONLY",
    }


class LongerErrors(PaymentsRules):
    """Error bodies may carry more than error and message."""

    def error_body(self, refusal: Refusal) -> Any:
        """Add a success flag and details."""
        return {**super().error_body(refusal), "success": False, "details": []}


class ReplayConflicts(PaymentsRules):
    """A replay may be answered with the 409 of the creation route (payments.md, line 302)."""

    def replay(self, call: Call, earlier: Row) -> Answer:  # noqa: ARG002  # no replay is shown
        """Refuse it; nothing is duplicated."""
        raise self.key_conflict()


class ReplayLive(PaymentsRules):
    """What a replay shows, beside creating nothing, is not stated."""

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Show the transfer as it is now."""
        answer = super().replay(call, earlier)
        transfer = self.store.find("transfer", id=answer.body["data"]["id"])
        return Answer(answer.status, self.transfer_answer(call, transfer), answer.headers) if transfer else answer


class KeyRequired(PaymentsRules):
    """The header is called required, and its absence is given a meaning: a refusal is one reading."""

    async def create_transfer(self, call: Call) -> Answer:
        """Refuse a transfer without it."""
        if self.idempotency_key(call) is None:
            raise self.invalid("x-idempotency-key", "is required")
        return await super().create_transfer(call)


class KeyIsUuid(PaymentsRules):
    """The key is called a UUID; whether others are refused is not shown."""

    async def create_transfer(self, call: Call) -> Answer:
        """Refuse another kind of key."""
        key = self.idempotency_key(call)
        try:
            uuid.UUID(key or str(uuid.uuid4()))
        except ValueError:
            raise self.invalid("x-idempotency-key", "must be a UUID") from None
        return await super().create_transfer(call)


class ManualAnalysis(PaymentsRules):
    """Transfers pass the approval flow; through which statuses is not shown."""

    transfer_first_status = "manual_analysis"
    transfer_approved_status = "banking_processing"
    approval_seconds = 0.6


class StraightThrough(PaymentsRules):
    """A transfer may leave pending at once."""

    transfer_first_status = "queued"
    transfer_approved_status = "processing"
    approval_seconds = 0.0


class SlowApproval(PaymentsRules):
    """How long the approval takes is not shown."""

    approval_seconds = 2.0


class CompletesPending(PaymentsRules):
    """What the completion of a pending transfer gets is not stated, only that one should not ask."""

    transfer_incompletable: ClassVar[tuple[str, ...]] = ("completed", "canceled")


class PatientApproval(PaymentsRules):
    """How long the approval takes is not shown."""

    approval_seconds = 6.0


class EndlessApproval(CompletesPending):
    """How long the approval takes is not shown, nor that a completion has to wait for it."""

    approval_seconds = 3_600.0


class NeedsFunds(PaymentsRules):
    """A transfer beyond the free balance may be refused."""

    refuses_without_funds = True


class NeedsSettledFunds(NeedsFunds):
    """Paid money may be in reserve first, awaiting settlement (payments.md, line 135): for two seconds."""

    def __init__(self, world: World) -> None:
        """Have nothing in reserve."""
        super().__init__(world)
        self._held: list[tuple[float, Access, int]] = []

    def settle(self, charge: Row) -> None:
        """Hold what comes into the wallet."""
        owner = owner_of(charge)
        before = super().balance_of(owner, "pix")
        super().settle(charge)
        self._held.append((time.monotonic() + 2, owner, super().balance_of(owner, "pix") - before))

    def balance_of(self, access: Access, account: str) -> int:
        """Show it in reserve as long."""
        held = sum(cents for ends, owner, cents in self._held if owner == access and ends > time.monotonic())
        return super().balance_of(access, account) + held * {"pix": -1, "reserve": 1}.get(account, 0)


class ChargesMore(PaymentsRules):
    """How fees are reckoned is not shown."""

    def transfer_fees(self, amount: int) -> int:  # noqa: ARG002  # flat
        """Take a flat fee of 80 cents on top."""
        return 80

    def charge_fees(self, amount: int) -> int:  # noqa: ARG002  # flat
        """Take nothing."""
        return 0

    def new_transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Deliver the gross amount: the fee is taken from the wallet besides."""
        return super().new_transfer_view(transfer) | {"netAmount": transfer["amount"]}


class CheckedKeys(PaymentsRules):
    """Whether the check digits of CPF and CNPJ keys are validated is not shown."""

    def is_cpf_key(self, value: str) -> bool:
        """Ask for right check digits too."""
        return super().is_cpf_key(value) and _cpf(value)


def _cpf(value: str) -> bool:
    def digit(known: str) -> int:
        rest = sum(int(one) * weight for one, weight in zip(known, range(len(known) + 1, 1, -1), strict=True)) % 11
        return 0 if rest < 2 else 11 - rest  # noqa: PLR2004  # the rule of the CPF

    return is_digits(value) and [digit(value[:9]), digit(value[:10])] == [int(value[9]), int(value[10])]


class WebhookQuota(PaymentsRules):
    """How many webhooks an account may have is not shown: five."""

    webhook_quota = 5


class SmallPages(PaymentsRules):
    """The size of a page of webhooks is not shown: two."""

    webhook_page_size = 2


class NamesWebhooks(PaymentsRules):
    """A webhook record has a name, a string or null."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Give it one, and say that mTLS works."""
        return super().webhook_view(call, hook) | {"name": f"hook {hook['id']}", "mtlsCapable": False}


class HidesSecretInList(PaymentsRules):
    """Whether the list repeats the secret is not shown; the field may be null."""

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Hide it in the list."""
        view = super().webhook_view(call, hook)
        return view | {"signatureSecret": None} if call.operation == "list_webhooks" else view


class BlockedBalance(PaymentsRules):
    """Money may be blocked or in reserve; a wallet may be in debt."""

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Show some of each."""
        return super().balance_view(access) | {
            "reserve": self.wallet_view(123456789),
            "pixBlocked": self.wallet_view(5),
        }


FREEDOMS = [
    Freedom("payments-ids", ("PAY-CHG-33", "PAY-TRF-33"), {"cuid": CuidCharges, "digits": NumericIds}),
    Freedom("payments-image", ("PAY-CHG-45",), {"data-uri": DataUriImage}),
    Freedom("payments-moments", ("PAY-GEN-05",), {"offset": OffsetMoments}),
    Freedom(
        "payments-documents",
        ("PAY-CUS-11", "PAY-CUS-12", "PAY-CUS-13"),
        {"checked": CheckedDocuments, "any": AnyLengthDocuments},
    ),
    Freedom("payments-postback", ("PAY-CHG-20", "PAY-TRF-24"), {"https": WantsHttpsPostback}),
    Freedom("payments-splits", ("PAY-SPL-15",), {"known": KnownSplitsOnly}),
    Freedom("payments-floats", ("PAY-GEN-03",), {"whole": WholeFloats}),
    Freedom("payments-null", ("PAY-GEN-08",), {"refused": RefusesNull}),
    Freedom("payments-codes", ("PAY-PAYS-16", "PAY-CMP-16"), {"others": ProductiveCodes}),
    Freedom("payments-errors", ("PAY-ERR-15",), {"longer": LongerErrors}),
    Freedom("payments-replay", ("PAY-IDEM-05",), {"conflict": ReplayConflicts, "live": ReplayLive}),
    Freedom("payments-key", ("PAY-IDEM-06", "PAY-IDEM-08"), {"required": KeyRequired, "uuid": KeyIsUuid}),
    Freedom(
        "payments-approval",
        ("PAY-TRF-40", "PAY-TRF-74"),
        {
            "manual": ManualAnalysis,
            "straight": StraightThrough,
            "slow": SlowApproval,
            "patient": PatientApproval,
            "endless": EndlessApproval,
            "quarter-minute": QuarterMinute,
        },
    ),
    Freedom("payments-complete", ("PAY-CMP-15",), {"pending": CompletesPending}),
    Freedom("payments-funds", ("PAY-TRF-10",), {"needed": NeedsFunds, "settled": NeedsSettledFunds}),
    Freedom("payments-fees", ("PAY-TRF-43",), {"flat": ChargesMore}),
    Freedom("payments-keys", ("PAY-KEY-12",), {"checked": CheckedKeys}),
    Freedom("payments-quota", ("PAY-WH-13",), {"five": WebhookQuota}),
    Freedom("payments-paging", ("PAY-WH-57",), {"two": SmallPages}),
    Freedom("payments-records", ("PAY-WH-15", "PAY-WH-56"), {"named": NamesWebhooks, "secretive": HidesSecretInList}),
    Freedom("payments-balance", ("PAY-BAL-10",), {"blocked": BlockedBalance}),
]
