"""Servers that are right of the first thing of its kind, and wrong of the next; and of what is as good as nothing."""

import base64
import re
from decimal import Decimal
from typing import Any

from pix_conformance.proof.mutants.payments.tables import Accepts, passing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

NOT_FIRST = re.compile(r"(items|splits)\[[1-9]")
ANY_EMAIL = "company@example.com"

globals().update(
    family(__name__, "validation", Accepts, {
        "SplitEmailEmpty": ("A split's email may be an empty text.", "PAY-SPL-05",
            passing("splits[].email", lambda value: value == "", ANY_EMAIL)),
    }),
)  # fmt: skip


class FirstItemComplete(PaymentsRules):
    """Only the first of several items needs its required fields."""

    breaks = ("PAY-ITEM-03", "PAY-ITEM-05", "PAY-ITEM-07", "PAY-ITEM-09")
    group = "validation"

    def read_field(self, holder: Row, field: Field, where: str) -> Any:
        """Look at the place."""
        left_out = NOT_FIRST.match(where) and field.name not in holder
        return None if left_out else super().read_field(holder, field, where)


class FirstSplitAddressed(PaymentsRules):
    """Only the first of several splits needs an e-mail that is one."""

    breaks = ("PAY-SPL-04", "PAY-SPL-05")
    group = "validation"

    def read_field(self, holder: Row, field: Field, where: str) -> Any:
        """Look at the place."""
        unread = NOT_FIRST.match(where) and field.rule == "judge_split_email"
        return ANY_EMAIL if unread else super().read_field(holder, field, where)


class FirstSplitAtLeast(PaymentsRules):
    """Only the first of several splits has a smallest percentage."""

    breaks = ("PAY-SPL-09",)
    group = "limits"

    def read_field(self, holder: Row, field: Field, where: str) -> Any:
        """Look at the place."""
        value = holder.get(field.name)
        low = field.rule == "judge_percentage" and isinstance(value, int | Decimal) and value < self.minimum_percentage
        return value if low and NOT_FIRST.match(where) else super().read_field(holder, field, where)


class CustomerOfNothing(PaymentsRules):
    """An empty customer is nobody, and nobody may be charged."""

    breaks = ("PAY-CUS-01",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Put somebody in."""
        nobody = isinstance(body, dict) and body.get("customer") == {}
        somebody = {"customer": {"documentType": "cpf", "document": "52998224725"}}
        return super().read_charge({**body, **somebody} if nobody else body)


class ClientIdAlone(PaymentsRules):
    """A Basic header of the client id alone, without a colon, gets a token."""

    breaks = ("PAY-AUTH-18",)
    group = "auth"

    def basic_pair(self, header: str) -> tuple[str, str] | None:
        """Find the secret that is not asked for."""
        coded = header.partition(" ")[2].encode()
        for client_id, secret in self.world.accounts.clients.values():
            if coded == base64.b64encode(client_id.encode()):
                return client_id, secret
        return super().basic_pair(header)


class PostbackAddressOnce(PaymentsRules):
    """A postbackUrl is told of the first payment only, though other charges name it too."""

    breaks = ("PAY-EVT-13",)
    group = "events"

    def send_event(self, event: str, row: Row, payload: dict[str, Any]) -> None:
        """Remember what an address was told."""
        told = self.__dict__.setdefault("told_addresses", set())
        one = (row["postback_url"], event)
        super().send_event(event, row | ({"postback_url": None} if one in told else {}), payload)
        told.add(one)


class ProcessedAlwaysNow(PaymentsRules):
    """The processedAt of a completed transfer is the time at which it is asked for."""

    breaks = ("PAY-TRF-80",)
    group = "time"

    def transfer_view(self, transfer: Row) -> Row:
        """Look at the clock."""
        processed = transfer["processed_at"] and self.clock.now()
        return super().transfer_view(transfer | {"processed_at": processed})


class HooksOfFirstTen(PaymentsRules):
    """The list knows the ten oldest webhooks only, and no further page."""

    breaks = ("PAY-WH-52",)
    group = "state"
    kept = slice(10)

    def hooks_of(self, call: Call) -> list[Row]:
        """Forget the others."""
        return super().hooks_of(call)[self.kept]


class HooksOfLastTwenty(HooksOfFirstTen):
    """The list knows the twenty newest webhooks only, and no further page."""

    breaks = ("PAY-WH-52",)
    group = "state"
    kept = slice(-20, None)


class HookOfLatestAccount(PaymentsRules):
    """A url has one webhook in all: whoever registers it takes it from another account."""

    breaks = ("PAY-ISO-10",)
    group = "isolation"

    async def create_webhook(self, call: Call) -> Answer:
        """Forget the others."""
        answer = await super().create_webhook(call)
        url, mine = self.json_body(call)["url"], (call.access.account, call.access.environment)
        for hook in self.store.rows("webhook", "id", url=url):
            if (hook["account"], hook["environment"]) != mine:
                self.remove_webhook(hook)
        return answer
