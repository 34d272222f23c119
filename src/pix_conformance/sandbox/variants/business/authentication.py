"""Conforming variants where BUS-AUTH and BUS-ENV are silent: API keys, sandbox and production."""

from typing import Any

from pix_conformance.reference.call import Call, Refusal
from pix_conformance.sandbox.variants.common import *


def neighbors(rules: Any) -> None:
    keys = rules.state.accounts.keys
    keys.update(merchant=f"{keys['merchant']}1", other_merchant=f"{keys['merchant']}0")


def twins(rules: Any) -> None:
    keys = rules.state.accounts.keys
    keys["live_merchant"] = "ak_live_" + keys["merchant"].removeprefix("ak_test_")


def refuse_production(rules: Any, call: Call) -> None:
    row = rules.store.find("business_charge", id=call.params["id"], account=call.access.account)
    if row and row["environment"] == "production":
        raise Refusal("forbidden", "payment simulation is not available in production")


VARIANTS = {
    "BUS-AUTH-07/keys-differ-in-last-character": starts(
        "The keys of two accounts differ in their last character: only the prefix is stated.", neighbors),
    "BUS-AUTH-07/keys-differ-in-prefix": starts(
        "The keys of both environments differ in their prefix only: no more is stated.", twins),
    "BUS-AUTH-14/any-scheme": changes_refusal(
        "A key is accepted under any scheme: its refusal under another is not stated.",
        authorize=lambda rules, _, call: rules.find_key(call.headers.get("authorization", "").rpartition(" ")[2])),
    "BUS-AUTH-15/scheme-as-written": checks_arguments(
        "Only Bearer with a capital is a scheme: its case is not stated.", authorize=refuse_other_scheme),
    "BUS-AUTH-16/used-key-first": overrides("A used key is refused before an invalid body: no order is stated.",
        create_charge=refuse_used_key).also("BUS-IDEM-20"),
    "BUS-AUTH-16/unknown-id-before-environment": checks_arguments(
        "Payment of an unknown charge in production returns 404: no order is stated.",
        pay_charge=lambda rules, call: rules.owned(call)).also("BUS-PAY-29"),
    "BUS-AUTH-16/key-last": changes_refusal(
        "An invalid body or unknown id is refused before a wrong key: no order is stated.",
        authorize=look_before_credential),
    "BUS-ENV-07/keys-of-all-accounts": keys_of_all_accounts(
        "A key of another account or environment conflicts: whose keys are meant is not stated.").also("BUS-ISO-09"),
    "BUS-ENV-12/refused-for-environment-of-charge": checks_arguments(
        "A payment of the account's own production charge with a sandbox key returns 403: a payment in production "
        "does.", pay_charge=refuse_production),
}  # fmt: skip
