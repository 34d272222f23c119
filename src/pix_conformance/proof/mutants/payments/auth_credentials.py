"""Mutants of PAY-AUTH: logins that must be refused."""

import base64

from pix_conformance.proof.mutants.operators.payments.ownership import MERCHANT
from pix_conformance.proof.mutants.operators.payments.refusals import RefusesOtherwise, refusing, unauthorized
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.call import Access, Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.state import ROLES

globals().update(
    family(__name__, "auth", RefusesOtherwise, {
        "WrongCredentialsBadRequest": ("Wrong credentials are refused with 400.",
            "PAY-AUTH-15 PAY-AUTH-16 PAY-AUTH-17 PAY-AUTH-18 PAY-AUTH-19",
            refusing("unauthorized", "authenticate", unauthorized(400, "INVALID_REQUEST"))),
        "WrongCredentialsForbidden": ("Wrong credentials are refused with 403.",
            "PAY-AUTH-15 PAY-AUTH-16 PAY-AUTH-17 PAY-AUTH-18 PAY-AUTH-19",
            refusing("unauthorized", "authenticate", unauthorized(403))),
        "WrongCredentialsEmpty": ("Wrong credentials get a 200 that says success: false.",
            ("PAY-AUTH-15 PAY-AUTH-16 PAY-AUTH-17 PAY-AUTH-18 PAY-AUTH-19 "
            "PAY-AUTH-03 PAY-AUTH-05 PAY-AUTH-06 PAY-GEN-06"),
            refusing("unauthorized", "authenticate", lambda r: Answer(200, {"success": False, "message": r.message}))),
    })
)  # fmt: skip


class AnySecret(PaymentsRules):
    """The client secret is not looked at."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Look for the id only."""
        del client_secret
        return next((ROLES[role] for role, pair in self.world.accounts.clients.items() if pair[0] == client_id), None)


class EmptySecret(PaymentsRules):
    """An empty client secret is taken for right."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Fill it in."""
        known = dict(self.world.accounts.clients.values())
        return super().find_client(client_id, client_secret or known.get(client_id, ""))


class SecretOfAnybody(PaymentsRules):
    """The secret of another client is taken for right."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Look both up, each alone."""
        known = dict(self.world.accounts.clients.values())
        right = client_secret in known.values()
        return super().find_client(client_id, known.get(client_id, "") if right else client_secret)


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


class SecretOfEitherEnvironment(PaymentsRules):
    """The secret of the production pair is taken with the id of the sandbox pair too."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Try the own secret where that of production was given."""
        clients = self.world.accounts.clients
        (sandbox, own), (_, live) = clients["merchant"], clients["live_merchant"]
        return super().find_client(client_id, own if (client_id, client_secret) == (sandbox, live) else client_secret)


class AnySecretInProduction(PaymentsRules):
    """The client secret is not looked at in production."""

    breaks = ("PAY-AUTH-15",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Put it right."""
        live, own = self.world.accounts.clients["live_merchant"]
        return super().find_client(client_id, own if client_id == live else client_secret)


class AnyClient(PaymentsRules):
    """An unknown client id is found by its secret."""

    breaks = ("PAY-AUTH-16",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Look for the secret if the id is unknown."""
        known = self.world.accounts.clients
        unknown = client_id not in {pair[0] for pair in known.values()}
        by_secret = next((ROLES[role] for role, pair in known.items() if unknown and pair[1] == client_secret), None)
        return by_secret or super().find_client(client_id, client_secret)


class ClientIdByBeginning(PaymentsRules):
    """What follows the right client id is not looked at."""

    breaks = ("PAY-AUTH-16",)
    group = "auth"

    def find_client(self, client_id: str, client_secret: str) -> Access | None:
        """Cut it off."""
        known = [one for one, _ in self.world.accounts.clients.values() if client_id.startswith(one)]
        return super().find_client(known[0] if known else client_id, client_secret)


class TokenForNobody(PaymentsRules):
    """An authentication without a header gets a token."""

    breaks = ("PAY-AUTH-17",)
    group = "auth"

    async def authenticate(self, call: Call) -> Answer:
        """Serve the merchant."""
        if call.headers.get("authorization") is None:
            return Answer(200, self.token_view(self.make_token(MERCHANT)))
        return await super().authenticate(call)


class MalformedBasicBadRequest(PaymentsRules):
    """A malformed Basic header is refused with 400."""

    breaks = ("PAY-AUTH-18",)
    group = "auth"

    async def authenticate(self, call: Call) -> Answer:
        """Judge the header first."""
        header = call.headers.get("authorization", "")
        if header.lower().startswith("basic") and self.basic_pair(header) is None:
            raise self.invalid("authorization", "is malformed")
        return await super().authenticate(call)


class MalformedBasicBreaks(PaymentsRules):
    """A Basic header that is no base64 ends in a 500."""

    breaks = ("PAY-AUTH-18", "PAY-ERR-12")
    group = "auth"

    async def authenticate(self, call: Call) -> Answer:
        """Fail to decode."""
        header = call.headers.get("authorization", "")
        if header.lower().startswith("basic ") and self.basic_pair(header) is None:
            return Answer(500, {"error": "INTERNAL", "message": "Incorrect padding"})
        return await super().authenticate(call)


class ClientIdAlone(PaymentsRules):
    """A Basic header of the client id alone, without a colon, gets a token."""

    breaks = ("PAY-AUTH-18",)
    group = "auth"

    def basic_pair(self, header: str) -> tuple[str, str] | None:
        """Find the secret that is not asked for."""
        coded = header.partition(" ")[2].encode()
        for client_id, secret in self.world.accounts.clients.values():
            if coded == base64.b64encode(client_id.encode()):
                return client_id, secret
        return super().basic_pair(header)


class AnyScheme(PaymentsRules):
    """The name of the scheme is not looked at by the authentication."""

    breaks = ("PAY-AUTH-19",)
    group = "auth"

    def basic_pair(self, header: str) -> tuple[str, str] | None:
        """Take what follows the first word."""
        return super().basic_pair(f"Basic {header.partition(' ')[2]}")


class TokenForToken(PaymentsRules):
    """A token gets a further token, and so lives for ever."""

    breaks = ("PAY-AUTH-19",)
    group = "auth"

    async def authenticate(self, call: Call) -> Answer:
        """Renew it."""
        scheme, _, token = call.headers.get("authorization", "").partition(" ")
        claims = self.read_token(token) if scheme == "Bearer" else None
        if claims is None:
            return await super().authenticate(call)
        return Answer(200, self.token_view(self.make_token(Access(claims["sub"], claims["environment"]))))
