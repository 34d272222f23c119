"""Responses that decide nothing of the request itself: of a gateway before the target, of a rate limit, or none at all.

A gateway is what stands between the suite and the target: a load balancer, a reverse proxy, a service that filters.
"""

from urllib.parse import unquote, urlsplit

from pix_conformance.model.exchange import Exchange
from pix_conformance.model.profile import PROFILES

UNAVAILABLE = frozenset({502, 503, 504})
"""Bad Gateway, Service Unavailable, Gateway Timeout (RFC 9110, sections 15.6.3 to 15.6.5)."""
UNASKED = 503
LONGEST_PART = 255
"""Characters of a part of a path that any proxy passes on."""
OWN_ERRORS = frozenset({500, 501})
"""Server errors of a service itself; a web page with one of them is that of its framework."""
TOO_MANY, UNAUTHORIZED = 429, 401
NOT_NOW = frozenset({408, 425, TOO_MANY})
"""Refusals after which the same request may be sent again."""
SERVER_ERROR = 500


def is_page(exchange: Exchange) -> bool:
    """Return whether the body of a response is a web page."""
    return exchange.body.lstrip()[:1] == b"<"


def is_of_gateway(exchange: Exchange) -> bool:
    """Return whether a response is certainly not the target's own.

    That is a 502, 503 or 504 without an error body of the API, and a web page with any other 5xx but 500 and 501. An
    error body of the API with 503 may be the target's own, a web page with 500 is that of the target's framework.
    """
    status = exchange.status or 0
    if status in UNAVAILABLE:
        return not isinstance(exchange.at(PROFILES[exchange.api].error_field), str)
    return status >= SERVER_ERROR and status not in OWN_ERRORS and is_page(exchange)


def is_of_proxy(exchange: Exchange) -> bool:
    """Return whether a 4xx is the page of a proxy that refuses a path before the target sees it.

    That is a path with an encoded slash or a control character, with a step (`..`), or over 255 characters in a part.
    """
    if exchange.status is None or exchange.status >= SERVER_ERROR or not is_page(exchange):
        return False
    path = urlsplit(exchange.request.url).path
    parts = [unquote(part, errors="replace") for part in path.split("/")]
    return any("/" in part or part == ".." or not part.isprintable() or len(part) > LONGEST_PART for part in parts)


def is_of_another_server(exchange: Exchange) -> bool:
    """Return whether a response is not the target's own, but a gateway's or the page of a proxy."""
    return is_of_gateway(exchange) or is_of_proxy(exchange)


def is_not_passed_on(exchange: Exchange) -> bool:
    """Return whether a gateway answered without asking the target: a 503 with a web page of its own.

    After a 502, a 504 or another body the target may have done what the request asks.
    """
    return exchange.status == UNASKED and is_page(exchange)


def is_undecided(exchange: Exchange) -> bool:
    """Return whether neither the target accepted the request nor refused it for what it asks."""
    return exchange.status in {None, UNAUTHORIZED, *NOT_NOW} or is_of_gateway(exchange)


def is_decided(exchange: Exchange) -> bool:
    """Return whether the target accepted or refused the request: `is_undecided` does not hold, and it is no 5xx."""
    return not is_undecided(exchange) and (exchange.status or 0) < SERVER_ERROR


def is_refusal(status: int | None) -> bool:
    """Return whether a status refuses a request: a 4xx but those after which the client may send it again."""
    return status is not None and status // 100 == 4 and status not in NOT_NOW  # noqa: PLR2004  # 4xx


def answer_in_words(exchange: Exchange) -> str:
    """Return the status of a response and what its body is, such as `503 with an HTML body`."""
    if not exchange.body.strip():
        return f"{exchange.status} with an empty body"
    body = "an HTML body" if is_page(exchange) else "a body that is not of this API"
    return f"{exchange.status} with {body}"
