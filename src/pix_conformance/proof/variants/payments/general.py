"""Conforming variants where PAY-GEN is silent: what holds for every route."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from pix_conformance.proof.difference import changes_result, setting
from pix_conformance.proof.variants.common.checks import checks_arguments, refuse_unknown_fields
from pix_conformance.proof.variants.common.http import FORMS, LENIENT_BODIES, RESPONSES, ROUTES_FIRST, UNKNOWN_METHOD
from pix_conformance.proof.variants.common.proxies import PROXIES
from pix_conformance.reference.call import Answer

BRASILIA = timezone(timedelta(hours=-3))


def with_floats(_rules: Any, answer: Answer, *_given: Any) -> Answer:
    data = answer.body.get("data") if isinstance(answer.body, dict) else None
    if not isinstance(data, dict):
        return answer
    named = {name: float(data[name]) for name in ("amount", "netAmount", "fees") if name in data}
    return Answer(answer.status, {**answer.body, "data": {**data, **named}}, answer.headers)


def in_portuguese(_rules: Any, answer: Answer, *_given: Any) -> Answer:
    has_message = isinstance(answer.body, dict) and answer.body.get("success") is True and "message" in answer.body
    words = {"message": "Operação realizada com sucesso"}
    return Answer(answer.status, answer.body | words, answer.headers) if has_message else answer


VARIANTS = {
    "PAY-GEN-01": {slug: one.also("PAY-GEN-10", "PAY-ERR-13") for slug, one in FORMS.items()},
    "PAY-GEN-02": {"amounts-are-floats": changes_result(
            "Amounts are written as 1050.0, an integer of JSON Schema (payments.md, line 19).", respond=with_floats)},
    "PAY-GEN-03": {"whole-floats-are-integers": setting(
            "1050.0 is accepted as an integer, as JSON Schema does (payments.md, line 19).",
            whole_floats_are_integers=True)},
    "PAY-GEN-04": {"lenient-bodies": LENIENT_BODIES.also("PAY-GEN-09")},
    "PAY-GEN-05": {
        "utc-offset": setting(
            "Times have microseconds and +00:00: a date-time may have any offset (payments.md, line 123; RFC 3339).",
            moment=lambda _rules, epoch: datetime.fromtimestamp(epoch, UTC).isoformat()),
        "brasilia-offset": setting(
            "Times are those of Brasilia, in whole seconds: a date-time may have any offset "
            "(payments.md, line 123; RFC 3339).",
            moment=lambda _rules, epoch: datetime.fromtimestamp(epoch, BRASILIA).isoformat(timespec="seconds")),
    },
    "PAY-GEN-07": {"unknown-fields-refused": checks_arguments(
            "A body with a field that the document does not name is refused: nothing is stated of one "
            "(payments.md, lines 30-37).", read_object=refuse_unknown_fields)},
    "PAY-GEN-08": {"null-refused": setting(
            "null in an optional field is refused: that it counts as absent is not stated (payments.md, lines 34-37).",
            null_is_absent=False)},
    "PAY-GEN-10": {
        "success-in-portuguese": changes_result(
            "The message of a success is in Portuguese: its language is not stated (payments.md, line 79).",
            respond=in_portuguese),
        **{slug: one.also("PAY-ERR-13") for slug, one in RESPONSES.items()},
    },
    "PAY-GEN-11": {
        "unknown-path-before-token": ROUTES_FIRST,
        "unknown-method-is-unknown-path": UNKNOWN_METHOD,
        **{slug: one.also("PAY-GEN-16") for slug, one in PROXIES.items()},
    },
}  # fmt: skip
