"""Conforming variants where BUS-CHG is silent: a charge in responses."""

import secrets
import uuid
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from pix_conformance.proof.difference import Difference, changes_arguments, changes_result, setting, variant
from pix_conformance.proof.variants.common.ids import IDS_IN_ANY_CASE, by_its_number
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.state import ServerState
from pix_conformance.reference.store import Row


def times(sentence: str, form: str) -> Difference:
    """Write times in a form of `strftime`."""
    return setting(
        f"{sentence} (business.md, lines 42-43).",
        moment=lambda _rules, epoch: datetime.fromtimestamp(epoch, UTC).strftime(form),
    )


def new_code(rules: Any, view: dict[str, Any], call: Call, charge: Row) -> dict[str, Any]:
    code = rules.code(uuid.uuid4().hex, charge["amount"])
    return view | ({"qr_code": code} if call.operation == "get_charge" else {})


VARIANTS = {
    "BUS-CHG-45": {
        "ids-in-any-case": IDS_IN_ANY_CASE,
        "ids-are-cuid": setting(
            "An id is a cuid: a string of any form is an id (business.md, line 33).",
            new_charge_id=lambda _rules: f"c{uuid.uuid4().hex[:24]}"),
        "ids-need-escapes": setting(
            "An id has characters that a path must escape: a string of any form is an id (business.md, line 33).",
            new_charge_id=lambda _rules: f"PIX:{uuid.uuid4().hex[:10]}~a.b=c"),
        "ids-are-long": setting(
            "An id has 240 characters: a string of any length is an id (business.md, line 33).",
            new_charge_id=lambda _rules: secrets.token_urlsafe(180)),
        "ids-are-short": setting(
            "An id has eight hex digits: a string of any length is an id (business.md, line 33).",
            new_charge_id=lambda _rules: secrets.token_hex(4)),
    },
    "BUS-CHG-54": {
        "utc-offset": times(
            "Times have microseconds and +00:00: ISO 8601 has several forms", "%Y-%m-%dT%H:%M:%S.%f+00:00"),
        "whole-seconds": times("Times are whole seconds: ISO 8601 has several forms", "%Y-%m-%dT%H:%M:%SZ"),
        "basic-format": times("Times are in the basic format of ISO 8601", "%Y%m%dT%H%M%SZ"),
        "seven-decimals": times(
            "Times have seven decimals: ISO 8601 has no limit of them", "%Y-%m-%dT%H:%M:%S.%f0+00:00"),
    },
    "BUS-CHG-60": {
        "empty-is-absent": changes_result(
            "An optional field without a value is absent: how it is shown is not stated (business.md, lines 36-38).",
            optional=lambda _rules, shown, _name, value: {} if value is None else shown),
        "empty-is-empty-string": changes_arguments(
            "An optional field without a value is an empty string: how it is shown is not stated "
            "(business.md, lines 36-38).",
            optional=lambda _rules, name, value: (name, "" if value is None else value)),
    },
    "BUS-CHG-69": {"code-for-each-query": changes_result(
            "Each query returns another qr_code: that the first one stays is not stated (business.md, line 39).",
            charge_view=new_code).also("BUS-CHG-66")},
    "BUS-CHG-71": {"no-designator": changes_result(
            "Times have no Z: they are in UTC, and no designator is required (business.md, lines 42-43).",
            moment=lambda _rules, text, _: text.removesuffix("Z")).also("BUS-EVT-21")},
}  # fmt: skip


@variant("BUS-CHG-63/each-environment-counts", "BUS-CHG-45")
class EachEnvironmentCounts(BusinessRules):
    """Each environment numbers its charges from one: data of the two is independent (business.md, line 12)."""

    def __init__(self, world: ServerState) -> None:
        self.counted: Counter[str] = Counter()
        super().__init__(world)

    def book_of(self, access: Access) -> str:
        """Return what has numbers of its own."""
        return access.environment

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        self.counted[self.book_of(access)] += 1
        return super().new_charge(access, read) | {"id": self.kept(access, str(self.counted[self.book_of(access)]))}

    def kept(self, access: Access, number: str) -> str:
        """Return the id of a charge among all."""
        return f"{self.book_of(access)}/{number}"

    def owned(self, call: Call) -> Row:
        shown, call.params["id"] = call.params["id"], self.kept(call.access, call.params["id"])
        try:
            return super().owned(call)
        finally:
            call.params["id"] = shown

    def knows_charge(self, number: str) -> bool:
        return any(super(EachEnvironmentCounts, self).knows_charge(f"{one}/{number}") for one in self.counted)

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        return super().charge_view(call, by_its_number(charge))


@variant("BUS-CHG-63/each-account-counts", "BUS-CHG-45")
class EachAccountCounts(EachEnvironmentCounts):
    """Each account numbers its charges from one: ids of two accounts may be equal (business.md, line 33)."""

    def book_of(self, access: Access) -> str:
        return access.book


@variant("BUS-CHG-63/padded-numbers", "BUS-CHG-45")
class PadsNumbers(EachAccountCounts):
    """An id is a number of twenty digits, from one on in each account: its form is open (business.md, line 33)."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        charge = super().new_charge(access, read)
        return charge | {"id": self.kept(access, f"chg_{by_its_number(charge)['id']:0>20}")}


@variant("BUS-CHG-61/end-to-end-id-from-creation")
class EndToEndIdFromCreation(BusinessRules):
    """e2e_id exists from creation on: what it is before payment is not stated (business.md, line 40)."""

    def new_charge(self, access: Access, read: dict[str, Any]) -> Row:
        return super().new_charge(access, read) | {"end_to_end_id": f"E{uuid.uuid4().hex[:31]}"}

    def paid_changes(self, charge: Row) -> Row:
        return super().paid_changes(charge) | {"end_to_end_id": charge["end_to_end_id"]}
