"""Mutants of PAY-VER, versioning."""

from typing import Any

from pix_conformance.proof.difference import setting
from pix_conformance.reference.call import Call
from pix_conformance.reference.payments import PaymentsRules

GROUP = "schema"


def find_route(rules: Any, call: Call) -> None:
    """Refuse an unknown path before the credential is read."""
    if refusal := PaymentsRules.find_route(rules, call):
        raise refusal


MUTANTS = {
    "PAY-VER-01": {"login-under-v1": setting(
            "The path of authenticate is /api/v1/auth.", find_route=find_route, routes=tuple(
                (method, path.replace("/api/auth", "/api/v1/auth"), name)
                for method, path, name in PaymentsRules.routes))},
}  # fmt: skip
