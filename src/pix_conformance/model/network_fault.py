"""What a run does to its own requests on purpose, as a bad network does."""

from __future__ import annotations

from enum import StrEnum


class NetworkFault(StrEnum):
    """How the suite cut, repeated or slowed a request. The value is the `fault` of its exchange, which has no response.

    Whether the request had an effect is not known from it.
    """

    AFTER_REQUEST = "the suite cut the connection after the request was sent"
    AFTER_HEADERS = "the suite cut the connection after the response headers"
    IN_BODY = "the suite cut the connection in the middle of the request body"
    SENT_TWICE = "the suite sent it twice, on two connections, as a proxy does, and read no response"
    SLOW_UPLOAD = "the suite sent the body slowly, and cut the connection after the response headers"


NETWORK_FAULTS = {str(fault): fault for fault in NetworkFault}
"""The faults by what an exchange has as its `fault`."""
MISSING_BYTES = 3
"""How many bytes of a body that is cut are not sent."""
