"""Conforming variants where BUS-AUTH is silent: authentication."""

from __future__ import annotations

from pix_conformance.proof.variants.common.responses import _of_key
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Answer, Call, Refusal
from pix_conformance.reference.state import ServerState


class NeighbouringKeys(BusinessRules):
    """What follows the prefix of a key is not said: those of two accounts differ in their last sign."""

    def __init__(self, world: ServerState) -> None:
        """Number the keys."""
        super().__init__(world)
        stem = world.accounts.keys["merchant"]
        world.accounts.keys.update(merchant=f"{stem}1", other_merchant=f"{stem}0")


class TwinKeys(BusinessRules):
    """What follows the prefix of a key is not said: the same in both environments."""

    def __init__(self, world: ServerState) -> None:
        """Give the production key the sandbox key's ending."""
        super().__init__(world)
        world.accounts.keys["live_merchant"] = "ak_live_" + world.accounts.keys["merchant"].removeprefix("ak_test_")


class TakesAnyScheme(BusinessRules):
    """That a key is taken under no other scheme is not stated (business.md, lines 136 and 140)."""

    def authorize(self, call: Call) -> Access:
        """Look at the key alone."""
        key = call.headers.get("authorization", "").rpartition(" ")[2]
        return self.find_key(key) or super().authorize(call)


class WantsBearerAsWritten(BusinessRules):
    """Whether the scheme has a case is not shown."""

    def authorize(self, call: Call) -> Access:
        """Insist on the capital."""
        if not call.headers.get("authorization", "").startswith("Bearer "):
            raise self.unauthorized("API key is missing, invalid or revoked")
        return super().authorize(call)


class BusinessLooksForKeysFirst(BusinessRules):
    """Which refusal wins is not shown: a used key with another body before what is wrong with it."""

    async def create_charge(self, call: Call) -> Answer:
        """Look at the key of what is refused."""
        try:
            return await super().create_charge(call)
        except Refusal as refusal:
            raise _of_key(self, call, refusal) from None


class LooksForItFirst(BusinessRules):
    """Which of two refusals wins is not shown: in production an unknown charge is not found."""

    async def pay_charge(self, call: Call) -> Answer:
        """Look for it, then at the environment."""
        self.owned(call)
        return await super().pay_charge(call)


class LooksBeforeItAsks(BusinessRules):
    """Which of two errors wins is not shown: the other one than the key."""

    def authorize(self, call: Call) -> Access:
        """Refuse for the body or the id first."""
        try:
            return super().authorize(call)
        except Refusal:
            if call.operation == "create_charge":
                self.read_charge(self.json_body(call))
            if call.operation == "get_charge" and not self.knows_charge(call.params["id"]):
                raise self.not_found(call) from None
            raise


VARIANTS = [
    Variant("business-neighbours", ("BUS-AUTH-07",), {"last-sign": NeighbouringKeys}),
    Variant("business-key-endings", ("BUS-AUTH-07",), {"one-ending": TwinKeys}),
    Variant("business-other-schemes", ("BUS-AUTH-14",), {"any": TakesAnyScheme}),
    Variant("business-scheme", ("BUS-AUTH-15",), {"exact": WantsBearerAsWritten}),
    Variant("business-used-keys", ("BUS-AUTH-16",), {"first": BusinessLooksForKeysFirst}),
    Variant("business-unknown-in-production", ("BUS-AUTH-16",), {"not-found": LooksForItFirst}),
    Variant("business-first-error", ("BUS-AUTH-16",), {"other": LooksBeforeItAsks}),
]
