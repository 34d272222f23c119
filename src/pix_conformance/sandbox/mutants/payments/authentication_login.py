"""Mutants of PAY-AUTH, login and the form of tokens."""

import base64
from collections.abc import Callable
from typing import Any

from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.sandbox.mutants.operators import *
from pix_conformance.sandbox.mutants.payments.authentication_tokens import owner, token_of

GROUP = "auth"
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


MUTANTS = {
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
    "PAY-AUTH-19/any-scheme": changes_arguments(
        "A login takes any scheme.", basic_pair=lambda _, header: (f"Basic {header.partition(' ')[2]}",))
        .also("PAY-AUTH-27"),
    "PAY-AUTH-19/token-returns-token": changes_refusal(
        "A login with a token returns a further token.", authenticate=another_token).also("PAY-AUTH-27"),
    "PAY-AUTH-22/exp-in-an-hour": changes_result("A token's exp is an hour later.",
        token_claims=lambda rules, right, _access: right | {"exp": rules.clock.now() + 3600}).of("time"),
}  # fmt: skip
