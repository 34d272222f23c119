"""A curl line for bash that sends a recorded request again, with secrets as environment variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from pix_conformance.model.body import utf8_or_none
from pix_conformance.model.exchange import Exchange
from pix_conformance.results.redaction import redacted

AUTHENTICATE = 'curl -sS -X POST -u "{pair}" "$PIX_BASE_URL/api/auth" | sed -E \'s/.*"token" *: *"([^"]+)".*/\\1/\''
TOKEN_OF = f"token() {{ {AUTHENTICATE.replace('{pair}', '$1')}; }}"
"""A shell function that takes a pair of credentials."""
LONGEST_BODY, LONGEST_BYTES = 20_000, 2_000
DULL = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-length", "authorization"}
OPEN, CLOSE = "\ue000", "\ue001"
"""Mark begin and end of the name of a shell variable; shlex puts a text with one of them in quotes."""


def variable(name: str) -> str:
    """Mark the place of a shell variable in a text of a curl line."""
    return f"{OPEN}{name}{CLOSE}"


def curl(exchange: Exchange, base_url: str, redact: Callable[[str], str]) -> str:
    """Write the line of an exchange without its secrets."""
    return curl_line(redacted(exchange, redact), base_url)


def curl_line(exchange: Exchange, base_url: str, *, after_token_of: bool = False) -> str:
    """Write the line of a redacted exchange; the base URL is `$PIX_BASE_URL`, credentials are the public variables.

    The line sends what the suite sent: curl reads no file for an @, shortens no path and guesses no type.
    `after_token_of` says that the lines before it define the shell function TOKEN_OF.
    """
    sent = exchange.request
    path = sent.url.removeprefix(base_url)
    words = ["curl", "-sS", "-i", "-g", "--path-as-is", "-X", sent.method, f'"$PIX_BASE_URL"{shlex.quote(path)}']
    words += _authorization(sent.authorization, 'token "{pair}"' if after_token_of else AUTHENTICATE)
    headers = [(name, value) for name, value in sent.headers if name.lower() not in DULL]
    words += [part for name, value in headers for part in ("-H", shlex.quote(f"{name}: {value}"))]
    if sent.body and not any(name.lower() == "content-type" for name, _ in headers):
        words += ["-H", "'content-type:'"]
    line = " ".join(words)
    return _opened(_with_body(line, sent.body) if sent.body else line)


def _opened(line: str) -> str:
    """End the single quotes for each variable, and begin them again after it."""
    return re.sub(f"{OPEN}([A-Z0-9_]+){CLOSE}", r"""'"$\1"'""", line)


def _authorization(words: str, token: str) -> list[str]:
    """Turn a credential in words into options of curl: `$NAME` is a variable of the environment."""
    if words in {"", "none"}:
        return []
    if words.startswith("Basic $"):
        return ["-u", f'"{words.removeprefix("Basic ")}"']
    if words.startswith("Bearer token of $"):
        newest = token.replace("{pair}", words.removeprefix("Bearer token of "))
        return ["-H", f'"Authorization: Bearer $({newest})"']
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
