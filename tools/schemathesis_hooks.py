"""What `schemathesis.toml` loads: credentials, tokens that are renewed in time, failures that right servers show."""

import base64
import os
import uuid
from collections.abc import Iterator
from typing import Any

import requests
import schemathesis
from schemathesis import AuthContext, Case, HookContext, Response
from schemathesis.core.failures import Failure

TOKEN_IS_RENEWED_AFTER_S = 40
"""A token is valid for 60 s."""
PAYMENTS, LOGIN, BUSINESS = "^/api/v1/", "/api/auth", "^/v1/"
LARGEST_NUMBER = 1_000_000_000
IDEMPOTENCY_KEYS = ("Idempotency-Key", "x-idempotency-key")
OPTIONAL_HEADER = "x-idempotency-key"
"""Required in the OpenAPI file, so that clients send it; a transfer without it is accepted."""
NOT_IN_THE_SCHEMA = ("INVALID_STATUS", "digits")
"""Words of the errors for what a schema cannot state: the state of a transfer, and how long a CPF and a CNPJ are."""


def _basic() -> str:
    pair = f"{os.environ['PIX_CLIENT_ID']}:{os.environ['PIX_CLIENT_SECRET']}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


class AuthProvider:
    """Sets the header `Authorization` of a request."""

    def set(self, case: Case[Any], data: str, context: AuthContext) -> None:
        """Set the header."""
        del context
        case.headers["Authorization"] = data


@schemathesis.auth(refresh_interval=TOKEN_IS_RENEWED_AFTER_S).apply_to(path_regex=PAYMENTS)
class PaymentsToken(AuthProvider):
    """The bearer token of the payments API."""

    def get(self, case: Case[Any], context: AuthContext) -> str:
        """Ask for a token."""
        del case, context
        came = requests.post(os.environ["PIX_BASE_URL"] + LOGIN, headers={"Authorization": _basic()}, timeout=10)
        return f"Bearer {came.json().get('token')}"


@schemathesis.auth().apply_to(path=LOGIN)
class ClientIdAndSecret(AuthProvider):
    """The client id and secret, for the route that returns the token."""

    def get(self, case: Case[Any], context: AuthContext) -> str:
        """Return the pair."""
        del case, context
        return _basic()


@schemathesis.auth().apply_to(path_regex=BUSINESS)
class ApiKey(AuthProvider):
    """The API key of the business charge API."""

    def get(self, case: Case[Any], context: AuthContext) -> str:
        """Return the key."""
        del case, context
        return f"Bearer {os.environ['PIX_API_KEY']}"


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Send a new idempotency key outside the examples: with that of the OpenAPI file, half of the requests get 409."""
    del context, kwargs
    if case.meta is None or case.meta.phase.name.value == "examples":
        return
    for name in IDEMPOTENCY_KEYS:
        if name in case.headers:
            case.headers[name] = str(uuid.uuid4())


@schemathesis.hook
def filter_failure(context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    """Return whether a failure is kept: right servers refuse unusual numbers, and take null for a missing property."""
    del context
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        return not (
            any(map(_is_unusual, _values(case.body))) or any(word in response.text for word in NOT_IN_THE_SCHEMA)
        )
    if kind in {"AcceptedNegativeData", "MissingHeaderNotRejected"}:
        return not (None in _values(case.body) or OPTIONAL_HEADER in failure.message)
    return True


def _values(body: Any) -> Iterator[Any]:
    """Yield every value of a JSON document that is neither an object nor an array."""
    if isinstance(body, dict | list):
        for value in body.values() if isinstance(body, dict) else body:
            yield from _values(value)
    else:
        yield body


def _is_unusual(value: Any) -> bool:
    """Return whether a value is a number that a service may refuse: 100.0 for an integer, or a very large one."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) > LARGEST_NUMBER)
