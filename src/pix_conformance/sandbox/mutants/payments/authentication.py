"""Mutants of PAY-AUTH: login, the form of tokens, and tokens of requests."""

import base64
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import jwt

from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.state import ROLES
from pix_conformance.sandbox.mutants.operators import *

GROUP = "auth"
AT_ONCE_S = 0.1
MERCHANT = ROLES["merchant"]


def any_token(operation: str) -> Difference:
    """Take any token for one operation."""
    difference = lets_in("Any token is accepted.", lambda _, call: MERCHANT if token_of(call) else None)
    return difference.when(on(operation)).also("PAY-AUTH-12", "PAY-AUTH-13")


def no_token(operation: str) -> Difference:
    """Need no token for one operation."""
    difference = lets_in("No token is needed.", lambda _, call: None if call.headers.get("authorization") else MERCHANT)
    return difference.when(on(operation))


def expired_token(operation: str) -> Difference:
    """Take expired tokens for one operation."""
    difference = lets_in("An expired token is accepted.", lambda rules, call: owner(rules.read_token(token_of(call))))
    return difference.when(on(operation)).of("time")


def believes(sentence: str, fits: Callable[[str], object]) -> Difference:
    """Do not verify the signatures of some tokens."""
    return changes_result(
        sentence, read_token=lambda _, right, token: (claims_in(token) if fits(token) else None) or right
    )


def reads_as(sentence: str, change: Callable[[Any, str], str]) -> Difference:
    """Read tokens after a change."""
    return changes_arguments(sentence, read_token=lambda rules, token: (change(rules, token),))


def lives(sentence: str, is_expired: Callable[[Any, Any, float], object]) -> Difference:
    """Judge the end of a token by a function of the rules, its claims and its age in seconds."""
    return setting(sentence, is_expired=lambda rules, claims: bool(
        is_expired(rules, claims, rules.clock.now() - claims["iat"]))).of("time")  # fmt: skip


def token_of(call: Call) -> str:
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme == "Bearer" else ""


def owner(claims: dict[str, Any] | None) -> Access | None:
    return Access(claims["sub"], claims["environment"]) if claims else None


def owner_of_any_scheme(rules: Any, call: Call) -> Access | None:
    claims = rules.read_token(call.headers.get("authorization", "").partition(" ")[2])
    return owner(claims) if claims and not rules.is_expired(claims) else None


def access_of_pair(rules: Any, call: Call) -> Access | None:
    pair = rules.basic_pair(call.headers.get("authorization", ""))
    access: Access | None = rules.find_client(*pair) if pair else None
    return access


def claims_in(token: str) -> dict[str, Any] | None:
    try:
        claims = dict(jwt.decode(token, options={"verify_signature": False}))
    except jwt.PyJWTError:
        return None
    return claims if {"sub", "environment", "iat"} <= set(claims) else None


def is_unsigned(token: str) -> bool:
    try:
        return str(jwt.get_unverified_header(token).get("alg")).lower() == "none"
    except jwt.PyJWTError:
        return False


def with_own_head(rules: Any, token: str) -> str:
    head, _, rest = token.partition(".")
    read = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).replace(b" ", b"")
    return f"{rules.make_token(MERCHANT).partition('.')[0]}.{rest}" if b'"alg":"HS256"' in read else token


def is_idle(rules: Any, claims: Any, _: float) -> bool:
    uses = rules.__dict__.setdefault("uses", {})
    expired = rules.clock.now() - uses.get(claims["jti"], claims["iat"]) >= 60
    uses |= {} if expired else {claims["jti"]: rules.clock.now()}
    return bool(expired)


def if_not_used_up(rules: Any, claims: Any, token: str) -> Any:
    uses = rules.__dict__.setdefault("uses", Counter())
    uses[token] += 1
    return claims if uses[token] <= 20 else None


def reuse_for_30_s(rules: Any, token: str, access: Access) -> str:
    """Return the token of an account that was made in the last 30 s, else this one."""
    tokens = rules.__dict__.setdefault("tokens by account", {})
    since, _ = tokens.get(access, (-1_000.0, ""))
    if rules.clock.now() - since > 30:
        tokens[access] = rules.clock.now(), token
    return str(tokens[access][1])


def note_newest(rules: Any, token: str, access: Access) -> str:
    rules.__dict__.setdefault("newest", {})[access] = token
    return token


def created_behind_401(operation: str, create: Callable[[Any, Call], object]) -> Difference:
    """Refuse a creation for its token, and create all the same for the account that the token names."""

    def refuse(rules: Any, _refusal: Refusal, call: Call) -> None:
        claims = claims_in(token_of(call))
        if call.operation == operation and claims and claims["sub"] == MERCHANT.account:
            call.access = Access(claims["sub"], claims["environment"])
            with rules.store.transaction():
                create(rules, call)

    return changes_refusal(
        f"{operation} with a wrong token is refused, and creates what it asks for.", authorize=refuse
    )


def create_charge(rules: Any, call: Call) -> None:
    charge = rules.new_charge(call.access, rules.read_charge(rules.json_body(call)))
    rules.store.insert("payments_charge", charge)
    rules.emit("transaction_created", "transaction", charge)


def create_transfer(rules: Any, call: Call) -> None:
    rules.open_transfer(call, rules.read_transfer(rules.json_body(call)))


def create_webhook(rules: Any, call: Call) -> None:
    rules.store.insert("webhook", rules.new_webhook(call, rules.json_body(call)))


WRONG_PAIRS = ("PAY-AUTH-16", "PAY-AUTH-17", "PAY-AUTH-18", "PAY-AUTH-19", "PAY-AUTH-26", "PAY-AUTH-27")
Pair = tuple[str, str]
Pairs = dict[str, Pair]


def takes_secret(sentence: str, passes: Callable[[str, str, Pairs], object]) -> Difference:
    """Take a secret for right if a function of it, of the right one and of all known pairs says so."""

    def pair(rules: Any, client_id: str, given: str) -> tuple[str, str]:
        pairs = rules.state.accounts.clients
        right = dict(pairs.values()).get(client_id, "")
        return client_id, right if passes(given, right, pairs) else given

    return changes_arguments(sentence, find_client=pair)


def by_beginning(rules: Any, client_id: str, secret: str) -> tuple[str, str]:
    known = [login for login, _ in rules.state.accounts.clients.values() if client_id.startswith(login)]
    return known[0] if known else client_id, secret


def pair_of_id_alone(rules: Any, right: Pair | None, header: str) -> Pair | None:
    coded = header.partition(" ")[2].encode()
    pairs = rules.state.accounts.clients.values()
    return next((pair for pair in pairs if coded == base64.b64encode(pair[0].encode())), right)


def another_token(rules: Any, _refusal: Refusal, call: Call) -> Answer | None:
    access = owner(rules.read_token(token_of(call)))
    return Answer(200, rules.token_view(rules.make_token(access))) if access else None


def note_next(rules: Any, token: str, access: Access) -> str:
    """Note the token of the account that was issued 0.1 s before this one or later."""
    before, since = rules.__dict__.setdefault("latest", {}).get(access.book, ("", 0.0))
    if time.monotonic() - since < AT_ONCE_S:
        rules.__dict__.setdefault("replaced", set()).add(before)
    rules.__dict__["latest"][access.book] = (token, time.monotonic())
    return token


MUTANTS = {
    "PAY-AUTH-08/valid-after-1-s": lives(
        "A token is valid from its second second on.", lambda _, __, age: not 1 <= age < 60).of("auth"),
    "PAY-AUTH-09/lives-57-s": setting("A token lives 57 s.", token_validity_ms=lambda _: 57_000).of("time"),
    "PAY-AUTH-09/returned-for-30-s": changes_result("A login returns the token of the one up to 30 s before.",
        make_token=reuse_for_30_s).of("time"),
    "PAY-AUTH-09/valid-for-20-requests": changes_result("A token is valid for twenty requests.",
        read_token=if_not_used_up).seen_in("PAY-SPL-17"),
    "PAY-AUTH-10/create-charge-any-token": any_token("create_charge"),
    "PAY-AUTH-10/get-charge-any-token": any_token("get_charge"),
    "PAY-AUTH-10/pay-charge-any-token": any_token("pay_charge"),
    "PAY-AUTH-10/get-transfer-any-token": any_token("get_transfer"),
    "PAY-AUTH-10/complete-transfer-any-token": any_token("complete_transfer"),
    "PAY-AUTH-10/create-webhook-any-token": any_token("create_webhook"),
    "PAY-AUTH-10/delete-webhook-any-token": any_token("delete_webhook"),
    "PAY-AUTH-10/lives-10-min-in-production": lives("A token of production lives ten minutes.",
        lambda _, claims, age: age >= (60 if claims["environment"] == "sandbox" else 600)),
    "PAY-AUTH-10/one-account-for-ever": lives("The tokens of one account never expire.",
        lambda _, claims, age: claims["sub"] != "merchant-b" and age >= 60),
    "PAY-AUTH-10/renewed-by-use": lives("A token lives for a minute after its last use.", is_idle),
    "PAY-AUTH-10/list-webhooks-expired": expired_token("list_webhooks"),
    "PAY-AUTH-10/create-transfer-expired": expired_token("create_transfer"),
    "PAY-AUTH-11/create-charge-no-token": no_token("create_charge"),
    "PAY-AUTH-11/get-charge-no-token": no_token("get_charge"),
    "PAY-AUTH-11/pay-charge-no-token": no_token("pay_charge"),
    "PAY-AUTH-11/create-transfer-no-token": no_token("create_transfer"),
    "PAY-AUTH-11/get-transfer-no-token": no_token("get_transfer"),
    "PAY-AUTH-11/complete-transfer-no-token": no_token("complete_transfer"),
    "PAY-AUTH-11/get-balance-no-token": no_token("get_balance"),
    "PAY-AUTH-11/list-webhooks-no-token": no_token("list_webhooks"),
    "PAY-AUTH-11/create-webhook-no-token": no_token("create_webhook"),
    "PAY-AUTH-11/delete-webhook-no-token": no_token("delete_webhook"),
    "PAY-AUTH-13/alg-none": believes("A token whose algorithm is none is believed.", is_unsigned),
    "PAY-AUTH-13/alg-none-in-capitals": believes(
        "A token whose algorithm is none is refused, and one whose algorithm is NONE or None believed.",
        lambda token: is_unsigned(token) and jwt.get_unverified_header(token)["alg"] != "none"),
    "PAY-AUTH-13/empty-signature": believes("A token whose signature is empty is believed.",
        lambda token: token.endswith(".") and not is_unsigned(token)),
    "PAY-AUTH-13/header-not-signed": reads_as("The header of a token is not covered by its signature.", with_own_head),
    "PAY-AUTH-13/fourth-part-ignored": reads_as("A fourth part of a token is ignored.",
        lambda _, token: ".".join(token.split(".")[:3])),
    "PAY-AUTH-13/longer-signature": reads_as("What follows the 43 characters of a signature is ignored.",
        lambda _, token: f"{token.rpartition('.')[0]}.{token.rpartition('.')[2][:43]}"),
    "PAY-AUTH-14/client-credentials": lets_in("The client credentials are accepted in place of a token.",
        access_of_pair),
    "PAY-AUTH-14/list-webhooks-client-credentials": lets_in(
        "The client credentials are accepted in place of a token.", access_of_pair).when(on("list_webhooks")),
    "PAY-AUTH-29/charge-created": created_behind_401("create_charge", create_charge),
    "PAY-AUTH-29/transfer-created": created_behind_401("create_transfer", create_transfer),
    "PAY-AUTH-29/webhook-created": created_behind_401("create_webhook", create_webhook),
    "PAY-AUTH-29/charge-paid": acts_though_refused("A pay with a wrong token is refused, and pays the charge.",
        "pay_charge", "unauthorized", claim_paid).of("auth"),
    "PAY-AUTH-29/transfer-completed": acts_though_refused(
        "A completion with a wrong token is refused, and completes the transfer.", "complete_transfer", "unauthorized",
        claim_completed).of("auth"),
    "PAY-AUTH-29/webhook-removed": acts_though_refused(
        "A DELETE with a wrong token is refused, and removes the webhook.", "delete_webhook", "unauthorized",
        lambda rules, hook: rules.remove_webhook(hook)).of("auth"),
    "PAY-AUTH-28/any-scheme": lets_in("A token is accepted after any scheme.", owner_of_any_scheme)
        .also("PAY-AUTH-30"),
    "PAY-AUTH-30/found-anywhere": lets_in("A token is accepted if Bearer and a blank stand anywhere before it.",
        lambda rules, call: owner_of_any_scheme(rules, call) if "Bearer " in call.headers.get("authorization", "")
        else None),
    "PAY-AUTH-21/ends-with-the-next": changes_result(
        "A new token ends the life of the one before.", make_token=note_newest,
        read_token=lambda rules, claims, token: (
            claims if token in rules.__dict__.get("newest", {}).values() else None)),
    "PAY-AUTH-21/one-of-simultaneous": changes_result(
        "Of tokens that are issued within 0.1 s of each other the first is not accepted.", make_token=note_next,
        read_token=lambda rules, claims, token: None if token in rules.__dict__.get("replaced", ()) else claims)
        .of("concurrency"),
    "PAY-AUTH-01/returns-201": responds_with("authenticate", 201).of("auth"),
    "PAY-AUTH-04/fourth-part": overrides(
        "The token has a fourth part.", make_token=lambda _, right, access: f"{right(access)}.four",
        read_token=lambda _, right, token: right(token.removesuffix(".four"))),
    "PAY-AUTH-15/returns-200": refused("unauthorized", "authenticate", status=200,
        body={"success": False, "message": "wrong"})
        .also(*WRONG_PAIRS, "PAY-AUTH-03", "PAY-AUTH-05", "PAY-AUTH-06", "PAY-GEN-06"),
    "PAY-AUTH-15/any-secret-in-production": takes_secret("Any client secret is accepted in production.",
        lambda _, right, pairs: right == pairs["live_merchant"][1]),
    "PAY-AUTH-15/empty-secret": takes_secret("An empty client secret is accepted.", lambda given, *_: not given),
    "PAY-AUTH-15/secret-of-other-environment": takes_secret("The secret of production is accepted in the sandbox.",
        lambda given, right, pairs: right == pairs["merchant"][1] and given == pairs["live_merchant"][1]),
    "PAY-AUTH-15/secret-without-case": takes_secret("The case of a client secret is ignored.",
        lambda given, right, _: given.lower() == right.lower()),
    "PAY-AUTH-15/longer-secret": takes_secret("What follows the right client secret is ignored.",
        lambda given, right, _: given.startswith(right)),
    "PAY-AUTH-15/shorter-secret": takes_secret("A client secret without its last character is accepted.",
        lambda given, right, _: given == right[:-1]),
    "PAY-AUTH-16/longer-client-id": changes_arguments(
        "What follows the right client id is ignored.", find_client=by_beginning),
    "PAY-AUTH-17/no-header": changes_result("A login without a header returns a token.",
        basic_pair=lambda rules, right, header: right if header else rules.state.accounts.clients["merchant"]),
    "PAY-AUTH-18/no-colon": changes_result(
        "A Basic header of the client id alone returns a token.", basic_pair=pair_of_id_alone).also("PAY-AUTH-26"),
    "PAY-AUTH-19/any-scheme": changes_arguments("A login takes any scheme.",
        basic_pair=lambda _, header: (f"Basic {header.partition(' ')[2]}",)).also("PAY-AUTH-27"),
    "PAY-AUTH-19/token-returns-token": changes_refusal(
        "A login with a token returns a further token.", authenticate=another_token).also("PAY-AUTH-27"),
    "PAY-AUTH-22/exp-in-an-hour": changes_result("A token's exp is an hour later.",
        token_claims=lambda rules, right, _access: right | {"exp": rules.clock.now() + 3600}).of("time"),
}  # fmt: skip
