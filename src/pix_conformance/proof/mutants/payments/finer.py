"""Servers wrong of a finer point: how a text is read, which wallet is moved, whose image, secret or event it is."""

import html
import json
import re
from dataclasses import replace
from typing import Any

from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.ledger import CREDIT, DEBIT
from pix_conformance.reference.outbox import Letter
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

CNPJ_LENGTH, CPF_LENGTH = 14, 11


class DocumentDigitsOfAnyScript(PaymentsRules):
    """A document may be written with the digits of any script."""

    breaks = ("PAY-CUS-10",)
    group = "validation"

    def judge_document(self, value: str) -> str | None:
        """Ask the language what a digit is."""
        return None if value.isdigit() else super().judge_document(value)


class CompanyNumberOfLetters(PaymentsRules):
    """A document of fourteen signs may hold letters."""

    breaks = ("PAY-CUS-10",)
    group = "validation"

    def judge_document(self, value: str) -> str | None:
        """Take them."""
        return None if len(value) == CNPJ_LENGTH and value.isalnum() else super().judge_document(value)


class KeyDigitsOfAnyScript(PaymentsRules):
    """The pixKey of a CPF may be written with the digits of any script."""

    breaks = ("PAY-TRF-04",)
    group = "validation"

    def is_cpf_key(self, value: str) -> bool:
        """Ask the language what a digit is."""
        return len(value) == CPF_LENGTH and value.isdigit()


class LoneItem(PaymentsRules):
    """The items may be one item without an array."""

    breaks = ("PAY-CHG-21",)
    group = "validation"
    lone = "items"

    def has_kind(self, key: str, value: Any, kind: str) -> bool:
        """Take it."""
        return (key == self.lone and isinstance(value, dict)) or super().has_kind(key, value, kind)

    def inside(self, value: Any, field: Field, path: str) -> Any:
        """Read it as the only one."""
        alone = field.name == self.lone and isinstance(value, dict)
        return super().inside([value] if alone else value, field, path)


class LoneSplit(LoneItem):
    """The splits may be one split without an array."""

    breaks = ("PAY-CHG-23",)
    group = "validation"
    lone = "splits"


class TrimmedEventNames(PaymentsRules):
    """Blanks around the name of an event are allowed."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Take them off."""
        return super().is_event(name.strip())


class ChargeDescriptionEscaped(PaymentsRules):
    """The description of a charge is counted after it was escaped for HTML."""

    breaks = ("PAY-CHG-12",)
    group = "limits"

    def judge_charge_description(self, value: str) -> str | None:
        """Escape it."""
        return super().judge_charge_description(html.escape(value))


class TransferDescriptionEscaped(PaymentsRules):
    """The description of a transfer is counted after it was escaped for HTML."""

    breaks = ("PAY-TRF-19",)
    group = "limits"

    def judge_transfer_description(self, value: str) -> str | None:
        """Escape it."""
        return super().judge_transfer_description(html.escape(value))


class BalanceOfSixDigits(PaymentsRules):
    """A balance of 10,000.00 and more is written from six digits."""

    breaks = ("PAY-BAL-07",)
    group = "schema"

    def money_text(self, cents: int) -> str:
        """Round it."""
        return f"{float(f'{cents / 100:.6g}'):.2f}"


class FreeAndInReserve(PaymentsRules):
    """What is free is shown in reserve as well."""

    breaks = ("PAY-BAL-12",)
    group = "state"

    def balance_view(self, access: Access) -> dict[str, Any]:
        """Show it twice."""
        view = super().balance_view(access)
        return view | {"reserve": view["pix"]}


class RefusedCurrencyIsDebited(PaymentsRules):
    """A transfer that is refused for its currency is taken from the wallet."""

    breaks = ("PAY-TRF-82",)
    group = "state"

    async def create_transfer(self, call: Call) -> Answer:
        """Take it, if that was the reason."""
        try:
            return await super().create_transfer(call)
        except Refusal:
            if b'"USD"' in (call.body or b""):
                amount = self.json_body(call)["amount"]
                taken = ("pix", DEBIT, amount), ("in_flight", CREDIT, amount)
                self.post(call.access, "transfer.created", "", *taken)
            raise


class SplitNotTaken(PaymentsRules):
    """Whoever charges keeps the whole of a payment that is split."""

    breaks = ("PAY-SPL-17",)
    group = "state"

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """Share nothing."""
        del charge, net
        return []


class FirstSplitTaken(PaymentsRules):
    """Of several splits the first is taken only."""

    breaks = ("PAY-SPL-17",)
    group = "state"

    def split_shares(self, charge: Row, net: int) -> list[tuple[str, int]]:
        """Forget the others."""
        return super().split_shares(charge, net)[:1]


class ImageOfFirst(PaymentsRules):
    """The image of a code is kept for all later charges of the amount."""

    breaks = ("PAY-CHG-79", "PAY-CHG-44")
    seen_in = ("PAY-CUS-03",)
    group = "schema"

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        """Look it up."""
        charge = super().new_charge(access, read)
        kept: dict[int, str] = self.__dict__.setdefault("images", {})
        return charge | {"qr_code": kept.setdefault(charge["amount"], charge["qr_code"])}


class FeesForgottenInQuery(PaymentsRules):
    """The query of a transfer knows no fees, though they are taken from its netAmount."""

    breaks = ("PAY-TRF-76", "PAY-TRF-65")
    group = "schema"

    def transfer_view(self, transfer: Row) -> dict[str, Any]:
        """Forget them."""
        return super().transfer_view(transfer) | {"fees": 0}


class ListedSecretIsAnother(PaymentsRules):
    """The list shows another signatureSecret than the one that signs."""

    breaks = ("PAY-WH-68",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> dict[str, Any]:
        """Turn it round."""
        view = super().webhook_view(call, hook)
        return view | {"signatureSecret": view["signatureSecret"][::-1]} if call.operation == "list_webhooks" else view


class HookListedOncePerUrl(PaymentsRules):
    """Of the webhooks of one url the list shows the last."""

    breaks = ("PAY-WH-52",)
    group = "state"

    def hooks_of(self, call: Call) -> list[Row]:
        """Keep one of each."""
        return list({hook["url"]: hook for hook in super().hooks_of(call)}.values())


class HookRemovedByPrefix(PaymentsRules):
    """A removal reads the digits that an id begins with."""

    breaks = ("PAY-WH-69",)
    group = "state"

    def webhook_number(self, text: str) -> int:
        """Ignore what follows them."""
        found = re.match(r"\d{1,17}", text)
        return int(found[0]) if found else 0


class HookRemovedFromProduction(PaymentsRules):
    """A production token removes webhooks of the sandbox, which its list does not show."""

    breaks = ("PAY-ENV-12",)
    group = "isolation"

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        """Compare accounts only."""
        return (operation == "delete_webhook" and access.account == owner.account) or super().sees(
            access, owner, operation
        )


class PaidToldAsUpdated(PaymentsRules):
    """A webhook for transaction_updated hears of payments too."""

    breaks = ("PAY-EVT-11",)
    group = "events"
    event, neighbour = "transaction_paid", "transaction_updated"

    def subscribes(self, hook: Row, event: str) -> bool:
        """Call it an update."""
        return (event == self.event and self.neighbour in hook["events"]) or super().subscribes(hook, event)


class CompletedToldAsUpdated(PaidToldAsUpdated):
    """A webhook for transfer_updated hears of completions too."""

    breaks = ("PAY-EVT-11",)
    group = "events"
    event, neighbour = "transfer_completed", "transfer_updated"


class DescribedTransferNotPostedBack(PaymentsRules):
    """A transfer with a description is not told to its postbackUrl."""

    breaks = ("PAY-EVT-15",)
    group = "events"

    def open_transfer(self, call: Call, read: dict[str, Any]) -> Any:
        """Lose the address."""
        return super().open_transfer(call, read | ({"postbackUrl": None} if read["description"] else {}))


class KeylessTransferUnannounced(PaymentsRules):
    """The creation of a transfer without an idempotency key sends no event."""

    breaks = ("PAY-EVT-03",)
    group = "events"

    def open_transfer(self, call: Call, read: dict[str, Any]) -> Any:
        """Remember whether there is one."""
        self.__dict__["keyless"] = not self.idempotency_key(call)
        return super().open_transfer(call, read)

    def should_emit(self, event: str, row: Row) -> bool:
        """Say nothing."""
        return not (event == "transfer_created" and self.__dict__["keyless"]) and super().should_emit(event, row)


class SignedOtherwiseForOneEvent(PaymentsRules):
    """Webhooks of a single event get their signature in a header of another name."""

    breaks = ("PAY-SIG-01",)
    group = "events"

    def letter(self, url: str, payload: dict[str, Any], hook: Row | None) -> Letter:
        """Rename it."""
        letter = super().letter(url, payload, hook)
        if not hook or len(json.loads(hook["events"])) > 1:
            return letter

        def write(attempt: int) -> tuple[bytes, dict[str, str]]:
            body, headers = letter.write(attempt)
            return body, {f"X-{name}" if name == "Service-Signature" else name: one for name, one in headers.items()}

        return replace(letter, write=write)
