"""Conforming variants where PAY-GEN is silent: what holds for every route."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from pix_conformance.proof.variants.common.http import (
    AnswersUnevenly,
    ClosesConnections,
    ExtraFields,
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
    Escapes,
    LooksForRoutesFirst,
    NamesLeaves,
    NamesPointers,
    SetsCookies,
    Zips,
)
from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.fields import Field
from pix_conformance.reference.payments import PaymentsRules


class WritesFloats(PaymentsRules):
    """1050.0 is an integer too, to JSON Schema (payments.md, line 19)."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Write each amount of `data` with a point."""
        answer = super().respond(call, answer)
        data = answer.body.get("data") if isinstance(answer.body, dict) else None
        if isinstance(data, dict):
            named = {name: float(data[name]) for name in ("amount", "netAmount", "fees") if name in data}
            answer = Answer(answer.status, {**answer.body, "data": {**data, **named}}, answer.headers)
        return answer


class WholeFloats(PaymentsRules):
    """Whether 1050.0 is a decimal value is not clear: to JSON Schema it is an integer."""

    whole_floats_are_integers = True


class OffsetMoments(PaymentsRules):
    """A date-time may carry any offset (RFC 3339, section 5.6)."""

    def moment(self, epoch: float) -> str:
        """Write +00:00 and microseconds."""
        return datetime.fromtimestamp(epoch, UTC).isoformat()


class TimesOfBrasilia(PaymentsRules):
    """A date-time may carry any offset (RFC 3339, section 5.6): that of Brasilia, whole seconds."""

    def moment(self, epoch: float) -> str:
        """Write -03:00."""
        here = datetime.fromtimestamp(epoch, UTC).astimezone(timezone(timedelta(hours=-3)))
        return here.isoformat(timespec="seconds")


class RefusesStrangers(PaymentsRules):
    """Whether a body may have more than the named fields is not shown."""

    def read_object(self, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> dict[str, Any]:
        """Refuse another field."""
        if unknown := set(holder) - {one.name for one in fields}:
            raise self.invalid(f"{where}.{min(unknown)}".lstrip("."), "is not a field")
        return super().read_object(holder, fields, where)


class RefusesNull(PaymentsRules):
    """Whether null stands for an absent optional field is not shown."""

    null_is_absent = False


class SaysItInPortuguese(PaymentsRules):
    """The language of messages is not shown, that of a success neither."""

    def respond(self, call: Call, answer: Answer) -> Answer:
        """Say that it worked."""
        answer = super().respond(call, answer)
        told = isinstance(answer.body, dict) and answer.body.get("success") is True and "message" in answer.body
        words = {"message": "Operação realizada com sucesso"}
        return Answer(answer.status, answer.body | words, answer.headers) if told else answer


class FindsNothing(PaymentsRules):
    """What a method gets that a path does not have is not shown: 404, as an unknown path."""

    def no_route(self, methods: list[str]) -> Refusal:
        """Find nothing."""
        return super().no_route([] if methods else methods)


class PaymentsStrictProxy(StrictProxy, PaymentsRules):
    """A proxy may refuse encoded signs and long paths with pages of its own (RFC 9110, section 15.5)."""


class PaymentsNormalisingProxy(NormalisingProxy, PaymentsRules):
    """A proxy may decode and normalise a path before the service sees it (RFC 3986, section 6.2.2)."""


VARIANTS = [
    Variant("payments-literals", ("PAY-GEN-02",), {"floats": WritesFloats}),
    Variant("payments-floats", ("PAY-GEN-03",), {"whole": WholeFloats}),
    mixed(__name__, "payments-bodies", ("PAY-GEN-04", "PAY-GEN-09"), lenient=ReadsAnyBody),
    Variant("payments-moments", ("PAY-GEN-05",), {"offset": OffsetMoments}),
    Variant("payments-zone", ("PAY-GEN-05",), {"brasilia": TimesOfBrasilia}),
    Variant("payments-strangers", ("PAY-GEN-07",), {"refused": RefusesStrangers}),
    Variant("payments-null", ("PAY-GEN-08",), {"refused": RefusesNull}),
    mixed(__name__, "payments-compression", ("PAY-GEN-10",), gzip=Zips),
    mixed(__name__, "payments-escapes", ("PAY-GEN-10",), all=Escapes),
    mixed(__name__, "payments-cookies", ("PAY-GEN-10",), set=SetsCookies),
    mixed(__name__, "payments-names-of-fields", ("PAY-GEN-10",), leaf=NamesLeaves, pointer=NamesPointers),
    Variant("payments-words", ("PAY-GEN-10",), {"portuguese": SaysItInPortuguese}),
    mixed(__name__, "payments-pace", ("PAY-GEN-10", "PAY-ERR-13"), slow=TakesItsTime, uneven=AnswersUnevenly),
    mixed(__name__, "payments-connection", ("PAY-GEN-10", "PAY-ERR-13"), close=ClosesConnections),
    mixed(
        __name__,
        "payments-headers",
        ("PAY-GEN-10", "PAY-ERR-13"),
        upper=UpperHeaders,
        title=TitleHeaders,
        more=MoreHeaders,
    ),
    mixed(__name__, "payments-json", ("PAY-GEN-10", "PAY-ERR-13"), pretty=PrettyJson, charset=NamesItsCharset),
    mixed(__name__, "payments-fields", ("PAY-GEN-10", "PAY-ERR-13"), extra=ExtraFields),
    mixed(__name__, "payments-language", ("PAY-GEN-10", "PAY-ERR-13"), portuguese=SpeaksPortuguese),
    mixed(__name__, "payments-unknown-paths", ("PAY-GEN-11",), first=LooksForRoutesFirst),
    Variant("payments-methods", ("PAY-GEN-11",), {"unknown": FindsNothing}),
    Variant(
        "payments-proxy",
        ("PAY-GEN-11", "PAY-GEN-16"),
        {"strict": PaymentsStrictProxy, "normalising": PaymentsNormalisingProxy},
    ),
]
