"""A curl line for bash that sends a recorded request again, with secrets as environment variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pix_conformance.checks.comparable_text import UUID
from pix_conformance.model.exchange import DELIVERS_EVENT, KEY_HEADERS, MISSING_BYTES, Exchange, NetworkFault, Request
from pix_conformance.model.json_reader import utf8_or_none
from pix_conformance.model.subject import at, parsed

LOGIN = 'curl -sS -X POST -u "${pair}" "$PIX_BASE_URL/api/auth" | sed -E \'s/.*"token" *: *"([^"]+)".*/\\1/\''
"""The line that prints a token; `{pair}` stands for a pair of credentials."""
NEW_UUID = "$(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)"
TOKEN = "TOKEN"  # noqa: S105  # the name of a shell variable
OF_PAIR = "Bearer token of $"
LONGEST_BODY, LONGEST_BYTES = 20_000, 2_000
CUT_AFTER_S = 0.1
"""How long after a request is sent curl closes its connection, before a response that takes longer."""
SLOWLY = "{ dd bs=1 count=9 2>/dev/null; sleep 0.5; cat; }"
"""Passes on the beginning of a body, and the rest later; --limit-rate does not part a small body."""
DULL = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-length", "authorization"}
OPEN, CLOSE = "\ue000", "\ue001"
"""Mark begin and end of the name of a shell variable; shlex puts a text with one of them in quotes."""


def variable(name: str) -> str:
    """Mark the place of a shell variable, or of a part of it such as `ID_1:0:8`, in a text of a curl line."""
    return f"{OPEN}{name}{CLOSE}"


def curl(exchange: Exchange, base_url: str) -> str:
    """Write the line of a redacted exchange; its token is new, so are UUIDs in idempotency key and external_ref."""
    sent = exchange.request
    if exchange.by_integration:
        return event_lines(sent) if exchange.operation == DELIVERS_EVENT else ""
    keys = dict.fromkeys(key for label in caller_names(sent) for key in UUID.findall(label))
    names = {key: f"KEY_{number}" for number, key in enumerate(keys, start=1)}
    headers = tuple((name, with_variables(value, names)) for name, value in sent.headers)
    text = utf8_or_none(sent.body)
    body = sent.body if text is None else with_variables(text, names).encode("utf-8")
    renewed = replace(exchange, request=replace(sent, headers=headers, body=body))
    chosen = [f"{name}={NEW_UUID}" for name in names.values()]
    tokens = [token_line(TOKEN, pair)] if (pair := pair_of(sent)) else []
    return "; ".join([*chosen, *tokens, curl_line(renewed, base_url, token=TOKEN)])


def event_lines(sent: Request) -> str:
    """Write the lines that deliver an event to a webhook endpoint, signed now; the secret is in the environment."""
    headers = [(name, value) for name, value in sent.headers if name.lower() not in DULL]
    words = ["curl", "-sS", "-i", "-X", sent.method, shlex.quote(sent.url)]
    for name, value in headers:
        is_signature = sent.formula and value.startswith("t=")
        words += ["-H", f'"{name}: t=$T,v1=$V1"' if is_signature else shlex.quote(f"{name}: {value}")]
    lines = [f"BODY={shlex.quote(sent.text)}", sent.formula, " ".join([*words, "--data-raw", '"$BODY"'])]
    return "\n".join(line for line in lines if line)


def caller_names(sent: Request) -> Iterator[str]:
    """Yield the texts by which a caller names what a request makes: its idempotency key and its external_ref."""
    yield from (value for name, value in sent.headers if name.lower() in KEY_HEADERS)
    if isinstance(reference := at(parsed(sent.body), "external_ref"), str):
        yield reference


def with_variables(text: str, names: Mapping[str, str]) -> str:
    """Put shell variables in place of the UUIDs of a text that have one."""
    return UUID.sub(lambda match: variable(names[match[0]]) if match[0] in names else match[0], text)


def token_line(name: str, pair: str) -> str:
    """Write the line that puts a new token into a variable; the pair is such as `PIX_CLIENT_ID:$PIX_CLIENT_SECRET`."""
    return f"{name}=$({LOGIN.replace('{pair}', pair)})"


def pair_of(sent: Request) -> str:
    """Return the pair of credentials of which a request carries a token, plain or changed; empty without one."""
    words = sent.authorization
    if words.startswith(OF_PAIR):
        return words.removeprefix(OF_PAIR)
    return PAIR_OF_MERCHANT if re.search(rf"\b{TOKEN}\b", sent.formula) else ""


PAIR_OF_MERCHANT = "PIX_CLIENT_ID:$PIX_CLIENT_SECRET"
"""A formula with a token has one of the merchant account."""


def curl_line(exchange: Exchange, base_url: str, *, token: str) -> str:
    """Write the line of a redacted exchange; the base URL is `$PIX_BASE_URL`, credentials are the public variables.

    The line sends what the suite sent: curl reads no file for an @, shortens no path and guesses no type. `token` is
    the name of the variable with the token, if it carries one.
    """
    sent = exchange.request
    path = sent.url.removeprefix(base_url)
    words = ["curl", "-sS", "-i", "-g", "--path-as-is", "-X", sent.method, f'"$PIX_BASE_URL"{shlex.quote(path)}']
    words += _authorization(sent, token)
    headers = [(name, value) for name, value in sent.headers if name.lower() not in DULL]
    words += [part for name, value in headers for part in ("-H", shlex.quote(f"{name}: {value}"))]
    if sent.body and not any(name.lower() == "content-type" for name, _ in headers):
        words += ["-H", "'content-type:'"]
    line = " ".join([*words, *_cutting(exchange)])
    body = sent.body[:-MISSING_BYTES] if exchange.network_fault is NetworkFault.IN_BODY else sent.body
    if exchange.network_fault is NetworkFault.SLOW_UPLOAD:
        return _opened(f"printf %s {shlex.quote(body.decode())} | {SLOWLY} | {line} -T -")
    return _opened(_with_body(line, body) if body else line)


def _cutting(exchange: Exchange) -> list[str]:
    """Return the options of curl that cut or slow a request as the suite did, where it has some."""
    length = ["-H", f"'content-length: {len(exchange.request.body)}'"]
    cut = ["--max-time", f"{exchange.elapsed_ms / 1000 + CUT_AFTER_S:.1f}"]  # the time to connect, and that after it
    if exchange.network_fault is NetworkFault.SLOW_UPLOAD:
        return [*length, "-H", "transfer-encoding:", "-H", "expect:"]
    if exchange.network_fault is NetworkFault.IN_BODY:
        return [*length, *cut]
    return cut if exchange.network_fault is NetworkFault.AFTER_REQUEST else []


def can_be_sent(sent: Request) -> bool:
    """Return whether the line of a request sends its Authorization header, and all of its body."""
    words = sent.authorization
    known = words in {"", "none"} or bool(sent.formula) or words.startswith(("Basic $", OF_PAIR, "Bearer $"))
    return known and len(sent.body) <= (LONGEST_BODY if utf8_or_none(sent.body) is not None else LONGEST_BYTES)


def _opened(line: str) -> str:
    """End the single quotes for each variable, and begin them again after it."""
    line = re.sub(f"{OPEN}([A-Z0-9_]+){CLOSE}", r"""'"$\1"'""", line)
    return re.sub(f"{OPEN}([A-Z0-9_:]+){CLOSE}", r"""'"${\1}"'""", line)


def _authorization(sent: Request, token: str) -> list[str]:
    """Turn a credential in words, or its formula, into options of curl: `$NAME` is a variable of the environment."""
    words = sent.authorization
    if words in {"", "none"}:
        return []
    if sent.formula:
        value = re.sub(rf"\b{TOKEN}\b", token, sent.formula)
        return ["-H", f'"Authorization: {value}"' if "$" in value else shlex.quote(f"Authorization: {value}")]
    if words.startswith("Basic $"):
        return ["-u", f'"{words.removeprefix("Basic ")}"']
    if words.startswith(OF_PAIR):
        return ["-H", f'"Authorization: Bearer ${token}"']
    if words.startswith("Bearer $"):
        return ["-H", f'"Authorization: {words}"']
    return ["-H", shlex.quote(f"Authorization: <{words}>")]


def _with_body(line: str, body: bytes) -> str:
    if (text := utf8_or_none(body)) is not None:
        return f"{line} --data-raw {shlex.quote(text[:LONGEST_BODY])}{_cut(len(text), LONGEST_BODY)}"
    octal = "".join(f"\\{byte:03o}" for byte in body[:LONGEST_BYTES])
    return f"printf '{octal}' | {line} --data-binary @-{_cut(len(body), LONGEST_BYTES)}"


def _cut(length: int, longest: int) -> str:
    return f"  # cut: the body was {length} long" if length > longest else ""
