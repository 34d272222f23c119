"""Mutants of BUS-SIG: signatures of events."""

import base64
import hashlib
import hmac
import json
from typing import Any, ClassVar

from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.outbox import Written

globals().update(
    family(__name__, "auth", BusinessRules, {
        "BusSignatureNamedOtherwise": (
            "The header is called X-Signature.", "BUS-SIG-01", {"event_signature_header": "X-Signature"},
        ),
        "BusSignatureAsPayments": (
            "The header is that of the payments API.", "BUS-SIG-01", {"event_signature_header": "Service-Signature"},
        ),
        "BusSignedTenMinutesAgo": (
            "The signed moment lies ten minutes back.",
            "BUS-SIG-04",
            {"event_timestamp": lambda rules: str(int(rules.clock.now()) - 600)},
        ),
        "BusSignedInLocalTime": (
            "The signed moment is three hours off.",
            "BUS-SIG-04",
            {"event_timestamp": lambda rules: str(int(rules.clock.now()) - 10_800)},
        ),
    })
)  # fmt: skip


class BusCanceledUnsigned(BusinessRules):
    """Canceled events are not signed."""

    group = "auth"
    breaks = ("BUS-SIG-01",)

    def event_headers(self, body: bytes) -> dict[str, str]:
        """Leave the header out."""
        found = super().event_headers(body)
        return {"Content-Type": found["Content-Type"]} if b"business.pix.canceled" in body else found


class BusRetriesUnsigned(BusinessRules):
    """From the second attempt on events are not signed."""

    group = "auth"
    breaks = ("BUS-SIG-01",)
    seen_in = ("BUS-ENV-01",)

    def write_event(self, attempt: int, payload: dict[str, Any]) -> Written:
        """Leave the header out."""
        body, headers = super().write_event(attempt, payload)
        return (body, headers) if attempt == 1 else (body, {"Content-Type": headers["Content-Type"]})


class Signs(BusinessRules):
    """Signs another text, with another secret, or by another hash; or writes the header otherwise."""

    covers: ClassVar[Any] = staticmethod(lambda moment, body: moment.encode() + b"." + body)
    secret: ClassVar[Any] = staticmethod(lambda rules: rules.world.business_webhook_secret.encode())
    digest: ClassVar[Any] = staticmethod(lambda secret, text: hmac.new(secret, text, hashlib.sha256).hexdigest())
    header: ClassVar[Any] = staticmethod("t={},v1={}".format)

    def event_signature(self, body: bytes) -> str:
        """Put it together."""
        moment = self.event_timestamp()
        text: str = self.header(moment, self.digest(self.secret(self), self.covers(moment, body)))
        return text


def signing(**changes: Any) -> dict[str, Any]:
    """Members of a class that signs otherwise."""
    return {name: staticmethod(change) for name, change in changes.items()}


def rewritten(body: bytes, **how: Any) -> bytes:
    """Parse and write a body again."""
    return json.dumps(json.loads(body), **how).encode()


globals().update(
    family(__name__, "auth", Signs, {
        "BusSignsBase64": (
            "The signature is written in Base64.",
            "BUS-SIG-02 BUS-SIG-03",
            signing(digest=lambda key, text: base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()),
        ),
        "BusSignatureBare": (
            "The header holds the hexadecimal digits alone.", "BUS-SIG-02 BUS-SIG-03", signing(header="{1}".format),
        ),
        "BusSignatureWithoutMoment": (
            "The header holds v1 alone.", "BUS-SIG-02 BUS-SIG-03", signing(header="v1={1}".format),
        ),
        "BusSignatureNamedSha256": (
            "The header calls the signature sha256.", "BUS-SIG-02 BUS-SIG-03", signing(header="t={},sha256={}".format),
        ),
        "BusSignatureOfV0": (
            "The header calls the signature v0.", "BUS-SIG-02 BUS-SIG-03", signing(header="t={},v0={}".format),
        ),
        "BusSignatureWithSemicolon": (
            "A semicolon parts the two.", "BUS-SIG-02 BUS-SIG-03", signing(header="t={};v1={}".format),
        ),
        "BusSignatureTurned": ("The header begins with v1.", "BUS-SIG-02", signing(header="v1={1},t={0}".format)),
        "BusSignatureMomentIso": (
            "The moment of the header is an ISO 8601 timestamp.",
            "BUS-SIG-02",
            {"event_timestamp": lambda rules: rules.moment(rules.clock.now())},
        ),
        "BusSignsBodyOnly": (
            "The signature does not cover its moment.", "BUS-SIG-03", signing(covers=lambda _, body: body),
        ),
        "BusSignsWithoutDot": (
            "There is no dot between moment and body.",
            "BUS-SIG-03",
            signing(covers=lambda moment, body: moment.encode() + body),
        ),
        "BusSignsWithColon": (
            "A colon stands between moment and body.",
            "BUS-SIG-03",
            signing(covers=lambda moment, body: moment.encode() + b":" + body),
        ),
        "BusSignsCompactBody": (
            "The signature covers the body as a writer without blanks would have it.",
            "BUS-SIG-03",
            signing(covers=lambda moment, body: f"{moment}.".encode() + rewritten(
                body, ensure_ascii=False, separators=(",", ":"),
            )),
        ),
        "BusSignsSortedBody": (
            "The signature covers the body with its names in order.",
            "BUS-SIG-03",
            signing(covers=lambda moment, body: f"{moment}.".encode() + rewritten(body, sort_keys=True)),
        ),
        "BusSignsEscapedBody": (
            "The signature covers the body with letters outside ASCII escaped: it differs for such letters only.",
            "BUS-SIG-03",
            signing(covers=lambda moment, body: f"{moment}.".encode() + rewritten(body)),
        ),
        "BusSignsDataOnly": (
            "The signature covers the data of an event only.",
            "BUS-SIG-03",
            signing(covers=lambda moment, body: f"{moment}.".encode() + json.dumps(json.loads(body)["data"]).encode()),
        ),
        "BusSignsWithLineEnd": (
            "The signature covers a line feed behind the body.",
            "BUS-SIG-03",
            signing(covers=lambda moment, body: moment.encode() + b"." + body + b"\n"),
        ),
        "BusSignsOtherMoment": (
            "The signature covers milliseconds, while the header tells seconds.",
            "BUS-SIG-03",
            signing(covers=lambda moment, body: f"{moment}000.".encode() + body),
        ),
        "BusSignsWithKey": (
            "The secret of the signature is the API key.",
            "BUS-SIG-03",
            signing(secret=lambda rules: rules.world.accounts.keys["merchant"].encode()),
        ),
        "BusSignsWithPrefixOff": (
            "The prefix of the secret is left out of it.",
            "BUS-SIG-03",
            signing(secret=lambda rules: rules.world.business_webhook_secret.partition("_")[2].encode()),
        ),
        "BusSignsWithHash": (
            "The secret is hashed before it signs.",
            "BUS-SIG-03",
            signing(secret=lambda rules: hashlib.sha256(rules.world.business_webhook_secret.encode()).digest()),
        ),
        "BusSignsWithNothing": ("The secret is empty.", "BUS-SIG-03", signing(secret=lambda _: b"")),
        "BusSignsPlainHash": (
            "The signature is a plain SHA-256 of secret and text.",
            "BUS-SIG-03",
            signing(digest=lambda secret, text: hashlib.sha256(secret + text).hexdigest()),
        ),
        "BusSignsSha512Cut": (
            "The signature is an HMAC-SHA512, cut to its first half.",
            "BUS-SIG-03",
            signing(digest=lambda secret, text: hmac.new(secret, text, hashlib.sha512).hexdigest()[:64]),
        ),
        "BusSignsSha512": (
            "The signature is an HMAC-SHA512.",
            "BUS-SIG-03",
            signing(digest=lambda secret, text: hmac.new(secret, text, hashlib.sha512).hexdigest()),
        ),
        "BusSignsSha1": (
            "The signature is an HMAC-SHA1.",
            "BUS-SIG-03",
            signing(digest=lambda secret, text: hmac.new(secret, text, hashlib.sha1).hexdigest()),
        ),
        "BusSignsArgumentsSwapped": (
            "Secret and text are in each other's place.",
            "BUS-SIG-03",
            signing(digest=lambda secret, text: hmac.new(text, secret, hashlib.sha256).hexdigest()),
        ),
        "BusSignsConstant": ("The signature is always 0.", "BUS-SIG-03", signing(digest=lambda *_: "0" * 64)),
        "BusSignedInMilliseconds": (
            "The moment of the header counts milliseconds.",
            "BUS-SIG-05",
            {"event_timestamp": lambda rules: str(int(rules.clock.now() * 1000))},
        ),
    })
)  # fmt: skip


class BusPaidSignedOtherwise(BusinessRules):
    """Paid events are signed with another secret than the others."""

    group = "auth"
    breaks = ("BUS-SIG-03",)

    def signed_text(self, moment: str, body: bytes) -> bytes:
        """Spoil what is signed of them."""
        return super().signed_text(moment, body[:-1] if b"business.pix.paid" in body else body)


class BusRetriesSignFirst(BusinessRules):
    """Each attempt tells its own moment, while the signature is that of the first attempt."""

    group = "auth"
    breaks = ("BUS-SIG-03",)
    seen_in = ("BUS-CHG-35",)

    def write_event(self, attempt: int, payload: dict[str, Any]) -> Written:
        """Tell a later moment with the hash of an earlier one."""
        body, headers = super().write_event(attempt, payload)
        moment = int(self.event_timestamp())
        first = self.event_hash(str(moment - attempt + 1), body)
        return body, headers | {self.event_signature_header: f"t={moment},v1={first}"}


class BusThirdAttemptSignedAnHourAgo(BusinessRules):
    """From the third attempt on the signed moment is an hour old."""

    group = "auth"
    breaks = ("BUS-SIG-04",)
    seen_in = ("BUS-STATE-06",)

    def write_event(self, attempt: int, payload: dict[str, Any]) -> Written:
        """Sign an earlier moment."""
        body, headers = super().write_event(attempt, payload)
        if attempt <= 2:
            return body, headers
        moment = str(int(self.event_timestamp()) - 3600)
        return body, headers | {self.event_signature_header: f"t={moment},v1={self.event_hash(moment, body)}"}
