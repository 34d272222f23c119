"""Exchanges as a run records them, for tests of what looks at them."""

import json
from typing import Any

from pix_conformance.model.exchange import Exchange, Headers, Request, Response
from pix_conformance.model.vocabulary import Api, Role

FIELDS: dict[str, Any] = {"id": 1, "api": Api.PAYMENTS, "role": Role.MERCHANT, "operation": "create_charge"}
FIELDS |= {"test": None, "started": 0.0, "elapsed_ms": 1.0}


def exchange(
    body: Any = None,
    status: int = 200,
    sent: Any = None,
    sends: tuple[str, str, Headers] = ("POST", "http://localhost/x", ()),
    headers: Headers = (),
    **fields: Any,
) -> Exchange:
    """Return an exchange of the merchant; a status of 0 is that of a lost response. Bytes are a body as they are."""
    content, own = (part if isinstance(part, bytes) else json.dumps(part).encode() for part in (body, sent))
    response = Response(status, headers, content, len(content)) if status else None
    return Exchange(request=Request(*sends, own if sent else b""), response=response, **(FIELDS | fields))
