"""Conforming variants where PAY-AUTH and PAY-ENV are silent: tokens, sandbox and production."""

import base64
import secrets
from typing import Any

from pix_conformance.model.operations import Effect, of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.call import Access, Call, Refusal
from pix_conformance.reference.state import ROLES
from pix_conformance.reference.store import Row
from pix_conformance.sandbox.variants.common import *

WITHOUT_BODY = {row.name for row in of(Api.PAYMENTS) if row.method == "POST" and not row.takes_body}
SIMULATIONS = {row.name for row in of(Api.PAYMENTS, Effect.CHANGES)}


def refuse_body(rules: Any, call: Call) -> None:
    rules.find_route(call)
    if call.body and call.operation in WITHOUT_BODY:
        raise rules.invalid("body", "is not accepted")


def refuse_other_basic(rules: Any, header: str) -> None:
    if not header.startswith("Basic "):
        raise rules.unauthorized("client credentials are missing or invalid")


def refuse_malformed(rules: Any, header: str) -> None:
    scheme, _, coded = header.partition(" ")
    try:
        pair = base64.b64decode(coded.strip(), validate=True).decode() if scheme.lower() == "basic" else ""
    except ValueError:  # neither base64 nor UTF-8
        pair = ""
    if header and ":" not in pair:
        raise rules.invalid("authorization", "is malformed")


def after_any_scheme(rules: Any, _refusal: Refusal, call: Call) -> Access | None:
    claims = rules.read_token(call.headers.get("authorization", "").rpartition(" ")[2])
    return Access(claims["sub"], claims["environment"]) if claims and not rules.is_expired(claims) else None


def share_client_id(rules: Any) -> None:
    pairs = rules.state.accounts.clients
    pairs["live_merchant"] = (pairs["merchant"][0], pairs["live_merchant"][1])


def find_by_pair(rules: Any, client_id: str, client_secret: str) -> Access | None:
    pairs = {pair: role for role, pair in rules.state.accounts.clients.items()}
    role = pairs.get((client_id, client_secret))
    return ROLES[role] if role else None


def encrypted(sentence: str, key_bytes: int) -> Difference:
    """Issue tokens of five parts that a client cannot read; the second is the encrypted key, of so many bytes."""

    def make_token(rules: Any, access: Access) -> str:
        head = base64.urlsafe_b64encode(b'{"alg":"RSA-OAEP","enc":"A256GCM"}').decode().rstrip("=")
        token = ".".join([head, *(secrets.token_urlsafe(size) for size in (key_bytes, 12, 60, 16))])
        rules.__dict__.setdefault("issued", {})[token] = rules.token_claims(access)
        return token

    def read_token(rules: Any, token: str) -> dict[str, Any] | None:
        claims: dict[str, Any] | None = rules.__dict__.get("issued", {}).get(token)
        return claims

    return setting(sentence, make_token=make_token, read_token=read_token)


def hooks_of_account(rules: Any, call: Call) -> list[Row]:
    hooks: list[Row] = rules.store.rows("webhook", "id", account=call.access.account)
    return hooks


def listeners_of_account(rules: Any, event: str, owner: Access) -> list[Row]:
    hooks = rules.store.rows("webhook", account=owner.account, is_active=1)
    return [hook for hook in hooks if rules.subscribes(hook, event)]


def forbid_own(rules: Any, _refusal: Refusal, call: Call, table: str, number: object) -> Refusal | None:
    row = rules.store.find(table, id=number)
    own = call.operation in SIMULATIONS and row and row["account"] == call.access.account
    return Refusal("forbidden", "it belongs to another environment") if own else None


VARIANTS = {
    "PAY-AUTH-15/one-client-id": starts(
        "Both pairs of an account have one client_id: only the pairs must differ (PAY-ENV-01).",
        share_client_id).with_settings(find_client=find_by_pair),
    "PAY-AUTH-26/malformed-credentials-are-invalid": acts_before(
        "A login with malformed credentials, or with another scheme, returns 400: 401 is for tokens.",
        basic_pair=refuse_malformed).also("PAY-AUTH-27"),
    "PAY-AUTH-28/any-scheme": changes_refusal(
        "A valid token is accepted after any scheme: no sentence says that it is refused then.",
        authorize=after_any_scheme).also("PAY-AUTH-30"),
    "PAY-AUTH-20/body-refused": acts_before("A body of authentication, pay or complete is refused: "
        "none is accepted, and the response to one is not stated.",
        serve=refuse_body).also("PAY-PAYS-17", "PAY-CMP-17"),
    "PAY-AUTH-23/schemes-as-written": acts_before(
        "Only Basic and Bearer with a capital are schemes: their case is not stated.",
        basic_pair=refuse_other_basic, authorize=refuse_other_scheme),
    "PAY-AUTH-24/encrypted-tokens": encrypted(
        "A token has five parts, which cannot be read: a JWT may be encrypted (PAY-AUTH-04; RFC 7519).", 48),
    "PAY-AUTH-24/directly-encrypted-tokens": encrypted(
        "The second of five parts of a token is empty: a JWT may be encrypted with a shared key (RFC 7518, 4.5).", 0),
    "PAY-AUTH-24/tokens-of-one-second-are-equal": changes_result("Tokens that are issued within one second are equal: "
        "no sentence says that each one is new (PAY-AUTH-04).", token_claims=lambda _rules, claims, _access: {
            "sub": claims["sub"], "environment": claims["environment"], "iat": int(claims["iat"])}),
    "PAY-AUTH-24/token-names-scopes": changes_result("A token names scopes and its end: scopes are not shown.",
        token_claims=lambda rules, claims, _access: claims | {
            "scope": "pix.in pix.out", "expires": claims["iat"] + rules.token_lifetime_ms / 1000}),
    "PAY-ENV-06/other-environment-is-forbidden": changes_refusal(
        "A simulation of one's own charge of the other environment is forbidden.", owned=forbid_own).also("PAY-ENV-22"),
    "PAY-ENV-07/webhooks-shared": setting("Sandbox and production list the same webhooks: "
        "only company data, balance, charges and transfers are separate.", hooks_of=hooks_of_account),
    "PAY-ENV-07/events-shared": setting(
        "Webhooks of both environments are listed and receive all events: they are not named.",
        hooks_of=hooks_of_account, listeners=listeners_of_account).also("PAY-ENV-18"),
}  # fmt: skip
