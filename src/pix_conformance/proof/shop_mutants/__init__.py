"""Wrong integrations: the example shop with some lines changed, each named for the requirement that it breaks."""

from pix_conformance.proof.shop_mutants.changes import ShopMutant
from pix_conformance.proof.shop_mutants.clients import ACCOUNT, CHARGES, TRANSFERS
from pix_conformance.proof.shop_mutants.endpoints import ANSWERS, CREDITS
from pix_conformance.proof.shop_mutants.signatures import SIGNATURES

__all__ = ["MUTANTS", "ShopMutant"]

MUTANTS: dict[str, ShopMutant] = CREDITS | ANSWERS | SIGNATURES | CHARGES | ACCOUNT | TRANSFERS
"""All wrong shops by id."""
