"""Mutants of PAY-VER, versioning."""

from typing import Any

from pix_conformance.proof.difference import Difference, setting
from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules

GROUP = "schema"


def find_route(rules: Any, call: Call) -> None:
    """Refuse an unknown path before the credential is read."""
    refusal = PaymentsRules.find_route(rules, call)
    if refusal:
        raise refusal


def moved(operation: str, path: str) -> Difference:
    """Serve an operation at another path only."""
    routes = tuple((method, path if name == operation else own, name) for method, own, name in PaymentsRules.routes)
    return setting(f"The path of {operation} is {path}.", routes=routes, find_route=find_route)


MUTANTS = {
    "PAY-VER-01": {"login-under-v1": moved("authenticate", "/api/v1/auth")},
}  # fmt: skip
