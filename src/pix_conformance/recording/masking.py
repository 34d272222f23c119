"""Masks the values of objects that a run did not create: equal values stay equal, so that histories can be judged."""

import hashlib
import hmac
import json
from collections.abc import Container
from dataclasses import dataclass, field, replace
from secrets import token_bytes
from typing import Any

from pix_conformance.model.delivery import Delivery
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.vocabulary import MASK

LISTING = frozenset({"list_webhooks", "list_charges", "get_finance"})
"""The operations that show objects which the run may not have created."""
PLAIN_FIELDS = frozenset(
    {"status", "created_at", "createdAt", "currency", "direction", "event_type", "isActive", "event", "type", "scope"}
)
DIGITS = 8
"""Hexadecimal digits of a masked value: of some thousand values no two different ones are equal."""
FOREIGN = "an object this run did not create"
"""Why a delivery is masked."""


@dataclass(frozen=True)
class Masking:
    """Masks what is not of the objects of a run. The key is that of the run, so that no one can look up a value."""

    objects: Container[str]
    key: bytes = field(default_factory=lambda: token_bytes(16), repr=False)

    def exchange(self, exchange: Exchange) -> Exchange:
        """Return an exchange as the report may show it."""
        came = exchange.response
        if came is None or not (exchange.operation in LISTING or exchange.is_foreign):
            return exchange
        if exchange.is_foreign and exchange.ok:
            path, _, made_id = exchange.request.url.rpartition("/")
            request = replace(exchange.request, url=f"{path}/{self._digest(made_id)}")
            return replace(exchange, request=request, response=replace(came, body=self.hidden(came.body)))
        body = self._without_foreign_objects(came.body) if exchange.operation in LISTING else came.body
        return exchange if body is came.body else replace(exchange, response=replace(came, body=body))

    def delivery(self, delivery: Delivery) -> Delivery:
        """Return a delivery about an object that the run did not create as the report may show it."""
        return replace(delivery, body=self.hidden(delivery.body), masked=FOREIGN)

    def hidden(self, body: bytes) -> bytes:
        """Mask every value of a body; all of one that is not JSON."""
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            return self._digest(body).encode() if body else b""
        return _encoded(self._mask(value))

    def _without_foreign_objects(self, body: bytes) -> bytes:
        """Mask the values of listed objects whose `id` the run did not create; another body is returned as it is."""
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            return body
        masked = self._hide(value)
        return body if masked == value else _encoded(masked)

    def _hide(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._mask(item) if self._is_foreign(item) else item for item in value]
        if isinstance(value, dict):
            return {name: self._hide(item) for name, item in value.items()}
        return value

    def _is_foreign(self, value: Any) -> bool:
        return isinstance(value, dict) and "id" in value and str(value["id"]) not in self.objects

    def _mask(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: item if name in PLAIN_FIELDS else self._mask(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._mask(item) for item in value]
        return value if value is None or isinstance(value, bool) else self._digest(value)

    def _digest(self, value: Any) -> str:
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
        return f"{MASK} {hmac.new(self.key, data, hashlib.sha256).hexdigest()[:DIGITS]}"


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
