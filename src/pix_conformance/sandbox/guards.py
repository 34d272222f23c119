"""Guards: the conditions under which a mutant is wrong. A difference takes them by `when`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pix_conformance.reference import formats
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.store import Row

TABLES = ("payments_charge", "transfer", "business_charge", "webhook")


@dataclass(frozen=True)
class Situation:
    """The rules, and the values with which one of their methods is called. A member that is not there: LookupError."""

    rules: Any
    arguments: tuple[Any, ...]

    @property
    def call(self) -> Call:
        """The request."""
        call: Call = self._one(Call)
        return call

    @property
    def row(self) -> Row:
        """The charge, transfer or webhook: given, or named in the path, or just created."""
        for value in self.arguments:
            if isinstance(value, dict) and {"account", "environment"} <= value.keys():
                return value
        return self._stored()

    @property
    def body(self) -> dict[str, Any]:
        """The body of the request."""
        body: dict[str, Any] = self.rules.json_body(self.call)
        return body

    @property
    def access(self) -> Access:
        """Whose data it is about: the owner of the object, else the caller."""
        try:
            return Access(self.row["account"], self.row["environment"])
        except LookupError:
            given = [value for value in self.arguments if isinstance(value, Access)]
            return given[0] if given else self.call.access

    def _stored(self) -> Row:
        for number in self._ids():
            for table in TABLES:
                if row := self.rules.store.find(table, id=number):
                    return dict(row)
        raise LookupError("no charge, transfer or webhook")

    def _ids(self) -> Iterator[object]:
        """Yield the id in the path, then those in the answer."""
        for value in self.arguments:
            if isinstance(value, Call):
                yield value.params.get("id")
            elif isinstance(value, Answer) and isinstance(value.body, dict):
                yield value.body.get("id")
                yield value.body["data"].get("id") if isinstance(value.body.get("data"), dict) else None

    def _one(self, kind: type[Any]) -> Any:
        for value in self.arguments:
            if isinstance(value, kind):
                return value
        raise LookupError(kind.__name__)


@dataclass(frozen=True)
class Guard:
    """A condition of a difference; `words` follow "if" in its sentence."""

    words: str
    judge: Callable[[Situation], object]


def holds(guards: tuple[Guard, ...], rules: Any, given: tuple[Any, ...]) -> bool:
    """Judge whether all guards hold; one that looks at what is not there does not."""
    try:
        return all(guard.judge(Situation(rules, given)) for guard in guards)
    except LookupError:
        return False


DESCRIBED = Guard("it has a description", lambda it: it.row["description"] is not None)
UNLABELLED = Guard("it has no external_ref", lambda it: it.row["external_ref"] is None)
WITH_EMAIL = Guard("it has a customer_email", lambda it: it.row["customer_email"] is not None)
WITH_SPLITS = Guard("it has splits", lambda it: it.row["splits"] != "[]")
OF_COMPANY = Guard("its payer is a company", lambda it: len(it.row["payer_document"]) == len("00000000000191"))
WITH_POSTBACK = Guard("it has a postbackUrl", lambda it: it.row["postback_url"] is not None)
WITHOUT_POSTBACK = Guard("it has no postbackUrl", lambda it: it.row["postback_url"] is None)
IN_SANDBOX = Guard("it belongs to the sandbox", lambda it: it.row["environment"] == "sandbox")
OF_ANOTHER_ACCOUNT = Guard("it belongs to another account", lambda it: it.row["account"] != it.call.access.account)
IN_PRODUCTION = Guard("it belongs to production", lambda it: not it.access.is_sandbox)
WITHOUT_KEY = Guard("the request has no idempotency key", lambda it: it.rules.idempotency_key(it.call) is None)
OF_UNKNOWN_CHARGE = Guard("no charge has the id", lambda it: not it.rules.knows_charge(it.call.params["id"]))
FILTERED = Guard("the list is filtered by status", lambda it: status_asked_for(it) is not None)
UNFILTERED = Guard("the list is not filtered by status", lambda it: status_asked_for(it) is None)
OF_MALFORMED_ID = Guard("the id in the path is no UUID", lambda it: not formats.is_uuid(it.call.params["id"]))
ANOTHER_OF_LABEL = Guard(
    "another charge has its external_ref",
    lambda it: len(it.rules.store.rows("business_charge", external_ref=it.row["external_ref"])) > 1,
)


def amount_below(cents: int) -> Guard:
    """Hold for small amounts."""
    return Guard(f"its amount is less than {cents / 100:.2f}", lambda it: it.row["amount"] < cents)


def amount_from(cents: int) -> Guard:
    """Hold for large amounts."""
    return Guard(f"its amount is {cents / 100:.2f} or more", lambda it: it.row["amount"] >= cents)


def to_key(kind: str) -> Guard:
    """Hold for transfers to a pixKey of one type: cpf, cnpj, email, phone or evp."""
    return Guard(f"its pixKey is of the type {kind}", lambda it: getattr(it.rules, f"is_{kind}_key")(it.row["pix_key"]))


def in_status(status: str) -> Guard:
    """Hold for what is in a status."""
    return Guard(f"it is {status}", lambda it: it.row["status"] == status)


def status_asked_for(it: Situation) -> object:
    """Return the status by which a list is filtered, or None: of the query, else the argument of `listed`."""
    try:
        return it.call.query.get("status", [None])[-1]
    except LookupError:
        return it.arguments[1]


def filtered_by(status: str) -> Guard:
    """Hold for lists of a status."""
    return Guard(f"the list is filtered by {status}", lambda it: status_asked_for(it) == status)


def older_than(seconds: float) -> Guard:
    """Hold for what was created some time ago."""
    return Guard(f"it is older than {seconds:g} s", lambda it: it.rules.clock.now() - it.row["created_at"] > seconds)


def near_expiry(seconds: float) -> Guard:
    """Hold for the last seconds of a charge's life."""
    return Guard(f"it expires within {seconds:g} s", lambda it: it.row["expires_at"] - it.rules.clock.now() < seconds)


def on(*operations: str) -> Guard:
    """Hold for the requests of some operations."""
    return Guard(f"the operation is {' or '.join(operations)}", lambda it: it.call.operation in operations)


def of_event(*names: str) -> Guard:
    """Hold for events of some names."""
    return Guard(f"the event is {' or '.join(names)}", lambda it: any(name in names for name in it.arguments if name))
