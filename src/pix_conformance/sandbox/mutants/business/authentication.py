"""Mutants of BUS-AUTH, API keys."""

from collections.abc import Callable
from typing import Any

from pix_conformance.model.operations import of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.state import ROLES
from pix_conformance.sandbox.mutants.operators import *

GROUP = "auth"

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
REFUSED_AND_CANCELED = acts_though_refused("A cancel without a right key is refused, and cancels the charge.",
    "cancel_charge", "unauthorized", becomes("canceled")).also("BUS-EVT-03").of("auth")  # fmt: skip
REFUSED_AND_PAID = acts_though_refused("A pay without a right key is refused, and pays the charge.",
    "pay_charge", "unauthorized", becomes("paid")).also("BUS-EVT-02").of("auth")  # fmt: skip


MUTANTS = {
    "BUS-AUTH-01/no-key-needed": no_key("create_charge"),
    "BUS-AUTH-02/no-key-needed": no_key("get_charge"),
    "BUS-AUTH-03/no-key-needed": no_key("list_charges"),
    "BUS-AUTH-04/no-key-needed": no_key("cancel_charge"),
    "BUS-AUTH-05/no-key-needed": no_key("pay_charge"),
    "BUS-AUTH-06/no-key-needed": no_key("get_finance"),
    **{f"BUS-AUTH-07/any-key-for-{row.name.replace('_', '-')}": any_key(row.name) for row in of(Api.BUSINESS)},
    "BUS-AUTH-07/longer-key": takes_key("What follows a right key is ignored.",
        lambda known, key: key.startswith(known)),
    "BUS-AUTH-07/key-without-case": takes_key("The case of a key is ignored.",
        lambda known, key: known.upper() == key.upper()),
    "BUS-AUTH-07/key-without-prefix": takes_key("A key without its prefix is accepted.",
        lambda known, key: known[8:] == key),
    "BUS-AUTH-07/key-of-other-prefix": takes_key("A key with the prefix of the other environment is accepted.",
        lambda known, key: known[8:] == key[8:]),
    "BUS-AUTH-08/accepted-by-reading-routes": lets_in("A key is accepted.", lambda *_: MERCHANT)
        .when(REVOKED, on(*(row.name for row in of(Api.BUSINESS) if row.reads))),
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
    "BUS-AUTH-17/found-anywhere": lets_in("A key is accepted if Bearer and a blank stand anywhere before it.",
        lambda rules, call: rules.find_key(call.headers.get("authorization", "").partition("Bearer ")[2])),
}  # fmt: skip
