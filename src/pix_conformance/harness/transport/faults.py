"""Why a request has no response, in words: what came instead, or what kept it from being sent."""

import re
from ast import literal_eval

import h11
import httpx

UNSENDABLE = "LocalProtocolError: a value does not fit into a request"
"""The fault of a request that was not sent, because a header or the address would have a character that none may."""
NOT_HTTP = "the response is not valid HTTP/1.1: "
"""How the fault of a response begins whose head no client of HTTP/1.1 can read."""
UNCONNECTED = "ConnectError"
"""How the fault of a request begins for which no connection was made."""
LONGEST_READ_S = 15.0
"""Seconds without a byte of a response after which a request is given up."""
OF_PROXY = "the proxy answered "
"""How the fault of a request begins that a proxy did not pass on."""
TIMED_OUT = "timed out"
"""What httpcore says of a read without any byte."""
LINE = re.compile(r"illegal (?P<what>header|status) line: bytearray\((?P<bytes>b['\"].*['\"])\)", re.DOTALL)
"""How h11 says which line of a head it cannot read: its exception has no field for it."""


def fault_of(error: Exception, *, has_head: bool) -> str:
    """Return the words for an exception of httpx; `has_head` says that the head of the response had come."""
    match error:
        case httpx.LocalProtocolError():  # its message quotes the header, which may be a token
            return UNSENDABLE
        case httpx.ProxyError():
            return f"{OF_PROXY}{error}"
        case httpx.ReadTimeout() if str(error) == TIMED_OUT:
            return f"ReadTimeout: nothing came for {LONGEST_READ_S:g} s"
        case httpx.RemoteProtocolError() if not has_head and (unreadable := _unreadable(error)):
            return f"{NOT_HTTP}{_in_words(unreadable)}"
    return f"{type(error).__name__}: {error}"


def _unreadable(error: BaseException | None) -> str:
    """Return h11's words for a head that it cannot read; empty if the connection ended without one."""
    while error is not None and not isinstance(error, h11.RemoteProtocolError):
        error = error.__cause__ or error.__context__
    return str(error or "")


def _in_words(unreadable: str) -> str:
    """Name what is wrong.

    >>> _in_words("illegal header line: bytearray(b'X Trace: 1')")
    "header name 'X Trace'"
    """
    line = LINE.fullmatch(unreadable)
    if line is None:
        return unreadable
    text = literal_eval(line["bytes"]).decode("latin-1")
    name, colon, _ = text.partition(":")
    if line["what"] == "status":
        return f"it begins with {text!r}"
    return f"header name {name!r}" if colon else f"a header line without a colon, {text!r}"
