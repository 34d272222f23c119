"""Servers that keep every rule of a plain charge or transfer, and break one in a single situation."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.payments.tables import Accepts, ChangesAnswers, Refuses, failing, in_answers, passing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.outbox import Written
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

MERCHANT = Access("merchant-a", "sandbox")


def _net(transfer: dict[str, Any]) -> dict[str, Any]:
    return transfer | ({"amount": transfer["netAmount"]} if transfer["status"] == "completed" else {})


def _as_payment(thing: dict[str, Any]) -> dict[str, Any]:
    return thing | ({"id": f"pay_{thing['id']}"} if thing["status"] in {"paid", "completed"} else {})


globals().update(
    family(__name__, "state", ChangesAnswers, {
        "PaidOfAnotherId": ("The query of a paid charge shows the id of its payment.", "PAY-CHG-71",
            in_answers("get_charge", "data", _as_payment)),
        "CompletedOfAnotherId": ("The query of a completed transfer shows another id.", "PAY-TRF-63",
            in_answers("get_transfer", "data", _as_payment)),
        "CompletedShowsNet": ("The query of a completed transfer shows the net amount as its amount.", "PAY-TRF-64",
            in_answers("get_transfer", "data", _net)),
    })
    | family(__name__, "validation", Accepts, {
        "DocumentOfBlanks": ("Blanks may part the digits of a document.", "PAY-CUS-09",
            passing("customer.document", lambda value: isinstance(value, str) and " " in value, "52998224725")),
    })
    | family(__name__, "limits", Refuses, {
        "EmailWithoutPlus": ("A customer's email may have no plus.", "PAY-CUS-18",
            failing("customer.email", lambda value: "+" in value)),
    })
)  # fmt: skip


class SplitsBornPaid(PaymentsRules):
    """A charge with splits is paid from the start, and so cannot be paid."""

    breaks = ("PAY-CHG-40", "PAY-PAYS-01")
    group = "state"

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Take it for settled."""
        return super().new_charge(access, read) | ({"status": "paid"} if read["splits"] else {})


class SplitsNeverPaid(PaymentsRules):
    """A charge with splits cannot be paid in the sandbox."""

    breaks = ("PAY-PAYS-01",)
    group = "state"

    def may_pay(self, charge: Row) -> bool:
        """Look at the splits."""
        return super().may_pay(charge) and charge["splits"] == "[]"


class DescribedShownPending(PaymentsRules):
    """A charge with a description is shown as pending after its payment."""

    breaks = ("PAY-PAYS-11",)
    group = "state"

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Show the status of its creation."""
        return super().charge_view(call, charge) | ({"status": "pending"} if charge["description"] else {})


class DescribedPaidAgain(PaymentsRules):
    """A charge with a description can be paid again."""

    breaks = ("PAY-PAYS-12",)
    group = "state"

    def may_pay(self, charge: Row) -> bool:
        """Look at the description."""
        return bool(charge["description"]) or super().may_pay(charge)


class AmountOfItems(PaymentsRules):
    """A charge with items needs no amount of its own: they are added up."""

    breaks = ("PAY-CHG-02",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Add them up."""
        if isinstance(body, dict) and body.get("items") and "amountInCents" not in body:
            body = {**body, "amountInCents": sum(one["amountInCents"] for one in body["items"])}
        return super().read_charge(body)


class MinimumWithoutItems(PaymentsRules):
    """The minimum of a charge holds for those without items only."""

    breaks = ("PAY-CHG-06",)
    group = "limits"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Raise an amount that is too low, and put it back."""
        amount = body.get("amountInCents") if isinstance(body, dict) and body.get("items") else None
        low = type(amount) is int and 0 < amount < self.minimum_charge
        read = super().read_charge({**body, "amountInCents": self.minimum_charge} if low else body)
        return read | ({"amountInCents": amount} if low else {})


class ReplayOfNoAmount(PaymentsRules):
    """A replay is answered with the first transfer, of nothing."""

    breaks = ("PAY-TRF-41",)
    group = "idempotency"

    def replay(self, call: Call, earlier: Row) -> Answer:
        """Leave the amount out of account."""
        answer = super().replay(call, earlier)
        body: Any = answer.body
        return Answer(answer.status, body | {"data": body["data"] | {"amount": 0}}, answer.headers)


class ComparesGivenFields(PaymentsRules):
    """A key's body is compared by the fields of the second request: one that it leaves out is not missed."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def fingerprint(self, call: Call, body: Any) -> str:
        """Take a body that only lacks fields for the one that is known."""
        key = self.idempotency_key(call) or ""
        known = self.earlier(call, key)
        whole = super().fingerprint(call, body)
        return known["fingerprint"] if known and _part_of(whole, known["fingerprint"]) else whole


def _part_of(less: str, more: str) -> bool:
    return all(one in more for one in less.strip("{}").split(", "))


class ComparesWithoutCapitals(PaymentsRules):
    """A key's body is compared without regard to capitals."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def is_same_body(self, first: str, second: str) -> bool:
        """Write both in small letters."""
        return first.lower() == second.lower()


class ConflictsWhenHigher(PaymentsRules):
    """A key used again conflicts if the amount is higher, not if it is lower."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"
    lowest: ClassVar[dict[str, Any]] = {}

    def fingerprint(self, call: Call, body: Any) -> str:
        """Take a lower amount for the one that is known."""
        known = self.lowest.setdefault(self.idempotency_key(call) or "", body)
        lower = isinstance(known, dict) and body | {"amount": 0} == known | {"amount": 0}
        return super().fingerprint(call, known if lower and body["amount"] < known["amount"] else body)


class StateBeforeOwner(PaymentsRules):
    """The pay of a paid charge, and the completion of a completed transfer, is refused with 400 whoever asks."""

    breaks = ("PAY-ISO-02", "PAY-ISO-04")
    group = "isolation"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look at the status first."""
        row = self.store.find(table, id=number)
        done = row is not None and row.get("status") in {"paid", "completed"}
        if done and call.operation in {"pay_charge", "complete_transfer"}:
            raise Refusal("state", "it is no longer pending")
        return super().owned(call, table, number)


class FirstSeesCharges(PaymentsRules):
    """The oldest account sees the charges of all others."""

    breaks = ("PAY-ISO-01",)
    group = "isolation"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Let it pass."""
        above = access == MERCHANT and owner.is_sandbox and operation == "get_charge"
        return above or super().sees(access, owner, operation)


class FirstListsHooks(PaymentsRules):
    """The oldest account lists the webhooks of all others."""

    breaks = ("PAY-ISO-05",)
    group = "isolation"

    def hooks_of(self, call: Call) -> list[Row]:
        """Leave the account out."""
        return self.store.rows("webhook", "id") if call.access == MERCHANT else super().hooks_of(call)


class ClientIdByBeginning(PaymentsRules):
    """What follows the right client id is not looked at."""

    breaks = ("PAY-AUTH-16",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Cut it off."""
        known = [one for one, _ in self.world.accounts.clients.values() if client_id.startswith(one)]
        return super().find_client(known[0] if known else client_id, client_secret)


class TokenUnderAnyScheme(PaymentsRules):
    """The word before a token is not looked at."""

    breaks = ("PAY-AUTH-11",)
    group = "auth"

    def authorize(self, call: Call) -> Access:
        """Read what follows it."""
        token = call.headers.get("authorization", "").partition(" ")[2]
        claims = self.read_token(token)
        return super().authorize(call) if claims is None or self.is_expired(claims) else _of(claims)


def _of(claims: dict[str, Any]) -> Access:
    return Access(claims["sub"], claims["environment"])


class CodeOfMalformedKey(PaymentsRules):
    """A key of no accepted type is refused with a code of its own."""

    breaks = ("PAY-ERR-04",)
    group = "error bodies"
    words = "must be a CPF"

    def error_code(self, refusal: Refusal) -> str:
        """Say what is wrong."""
        return "INVALID_FORMAT" if self.words in refusal.message else super().error_code(refusal)


class CodeOfMalformedEmail(CodeOfMalformedKey):
    """An e-mail that is none is refused with a code of its own."""

    breaks = ("PAY-ERR-04",)
    group = "error bodies"
    words = "must be a valid e-mail"


class CompletedNeedsPostback(PaymentsRules):
    """transfer_completed is sent for transfers with a postbackUrl only."""

    breaks = ("PAY-EVT-04",)
    group = "events"
    silent = "transfer_completed"

    def should_emit(self, event: str, row: Row) -> bool:
        """Look for the address."""
        return super().should_emit(event, row) and (event != self.silent or bool(row["postback_url"]))


class TransferCreatedNeedsPostback(CompletedNeedsPostback):
    """transfer_created is sent for transfers with a postbackUrl only."""

    breaks = ("PAY-EVT-03",)
    group = "events"
    silent = "transfer_created"


class PostbackOfNetAmount(PaymentsRules):
    """A postbackUrl is told the net amount, a webhook the gross one."""

    breaks = ("PAY-EVT-48", "PAY-EVT-68", "PAY-EVT-46", "PAY-EVT-66")
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Send to the address what is left after the fees."""
        kind = payload["type"]
        net = payload | {kind: payload[kind] | {"amount": row["amount"] - row["fees"]}}
        super().send_event(event, row | {"postback_url": None}, payload)
        if row["postback_url"]:
            self.send_letter(row["postback_url"], net, None)


class CompletedToFirstWebhook(PaymentsRules):
    """Of several webhooks for transfer_completed only the oldest receives it; of other events each."""

    breaks = ("PAY-EVT-12",)
    group = "events"
    lonely = "transfer_completed"

    def listeners(self, event: str, owner: Access) -> list[Row]:
        """Stop after one."""
        found = super().listeners(event, owner)
        return found[:1] if event == self.lonely else found


class CreatedToFirstWebhook(CompletedToFirstWebhook):
    """Of several webhooks for transaction_created only the oldest receives it; of other events each."""

    breaks = ("PAY-EVT-12",)
    group = "events"
    lonely = "transaction_created"


class RetryUnsigned(PaymentsRules):
    """An event that is sent again has no signature."""

    breaks = ("PAY-SIG-01",)
    group = "events"

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Forget the secret."""
        return super().write_event(attempt, payload, secret if attempt == 1 else None)


class RetrySignedOtherwise(PaymentsRules):
    """An event that is sent again is signed with another secret."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Add the number of the attempt."""
        return super().write_event(attempt, payload, f"{secret}{attempt}" if secret and attempt > 1 else secret)


class UpdateSignedOtherwise(PaymentsRules):
    """transfer_updated is signed with another secret than that of the webhook."""

    breaks = ("PAY-SIG-03",)
    group = "events"

    def write_event(self, attempt: int, payload: dict[str, Any], secret: str | None) -> Written:
        """Turn it round."""
        other = secret[::-1] if secret and payload["event"] == "transfer_updated" else secret
        return super().write_event(attempt, payload, other)
