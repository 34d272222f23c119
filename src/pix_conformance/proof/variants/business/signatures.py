"""Conforming variants where BUS-SIG is silent: signatures of events."""

from pix_conformance.proof.variants.common.events import EVENTS_INDENTED, HASH_IN_CAPITALS, SIGNED_WITH_DECIMALS, skewed

VARIANTS = {
    "BUS-SIG-03": {"hash-in-capitals": HASH_IN_CAPITALS, "body-indented": EVENTS_INDENTED},
    "BUS-SIG-04": {"clock-behind": skewed(
            "The clock of the server is 75 s behind: up to 300 s are accepted (business.md, line 160).", -75)},
    "BUS-SIG-05": {"timestamp-with-decimals": SIGNED_WITH_DECIMALS},
}  # fmt: skip
