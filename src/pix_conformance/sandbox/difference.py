"""A difference from the reference, and the conditions under which it shows.

A mutant is a difference that breaks a requirement; a conforming variant is one that the documents allow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from pix_conformance.reference.call import Refusal
from pix_conformance.sandbox.guards import Guard, holds

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Difference:
    """One decision in which a server differs: the class that overrides rules of the reference, and its members.

    An operator returns one; the methods return a copy that says more. The mixin is made only when a server needs it.
    """

    sentence: str
    departure: type = object
    members: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""
    """The class of mutants in the figures; empty for that of its area in GROUP_OF_AREA of its file, or else GROUP."""
    further: tuple[str, ...] = ()
    tests_of: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()
    sets: frozenset[str] = frozenset()
    """The members that do not call what they take the place of, or that no other may change beside them."""
    is_alone: bool = False
    """Whether a server that has it shows hardly another difference."""

    def says(self, sentence: str) -> Difference:
        """Say in other words what differs, where the operator's sentence does not fit."""
        return replace(self, sentence=sentence)

    def also(self, *requirements: str) -> Difference:
        """Name what else it breaks: each of them must fail. Of a variant: what else the documents leave open."""
        return replace(self, further=self.further + requirements)

    def seen_in(self, *requirements: str) -> Difference:
        """Name whose tests send what shows it, where the tests of what it breaks send nothing of the kind."""
        return replace(self, tests_of=self.tests_of + requirements)

    def of(self, group: str) -> Difference:
        """Count it in another class of mutants."""
        return replace(self, group=group)

    def when(self, *guards: Guard) -> Difference:
        """Differ only where all of these conditions hold, and do what the reference does elsewhere."""
        clauses = " and ".join(guard.words for guard in guards)
        sentence = f"{self.sentence.removesuffix('.')}, if {clauses}."
        return replace(self, sentence=sentence, guards=self.guards + guards)

    def alone(self) -> Difference:
        """Join it with no other: on such a server hardly anything else can be seen."""
        return replace(self, is_alone=True)

    def alone_in(self, *members: str) -> Difference:
        """Join it with no other that changes one of these members: together they would do what neither of them says."""
        return replace(self, sets=self.sets | frozenset(members))

    def with_settings(self, **members: Any) -> Difference:
        """Set attributes of the rules too, as `setting` does."""
        return replace(self, members={**self.members, **members}, sets=self.sets | members.keys())

    def can_join(self, other: Difference) -> bool:
        """Whether one server can have both: a member that one of them sets would hide that of the other."""
        return not (self.sets & other.members.keys() or other.sets & self.members.keys())

    def rules(self, base: type) -> type:
        """Make the mixin of the rules of an API, which the reference loads; TypeError if a guard has nothing to do."""
        kinds = (base,) if self.departure in base.__mro__ else (self.departure, base)
        rules = type("Different", kinds, dict(self.members))
        return _guarded(rules, base, self.guards) if self.guards else rules


def _guarded(faulty: type, base: type, guards: tuple[Guard, ...]) -> type:
    """Call the wrong methods where the guards hold, and those that they override elsewhere."""
    own = [kind for kind in faulty.__mro__ if kind not in base.__mro__]
    names = {name for kind in own for name, value in vars(kind).items() if isinstance(value, FunctionType)}
    wrong = sorted(name for name in names if hasattr(base, name) and name != "__init__")
    if not wrong:
        raise TypeError(f"{own[-1].__name__} overrides no method, so no guard can hold it back")

    def chooser(name: str) -> Callable[..., Any]:
        def choose(rules: Any, *given: Any) -> Any:
            place = guarded if holds(guards, rules, given) else own[-1]
            return getattr(super(place, rules), name)(*given)

        return choose

    guarded = type("Guarded", (faulty,), {name: chooser(name) for name in wrong})
    return guarded


def setting(sentence: str, **members: Any) -> Difference:
    """Set attributes of the rules to other values, or put functions in the place of methods."""
    return Difference(sentence, members=members, sets=frozenset(members))


def overrides(sentence: str, **methods: Callable[..., Any]) -> Difference:
    """Put functions in the place of methods: each gets the rules, the overridden method and the arguments."""
    return Difference(sentence, members={name: _overriding(name, method) for name, method in methods.items()})


def _overriding(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(rules: Any, *given: Any) -> Any:
        place = next(kind for kind in type(rules).__mro__ if vars(kind).get(name) is method)
        return function(rules, getattr(super(place, rules), name), *given)

    return method


def changes_arguments(sentence: str, **changes: Callable[..., tuple[Any, ...]]) -> Difference:
    """Call methods with other arguments: each function gets the rules and the right arguments, and returns a tuple."""

    def changed(change: Callable[..., tuple[Any, ...]]) -> Callable[..., Any]:
        return lambda rules, right, *given: right(*change(rules, *given))

    return overrides(sentence, **{name: changed(change) for name, change in changes.items()})


def changes_result(sentence: str, **changes: Callable[..., Any]) -> Difference:
    """Change what methods return: each function gets the rules, the right result and the arguments of the method."""
    return overrides(sentence, **{name: _with_result(change) for name, change in changes.items()})


def _with_result(change: Callable[..., Any]) -> Callable[..., Any]:
    def call(rules: Any, right: Callable[..., Any], *given: Any) -> Any:
        result = right(*given)
        return later(rules, result, *given) if inspect.isawaitable(result) else change(rules, result, *given)

    async def later(rules: Any, result: Any, *given: Any) -> Any:
        return change(rules, await result, *given)

    return call


def acts_before(sentence: str, **acts: Callable[..., object]) -> Difference:
    """Do something, or refuse, before methods are called: each function gets the rules and the arguments."""

    def acting(act: Callable[..., object]) -> Callable[..., Any]:
        def arguments(rules: Any, *given: Any) -> tuple[Any, ...]:
            act(rules, *given)
            return given

        return arguments

    return changes_arguments(sentence, **{name: acting(act) for name, act in acts.items()})


def acts_after(sentence: str, **acts: Callable[..., object]) -> Difference:
    """Do something, or refuse, once methods have returned: each function gets the rules, the result and the arguments.

    The result stays.
    """

    def acting(act: Callable[..., object]) -> Callable[..., Any]:
        def same(rules: Any, result: Any, *given: Any) -> Any:
            act(rules, result, *given)
            return result

        return same

    return changes_result(sentence, **{name: acting(act) for name, act in acts.items()})


def changes_refusal(sentence: str, **changes: Callable[..., Any]) -> Difference:
    """Return something where methods refuse: each function gets the rules, the refusal and the arguments.

    Another refusal that a function returns is raised in the place of the right one; None leaves the right one.
    """
    return overrides(sentence, **{name: _with_refusal(change) for name, change in changes.items()})


def _with_refusal(change: Callable[..., Any]) -> Callable[..., Any]:
    def changed(rules: Any, refusal: Refusal, *given: Any) -> Any:
        answer = change(rules, refusal, *given)
        if answer is None or isinstance(answer, Refusal):
            raise answer or refusal
        return answer

    async def later(rules: Any, result: Any, *given: Any) -> Any:
        try:
            return await result
        except Refusal as refusal:
            return changed(rules, refusal, *given)

    def call(rules: Any, right: Callable[..., Any], *given: Any) -> Any:
        try:
            result = right(*given)
        except Refusal as refusal:
            return changed(rules, refusal, *given)
        return later(rules, result, *given) if inspect.isawaitable(result) else result

    return call


def listed_under(requirement: str, family: Mapping[str, Difference], *silent: str) -> dict[str, Difference]:
    """Return the rows of a family of both APIs under one requirement, silent in further ones."""
    return {f"{requirement}/{slug}": difference.also(*silent) for slug, difference in family.items()}


@dataclass(frozen=True)
class _Written:
    """What `mutant` or `variant` says of a class that is written by hand."""

    id: str
    further: tuple[str, ...]
    tests_of: tuple[str, ...]
    group: str


def mutant(name: str, *further: str, seen_in: tuple[str, ...] = (), group: str = "") -> Callable[[Class], Class]:
    """Make a mutant of a class whose docstring says what is wrong; `further` as in `Difference.also`."""

    def note(kind: Class) -> Class:
        kind.written = _Written(name, further, seen_in, group)  # type: ignore[attr-defined]  # read by `differences_of_file`
        return kind

    return note


def variant(name: str, *also_silent: str) -> Callable[[Class], Class]:
    """Make a conforming variant of a class whose docstring says why it is right, with further silent requirements."""
    return mutant(name, *also_silent)


def differences_of_file(module: ModuleType, table: str) -> Iterator[tuple[str, Difference]]:
    """Yield the differences of a file by their ids: the rows of its table, then the classes written by hand."""
    yield from getattr(module, table, {}).items()
    for member in vars(module).values():
        written = (
            vars(member).get("written") if isinstance(member, type) and member.__module__ == module.__name__ else None
        )
        if isinstance(written, _Written):
            sentence = (member.__doc__ or "").strip()
            yield written.id, Difference(sentence, member, {}, written.group, written.further, written.tests_of)
