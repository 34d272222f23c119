"""Rules of a reference without one route: `tests.support.unbuilt_routes:payments_get_charge`.

It answers that route with 404, as it answers any unknown path: after the credential was accepted. A login has none.
"""

from typing import Any

from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.call import Answer, Call, Refusal
from pix_conformance.reference.payments import PaymentsRules

RULES: dict[str, Any] = {"payments": PaymentsRules, "business": BusinessRules}


def __getattr__(name: str) -> Any:
    """Return the rules of an API without one operation."""
    api, _, operation = name.partition("_")
    if api not in RULES:
        raise AttributeError(name)

    base: Any = RULES[api]

    class Without(base):  # type: ignore[misc]  # which of the APIs is in the name
        async def serve(self, call: Call) -> Answer:
            """Answer as if the route did not exist."""
            self.find_route(call)
            if call.operation == operation:
                if call.operation not in self.open_operations:
                    call.access = self.authorize(call)
                call.operation = ""
                raise Refusal("missing", "no such route")
            answer: Answer = await super().serve(call)
            return answer

    Without.__name__ = name
    return Without
