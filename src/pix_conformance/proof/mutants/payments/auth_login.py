"""Mutants of PAY-AUTH, login and the form of tokens."""

import base64
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, mutant, setting
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.proof.mutants.payments.auth_tokens import gives_out, owner, token_of
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules

GROUP = "auth"
WRONG_PAIRS = ("PAY-AUTH-16", "PAY-AUTH-17", "PAY-AUTH-18", "PAY-AUTH-19")
Pairs = dict[str, tuple[str, str]]


def takes_secret(sentence: str, passes: Callable[[str, str, Pairs], object]) -> Difference:
    """Take a secret for right if a function of it, of the right one and of all known pairs says so."""

    def find(rules: Any, client_id: str, given: str) -> Access | None:
        pairs = rules.world.accounts.clients
        right = dict(pairs.values()).get(client_id, "")
        return PaymentsRules.find_client(rules, client_id, right if passes(given, right, pairs) else given)

    return setting(sentence, find_client=find)


def claims_end(sentence: str, end: Callable[[float], float]) -> Difference:
    """Say in the claims of a token that it expires at a time, made of the present one."""
    return setting(sentence, token_claims=lambda rules, access: (
        PaymentsRules.token_claims(rules, access) | {"exp": end(rules.clock.now())})).of("time")  # fmt: skip


def pair_of_id_alone(rules: Any, header: str) -> Any:
    coded = header.partition(" ")[2].encode()
    pairs = rules.world.accounts.clients.values()
    whole = [pair for pair in pairs if coded == base64.b64encode(pair[0].encode())]
    return whole[0] if whole else PaymentsRules.basic_pair(rules, header)


def pair_by_beginning(rules: Any, client_id: str, secret: str) -> Access | None:
    known = [one for one, _ in rules.world.accounts.clients.values() if client_id.startswith(one)]
    return PaymentsRules.find_client(rules, known[0] if known else client_id, secret)


MUTANTS = {
    "PAY-AUTH-01": {"returns-201": setting("A login returns 201.", auth_status=201)},
    "PAY-AUTH-04": {"fourth-part": gives_out("The token has a fourth part.", lambda token: f"{token}.four")},
    "PAY-AUTH-15": {
        "returns-200": refused("unauthorized", "authenticate", status=200, body={"success": False, "message": "wrong"})
            .also(*WRONG_PAIRS, "PAY-AUTH-03", "PAY-AUTH-05", "PAY-AUTH-06", "PAY-GEN-06"),
        "any-secret-in-production": takes_secret("Any client secret is accepted in production.",
            lambda _, right, pairs: right == pairs["live_merchant"][1]),
        "empty-secret": takes_secret("An empty client secret is accepted.", lambda given, *_: not given),
        "secret-of-other-environment": takes_secret("The secret of production is accepted in the sandbox.",
            lambda given, right, pairs: right == pairs["merchant"][1] and given == pairs["live_merchant"][1]),
        "secret-without-case": takes_secret("The case of a client secret is ignored.",
            lambda given, right, _: given.lower() == right.lower()),
        "longer-secret": takes_secret("What follows the right client secret is ignored.",
            lambda given, right, _: given.startswith(right)),
        "shorter-secret": takes_secret("A client secret without its last character is accepted.",
            lambda given, right, _: given == right[:-1]),
    },
    "PAY-AUTH-16": {
        "longer-client-id": setting("What follows the right client id is ignored.", find_client=pair_by_beginning),
    },
    "PAY-AUTH-17": {"no-header": setting("A login without a header returns a token.", basic_pair=lambda rules, header: (
            PaymentsRules.basic_pair(rules, header) if header else rules.world.accounts.clients["merchant"]))},
    "PAY-AUTH-18": {
        "no-colon": setting("A Basic header of the client id alone returns a token.", basic_pair=pair_of_id_alone),
    },
    "PAY-AUTH-19": {"any-scheme": setting("A login takes any scheme.", basic_pair=lambda rules, header:
            PaymentsRules.basic_pair(rules, f"Basic {header.partition(' ')[2]}"))},
    "PAY-AUTH-22": {"exp-in-an-hour": claims_end("A token's exp is an hour later.", lambda now: now + 3600)},
}  # fmt: skip


@mutant("PAY-AUTH-19/token-returns-token")
class TokenReturnsToken(PaymentsRules):
    """A login with a token returns a further token."""

    async def authenticate(self, call: Call) -> Answer:
        access = owner(self.read_token(token_of(call)))
        return Answer(200, self.token_view(self.make_token(access))) if access else await super().authenticate(call)
