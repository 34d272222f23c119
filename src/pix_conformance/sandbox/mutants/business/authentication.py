"""Mutants of BUS-AUTH and BUS-ENV, API keys, sandbox and production."""

from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.mutants.operators import *

GROUP = "auth"
GROUP_OF_AREA = {"BUS-ENV": "isolation"}

MERCHANT = ROLES["merchant"]


def key_in(call: Call) -> str:
    return call.headers.get("authorization", "").partition(" ")[2].strip()


def no_key(operation: str) -> Difference:
    """Need no key for one operation."""
    return lets_in("No key is needed.", lambda _, call: None if key_in(call) else MERCHANT).when(on(operation))


def any_key(operation: str) -> Difference:
    """Take any key for one operation."""
    return lets_in("Any key is accepted.", lambda _, call: MERCHANT if key_in(call) else None).when(on(operation))


def takes_key(sentence: str, fits: Callable[[str, str], object]) -> Difference:
    """Take a key for a known one if a function of both says so."""

    def find(rules: Any, access: Access | None, key: str) -> Access | None:
        alike = (rules.state.accounts.key(known) for known in rules.state.accounts.keys.values() if fits(known, key))
        return access or next(alike, None)

    return changes_result(sentence, find_key=find)


def need_session(rules: Any, access: Access, call: Call) -> Access:
    begun: set[Access] = rules.__dict__.setdefault("begun", set())
    if access in begun and "session=" not in call.headers.get("cookie", ""):
        raise rules.unauthorized("session is missing")
    begun.add(access)
    return access


REVOKED = Guard("the key was revoked", lambda it: key_in(it.call) == it.rules.state.accounts.revoked_key)
NOT_REVOKED = Guard("it was not revoked", lambda it: key_in(it.call) != it.rules.state.accounts.revoked_key)
WITH_KEY = Guard("the request has a key", lambda it: key_in(it.call))
REFUSED_AND_CANCELED = acts_though_refused(
    "A cancel without a right key is refused, and cancels the charge.",
    "cancel_charge", "unauthorized", becomes("canceled")).also("BUS-EVT-03").of("auth")  # fmt: skip
REFUSED_AND_PAID = acts_though_refused(
    "A pay without a right key is refused, and pays the charge.",
    "pay_charge", "unauthorized", becomes("paid")).also("BUS-EVT-02").of("auth")  # fmt: skip

SANDBOX, PRODUCTION = "the sandbox, with a key of production", "production, with a key of the sandbox"


def refuse_key(rules: Any, _call: Call) -> None:
    raise rules.unauthorized("API key is not valid here")


def post_in_production(rules: Any, right: Callable[[Row], None], charge: Row) -> None:
    right(charge)
    if charge["environment"] == "sandbox":
        right(charge | {"environment": "production"})


OF_OTHER_ENVIRONMENT = Guard(
    "the key is of the other environment", lambda it: it.row["environment"] != it.call.access.environment)  # fmt: skip
IN_SANDBOX = Guard("it belongs to the sandbox", lambda it: it.row["environment"] == "sandbox")


MUTANTS = {
    "BUS-AUTH-01/no-key-needed": no_key("create_charge"),
    "BUS-AUTH-02/no-key-needed": no_key("get_charge"),
    "BUS-AUTH-03/no-key-needed": no_key("list_charges"),
    "BUS-AUTH-04/no-key-needed": no_key("cancel_charge"),
    "BUS-AUTH-05/no-key-needed": no_key("pay_charge"),
    "BUS-AUTH-06/no-key-needed": no_key("get_finance"),
    "BUS-AUTH-07/any-key-creates": any_key("create_charge"),
    "BUS-AUTH-07/any-key-lists": any_key("list_charges"),
    "BUS-AUTH-07/any-key-cancels": any_key("cancel_charge"),
    "BUS-AUTH-07/any-key-pays": any_key("pay_charge"),
    "BUS-AUTH-07/any-key-reads-the-balance": any_key("get_finance"),
    "BUS-AUTH-07/longer-key": takes_key("What follows a right key is ignored.",
        lambda known, key: key.startswith(known)),
    "BUS-AUTH-07/key-without-case": takes_key("The case of a key is ignored.",
        lambda known, key: known.upper() == key.upper()),
    "BUS-AUTH-07/key-without-prefix": takes_key("A key without its prefix is accepted.",
        lambda known, key: known[8:] == key),
    "BUS-AUTH-07/key-of-other-prefix": takes_key("A key with the prefix of the other environment is accepted.",
        lambda known, key: known[8:] == key[8:]),
    "BUS-AUTH-08/accepted-by-reading-routes": lets_in("A key is accepted.", lambda *_: MERCHANT)
        .when(REVOKED, on("get_charge", "list_charges", "get_finance")),
    "BUS-AUTH-08/accepted-by-pay": lets_in("A key is accepted.", lambda *_: MERCHANT).when(REVOKED, on("pay_charge")),
    "BUS-AUTH-08/refused-with-403": refused("unauthorized", status=403).when(REVOKED),
    "BUS-AUTH-09/refused-and-created": leaves_charge(
        "A creation without a right key is refused, and leaves a charge.", "unauthorized"),
    "BUS-AUTH-09/refused-and-created-if-key-unknown": leaves_charge(
        "A creation without a right key is refused, and leaves a charge.", "unauthorized").when(WITH_KEY, NOT_REVOKED),
    "BUS-AUTH-09/refused-and-created-if-key-revoked": leaves_charge(
        "A creation without a right key is refused, and leaves a charge.", "unauthorized").when(REVOKED),
    "BUS-AUTH-10/refused-and-canceled": REFUSED_AND_CANCELED,
    "BUS-AUTH-10/refused-and-canceled-if-key-unknown": REFUSED_AND_CANCELED.when(WITH_KEY, NOT_REVOKED),
    "BUS-AUTH-10/refused-and-canceled-if-key-revoked": REFUSED_AND_CANCELED.when(REVOKED),
    "BUS-AUTH-11/refused-and-paid": REFUSED_AND_PAID,
    "BUS-AUTH-11/refused-and-paid-if-key-unknown": REFUSED_AND_PAID.when(WITH_KEY, NOT_REVOKED),
    "BUS-AUTH-11/refused-and-paid-if-key-revoked": REFUSED_AND_PAID.when(REVOKED),
    "BUS-AUTH-12/session-needed": changes_result(
        "Each response sets a cookie, and a later request with the same key needs it.",
        authorize=need_session, respond=lambda _, answer, *_given: Answer(
            answer.status, answer.body, answer.headers | {"set-cookie": "session=1; Path=/"})),
    "BUS-AUTH-14/basic-scheme": lets_in("A key is accepted in the scheme Basic.", lambda rules, call: (
            rules.find_key(key_in(call)) if call.headers.get("authorization", "").startswith("Basic ") else None)),
    "BUS-ENV-01/balance-refused-with-401": setting("The balance is refused with 401.", get_finance=refuse_key)
        .when(IN_PRODUCTION),
    "BUS-ENV-02/shown-if-paid": sees_others("get_charge", from_production, SANDBOX).when(in_status("paid")),
    "BUS-ENV-02/shown-if-canceled": sees_others("get_charge", from_production, SANDBOX).when(in_status("canceled")),
    "BUS-ENV-03/shown": sees_others("get_charge", from_sandbox, PRODUCTION),
    "BUS-ENV-04/production-listed-if-pending-are-asked-for": lists_others(from_sandbox, PRODUCTION, "pending")
        .when(FILTERED),
    "BUS-ENV-05/posted-in-production-too": overrides(
        "A payment in the sandbox is posted to the ledger of production as well.", capture=post_in_production)
        .also("BUS-ENV-16"),
    "BUS-ENV-08/canceled": sees_others("cancel_charge", from_production, SANDBOX).also("BUS-ENV-09"),
    "BUS-ENV-09/refused-and-canceled": acts_though_refused(
        "A cancel is refused with 404, and cancels the charge.", "cancel_charge", "missing", becomes("canceled"))
        .when(OF_OTHER_ENVIRONMENT, IN_SANDBOX).of("isolation"),
    "BUS-ENV-10/canceled": sees_others("cancel_charge", from_sandbox, PRODUCTION).also("BUS-ENV-11"),
    "BUS-ENV-11/refused-and-canceled": acts_though_refused(
        "A cancel is refused with 404, and cancels the charge.", "cancel_charge", "missing", becomes("canceled"))
        .when(OF_OTHER_ENVIRONMENT, IN_PRODUCTION).of("isolation"),
    "BUS-ENV-12/paid": sees_others("pay_charge", from_sandbox, PRODUCTION).also("BUS-ENV-13"),
    "BUS-ENV-13/refused-and-paid": acts_though_refused(
        "A pay is refused with 404, and pays the charge.", "pay_charge", "missing", becomes("paid"))
        .when(OF_OTHER_ENVIRONMENT, IN_PRODUCTION).of("isolation"),
    "BUS-ENV-14/idempotency-keys-shared": setting(
        "Idempotency keys are shared by sandbox and production, so a replay shows the charge of the other.",
        idempotency_scope=lambda _, call: f"{call.operation}/{call.access.account}"),
    "BUS-ENV-15/sandbox-listed": lists_others(from_production, SANDBOX),
    "BUS-ENV-16/balance-of-production-raised": raises_balance(ROLES["merchant"], ROLES["live_merchant"]),
}  # fmt: skip
