"""Error responses of the payments API (PAY-ERR)."""

from typing import Any, ClassVar

from pix_conformance.reference.call import Refusal
from pix_conformance.reference.http import WireRules


class ErrorRules(WireRules):
    """The kinds of refusal with their statuses and codes."""

    error_statuses: ClassVar[dict[str, int]] = {
        "invalid": 400,
        "state": 400,
        "unauthorized": 401,
        "forbidden": 403,
        "missing": 404,
        "method": 405,
        "key_conflict": 409,
        "limited": 429,
    }
    error_codes: ClassVar[dict[str, str]] = {
        "invalid": "INVALID_REQUEST",
        "state": "INVALID_STATUS",
        "unauthorized": "UNAUTHORIZED",
        "forbidden": "FORBIDDEN",
        "missing": "NOT_FOUND",
        "method": "METHOD_NOT_ALLOWED",
        "key_conflict": "IDEMPOTENCY_CONFLICT",
        "limited": "RATE_LIMITED",
    }

    def error_status(self, refusal: Refusal) -> int:
        """Return the status of a refusal."""
        return self.error_statuses[refusal.kind]

    def error_code(self, refusal: Refusal) -> str:
        """Return the code of a refusal."""
        return self.error_codes[refusal.kind]

    def error_message(self, refusal: Refusal) -> str:
        """Return the text of a refusal."""
        return refusal.message

    def error_body(self, refusal: Refusal) -> Any:
        """Return the body of a refusal: `error` and `message`."""
        return {"error": self.error_code(refusal), "message": self.error_message(refusal)}
