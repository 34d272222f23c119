"""Operators of ownership, for both APIs: what belongs to another account or environment is shown."""

from collections.abc import Callable
from typing import Any, ClassVar

from pix_conformance.proof.difference import Difference
from pix_conformance.proof.mutants.operators.either_api import EitherApi
from pix_conformance.reference.call import Access, Call
from pix_conformance.reference.store import Row


class SeesOthers(EitherApi):
    """Lets some operations see what is another's."""

    operations: ClassVar[tuple[str, ...]]
    crosses: ClassVar[Any]

    def sees(self, access: Access, owner: Access, operation: str) -> bool:
        crossed = operation in self.operations and self.crosses(access, owner)
        return crossed or super().sees(access, owner, operation)


def sees_others(operations: str, crosses: Callable[[Access, Access], object], whose: str) -> Difference:
    """Let some operations see objects whose owner a function of caller and owner accepts; `whose` says it in words."""
    sentence = f"{' and '.join(operations.split())} finds what belongs to {whose}."
    members = {"operations": tuple(operations.split()), "crosses": staticmethod(crosses)}
    return Difference(sentence, SeesOthers, members, "isolation")


def of_another_account(caller: Access, owner: Access) -> bool:
    """Judge whether an object of the same environment belongs to another account."""
    return caller.account != owner.account and caller.environment == owner.environment


def of_the_other_environment(caller: Access, owner: Access) -> bool:
    """Judge whether an object of the same account belongs to the other environment."""
    return caller.account == owner.account and caller.environment != owner.environment


class DoesNotFind(EitherApi):
    """Does not find what an operation is asked for, though it is the caller's."""

    operations: ClassVar[tuple[str, ...]]

    def owned(self, call: Call, *about: Any) -> Row:
        row = super().owned(call, *about)
        if call.operation in self.operations:
            raise self.not_found(call)
        return row


def does_not_find(operations: str) -> Difference:
    """Answer some operations as if there were no object of the id."""
    members = {"operations": tuple(operations.split())}
    return Difference(
        f"{' and '.join(operations.split())} does not find what is the caller's.", DoesNotFind, members, "state"
    )
