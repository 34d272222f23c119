"""How far a connection to an address comes, as the exception that ends it shows."""

import socket
import ssl
from dataclasses import dataclass
from enum import Enum, auto

EXPIRED, OTHER_NAME, OTHER_ADDRESS = 10, 62, 64
"""Why OpenSSL does not trust a certificate: it has expired, names another host, or another IP address."""


class Reach(Enum):
    """What ends a connection, or the response that came instead of the expected one."""

    NO_HOST = auto()
    """The host name cannot be resolved."""
    CLOSED = auto()
    """Nothing listens there, or a firewall lets nothing through."""
    SILENT = auto()
    """It is accepted, and nothing usable comes."""
    UNTRUSTED = auto()
    EXPIRED = auto()
    OTHER_NAME = auto()
    NO_TLS = auto()
    ALERT = auto()
    """The server ended the TLS connection with an alert."""
    CERTIFICATE_WANTED = auto()
    """It did so after it had asked for a client certificate and got none."""
    CERTIFICATE_REFUSED = auto()
    HTTP2_ONLY = auto()
    PAGE = auto()
    """A web page."""
    ANOTHER = auto()
    """Another response."""


@dataclass(frozen=True)
class NotArrived:
    """What came to a request to the receiver's public address in place of the receiver's response."""

    request: str
    reach: Reach
    words: str

    def __str__(self) -> str:
        return f"{self.request}: {self.words}"


def reach_of(error: Exception) -> Reach:
    """Return how far the connection came that ended with this exception."""
    match error:
        case socket.gaierror():
            return Reach.NO_HOST
        case ssl.SSLCertVerificationError():
            names = dict.fromkeys((OTHER_NAME, OTHER_ADDRESS), Reach.OTHER_NAME)
            return {EXPIRED: Reach.EXPIRED, **names}.get(error.verify_code, Reach.UNTRUSTED)
        case ssl.SSLError():
            return Reach.NO_TLS
        case ConnectionResetError():
            return Reach.SILENT
        case OSError():
            return Reach.CLOSED
    return Reach.SILENT
