"""Relations: matchers over one exchange or delivery and others, which the bundle records by their numbers.

A function with `@relation("words for a report")` judges its first argument. Called without that, it gives a matcher:
`expect(again, answers_as_replay())`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, Concatenate, ParamSpec

from pix_conformance.checks.conclusion import Problem
from pix_conformance.checks.matchers import Find, Matcher
from pix_conformance.checks.readings import Readings
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import Subject
from pix_conformance.model.vocabulary import Secret

P = ParamSpec("P")
PACKAGE = "pix_conformance.checks."


@dataclass(frozen=True)
class Relation(Matcher):
    """A relation, with what the subject is compared with: exchanges, deliveries, JSON values, sequences of these.

    `name` is the module below `pix_conformance.checks` and the function, such as `relations.answers_as_replay`.
    """

    word = "relation"
    name: str
    words: str
    arguments: dict[str, Any]

    def mismatch(self, subject: Subject) -> Problem:
        """Compare the subject with the arguments."""
        judge = _judge(self.name)
        if not _takes_several(judge):
            return judge(subject, **self.arguments)
        bound = _signature_of(judge).bind_partial(subject)
        bound.arguments.update(self.arguments)
        return judge(*bound.args, **bound.kwargs)

    def with_messages(self, readings: Readings) -> Relation:
        """Compare with the messages as `readings` gives them."""
        return replace(self, arguments=readings.of(self.arguments))

    def to_dict(self) -> dict[str, Any]:
        """Write the relation; an exchange or delivery becomes its number, a secret is masked."""
        arguments = {name: _written(value) for name, value in self.arguments.items()}
        return {"matcher": self.word, "name": self.name, "words": self.words, "arguments": arguments}

    @classmethod
    def from_row(cls, values: dict[str, Any], find: Find) -> Relation:
        """Read a recorded relation; KeyError where it, or what it compares with, cannot be found again."""
        name = str(values["name"])
        _judge(name)
        return cls(name, values["words"], {key: _read(argument, find) for key, argument in values["arguments"].items()})


def relation(words: str) -> Callable[[Callable[Concatenate[Any, P], Problem]], Callable[P, Relation]]:
    """Make a relation of a function of `pix_conformance.checks` that takes the subject first.

    The function returns a sentence that says what is wrong, None if nothing is, or Unknown. `words` says for reports
    what is expected; `{name}` stands for the argument of that name.
    """

    def make(judge: Callable[Concatenate[Any, P], Problem]) -> Callable[P, Relation]:
        name = f"{judge.__module__.removeprefix(PACKAGE)}.{judge.__name__}"

        @wraps(judge)
        def related(*args: P.args, **kwargs: P.kwargs) -> Relation:
            bound = _signature_of(judge).bind(None, *args, **kwargs)
            bound.apply_defaults()
            subject = next(iter(bound.arguments))
            arguments = {key: value for key, value in bound.arguments.items() if key != subject}
            said = words.format_map({key: _in_words(value) for key, value in arguments.items()})
            return Relation(name, said, arguments)

        return related

    return make


_signature_of = cache(signature)


@cache
def _takes_several(judge: Callable[..., Problem]) -> bool:
    """Return whether a function takes as many positional arguments as it is given."""
    return any(it.kind is Parameter.VAR_POSITIONAL for it in _signature_of(judge).parameters.values())


@cache
def _judge(name: str) -> Callable[..., Problem]:
    """Return the function of a relation; KeyError without one."""
    if not re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", name):
        raise KeyError(name)
    module, _, function = name.rpartition(".")
    try:
        judge: Callable[..., Problem] = getattr(import_module(f"{PACKAGE}{module}"), function).__wrapped__
    except (ImportError, AttributeError):
        raise KeyError(name) from None
    return judge


def _written(value: Any) -> Any:
    if isinstance(value, Exchange | Delivery):
        return {"evidence": value.evidence}
    if isinstance(value, Secret):
        return {"masked": True}
    if isinstance(value, list | tuple):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        return {"object": {name: _written(item) for name, item in value.items()}}
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"a relation cannot be recorded with a {type(value).__name__}")


def _read(value: Any, find: Find) -> Any:
    if isinstance(value, list):
        return tuple(_read(item, find) for item in value)
    if isinstance(value, dict):
        if "evidence" in value:
            return find(value["evidence"])
        return {name: _read(item, find) for name, item in value["object"].items()}  # KeyError on what was masked
    return value


def _in_words(value: Any) -> str:
    if isinstance(value, Exchange | Delivery):
        return value.evidence
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    return str(value)
