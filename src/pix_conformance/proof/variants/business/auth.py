"""Conforming variants where BUS-AUTH is silent: authentication."""

from pix_conformance.proof.difference import variant
from pix_conformance.proof.variants.common.orders import has_used_key, look_before_credential
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.state import ServerState


@variant("BUS-AUTH-07/keys-differ-in-last-character")
class NeighboringKeys(BusinessRules):
    """The keys of two accounts differ in their last character: only the prefix is stated (business.md, line 139)."""

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        stem = world.accounts.keys["merchant"]
        world.accounts.keys.update(merchant=f"{stem}1", other_merchant=f"{stem}0")


@variant("BUS-AUTH-07/keys-differ-in-prefix")
class TwinKeys(BusinessRules):
    """The keys of both environments differ in their prefix only: no more is stated (business.md, line 139)."""

    def __init__(self, world: ServerState) -> None:
        super().__init__(world)
        world.accounts.keys["live_merchant"] = "ak_live_" + world.accounts.keys["merchant"].removeprefix("ak_test_")


@variant("BUS-AUTH-14/any-scheme")
class AnyScheme(BusinessRules):
    """A key is accepted under any scheme: its refusal under another is not stated (business.md, lines 136 and 140)."""

    def authorize(self, call: Call) -> Access:
        key = call.headers.get("authorization", "").rpartition(" ")[2]
        return self.find_key(key) or super().authorize(call)


@variant("BUS-AUTH-15/scheme-as-written")
class SchemeAsWritten(BusinessRules):
    """Only Bearer with a capital is a scheme: its case is not stated (business.md, line 136)."""

    def authorize(self, call: Call) -> Access:
        if not call.headers.get("authorization", "").startswith("Bearer "):
            raise self.unauthorized("API key is missing, invalid or revoked")
        return super().authorize(call)


@variant("BUS-AUTH-16/used-key-first")
class UsedKeyFirst(BusinessRules):
    """A used key is refused before an invalid body: no order is stated (business.md, lines 181-182)."""

    async def create_charge(self, call: Call) -> Answer:
        used = has_used_key(self, call)
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            raise (self.key_conflict() if used and refusal.kind == "invalid" else refusal) from None


@variant("BUS-AUTH-16/unknown-id-before-environment")
class UnknownIdFirst(BusinessRules):
    """Payment of an unknown charge in production returns 404: no order is stated (business.md, lines 179-180)."""

    async def pay_charge(self, call: Call) -> Answer:
        self.owned(call)
        return await super().pay_charge(call)


@variant("BUS-AUTH-16/key-last")
class KeyLast(BusinessRules):
    """An invalid body or unknown id is refused before a wrong key: no order is stated (business.md, lines 178-182)."""

    def authorize(self, call: Call) -> Access:
        try:
            return super().authorize(call)
        except Refusal:
            look_before_credential(self, call)
            raise
