"""Shell words that send a recorded request again, with secrets as environment variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pix_conformance.checks.comparable_text import UUID
from pix_conformance.model.exchange import DELIVERS_EVENT, KEY_HEADERS, MISSING_BYTES, Exchange, NetworkFault, Request
from pix_conformance.model.json_reader import utf8_or_none
from pix_conformance.model.subject import at, parsed

TOKEN = "TOKEN"  # noqa: S105  # the name of a shell variable
READS_TOKEN = """sed -E 's/.*"token" *: *"([^"]+)".*/\\1/'"""  # noqa: S105  # reads it
OF_PAIR = "Bearer token of $"
NEW_RUN = "RUN=$(printf %04x $RANDOM)"
"""Chooses the part of each idempotency key and external_ref that is new each time the request is sent."""
LONGEST_BODY, LONGEST_BYTES = 20_000, 2_000
CUT_AFTER_S = 0.1
"""How long after a request is sent curl closes its connection, before a response that takes longer."""
SLOWLY = "{ dd bs=1 count=9 2>/dev/null; sleep 0.5; cat; }"
"""Passes on the beginning of a body, and the rest later; --limit-rate does not part a small body."""
DULL = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-length", "authorization"}
OPEN, CLOSE = "\ue000", "\ue001"
"""Mark begin and end of the name of a shell variable in a text."""


def variable(name: str) -> str:
    """Mark the place of a shell variable, or of a part of it such as `ID_1:0:8`, in a text."""
    return f"{OPEN}{name}{CLOSE}"


def curl(exchange: Exchange, base_url: str) -> str:
    """Write a line of a redacted exchange alone; its token is new, so is a part of its idempotency key and label."""
    if exchange.by_integration:
        return event_lines(exchange.request) if exchange.operation == DELIVERS_EVENT else ""
    keys = keys_of([exchange])
    pair = pair_of(exchange.request)
    login = f'curl -sS -X POST -u "${pair}" "$PIX_BASE_URL/api/auth" | {READS_TOKEN}'
    first = [*([NEW_RUN] if keys else []), *([f"{TOKEN}=$({login})"] if pair else [])]
    path = quoted(exchange.request.url.removeprefix(base_url))
    command = f'curl -sS -i -g --path-as-is -X {exchange.request.method} "$PIX_BASE_URL"{path}'
    return "; ".join([*first, shell_line(command, with_new_keys(exchange, keys), TOKEN)])


def keys_of(exchanges: Iterable[Exchange]) -> list[str]:
    """Return the UUIDs in the idempotency keys and labels of some requests."""
    labels = (label for exchange in exchanges for label in caller_names(exchange.request))
    return list(dict.fromkeys(key for label in labels for key in UUID.findall(label)))


def event_lines(sent: Request) -> str:
    """Write the lines that deliver an event to a webhook endpoint, signed now; the secret is in the environment."""
    headers = [(name, value) for name, value in sent.headers if name.lower() not in DULL]
    words = ["curl", "-sS", "-i", "-X", sent.method, shlex.quote(sent.url)]
    for name, value in headers:
        is_signature = sent.formula and value.startswith("t=")
        signature = f'"{name}: t=$T{",v1=$V1" * ("v1=" in value)}"'
        plain = f"{name}: {value}" if value else f"{name};"  # how curl sends a header without a value
        words += ["-H", signature if is_signature else shlex.quote(plain)]
    lines = [f"BODY={shlex.quote(sent.text)}", sent.formula, " ".join([*words, "--data-raw", '"$BODY"'])]
    return "\n".join(line for line in lines if line)


def caller_names(sent: Request) -> Iterator[str]:
    """Yield the texts by which a caller names what a request makes: its idempotency key and its external_ref."""
    yield from (value for name, value in sent.headers if name.lower() in KEY_HEADERS)
    if isinstance(reference := at(parsed(sent.body), "external_ref"), str):
        yield reference


def with_new_keys(exchange: Exchange, keys: Iterable[str]) -> Exchange:
    """Put the variable RUN into the second group of each UUID: two that differ elsewhere differ there still."""
    sent = exchange.request

    def renew(text: str) -> str:
        text = text.replace(OPEN, "").replace(CLOSE, "")
        for key in keys:
            run = "RUN" if key == key.lower() else "RUN^^"
            text = text.replace(key[:13], key[:9] + variable(run))
        return text

    headers = tuple((name, renew(value)) for name, value in sent.headers)
    text = utf8_or_none(sent.body)
    body = sent.body if text is None else renew(text).encode("utf-8")
    return replace(exchange, request=replace(sent, url=renew(sent.url), headers=headers, body=body))


def pair_of(sent: Request) -> str:
    """Return the pair of credentials of whose token a request makes use, plain or changed; empty without one.

    It is such as `PIX_CLIENT_ID:$PIX_CLIENT_SECRET`.
    """
    words = sent.authorization
    if words.startswith(OF_PAIR):
        return words.removeprefix(OF_PAIR)
    return "PIX_CLIENT_ID:$PIX_CLIENT_SECRET" if re.search(rf"\b{TOKEN}\b", sent.formula) else ""


def shell_line(command: str, exchange: Exchange, token: str, between: str = " ") -> str:
    """Write the line that sends a request by `command`, to which it adds options of curl, with a text between them.

    The line sends what the suite sent: curl reads no file for an @ and guesses no type. `token` is the name of the
    variable with the token, if the request carries one.
    """
    sent = exchange.request
    options = _authorization(sent, token)
    headers = [(name, value) for name, value in sent.headers if name.lower() not in DULL]
    options += [f"-H {quoted(f'{name}: {value}')}" for name, value in headers]
    if sent.body and not any(name.lower() == "content-type" for name, _ in headers):
        options += ["-H 'content-type:'"]
    line = between.join([command, *options, *_cutting(exchange)])
    body = sent.body[:-MISSING_BYTES] if exchange.network_fault is NetworkFault.IN_BODY else sent.body
    if exchange.network_fault is NetworkFault.SLOW_UPLOAD:
        return f"printf %s {quoted(body.decode())} | {SLOWLY} | {line} -T -"
    return _with_body(f"{line}{between}", body) if body else line


def _cutting(exchange: Exchange) -> list[str]:
    """Return the options of curl that cut or slow a request as the suite did, where it has some."""
    length = [f"-H 'content-length: {len(exchange.request.body)}'"]
    cut = [f"--max-time {exchange.elapsed_ms / 1000 + CUT_AFTER_S:.1f}"]  # the time to connect, and that after it
    if exchange.network_fault is NetworkFault.SLOW_UPLOAD:
        return [*length, "-H transfer-encoding:", "-H expect:"]
    if exchange.network_fault is NetworkFault.IN_BODY:
        return [*length, *cut]
    return cut if exchange.network_fault is NetworkFault.AFTER_REQUEST else []


def quoted(text: str) -> str:
    """Write a text as one word of a shell, with its variables."""
    if OPEN in text and not re.search(r"""["$`\\!]""", text):
        return '"' + re.sub(f"{OPEN}([A-Z0-9_:^]+){CLOSE}", r"${\1}", text) + '"'
    word = re.sub(f"{OPEN}([A-Z0-9_:^]+){CLOSE}", r"""'"${\1}"'""", shlex.quote(text))
    return re.sub(r"""(?<=")''$""", "", word)


def can_be_sent(sent: Request) -> bool:
    """Return whether the line of a request sends its Authorization header, and all of its body."""
    words = sent.authorization
    known = words in {"", "none"} or bool(sent.formula) or words.startswith(("Basic $", OF_PAIR, "Bearer $"))
    return known and len(sent.body) <= (LONGEST_BODY if utf8_or_none(sent.body) is not None else LONGEST_BYTES)


def _authorization(sent: Request, token: str) -> list[str]:
    """Turn a credential in words, or its formula, into options of curl: `$NAME` is a variable of the environment."""
    words = sent.authorization
    if words in {"", "none"}:
        return []
    if sent.formula:
        value = re.sub(rf"\b{TOKEN}\b", token, sent.formula)
        return [f'-H "Authorization: {value}"' if "$" in value else f"-H {shlex.quote(f'Authorization: {value}')}"]
    if words.startswith("Basic $"):
        return [f'-u "{words.removeprefix("Basic ")}"']
    if words.startswith(OF_PAIR):
        return [f'-H "Authorization: Bearer ${token}"']
    if words.startswith("Bearer $"):
        return [f'-H "Authorization: {words}"']
    return [f"-H {shlex.quote(f'Authorization: <{words}>')}"]


def _with_body(line: str, body: bytes) -> str:
    if (text := utf8_or_none(body)) is not None:
        return f"{line}--data-raw {quoted(text[:LONGEST_BODY])}{_cut(len(text), LONGEST_BODY)}"
    octal = "".join(f"\\{byte:03o}" for byte in body[:LONGEST_BYTES])
    return f"printf '{octal}' | {line}--data-binary @-{_cut(len(body), LONGEST_BYTES)}"


def _cut(length: int, longest: int) -> str:
    return f"  # cut: the body was {length} long" if length > longest else ""
