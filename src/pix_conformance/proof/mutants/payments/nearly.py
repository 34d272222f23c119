"""Servers that are right of all that is plain, and wrong of what is only nearly so."""

import asyncio
import re
from datetime import UTC, datetime
from typing import Any

from pix_conformance.proof.mutants.payments.tables import Accepts, a, passing
from pix_conformance.proof.mutants.tabled import family
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.payments.ownership import owner_of
from pix_conformance.reference.store import Row

CHARGE_BACK, TRANSFER_BACK = "judge_charge_postback", "judge_transfer_postback"
COLUMN, COLUMN_OF_TEXT, CPF, FEW, LONG = 255, 100, 11, 10, 0.05


def _schemeless(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("example.com/")


def _path(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("/")


globals().update(
    family(__name__, "validation", Accepts, {
        "PostbackWithoutScheme": ("A charge's postbackUrl may leave out its scheme.", "PAY-CHG-19",
            passing("postbackUrl", _schemeless, None, CHARGE_BACK)),
        "PostbackPath": ("A charge's postbackUrl may be a path.", "PAY-CHG-19",
            passing("postbackUrl", _path, None, CHARGE_BACK)),
        "TransferPostbackWithoutScheme": ("A transfer's postbackUrl may leave out its scheme.", "PAY-TRF-23",
            passing("postbackUrl", _schemeless, None, TRANSFER_BACK)),
        "TransferPostbackPath": ("A transfer's postbackUrl may be a path.", "PAY-TRF-23",
            passing("postbackUrl", _path, None, TRANSFER_BACK)),
        "CurrencyByNumber": ("The currency may be given by its numeric code.", "PAY-TRF-13",
            passing("currency", lambda value: value == "986", "BRL")),
        "KeyOfCpfNumber": ("A CPF as a number is read as a key.", "PAY-TRF-03",
            passing("pixKey", lambda value: a(int)(value) and len(str(value)) == CPF, "52998224725")),
    }),
)  # fmt: skip


class SecretIgnoresCapitals(PaymentsRules):
    """The client secret is compared without regard to capitals."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Put the letters right."""
        known = dict(self.world.accounts.clients.values()).get(client_id, "")
        return super().find_client(client_id, known if client_secret.lower() == known.lower() else client_secret)


class SecretByBeginning(PaymentsRules):
    """What follows the right client secret is not looked at."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Cut it off."""
        known = dict(self.world.accounts.clients.values()).get(client_id, "")
        return super().find_client(client_id, known if known and client_secret.startswith(known) else client_secret)


class SecretButItsEnd(PaymentsRules):
    """The client secret may lack its end, as where a column cut it."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Take all but the last character for the whole."""
        known = dict(self.world.accounts.clients.values()).get(client_id, "")
        return super().find_client(client_id, known if client_secret == known[:-1] else client_secret)


class KeyWithoutItsEnd(PaymentsRules):
    """The last character of an idempotency key is lost."""

    breaks = ("PAY-IDEM-09",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Cut it off."""
        key = super().idempotency_key(call)
        return key and key[:-1]


class KeyByItsEnd(PaymentsRules):
    """Only the last twelve characters of an idempotency key count."""

    breaks = ("PAY-IDEM-09",)
    group = "idempotency"

    def idempotency_key(self, call: Call) -> str | None:
        """Cut the others off."""
        key = super().idempotency_key(call)
        return key and key[-12:]


class KeyOfToken(PaymentsRules):
    """A key is known to the token that it was sent with, not to the account."""

    breaks = ("PAY-IDEM-01",)
    group = "idempotency"

    def idempotency_scope(self, call: Call) -> str:
        """Name the token."""
        return f"{super().idempotency_scope(call)} {call.headers.get('authorization')}"


class ShowsDoneOfOthers(PaymentsRules):
    """A charge that is paid, and a transfer that is completed, are shown to every account."""

    breaks = ("PAY-ISO-01", "PAY-ISO-03")
    group = "isolation"

    def owned(self, call: Call, table: str, number: object) -> Row:
        """Look at the status first."""
        row = self.store.find(table, id=number)
        done = row is not None and row.get("status") in {"paid", "completed"}
        alike = row is not None and owner_of(row).environment == call.access.environment
        return row if row is not None and done and alike else super().owned(call, table, number)


class HookUrlWithoutSlash(PaymentsRules):
    """The url of a webhook loses the slash at its end."""

    breaks = ("PAY-WH-28",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> Row:
        """Cut it off."""
        view = super().webhook_view(call, hook)
        return view | {"url": view["url"].rstrip("/")}


class HookUrlUnescaped(PaymentsRules):
    """A plus in the url of a webhook is shown as a blank."""

    breaks = ("PAY-WH-28",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> Row:
        """Read it as a form would."""
        view = super().webhook_view(call, hook)
        return view | {"url": view["url"].replace("+", " ")}


class HookUrlCut(PaymentsRules):
    """The url of a webhook is cut to the length of its column."""

    breaks = ("PAY-WH-28",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> Row:
        """Cut it."""
        view = super().webhook_view(call, hook)
        return view | {"url": view["url"][:COLUMN]}


class TakesEventsNearby(PaymentsRules):
    """Event names that look like the nine are accepted."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Look at the beginning."""
        return super().is_event(name) or name in {"transaction_canceled", "transfer_paid", "transfer_refused"}


class TakesEveryEvent(PaymentsRules):
    """A star stands for every event."""

    breaks = ("PAY-WH-11",)
    group = "validation"

    def is_event(self, name: str) -> bool:
        """Know the star."""
        return super().is_event(name) or name == "*"


class SplitsExcludeItems(PaymentsRules):
    """A charge has items or splits, not both."""

    breaks = ("PAY-CHG-01",)
    group = "validation"

    def read_charge(self, body: Any) -> dict[str, Any]:
        """Refuse both."""
        read = super().read_charge(body)
        if body.get("items") and body.get("splits"):
            raise Refusal("invalid", "splits must not be given beside items")
        return read


class CountsBlanksOnce(PaymentsRules):
    """A run of blanks counts as one character of a description."""

    breaks = ("PAY-CHG-13", "PAY-TRF-20")
    group = "limits"

    def judge_charge_description(self, value: str) -> str | None:
        """Draw blanks together."""
        return super().judge_charge_description(" ".join(value.split()))

    def judge_transfer_description(self, value: str) -> str | None:
        """Draw blanks together."""
        return super().judge_transfer_description(" ".join(value.split()))


class RemembersFewKeys(PaymentsRules):
    """Only the last keys are remembered."""

    breaks = ("PAY-IDEM-01",)
    group = "idempotency"

    def earlier(self, call: Call, key: str) -> Row | None:
        """Count the transfers since."""
        found = super().earlier(call, key)
        latest = self.__dict__.setdefault("latest_keys", [])
        if found is None:
            latest.append(key)
        return found if key in latest[-FEW:] else None


class HooksAtOnceShareAnId(PaymentsRules):
    """Webhooks that are made at once are one: each looks for a free id before the other has taken it."""

    breaks = (
        "PAY-WH-32",
        "PAY-WH-52",
        "PAY-EVT-01",
        "PAY-EVT-02",
        "PAY-EVT-03",
        "PAY-EVT-04",
        "PAY-WH-60",
        "PAY-WH-66",
    )
    group = "concurrency"

    async def create_webhook(self, call: Call) -> Answer:
        """Look, wait, act."""
        free = 1 + max((row["id"] for row in self.store.rows("webhook")), default=0)
        await asyncio.sleep(LONG)
        answer = await super().create_webhook(call)
        made = answer.body["data"]["id"]
        if made == free:
            return answer
        self.store.delete("webhook", id=made)
        return Answer(answer.status, {**answer.body, "data": answer.body["data"] | {"id": free}})


class RemovesWholeUrl(PaymentsRules):
    """The removal of a webhook takes all others of its url along."""

    breaks = ("PAY-WH-66",)
    group = "state"

    def remove_webhook(self, hook: Row) -> bool:
        """Remove by url."""
        return self.store.delete("webhook", url=hook["url"], account=hook["account"]) > 0


class HookCreatedAlwaysNow(PaymentsRules):
    """The createdAt of a webhook is the time at which it is shown."""

    breaks = ("PAY-WH-34",)
    seen_in = ("PAY-AUTH-11",)
    group = "schema"

    def webhook_view(self, call: Call, hook: Row) -> Row:
        """Look at the clock."""
        return super().webhook_view(call, hook) | {"createdAt": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"}


class TakesEmailWithoutDomain(PaymentsRules):
    """An e-mail needs no domain."""

    breaks = ("PAY-CUS-20", "PAY-SPL-05")
    group = "validation"

    def judge_customer_email(self, value: str) -> str | None:
        """Look for the sign alone."""
        return None if "@" in value else super().judge_customer_email(value)

    def judge_split_email(self, value: str) -> str | None:
        """Look for the sign alone."""
        return None if "@" in value else super().judge_split_email(value)


class LeavesOutLetters(PaymentsRules):
    """Letters in a document are left out before it is read."""

    breaks = ("PAY-CUS-10",)
    group = "validation"

    def read_field(self, holder: Row, field: Field, where: str) -> Any:
        """Keep the digits."""
        value = holder.get(field.name)
        if field.name == "document" and isinstance(value, str):
            holder = holder | {"document": re.sub("[A-Za-z]", "", value)}
        return super().read_field(holder, field, where)


class ComparesShortDescriptions(PaymentsRules):
    """A key's body is compared by the beginning of its description."""

    breaks = ("PAY-IDEM-02",)
    group = "idempotency"

    def fingerprint(self, call: Call, body: Any) -> str:
        """Cut it."""
        return super().fingerprint(call, body | {"description": (body.get("description") or "")[:COLUMN_OF_TEXT]})
