"""Conforming variants where BUS-GEN is silent: what holds for every route."""

from __future__ import annotations

from typing import Any, ClassVar

from pix_conformance.proof.variants.common.http import (
    AnswersUnevenly,
    ClosesConnections,
    ExtraFields,
    LimitsRate,
    MoreHeaders,
    NamesItsCharset,
    PrettyJson,
    ReadsAnyBody,
    SpeaksPortuguese,
    TakesItsTime,
    TitleHeaders,
    UpperHeaders,
)
from pix_conformance.proof.variants.common.mixing import mixed
from pix_conformance.proof.variants.common.proxies import NormalisingProxy, StrictProxy
from pix_conformance.proof.variants.common.responses import (
    DatesItsPatience,
    Escapes,
    LooksForRoutesFirst,
    NamesLeaves,
    NamesPointers,
    SetsCookies,
    Zips,
)
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.store import Row

WRONG = 400
SUCCESS = range(200, 300)
PAYOUTS = ("v1", "business", "payouts")


class TellsItsRate(BusinessRules):
    """Request rate limits are not shown (business.md, line 196): every answer tells one."""

    extra_headers: ClassVar[dict[str, str]] = {"x-ratelimit-limit": "600", "x-ratelimit-remaining": "599"}


class RefusedByTheGateway(BusinessRules):
    """What stands before the service limits the rate and answers in its own form."""

    calls_per_second = 40

    def error_body(self, refusal: Refusal) -> Any:
        """Have another body for this refusal."""
        return {"message": "slow down"} if refusal.kind == "limited" else super().error_body(refusal)


class DetailsProblems(BusinessRules):
    """Of an error only the JSON body is said (business.md, line 174), and problem details are JSON too (RFC 9457)."""

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        """Name their media type."""
        found = super().headers(call, answer)
        return found | ({"content-type": "application/problem+json"} if answer.status >= WRONG else {})


class WritesFloats(BusinessRules):
    """1050.0 is an integer too, to JSON Schema."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Write the amount with a point."""
        return super().charge_view(call, charge) | {"amount_cents": float(charge["amount"])}


class CountsRequests(BusinessRules):
    """An answer may carry more than the table, and something else each time."""

    served = 0

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Number every success."""
        answer = super().respond(call, answer)
        if answer.status not in SUCCESS or not isinstance(answer.body, dict):
            return answer
        self.served += 1
        return Answer(answer.status, {**answer.body, "request_number": self.served}, answer.headers)


class CallsIdsTokens(BusinessRules):
    """An answer may carry more than the table: the ids once more, under names that secrets have."""

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        """Say them twice."""
        tokens = {"checkout_token": charge["id"], "payment_token": charge["end_to_end_id"]}
        return {**super().charge_view(call, charge), **tokens}


class KnowsNoMethods(BusinessRules):
    """How a method is refused that a path does not have is not shown: as an unknown path."""

    def no_route(self, methods: list[str]) -> Refusal:
        """Find nothing."""
        return super().no_route([]) if methods else super().no_route(methods)


class BusinessStrictProxy(StrictProxy, BusinessRules):
    """A proxy may refuse encoded signs and long paths with pages of its own (RFC 9110, section 15.5)."""


class BusinessNormalisingProxy(NormalisingProxy, BusinessRules):
    """A proxy may decode and normalise a path before the service sees it (RFC 3986, section 6.2.2)."""


class ReservesPayouts(BusinessRules):
    """How the reserved path refuses is not shown (business.md, line 13)."""

    def find_route(self, call: Call) -> Refusal | None:
        """Forbid it."""
        reserved = Refusal("forbidden", "payouts are not available")
        return reserved if call.path == PAYOUTS else super().find_route(call)


VARIANTS = [
    mixed(__name__, "business-rate-dates", ("BUS-GEN-04",), http=DatesItsPatience),
    Variant("business-rate-answers", ("BUS-GEN-04",), {"told": TellsItsRate, "gateway": RefusedByTheGateway}),
    mixed(__name__, "business-compression", ("BUS-GEN-05",), gzip=Zips),
    mixed(__name__, "business-escapes", ("BUS-GEN-05",), all=Escapes),
    mixed(__name__, "business-cookies", ("BUS-GEN-05",), set=SetsCookies),
    mixed(__name__, "business-names-of-fields", ("BUS-GEN-05",), leaf=NamesLeaves, pointer=NamesPointers),
    Variant("business-problems", ("BUS-GEN-05",), {"details": DetailsProblems}),
    Variant("business-literals", ("BUS-GEN-05",), {"floats": WritesFloats}),
    Variant("business-numbers", ("BUS-GEN-05",), {"requests": CountsRequests, "tokens": CallsIdsTokens}),
    mixed(__name__, "business-pace", ("BUS-GEN-05",), slow=TakesItsTime, uneven=AnswersUnevenly),
    mixed(__name__, "business-connection", ("BUS-GEN-05",), close=ClosesConnections),
    mixed(__name__, "business-headers", ("BUS-GEN-05",), upper=UpperHeaders, title=TitleHeaders, more=MoreHeaders),
    mixed(__name__, "business-json", ("BUS-GEN-05",), pretty=PrettyJson, charset=NamesItsCharset),
    mixed(__name__, "business-fields", ("BUS-GEN-05",), extra=ExtraFields),
    mixed(__name__, "business-language", ("BUS-GEN-05",), portuguese=SpeaksPortuguese),
    mixed(__name__, "business-bodies", ("BUS-GEN-05",), lenient=ReadsAnyBody),
    mixed(__name__, "business-rate", ("BUS-GEN-05",), limited=LimitsRate),
    mixed(__name__, "business-unknown-paths", ("BUS-GEN-06",), first=LooksForRoutesFirst),
    Variant("business-methods", ("BUS-GEN-06",), {"unknown": KnowsNoMethods}),
    Variant(
        "business-proxy",
        ("BUS-GEN-06", "BUS-GEN-16"),
        {"strict": BusinessStrictProxy, "normalising": BusinessNormalisingProxy},
    ),
    Variant("business-payouts", ("BUS-GEN-08",), {"forbidden": ReservesPayouts}),
]
