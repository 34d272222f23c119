"""The requests that show a failure again, as numbered curl lines: the one that failed, and what has to be sent before.

Ids that the target gives out are read from its new responses; idempotency keys and external_ref are new each time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pix_conformance.model.body import utf8_or_none
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import MISSING, parsed
from pix_conformance.model.vocabulary import MASK
from pix_conformance.results.curl import TOKEN_OF, curl_line, variable
from pix_conformance.results.dependency_chain import Recording, labels

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
NEW_UUID = "$(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)"
WORTH_WAITING_S = 40
"""A request that was sent so many seconds after the one before it was probably meant to be late."""
MOST_DIFFERENCES = 6
LONGEST_VALUE, BEFORE_CHANGE = 60, 10
ABSENT = "(absent)"


@dataclass
class Names:
    """The texts of a recording that differ each time it is sent, such as ids, and the shell variables for them."""

    variables: dict[str, str] = field(default_factory=dict)

    def name(self, text: str, kind: str) -> str:
        """Return the variable that holds a text, a new one if it has none."""
        number = 1 + sum(one.startswith(f"{kind}_") for one in self.variables.values())
        return self.variables.setdefault(text, f"{kind}_{number}")

    def put_into(self, exchange: Exchange, base_url: str) -> Exchange:
        """Return the exchange with the variables in its path, headers and body."""
        sent = exchange.request
        path = re.split(r"([/?&=])", sent.url.removeprefix(base_url))
        path = [variable(self.variables[one]) if one in self.variables else self._fresh(one) for one in path]
        headers = tuple((name, self._fresh(value)) for name, value in sent.headers)
        request = replace(sent, url="".join(path), headers=headers, body=self._body(sent.body))
        return replace(exchange, request=request)

    def _body(self, body: bytes) -> bytes:
        text = utf8_or_none(body)
        if text is None:
            return body
        for old, name in self.variables.items():
            text = text.replace(json.dumps(old), f'"{variable(name)}"')
        return self._fresh(text).encode("utf-8")

    def _fresh(self, text: str) -> str:
        return UUID.sub(
            lambda found: variable(self.variables[found[0]]) if found[0] in self.variables else found[0], text
        )


def reproduction(recorded: Recording, number: int, *, of_several: bool) -> str | None:
    """Write the lines for one exchange, which may be judged beside others; None where it takes too many others."""
    chain = (recorded.account_chain(number) if of_several else None) or recorded.chain(number)
    if chain is None:
        return None
    names = Names()
    for one in chain:
        for label in labels(one.request):
            for found in UUID.findall(label):
                names.name(found, "KEY")
    lines = [*_warnings(recorded, chain), *(f"{name}={NEW_UUID}" for name in names.variables.values())]
    if len(chain) == 1:
        return "\n".join([*lines, curl_line(names.put_into(chain[0], recorded.base_url), "")])
    if any("Bearer token of $" in one.request.authorization for one in chain):
        lines.append(TOKEN_OF)
    for place, one in enumerate(chain):
        lines += _step(recorded, chain, place)
        lines.append(_sent(recorded, one, chain[place + 1 :], names))
    return "\n".join(lines)


def _warnings(recorded: Recording, chain: list[Exchange]) -> Iterator[str]:
    if recorded.beside(chain[-1]):
        yield "# it was sent at the same moment as others: these lines, one after the other, may not show it"
    if any(MASK in one.request.url or MASK.encode() in one.request.body for one in chain):
        yield f"# {MASK} stands for a secret that the report masks"


def _step(recorded: Recording, chain: list[Exchange], place: int) -> Iterator[str]:
    """Say what a request is, and how it differs from an earlier one of its kind."""
    one, before = chain[place], chain[:place]
    if before and (pause := round(recorded.age(one) - recorded.age(before[-1]))) >= WORTH_WAITING_S:
        yield f"sleep {pause}"
    path = one.request.url.removeprefix(recorded.base_url)
    yield f"# {place + 1}. {one.request.method} {path} (was answered {_status_words(one)})"
    like = next((earlier for earlier in reversed(before) if earlier.operation == one.operation), None)
    if like is not None and utf8_or_none(one.request.body):
        found = differences(parsed(like.request.body), parsed(one.request.body))
        yield f"#    the body of {chain.index(like) + 1}" + (f", with {'; '.join(found)}" if found else " again")


def _sent(recorded: Recording, one: Exchange, later: list[Exchange], names: Names) -> str:
    """Write a request; what later ones need of its response goes into a variable."""
    line = curl_line(names.put_into(one, recorded.base_url), "", after_token_of=True)
    for made in recorded.ids_made(one.id):
        if any(made in recorded.names(each) for each in later) and (found := _reading(one, made)):
            return f"{names.name(made, 'ID')}=$({line} | tee /dev/stderr | {found})"
    return line


def _reading(exchange: Exchange, made: str) -> str | None:
    """Write the filter that reads an id out of a response, by its place in the recorded one; None if not there."""
    text = utf8_or_none(exchange.body) or ""
    for key in dict.fromkeys(re.findall(r'"([A-Za-z_]+)" *: *"?' + re.escape(made), text)):
        values = re.findall(rf'"{key}" *: *"?([^",}}]+)', text)
        if made in values:
            which = values.index(made) + 1
            return f"""grep -oE '"{key}" *: *"?[^",}}]+' | sed -n {which}p | sed -E 's/^"{key}" *: *"?//'"""
    return None


def _status_words(exchange: Exchange) -> str:
    return f"by nothing: {exchange.fault}" if exchange.response is None else str(exchange.status)


def differences(before: Any, after: Any) -> list[str]:
    """List where two JSON bodies differ, such as `description: "a" -> "b"`; one that is MISSING counts as empty."""
    old, new = dict(_flat(before)), dict(_flat(after))
    changed = [path for path in [*old, *(one for one in new if one not in old)] if old.get(path) != new.get(path)]
    found = [f"{path or 'body'}: {_change(old.get(path, ABSENT), new.get(path, ABSENT))}" for path in changed]
    more = [f"and {len(found) - MOST_DIFFERENCES} more"] if len(found) > MOST_DIFFERENCES else []
    return found[:MOST_DIFFERENCES] + more


def _change(before: str, after: str) -> str:
    """Write two values; of long ones what stands where they begin to differ."""
    same = next((place for place, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
    start = max(0, same - BEFORE_CHANGE) if max(len(before), len(after)) > LONGEST_VALUE else 0
    return " -> ".join(_part(one, start) for one in (before, after))


def _part(text: str, start: int) -> str:
    rest = text[start : start + LONGEST_VALUE]
    return ("..." if start else "") + rest + ("..." if start + LONGEST_VALUE < len(text) else "")


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, one in value.items():
            yield from _flat(one, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, one in enumerate(value):
            yield from _flat(one, f"{path}[{index}]")
    elif value is not MISSING and (value is not None or path):
        yield path, json.dumps(value, ensure_ascii=False)
