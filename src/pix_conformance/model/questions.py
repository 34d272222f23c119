"""The questions that are asked of every operation, and the requirements that state what the response is."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.operations import Effect, Operation, of
from pix_conformance.model.states import announced_events, states_of
from pix_conformance.model.vocabulary import Api, Requirement

EVENT_LISTS = ("ANNOUNCED", "OF_NO_REQUEST")
"""The names that the suites have for the events of `states.toml`: a test with one of them has a case for each."""
REFUSAL_LIST = "refused_once_ended"
"""What makes the cases of the refusals there."""


class Question(StrEnum):
    """The value of `asks` of a requirement of one operation, and of `asks_every` of one of all operations."""

    NO_CREDENTIAL = "no_credential"
    WRONG_CREDENTIAL = "wrong_credential"
    EXPIRED_CREDENTIAL = "expired_credential"
    """Of an API key: a revoked one."""
    REFUSED_WITHOUT_EFFECT = "refused_without_effect"
    """That a request which is refused for its credential changes nothing."""
    UNKNOWN_ID = "unknown_id"
    ODD_ID = "odd_id"
    """That an unknown id of an unusual form returns a 4xx."""
    ODD_ID_NOT_FOUND = "odd_id_not_found"
    """That it returns 404."""
    ANOTHER_ACCOUNT = "another_account"
    ANOTHER_ACCOUNT_WITHOUT_EFFECT = "another_account_without_effect"
    OTHER_ENVIRONMENT = "other_environment"
    OTHER_ENVIRONMENT_WITHOUT_EFFECT = "other_environment_without_effect"
    ERROR_BODY = "error_body"


def _names_object(row: Operation) -> bool:
    """Of the removal of a webhook the document lists no error: an unknown id is asked about, odd ones are not."""
    return row.id_parameter is not None and row.effect is not Effect.REMOVES


def _changes_object(row: Operation) -> bool:
    return row.effect in {Effect.CHANGES, Effect.REMOVES}


CONCERNS: Mapping[Question, Callable[[Operation], bool]] = {
    Question.NO_CREDENTIAL: lambda row: row.needs_credential,
    Question.WRONG_CREDENTIAL: lambda row: row.needs_credential,
    Question.EXPIRED_CREDENTIAL: lambda row: row.needs_credential,
    Question.REFUSED_WITHOUT_EFFECT: lambda row: row.needs_credential and not row.reads,
    Question.UNKNOWN_ID: lambda row: row.id_parameter is not None,
    Question.ODD_ID: _names_object,
    Question.ODD_ID_NOT_FOUND: _names_object,
    Question.ANOTHER_ACCOUNT: lambda row: row.reads or _changes_object(row),
    Question.ANOTHER_ACCOUNT_WITHOUT_EFFECT: _changes_object,
    # no sentence says that the webhooks of sandbox and production are separate, and so what a removal returns
    Question.OTHER_ENVIRONMENT: lambda row: row.reads or row.effect is Effect.CHANGES,
    Question.OTHER_ENVIRONMENT_WITHOUT_EFFECT: _changes_object,
    Question.ERROR_BODY: lambda _row: True,
}
"""Of which operations each question is asked."""


@cache
def requirements_for(row: Operation, question: Question) -> tuple[str, ...]:
    """Return the ids of the requirements that state the response of an operation to a question."""
    if not CONCERNS[question](row):
        return ()
    return tuple(
        rule.id
        for rule in catalogue().of(row.api)
        if rule.asks_every == question or (rule.asks == question and rule.operation == row.name)
    )


def is_asked_in(text: str, requirement: Requirement) -> bool:
    """Return whether a file with this text may have a test of a requirement: it has the id, the question or the list.

    The list is one of the rows of `states.toml`, of which each has a test.
    """
    question = requirement.asks or requirement.asks_every
    if question is not None and f"Question.{Question(question).name}" in text:
        return True
    is_listed = requirement.id in _of_events(requirement.api) and any(name in text for name in EVENT_LISTS)
    is_refusal = REFUSAL_LIST in text and requirement.id in _of_refusals(requirement.api)
    return is_listed or is_refusal or requirement.id in text


def _of_events(api: Api) -> set[str | None]:
    """Return the requirements that `states.toml` names for its events."""
    rows = [row for states in states_of(api).values() for row in states.unrequested]
    return {*announced_events(api).values(), *(rule for row in rows for rule in (row.announced, row.postback))}


def _of_refusals(api: Api) -> set[str]:
    """Return the requirements that `states.toml` names for statuses in which an operation is refused."""
    return {row.requirement for states in states_of(api).values() for row in states.refusals}


def refusals_of(row: Operation, question: Question) -> tuple[int, ...]:
    """Return the 4xx statuses that the requirements of an operation name for a question."""
    return tuple(status for rule in requirements_for(row, question) for status in catalogue()[rule].refusals)


def rules_about(api: Api, kind: str, question: Question) -> tuple[str, ...]:
    """Return the requirements that state the answer to a question, of all operations on an object of a kind."""
    return tuple(rule for row in _about(api, kind) for rule in requirements_for(row, question))


def _about(api: Api, kind: str) -> list[Operation]:
    return [row for row in of(api) if row.kind == kind and row.id_parameter]
