"""Operators of responses, for both APIs: one value of a response of success is another."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.proof.mutants.operators.either_api import EitherApi
from pix_conformance.proof.mutants.operators.json_values import GONE, changed
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.http import WireRules
from pix_conformance.reference.store import Row

REFUSED = 400


class RespondsOtherwise(WireRules):
    """Changes one value in the responses of some operations that have a status of some."""

    operations: ClassVar[tuple[str, ...]]
    statuses: ClassVar[range]
    where: ClassVar[str]
    change: ClassVar[Any]

    def respond(self, call: Call, answer: Answer) -> Answer:
        answer = super().respond(call, answer)
        if call.operation in self.operations and answer.status in self.statuses:
            answer.body = changed(answer.body, self.where.split("."), self.change)
        return answer


def value(change: Any) -> Callable[[Any], Any]:
    """Turn a new value into a change, which leaves out what is left out; a function stays as it is."""
    return lambda old: old if old is GONE else change(old) if callable(change) else change


def in_words(change: Any) -> str:
    """Say what a change makes of a value; a function needs a sentence of its own (`says`)."""
    if change is GONE:
        return "is missing"
    return "is wrong" if callable(change) else f"is {json.dumps(change, ensure_ascii=False)}"


def in_response(operations: str, where: str, change: Any, statuses: range = range(REFUSED)) -> Difference:
    """Change the value at a path (`data.splits.*.email`; "" is the body), or leave it out: GONE."""
    kind = "refusal" if statuses.start >= REFUSED else "response"
    sentence = f"In the {kind} of {' and '.join(operations.split())}, {where or 'the body'} {in_words(change)}."
    members = {"operations": tuple(operations.split()), "where": where, "statuses": statuses}
    return Difference(sentence, RespondsOtherwise, members | {"change": staticmethod(value(change))}, "schema")


class ShowsChargesOtherwise(EitherApi):
    """Changes one value wherever a charge is shown."""

    where: ClassVar[str]
    change: ClassVar[Any]

    def charge_view(self, call: Call, charge: Row) -> dict[str, Any]:
        view: dict[str, Any] = changed(super().charge_view(call, charge), self.where.split("."), self.change)
        return view


def in_charge(where: str, change: Any) -> Difference:
    """Change the value at a path of a charge in every response that shows it, or leave it out: GONE."""
    sentence = f"Wherever a charge is shown, {where or 'it'} {in_words(change)}."
    return Difference(
        sentence, ShowsChargesOtherwise, {"where": where, "change": staticmethod(value(change))}, "schema"
    )


class AnswersOtherStatus(WireRules):
    """Answers success with another status."""

    operations: ClassVar[tuple[str, ...]]
    status: ClassVar[int]

    def respond(self, call: Call, answer: Answer) -> Answer:
        answer = super().respond(call, answer)
        if call.operation in self.operations and answer.status < REFUSED:
            answer.status = self.status
        return answer


def responds_with(operations: str, status: int) -> Difference:
    """Answer the success of some operations with another status."""
    sentence = f"{' and '.join(operations.split())} returns {status} for success."
    members = {"operations": tuple(operations.split()), "status": status}
    return Difference(sentence, AnswersOtherStatus, members, "schema")


class LabelsOtherwise(WireRules):
    """Sends another Content-Type."""

    media_type: ClassVar[str]
    statuses: ClassVar[range]
    operations: ClassVar[tuple[str, ...]]

    def headers(self, call: Call, answer: Answer) -> dict[str, str]:
        right = super().headers(call, answer)
        here = call.operation in self.operations if self.operations else call.operation
        if not here or answer.status not in self.statuses:
            return right
        others = {name: text for name, text in right.items() if name != "content-type"}
        return others | ({} if self.media_type is GONE else {"content-type": self.media_type})


def labelled(media_type: Any, statuses: range = range(REFUSED), operations: str = "") -> Difference:
    """Send another Content-Type, or none (GONE), with some statuses of some operations; none are all of them."""
    kind = "success" if statuses.stop <= REFUSED else "refusal"
    place = f" of {' and '.join(operations.split())}" if operations else ""
    sentence = f"The Content-Type of a {kind}{place} {in_words(media_type)}."
    members = {"media_type": media_type, "statuses": statuses, "operations": tuple(operations.split())}
    return Difference(sentence, LabelsOtherwise, members, "schema")
