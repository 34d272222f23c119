"""Conforming variants where BUS-GEN is silent: what holds for every route."""

from typing import Any

from pix_conformance.proof.difference import changes_result, setting, variant
from pix_conformance.proof.variants.common.http import (
    FORMS,
    RATE_LIMITED,
    RATE_UNTIL_DATE,
    RESPONSES,
    ROUTES_FIRST,
    UNKNOWN_METHOD,
)
from pix_conformance.proof.variants.common.proxies import PROXIES
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal

PAYOUTS = ("v1", "business", "payouts")


VARIANTS = {
    "BUS-GEN-01": {"amounts-are-floats": changes_result(
            "Amounts are written as 1050.0, an integer of JSON Schema (business.md, lines 11 and 35).",
            charge_view=lambda _rules, view, _call, charge: view | {"amount_cents": float(charge["amount"])}
            ).also("BUS-GEN-05")},
    "BUS-GEN-02": {slug: one.also("BUS-GEN-05") for slug, one in FORMS.items()},
    "BUS-GEN-04": {
        "limited-until-date": RATE_UNTIL_DATE,
        "limited-with-retry-after": RATE_LIMITED.also("BUS-GEN-05"),
        "rate-in-headers": setting(
            "Each response names a rate limit: rate limits are not shown (business.md, line 196).",
            extra_headers={"x-ratelimit-limit": "600", "x-ratelimit-remaining": "599"}),
    },
    "BUS-GEN-05": {
        **RESPONSES,
        "ids-named-tokens": changes_result(
            "A charge has its ids once more, under names of secrets: no sentence excludes further fields "
            "(business.md, lines 29-43).",
            charge_view=lambda _rules, view, _call, charge: {
                **view, "checkout_token": charge["id"], "payment_token": charge["end_to_end_id"]}),
    },
    "BUS-GEN-06": {
        "unknown-path-before-key": ROUTES_FIRST,
        "unknown-method-is-unknown-path": UNKNOWN_METHOD,
        **{slug: one.also("BUS-GEN-16") for slug, one in PROXIES.items()},
    },
}  # fmt: skip


@variant("BUS-GEN-04/refused-by-gateway")
class RefusedByGateway(BusinessRules):
    """A gateway limits the rate, its 429 has another body: no limit is shown (business.md, line 196)."""

    calls_per_second = 40

    def error_body(self, refusal: Refusal) -> Any:
        return {"message": "slow down"} if refusal.kind == "limited" else super().error_body(refusal)


@variant("BUS-GEN-05/responses-numbered")
class NumbersResponses(BusinessRules):
    """Each response of success has a number: no sentence excludes further fields (business.md, lines 29-43)."""

    served = 0

    def respond(self, call: Call, answer: Answer) -> Answer:
        answer = super().respond(call, answer)
        if answer.status not in range(200, 300) or not isinstance(answer.body, dict):
            return answer
        self.served += 1
        return Answer(answer.status, {**answer.body, "request_number": self.served}, answer.headers)


@variant("BUS-GEN-08/payouts-forbidden")
class PayoutsForbidden(BusinessRules):
    """The reserved path of payouts returns 403: its response is not stated (business.md, line 13)."""

    def find_route(self, call: Call) -> Refusal | None:
        reserved = Refusal("forbidden", "payouts are not available")
        return reserved if call.path == PAYOUTS else super().find_route(call)
