"""Mutants of PAY-WH: the removal of a webhook."""

import re
from typing import Any

from pix_conformance.proof.difference import changes_result, mutant, setting
from pix_conformance.proof.mutants.operators.ids import answers_ids, is_huge
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.reference.store import Row

GROUP = "state"


def first_digits(_rules: Any, text: str) -> int:
    found = re.match(r"\d{1,17}", text)
    return int(found[0]) if found else 0


MUTANTS = {
    "PAY-WH-60": {"returns-204": changes_result(
            "The removal of a webhook returns 204 and no body.",
            delete_webhook=lambda _rules, _answer, _call: Answer(204, None),
            encode=lambda _, right, _call, body: b"" if body is None else right)},
    "PAY-WH-64": {"huge-number-returns-500": answers_ids("delete_webhook", is_huge).also("PAY-ERR-12")
            .says("The removal of a webhook by a number beyond 64 bits returns 500.")},
    "PAY-WH-66": {"all-of-same-url": setting(
            "The removal of one webhook removes all of the same url.",
            remove_webhook=lambda rules, hook: rules.store.delete(
                "webhook", account=hook["account"], url=hook["url"]) > 0)},
    "PAY-WH-69": {"number-with-more-behind": setting(
            "The removal of a webhook reads the digits that the id begins with.", webhook_number=first_digits)},
}  # fmt: skip


@mutant("PAY-WH-62/listed-again-after-40-s", seen_in=("PAY-PAYS-01",), group="time")
class ListedAgainAfter40S(PaymentsRules):
    """A removed webhook is listed again 40 s after its removal."""

    def remove_webhook(self, hook: Row) -> bool:
        self.__dict__.setdefault("gone", []).append((self.clock.now(), hook))
        return super().remove_webhook(hook)

    def hooks_of(self, call: Call) -> list[Row]:
        back = [hook for since, hook in self.__dict__.get("gone", []) if self.clock.now() - since > 40]
        own = (call.access.account, call.access.environment)
        return super().hooks_of(call) + [hook for hook in back if (hook["account"], hook["environment"]) == own]


@mutant("PAY-WH-63/hidden-only")
class HiddenOnly(PaymentsRules):
    """A removed webhook is neither listed nor found, and still receives events."""

    def remove_webhook(self, hook: Row) -> bool:
        return self.store.update("webhook", {"name": "removed"}, id=hook["id"]) == 1

    def hooks_of(self, call: Call) -> list[Row]:
        return [hook for hook in super().hooks_of(call) if hook["name"] != "removed"]

    def owned(self, call: Call, table: str, number: object) -> Row:
        row = super().owned(call, table, number)
        if table == "webhook" and row["name"] == "removed":
            raise self.not_found(call)
        return row
