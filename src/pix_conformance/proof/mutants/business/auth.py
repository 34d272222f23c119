"""Mutants of BUS-AUTH: authentication."""

from typing import Any, ClassVar

from pix_conformance.proof.mutants.operators.business.fields import body_of, sketched
from pix_conformance.proof.mutants.operators.business.ownership import OWNER
from pix_conformance.proof.mutants.operators.business.refusals import RefusesOtherwise, refusing
from pix_conformance.proof.mutants.operators.business.states import moved
from pix_conformance.proof.mutants.table import family
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal

ROUTES = {
    "create_charge": ("Create", "BUS-AUTH-01"),
    "get_charge": ("Query", "BUS-AUTH-02"),
    "list_charges": ("List", "BUS-AUTH-03"),
    "cancel_charge": ("Cancel", "BUS-AUTH-04"),
    "pay_charge": ("Pay", "BUS-AUTH-05"),
    "get_finance": ("Finance", "BUS-AUTH-06"),
}
ALL = " ".join(ids for _, ids in ROUTES.values())


def given(call: Call) -> str:
    """Key that a call came with, whatever the scheme."""
    return call.headers.get("authorization", "").partition(" ")[2].strip()


class OpensTo(BusinessRules):
    """Lets a stranger in as the first account, on one route."""

    operation: ClassVar[str] = ""
    known: ClassVar[bool] = False

    def authorize(self, call: Call) -> Access:
        """Let in who has no key at all, or one that is unknown."""
        fits = bool(given(call)) == self.known and self.operation in {"", call.operation}
        try:
            return super().authorize(call)
        except Refusal:
            if fits:
                return OWNER
            raise


globals().update(
    family(__name__, "auth", OpensTo, {
        f"Bus{label}WithoutKey": (f"The operation {name} needs no key.", ids, {"operation": name})
        for name, (label, ids) in ROUTES.items()
    })
)  # fmt: skip


globals().update(
    family(__name__, "auth", RefusesOtherwise, {
        f"Bus{label}WithoutKeyIs{status}": (
            f"The operation {name} answers {status} without a key.",
            f"{ids} BUS-AUTH-07" + (" BUS-AUTH-14" if name == "get_charge" else ""),
            refusing("unauthorized", name, status),
        )
        for (name, (label, ids)), status in zip(ROUTES.items(), (403, 404, 400, 409, 403, 422), strict=True)
    })
)  # fmt: skip


globals().update(
    family(__name__, "auth", RefusesOtherwise, {
        "BusStrangersAre403": (
            "Who has no valid key is answered with 403.",
            f"{ALL} BUS-AUTH-07 BUS-AUTH-14",
            refusing("unauthorized", "", 403),
        ),
        "BusStrangersAre302": (
            "Who has no valid key is sent to a page to log in.",
            f"{ALL} BUS-AUTH-07 BUS-AUTH-14",
            refusing("unauthorized", "", lambda answer: Answer(302, answer.body, {"location": "/login"})),
        ),
    })
)  # fmt: skip


globals().update(
    family(__name__, "auth", OpensTo, {
        f"Bus{label}WithAnyKey": (
            f"The operation {name} takes any key for the first account's.",
            "BUS-AUTH-07",
            {"operation": name, "known": True},
        )
        for name, (label, _) in ROUTES.items()
    })
)  # fmt: skip


class Keys(BusinessRules):
    """Looks keys up by less than the whole key."""

    fits: ClassVar[Any]

    def find_key(self, key: str) -> Access | None:
        """Compare in its own way."""
        found = super().find_key(key)
        alike = (one for one in self.world.accounts.keys.values() if self.fits(one, key))
        return found or next((super(Keys, self).find_key(one) for one in alike), None)


globals().update(
    family(__name__, "auth", Keys, {
        "BusKeyByPrefix": (
            "Every key that begins with ak_test_ opens the first account.",
            "BUS-AUTH-07",
            {"fits": staticmethod(lambda one, key: one.startswith("ak_test_") and key.startswith("ak_test_"))},
        ),
        "BusKeyByItsHead": (
            "Of a key the first 24 characters count.",
            "BUS-AUTH-07",
            {"fits": staticmethod(lambda one, key: one[:24] == key[:24])},
        ),
        "BusKeyCutToLength": (
            "A key that goes on behind its end is accepted.",
            "BUS-AUTH-07",
            {"fits": staticmethod(lambda one, key: key.startswith(one))},
        ),
        "BusKeyInAnyCase": (
            "A key is accepted in capitals too.",
            "BUS-AUTH-07",
            {"fits": staticmethod(lambda one, key: one.upper() == key.upper())},
        ),
        "BusKeyWithoutPrefix": (
            "A key is accepted without its prefix too.",
            "BUS-AUTH-07",
            {"fits": staticmethod(lambda one, key: one[8:] == key)},
        ),
        "BusKeyOfEitherPrefix": (
            "A key is accepted with the prefix of the other environment too.",
            "BUS-AUTH-07",
            {"fits": staticmethod(lambda one, key: one[8:] == key[8:])},
        ),
    })
)  # fmt: skip


class OpensWhatWasRevoked(BusinessRules):
    """Serves some operations to a revoked key, and answers the others in its own way."""

    opened: ClassVar[tuple[str, ...]] = ()
    status: ClassVar[int] = 401

    def authorize(self, call: Call) -> Access:
        """Know the key still."""
        if given(call) == self.world.accounts.revoked_key and call.operation in self.opened:
            return OWNER
        return super().authorize(call)

    def refused(self, call: Call, refusal: Refusal) -> Answer:
        """Tell a revoked key from an unknown one."""
        answer = super().refused(call, refusal)
        answer.status = self.status if given(call) == self.world.accounts.revoked_key else answer.status
        return answer


globals().update(
    family(__name__, "auth", OpensWhatWasRevoked, {
        "BusRevokedKeyOpens": (
            "A revoked key opens every route.", "BUS-AUTH-08", {"opened": tuple(ROUTES)},
        ),
        "BusRevokedKeyReads": (
            "A revoked key opens the routes that read.",
            "BUS-AUTH-08",
            {"opened": ("get_charge", "list_charges", "get_finance")},
        ),
        "BusRevokedKeyPays": (
            "A revoked key still simulates payments.", "BUS-AUTH-08", {"opened": ("pay_charge",)},
        ),
        "BusRevokedKeyIs403": ("A revoked key is refused with 403.", "BUS-AUTH-08", {"status": 403}),
    })
)  # fmt: skip


class Strangers(BusinessRules):
    """Refuses a stranger with 401, and yet does what was asked."""

    operation: ClassVar[str] = ""
    act: ClassVar[Any]

    def authorize(self, call: Call) -> Access:
        """Do it before the refusal."""
        try:
            return super().authorize(call)
        except Refusal:
            if call.operation == self.operation:
                self.act(call)
            raise


globals().update(
    family(__name__, "auth", Strangers, {
        "BusStrangerCreates": (
            "A creation without a valid key is refused with 401, and leaves a charge.",
            "BUS-AUTH-09",
            {
                "operation": "create_charge",
                "act": lambda rules, call: rules.store.insert("business_charge", sketched(rules, OWNER, body_of(call))),
            },
        ),
        "BusUnknownKeyCreates": (
            "A creation with an unknown key is refused with 401, and leaves a charge.",
            "BUS-AUTH-09",
            {
                "operation": "create_charge",
                "act": lambda rules, call: given(call)
                and rules.store.insert("business_charge", sketched(rules, OWNER, body_of(call))),
            },
        ),
        "BusStrangerCancels": (
            "A cancel without a valid key is refused with 401, and the charge is canceled.",
            "BUS-AUTH-10",
            {"operation": "cancel_charge", "act": lambda rules, call: moved(rules, call.params, "canceled")},
        ),
        "BusStrangerPays": (
            "A payment without a valid key is refused with 401, and the charge is paid.",
            "BUS-AUTH-11",
            {"operation": "pay_charge", "act": lambda rules, call: moved(rules, call.params, "paid")},
        ),
    })
)  # fmt: skip


class BusSessionNeeded(BusinessRules):
    """Who has once been given a session has to show its cookie beside the key."""

    breaks = ("BUS-AUTH-12",)
    group = "auth"

    def authorize(self, call: Call) -> Access:
        """Ask for the cookie of a key that has one."""
        access = super().authorize(call)
        begun = self.store.find("idempotency", scope="session", key=access.book)
        if begun and "session=" not in call.headers.get("cookie", ""):
            raise self.unauthorized("session is missing")
        self.store.put("idempotency", {"scope": "session", "key": access.book})
        return access

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Give it with every answer."""
        answer.headers["set-cookie"] = "session=1; Path=/"
        return super().respond(call, answer)


class BusAnyScheme(BusinessRules):
    """The scheme of the Authorization header does not matter."""

    breaks = ("BUS-AUTH-14",)
    group = "auth"

    def authorize(self, call: Call) -> Access:
        """Look at the key only."""
        return self.find_key(given(call)) or super().authorize(call)


class BusBasicScheme(BusinessRules):
    """A key is accepted under Basic too."""

    breaks = ("BUS-AUTH-14",)
    group = "auth"

    def authorize(self, call: Call) -> Access:
        """Know two schemes."""
        basic = call.headers.get("authorization", "").startswith("Basic ")
        found = self.find_key(given(call)) if basic else None
        return found or super().authorize(call)
