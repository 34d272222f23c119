"""What differs each time the requests of a script are sent: ids, keys, labels, tokens and the receiver's address."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from urllib.parse import urlsplit

from pix_conformance.model.delivery import HOOKS
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.json_reader import utf8_or_none
from pix_conformance.recording.curl import TOKEN, keys_of, pair_of, variable, with_new_keys
from pix_conformance.report.recorded_exchanges import LOGIN, RecordedExchanges, in_common

RECEIVER = "RECEIVER"


class ScriptValues:
    """The shell variables of a script, which sends some requests in their order."""

    def __init__(self, recorded: RecordedExchanges, requests: Sequence[Exchange]) -> None:
        """Name a variable for the id of each object that a request makes and a later one names."""
        self._recorded, self._requests = recorded, requests
        self._ids: dict[str, str] = {}
        """The variable of each id."""
        self._readings: dict[int, list[str]] = {}
        for place, request in enumerate(requests, start=1):
            named = {name for later in requests[place:] for name in recorded.names(later)}
            for number, name in enumerate(sorted(named & set(recorded.ids_made(request.id))), start=1):
                if reading := _reading(request, name, place):
                    self._ids[name] = f"ID_{place}" if number == 1 else f"ID_{place}_{number}"
                    self._readings.setdefault(request.id, []).append(f"{self._ids[name]}={reading}")

    @cached_property
    def keys(self) -> list[str]:
        """The UUIDs in idempotency keys and labels."""
        return keys_of(self._requests)

    @cached_property
    def addresses(self) -> list[str]:
        """The addresses of the run's receiver in the requests, such as `https://127.0.0.1:4711`."""
        urls = (sent.request.json_object.get(name) for sent in self._requests for name in ("url", "postbackUrl"))
        parts = [urlsplit(url) for url in urls if isinstance(url, str) and HOOKS in url]
        return list(dict.fromkeys(f"{part.scheme}://{part.netloc}" for part in parts))

    @cached_property
    def credentials(self) -> list[str]:
        """The variables of the environment with credentials that the requests need."""
        requests = [sent.request for sent in self._requests]
        words = (f"{sent.authorization} {sent.formula} {pair_of(sent)}" for sent in requests)
        return list(dict.fromkeys(re.findall(r"PIX_[A-Z_]+", " ".join(words))))

    def read_from(self, request: Exchange) -> list[str]:
        """Return the lines that read ids out of the response to a request."""
        return self._readings.get(request.id, [])

    def token_of(self, request: Exchange) -> str:
        """Return the variable with the token that a request carries."""
        login = next((place for place, sent in enumerate(self._requests, 1) if sent.id == request.request.login), 0)
        return f"{TOKEN}_{login}" if login else TOKEN

    def is_login_of_others(self, request: Exchange) -> bool:
        """Whether a request is a login whose token later ones carry."""
        return request.operation == LOGIN and any(sent.request.login == request.id for sent in self._requests)

    def put_into(self, exchange: Exchange) -> Exchange:
        """Return the exchange with the variables in its path, headers and body; its URL is the path alone."""
        new = with_new_keys(exchange, self.keys)
        parts = re.split(r"([/?&=])", new.request.url.removeprefix(self._recorded.bundle.base_url))
        path = "".join(map(self._in_path, parts))
        return replace(new, request=replace(new.request, url=path, body=self._in_body(new.request.body)))

    def _in_path(self, part: str) -> str:
        """Write a part of a path: an id, the beginning of one, or one with other characters behind it."""
        if part in self._ids:
            return variable(self._ids[part])
        for name, of_name in self._ids.items():
            if count := in_common(part, name):
                return variable(of_name if count == len(name) else f"{of_name}:0:{count}") + part[count:]
        return part

    def _in_body(self, body: bytes) -> bytes:
        text = utf8_or_none(body)
        if text is None:
            return body
        for name, of_name in self._ids.items():
            text = text.replace(json.dumps(name), f'"{variable(of_name)}"')
        for address in self.addresses:
            text = text.replace(f'"{address}/', f'"{variable(RECEIVER)}/')
        return text.encode("utf-8")


def _reading(exchange: Exchange, name: str, place: int) -> str:
    """Write what reads an id out of a response, by its place in the recorded one; empty if it is not there."""
    text = utf8_or_none(exchange.body) or ""
    for key in dict.fromkeys(re.findall(r'"([A-Za-z_]+)" *: *"?' + re.escape(name), text)):
        values = re.findall(rf'"{key}" *: *"?([^",}}]+)', text)
        if name in values:
            return f"$(value {place} {key} {values.index(name) + 1})"
    return ""
