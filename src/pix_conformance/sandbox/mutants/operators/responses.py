"""Operators of responses and refusals, for both APIs: a status, a header, one value, a code or the body is another."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from pix_conformance.checks.schema import judge_body
from pix_conformance.model.openapi import documented, example_of
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.state import ROLES
from pix_conformance.sandbox.difference import Difference, changes_result, overrides
from pix_conformance.sandbox.mutants.operators.values import Kind, changed, in_words

OK, REFUSED = 200, 400


def in_response(operations: str, where: str, change: Any, statuses: range = range(REFUSED)) -> Difference:
    """Change the value at a path (`data.splits.*.email`; "" is the body), or leave it out: GONE."""

    def respond(_rules: Any, answer: Answer, call: Call, _answer: Answer) -> Answer:
        if call.operation in operations.split() and answer.status in statuses:
            answer.body = changed(answer.body, where, change)
        return answer

    kind = "refusal" if statuses.start >= REFUSED else "response"
    sentence = f"In the {kind} of {' and '.join(operations.split())}, {where or 'the body'} {in_words(change)}."
    return changes_result(sentence, respond=respond).of("schema")


def in_whole_body(api: Api, operation: str, change: Callable[[Any], Any]) -> Difference:
    """Change the body of a success. It breaks what the schema says of the changed example, first of all its form."""
    media = documented(api, operation, OK)["content"]["application/json"]  # type: ignore[index]  # each has a 2XX
    findings = judge_body(media["schema"], json.dumps(change(example_of(media))).encode())
    broken = [finding.requirement for finding in findings if finding.mismatch]
    return in_response(operation, "", change).also(*broken[1:])


def in_charge(where: str, change: Any) -> Difference:
    """Change the value at a path of a charge in every response that shows it, or leave it out: GONE."""
    sentence = f"In every response that shows a charge, {where or 'it'} {in_words(change)}."
    return changes_result(sentence, charge_view=lambda _, view, *_about: changed(view, where, change)).of("schema")


def responds_with(operations: str, status: int) -> Difference:
    """Answer the success of some operations with another status."""

    def respond(_rules: Any, answer: Answer, call: Call, _answer: Answer) -> Answer:
        if call.operation in operations.split() and answer.status < REFUSED:
            answer.status = status
        return answer

    sentence = f"{' and '.join(operations.split())} returns {status} for success."
    return changes_result(sentence, respond=respond).of("schema")


def labelled(media_type: str, statuses: range = range(REFUSED)) -> Difference:
    """Send another Content-Type with some statuses of all operations."""

    def headers(_rules: Any, right: dict[str, str], call: Call, answer: Answer) -> dict[str, str]:
        return right | ({"content-type": media_type} if call.operation and answer.status in statuses else {})

    kind = "success" if statuses.stop <= REFUSED else "refusal"
    return changes_result(f'The Content-Type of a {kind} is "{media_type}".', headers=headers).of("schema")


def in_code(tag: str, change: Any) -> Difference:
    """Change the value of an object of the code, or leave it out: GONE. The checksum covers the change."""
    sentence = f"Object {tag} of the code {in_words(change)}."
    return changes_result(sentence, code_objects=lambda _, right, *_given: changed(right, tag, change)).of("schema")


def code_text(sentence: str, change: Callable[[str], str]) -> Difference:
    """Change the whole text of the code, with its checksum."""
    return changes_result(sentence, code=lambda _, right, *_given: change(right)).of("schema")


INTERNAL_ERROR = 500
UNEXPECTED = {"error": "INTERNAL", "message": "unexpected", "detail": "unexpected"}


def answers_ids(operations: str, chosen: Kind, status: int = INTERNAL_ERROR, **body: Any) -> Difference:
    """Answer the requests of some operations by ids of some kind with a status and a body."""

    def answer(_rules: Any, right: Answer, call: Call) -> Answer:
        meant = call.operation in operations.split() and chosen(call.params.get("id", ""))
        return Answer(status, body or UNEXPECTED) if meant else right

    sentence = f"{' and '.join(operations.split())} by {chosen.words} returns {status}."
    return changes_result(sentence, answer=answer).of("schema")


def fails_at_number(operation: str, where: str, number: str) -> Difference:
    """Answer a request with 500 whose body matches a pattern that ends before a number, and that of the number."""

    def answer(_rules: Any, right: Answer, call: Call) -> Answer:
        meant = call.operation == operation and re.search(where + number, (call.body or b"").decode(errors="replace"))
        return Answer(INTERNAL_ERROR, UNEXPECTED) if meant else right

    return changes_result(f"{operation} with such a number returns 500.", answer=answer).of("schema")


WITH_EXPONENT, OF_40_DIGITS = r"\de\d{3}", r"\d{40}"
"""Patterns of numbers of JSON that no floating-point number of 64 bits holds."""


HANGS_S = 60
"""Seconds for which a route that does not respond keeps a request: more than any client waits."""


def never_responds(operation: str) -> Difference:
    """Respond to no request of an operation."""

    async def hang(_rules: Any, right: Callable[[Call], Awaitable[Answer]], call: Call) -> Answer:
        await asyncio.sleep(HANGS_S)
        return await right(call)

    return overrides(f"{operation} never responds.", **{operation: hang}).of("state")


def stops_after(operation: str, status: int) -> Difference:
    """Respond to nothing any more after a response of an operation with this status."""

    async def answer(rules: Any, right: Callable[[Call], Awaitable[Answer]], call: Call) -> Answer:
        if rules.__dict__.get("has_stopped"):
            await asyncio.sleep(HANGS_S)
        answered = await right(call)
        if call.operation == operation and answered.status == status:
            rules.__dict__["has_stopped"] = True
        return answered

    return overrides(f"After a {operation} that returns {status} nothing is answered.", answer=answer).of("state")


def queries_fail_after_nul(operation: str = "get_charge") -> Difference:
    """Answer each query of an operation with 500 after one by an id with a NUL."""

    def answer(rules: Any, right: Answer, call: Call) -> Answer:
        asked = call.params["id"] if call.operation == operation else ""
        rules.__dict__["failed"] = failed = rules.__dict__.get("failed", False) or "\0" in asked
        return Answer(INTERNAL_ERROR, UNEXPECTED) if failed and asked and "\0" not in asked else right

    sentence = f"After a {operation} by an id with a NUL, each one by another id returns 500."
    return changes_result(sentence, answer=answer).of("state")


is_long = Kind("an id of more than 100 characters", lambda number: len(number) > 100)
is_huge = Kind("a number beyond 64 bits", lambda number: number.isdecimal() and len(number) > 18)


def contains(sign: str, words: str) -> Kind:
    """Make a judge of ids that contain a character."""
    return Kind(f"an id with {words}", lambda number: sign in number)


KINDS = {
    "invalid": "An invalid request",
    "state": "An operation that the status does not allow",
    "unauthorized": "A wrong credential",
    "forbidden": "A simulation in production",
    "missing": "An id that is unknown or another account's",
    "method": "An unknown method",
    "key_conflict": "An idempotency key used with another body",
    "limited": "One request too many",
}
"""The kinds of refusal of the reference, in words."""


def refused(  # noqa: PLR0913  # each part of a refusal that a server may get wrong
    kind: str,
    operations: str = "",
    *,
    status: int = 0,
    code: str = "",
    body: Any = None,
    about: Callable[[str], object] = bool,
) -> Difference:
    """Answer a kind of refusal with another status, code or body (a value, or a function of the right one).

    No operations are all of them; `about` judges the message, to choose some refusals of the kind.
    """

    def refuse(_rules: Any, answer: Answer, call: Call, refusal: Refusal) -> Answer:
        here = call.operation in operations.split() if operations else call.operation
        if not here or refusal.kind != kind or not about(refusal.message):
            return answer
        right = answer.body | ({"error": code} if code else {})
        wrong = right if body is None else body(right) if callable(body) else body
        return Answer(status or answer.status, wrong, answer.headers)

    words = [f"the status {status}" if status else "", f"the code {code}" if code else ""]
    words += ["another body"] if body is not None else []
    place = f" by {' and '.join(operations.split())}" if operations else ""
    sentence = f"{KINDS[kind]} is refused{place} with {' and '.join(filter(None, words))}."
    return changes_result(sentence, refused=refuse)


def refuses_operation(operation: str, kind: str = "state") -> Difference:
    """Refuse an operation that must succeed, for a reason of some kind; it is one that pauses before its effect."""

    def pause(_rules: Any, _right: None, call: Call, place: str) -> None:
        if call.operation == operation and place != "arrival":
            raise Refusal(kind, "this is not supported")

    return changes_result(f"{operation} is refused ({kind}).", pause=pause).of("state")


AMOUNT_CENTS = 1050


def sent_body(call: Call) -> dict[str, Any]:
    """Return the object that a request sent, however wrong; an empty one for what is no object."""
    try:
        body = json.loads(call.body or b"")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def leaves_charge(sentence: str, kind: str) -> Difference:
    """Refuse a creation for a reason of some kind, and leave a charge with its external_ref; all else is right."""

    def refuse(rules: Any, answer: Answer, call: Call, refusal: Refusal) -> Answer:
        if call.operation == "create_charge" and refusal.kind == kind:
            label = sent_body(call).get("external_ref")
            read: dict[str, Any] = {"amount_cents": AMOUNT_CENTS, "expires_in_seconds": 3600, "description": None}
            read |= {"customer_email": None, "external_ref": label if isinstance(label, str) else None}
            owner = call.access if call.access.account else ROLES["merchant"]
            rules.store.insert("business_charge", rules.new_charge(owner, read))
        return answer

    return changes_result(sentence, refused=refuse)
