"""Mutants of PAY-AUTH, login and the form of tokens."""

import base64
import uuid
from collections.abc import Callable
from typing import Any

from pix_conformance.proof.difference import Difference, mutant, setting
from pix_conformance.proof.mutants.operators.refusals import refused
from pix_conformance.proof.mutants.payments.auth_tokens import gives_out, owner, token_of
from pix_conformance.proof.situation import Guard
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


def pair_by_secret(rules: Any, client_id: str, secret: str) -> Access | None:
    known = {one: name for name, one in rules.world.accounts.clients.values()}
    unknown = client_id not in known.values()
    return PaymentsRules.find_client(rules, known.get(secret, client_id) if unknown else client_id, secret)


def malformed(rules: Any, call: Call) -> bool:
    header = call.headers.get("authorization", "")
    return header.lower().startswith("basic") and rules.basic_pair(header) is None


MALFORMED = Guard("the Basic header is malformed", lambda it: malformed(it.rules, it.call))

MUTANTS = {
    "PAY-AUTH-01": {
        "returns-201": setting("A login returns 201.", auth_status=201),
    },
    "PAY-AUTH-04": {
        "opaque": gives_out("The token is an opaque text.", lambda token: token.replace(".", "~")).of("schema"),
        "fourth-part": gives_out("The token has a fourth part.", lambda token: f"{token}.four"),
        "only-dots": gives_out("The token is a random word and two dots.", lambda _: f"{uuid.uuid4().hex}.."),
    },
    "PAY-AUTH-15": {
        "returns-400": refused("unauthorized", "authenticate", status=400, code="INVALID_REQUEST").also(*WRONG_PAIRS),
        "returns-403": refused("unauthorized", "authenticate", status=403).also(*WRONG_PAIRS),
        "returns-200": refused("unauthorized", "authenticate", status=200, body={"success": False, "message": "wrong"})
            .also(*WRONG_PAIRS, "PAY-AUTH-03", "PAY-AUTH-05", "PAY-AUTH-06", "PAY-GEN-06"),
        "any-secret": takes_secret("Any client secret is accepted.", lambda *_: True),
        "any-secret-in-production": takes_secret("Any client secret is accepted in production.",
            lambda _, right, pairs: right == pairs["live_merchant"][1]),
        "empty-secret": takes_secret("An empty client secret is accepted.", lambda given, *_: not given),
        "secret-of-another-client": takes_secret("The secret of another client is accepted.",
            lambda given, _, pairs: given in dict(pairs.values()).values()),
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
        "any-client": setting("An unknown client id is found by its secret.", find_client=pair_by_secret),
        "longer-client-id": setting("What follows the right client id is ignored.", find_client=pair_by_beginning),
    },
    "PAY-AUTH-17": {
        "no-header": setting("A login without a header returns a token.", basic_pair=lambda rules, header: (
            PaymentsRules.basic_pair(rules, header) if header else rules.world.accounts.clients["merchant"])),
    },
    "PAY-AUTH-18": {
        "malformed-returns-400": refused("unauthorized", "authenticate", status=400, code="INVALID_REQUEST")
            .when(MALFORMED),
        "malformed-returns-500": refused("unauthorized", "authenticate", status=500, code="INTERNAL")
            .when(MALFORMED).also("PAY-ERR-12"),
        "no-colon": setting("A Basic header of the client id alone returns a token.", basic_pair=pair_of_id_alone),
    },
    "PAY-AUTH-19": {
        "any-scheme": setting("A login takes any scheme.", basic_pair=lambda rules, header:
            PaymentsRules.basic_pair(rules, f"Basic {header.partition(' ')[2]}")),
    },
    "PAY-AUTH-22": {
        "exp-in-an-hour": claims_end("A token's exp is an hour later.", lambda now: now + 3600),
        "exp-in-ms": claims_end("A token's exp is in milliseconds.", lambda now: int(now + 60) * 1000),
    },
}  # fmt: skip


@mutant("PAY-AUTH-01/body-required", "PAY-ENV-01")
class BodyRequired(PaymentsRules):
    """A login without a body is refused."""

    async def authenticate(self, call: Call) -> Answer:
        if not call.body:
            raise self.invalid("grant_type", "is required")
        return await super().authenticate(call)


@mutant("PAY-AUTH-19/token-returns-token")
class TokenReturnsToken(PaymentsRules):
    """A login with a token returns a further token."""

    async def authenticate(self, call: Call) -> Answer:
        access = owner(self.read_token(token_of(call)))
        return Answer(200, self.token_view(self.make_token(access))) if access else await super().authenticate(call)
