"""Mutants of BUS-AUTH, authentication."""

from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, changes_result, mutant, setting
from pix_conformance.proof.mutants.guards import on
from pix_conformance.proof.mutants.operators.charges import charge_from, sent_body
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.proof.situation import Guard
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.state import ROLES

GROUP = "auth"
MERCHANT = ROLES["merchant"]


def key_in(call: Call) -> str:
    return call.headers.get("authorization", "").partition(" ")[2].strip()


def lets_in(sentence: str, who: Callable[[Any, Call], Access | None]) -> Difference:
    """Serve requests without a right key as those of the account that a function names, if it names one."""

    def authorize(rules: Any, call: Call) -> Access:
        try:
            return BusinessRules.authorize(rules, call)
        except Refusal:
            if found := who(rules, call):
                return found
            raise

    return setting(sentence, authorize=authorize)


def no_key(operation: str) -> Difference:
    """Need no key for one operation."""
    difference = lets_in("No key is needed.", lambda _, call: None if key_in(call) else MERCHANT)
    return difference.when(on(operation))


def any_key(operation: str) -> Difference:
    """Take any key for one operation."""
    difference = lets_in("Any key is accepted.", lambda _, call: MERCHANT if key_in(call) else None)
    return difference.when(on(operation))


def takes_key(sentence: str, fits: Callable[[str, str], object]) -> Difference:
    """Take a key for a known one if a function of both says so."""

    def find(rules: Any, found: Access | None, key: str) -> Access | None:
        alike = (rules.world.accounts.key(known) for known in rules.world.accounts.keys.values() if fits(known, key))
        return found or next(alike, None)

    return changes_result(sentence, find_key=find)


def refuses_and(sentence: str, operation: str, act: Callable[[Any, Call], object]) -> Difference:
    """Refuse one operation without a right key, and do something all the same."""

    def refuse(rules: Any, answer: Answer, call: Call, refusal: Refusal) -> Answer:
        if call.operation == operation and refusal.kind == "unauthorized":
            act(rules, call)
        return answer

    return changes_result(sentence, refused=refuse)


def create(rules: Any, call: Call) -> None:
    rules.store.insert("business_charge", charge_from(rules, MERCHANT, sent_body(call)))


def becomes(status: str) -> Callable[[Any, Call], object]:
    return lambda rules, call: rules.store.update("business_charge", {"status": status}, id=call.params["id"])


REVOKED = Guard("the key was revoked", lambda it: key_in(it.call) == it.rules.world.accounts.revoked_key)
WITH_KEY = Guard("the request has a key", lambda it: key_in(it.call))

MUTANTS = {
    "BUS-AUTH-01": {"no-key-needed": no_key("create_charge")},
    "BUS-AUTH-02": {"no-key-needed": no_key("get_charge")},
    "BUS-AUTH-03": {"no-key-needed": no_key("list_charges")},
    "BUS-AUTH-04": {"no-key-needed": no_key("cancel_charge")},
    "BUS-AUTH-05": {"no-key-needed": no_key("pay_charge")},
    "BUS-AUTH-06": {"no-key-needed": no_key("get_finance")},
    "BUS-AUTH-07": {
        "any-key-creates": any_key("create_charge"),
        "any-key-lists": any_key("list_charges"),
        "any-key-cancels": any_key("cancel_charge"),
        "any-key-pays": any_key("pay_charge"),
        "any-key-reads-the-balance": any_key("get_finance"),
        "longer-key": takes_key("What follows a right key is ignored.", lambda known, key: key.startswith(known)),
        "key-without-case": takes_key("The case of a key is ignored.",
            lambda known, key: known.upper() == key.upper()),
        "key-without-prefix": takes_key("A key without its prefix is accepted.", lambda known, key: known[8:] == key),
        "key-of-other-prefix": takes_key("A key with the prefix of the other environment is accepted.",
            lambda known, key: known[8:] == key[8:]),
    },
    "BUS-AUTH-08": {
        "accepted-by-reading-routes": lets_in("A key is accepted.", lambda *_: MERCHANT)
            .when(REVOKED, on("get_charge", "list_charges", "get_finance")),
        "accepted-by-pay": lets_in("A key is accepted.", lambda *_: MERCHANT).when(REVOKED, on("pay_charge")),
        "refused-with-403": refused("unauthorized", status=403).when(REVOKED),
    },
    "BUS-AUTH-09": {
        "refused-and-created": refuses_and(
            "A creation without a right key is refused, and leaves a charge.", "create_charge", create),
        "refused-and-created-if-key-unknown": refuses_and(
            "A creation without a right key is refused, and leaves a charge.", "create_charge", create).when(WITH_KEY),
    },
    "BUS-AUTH-10": {"refused-and-canceled": refuses_and(
            "A cancel without a right key is refused, and cancels the charge.", "cancel_charge", becomes("canceled"))},
    "BUS-AUTH-11": {"refused-and-paid": refuses_and(
            "A pay without a right key is refused, and pays the charge.", "pay_charge", becomes("paid"))},
    "BUS-AUTH-14": {"basic-scheme": lets_in(
            "A key is accepted in the scheme Basic.", lambda rules, call: (
                rules.find_key(key_in(call)) if call.headers.get("authorization", "").startswith("Basic ") else None))},
}  # fmt: skip


@mutant("BUS-AUTH-12/session-needed")
class SessionNeeded(BusinessRules):
    """Each response sets a cookie, and a later request with the same key needs it."""

    def authorize(self, call: Call) -> Access:
        access = super().authorize(call)
        begun: set[Access] = self.__dict__.setdefault("begun", set())
        if access in begun and "session=" not in call.headers.get("cookie", ""):
            raise self.unauthorized("session is missing")
        begun.add(access)
        return access

    def respond(self, call: Call, answer: Answer) -> Answer:
        answer.headers["set-cookie"] = "session=1; Path=/"
        return super().respond(call, answer)
