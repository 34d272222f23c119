"""What can be wrong with a set-up, in one list: what was seen, what mends it, and the exit status of `doctor`.

The settings raise it as a usage error, the first look at a target reports it, `pix-conformance doctor` asks further.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from pix_conformance.model.vocabulary import UsageError

RIGHT, WRONG, UNREACHED = 0, 4, 6
COPY = "copy it again from where it was issued"
CHECK = "check PIX_BASE_URL"
TUNNEL = "start the tunnel to {listening}, and give its address in PIX_RECEIVER_URL"


class Diagnosis(Enum):
    """A wrong set-up; no value of a secret is ever filled in."""

    USAGE = "{why}", ""
    NO_SETTINGS = "no address is given, so a run tests the embedded reference", "export PIX_BASE_URL and {names}"
    EMPTY_ADDRESS = "PIX_BASE_URL is empty", "set it to the address of the service, or unset it to test the reference"
    EMPTY = "{name} is given, but empty", "give it a value, or leave it out (unset a variable)"
    GATE_WITHOUT_TARGET = (
        "{names} without a target would judge the embedded reference, which says nothing about a server",
        "set PIX_BASE_URL and a credential, or leave {names} out",
    )
    NO_ADDRESS = "a credential is set, but no address", "set PIX_BASE_URL or --base-url"
    NO_CREDENTIAL = "an address is set, but no credential", "set {names}"
    NOT_HTTP = "{where} is {text!r}, not an http(s) address", "begin it with http:// or https://"
    NO_URL = "{where} is not an http(s) address", "write it as https://host"
    TABLE_OF_FILE = (
        "the target file {file} has a table [{key}], and its settings stand in none",
        "remove the line [{key}]",
    )
    TABLE_AS_VALUE = (
        "the target file {file} has a table, where {key} is one value",
        '{key} = "VALUE", or {key} = {{ env = "NAME" }}',
    )
    QUERY = "{where} has a query or a fragment", "give it without ? and #"
    ROUTE = "{where} ends in {route!r}, which the suite adds itself", "set it to {short}"
    PASSWORD = "{where} has a user name or a password before the @", "give it without them"
    MISSPELT = "{name} is not a setting, so it is not used", "did you mean {similar}?"
    UNKNOWN = "{name} is not a setting, so it is not used", "pix-conformance --help lists the settings"
    HALF = "{variable} is not set, or empty, but {other} is set", "set it too, or unset {other}"
    SAME = ("{first} and {other} have the same value, but must not", "give {other} a value of its own, or unset it")
    EDGE = "{variable} {place} with a {what}", "remove it, as {variable}=$(tr -d '\\r\\n' < FILE) does"
    CONTROL = "{variable} contains a line break or another control character", COPY
    BLANK = "{variable} contains a blank", "a Bearer token has none (RFC 6750, section 2.1), give the key alone"
    BEGINNING = "{variable} must begin with {wanted}", "give a key of the business API"
    ENVIRONMENT = (
        "{variable} begins with {begins}, so it is a key of {other}",
        "give a key of {environment}, which begins with {wanted}; this one may be given as {elsewhere}",
    )
    RANDOM_PORT = (
        "{variable} is the secret of an endpoint, but the receiver has a random port, which no endpoint can name",
        "give --receiver-listen with the port of the endpoint",
    )

    HEADER = "PIX_HEADERS has a line that is no header ({name})", "write each as NAME: VALUE, on a line of its own"
    OWN_HEADER = (
        "PIX_HEADERS names {name}, which the suite sends itself",
        "remove it, or for User-Agent set PIX_USER_AGENT",
    )

    QUOTED = "{variable} is in quotes, which are sent too", "remove them"
    PLACEHOLDER = "{variable} is a placeholder, no value", COPY
    KEY_IN_PAIR = "{variable} is a key of the business API, no part of a pair", "give the key as PIX_API_KEY"
    KEY_AS_SECRET = (
        "{variable} is an API key, not the secret of the endpoint",
        "give the one that was issued with the endpoint",
    )
    NO_EMAIL = ("PIX_SPLIT_EMAIL is no e-mail", "give that of a company that the service knows, or unset it")
    NO_PIX_KEY = "PIX_TRANSFER_KEY is no PIX key", "give a CPF, CNPJ, +55 phone, e-mail or UUID, or unset it"
    RECEIVER_HTTP = (
        "the receiver's address is {url}, but a webhook needs https",
        "give an https --receiver-url, for the receiver has a certificate of its own unless --receiver-tls is off",
    )
    RECEIVER_PATH = "PIX_RECEIVER_URL ends in {path}", "give it without, the suite adds it"
    RECEIVER_LOCAL = (
        "only this machine reaches {url}, and the target is elsewhere",
        "give the https address of a tunnel in PIX_RECEIVER_URL, or --receiver off",
    )
    FILE_SECRET = (
        "{variable} signed none of the {count} deliveries of --deliveries",
        "give the secret of the endpoint that got them",
    )

    UNSENDABLE = "no request can carry {names}", "check its characters"
    # The next ones, to HTTP2_ONLY, are looked up by the name of a Reach.
    NO_HOST = "the host name in {url} cannot be resolved", CHECK, UNREACHED
    CLOSED = "no connection to {url}", f"{CHECK}, its port, and whether the service runs", UNREACHED
    SILENT = (
        "no response from {url}, which accepts the connection",
        f"see whether the service hangs, and {CHECK} and its port ({{fault}})",
        UNREACHED,
    )
    UNTRUSTED = (
        "the TLS connection to {url} failed, its certificate is of an unknown authority",
        f"{CHECK}, or set SSL_CERT_FILE to the file of that authority",
    )
    NO_ANSWER = "no response from {url} within {seconds:g} s", f"{CHECK}, and the firewalls between", UNREACHED
    EXPIRED = (
        "the TLS connection to {url} failed, its certificate has expired",
        "renew it, or set the clock of this machine",
    )
    OTHER_NAME = (
        "the TLS connection to {url} failed, its certificate is for another host",
        "give the host of the certificate in PIX_BASE_URL",
    )
    NO_TLS = "the TLS connection to {url} failed", f"{CHECK} ({{fault}})"
    ALERT = "{url} refused the TLS connection with the alert {alert!r}", f"{CHECK}, and which TLS the service accepts"
    CERTIFICATE_WANTED = (
        "{url} demands a client certificate (TLS alert {alert!r})",
        "set PIX_CLIENT_CERT to the PEM file of one with its key",
    )
    CERTIFICATE_REFUSED = (
        "{url} refuses the client certificate of PIX_CLIENT_CERT (TLS alert {alert!r})",
        "give one that the service accepts, with its intermediate certificates",
    )
    HTTP2_ONLY = (
        "{url} speaks HTTP/2 only, and the suite speaks HTTP/1.1",
        "have the service, or a gateway before it, offer HTTP/1.1 too",
    )
    NO_HTTP_CAME = "{url} answers, but {fault}", f"{CHECK} and its port, else mend the service or its gateway"
    IS_HTTP = "{url} answers in plain HTTP, without TLS", "set PIX_BASE_URL={other}"
    IS_HTTPS = "{url} speaks TLS", "set PIX_BASE_URL={other}"
    PROXY = (
        "no response from {url} through the proxy {proxy}",
        "check it, NO_PROXY and PIX_BASE_URL ({fault})",
        UNREACHED,
    )
    PROXY_CLOSED = (
        "no connection to the proxy {proxy}",
        "start it, unset the variable, or name the host of the target in NO_PROXY",
        UNREACHED,
    )
    PROXY_REFUSED = (
        "the proxy {proxy} makes no connection to {url} ({fault})",
        "have it allow that host, or name the host in NO_PROXY",
    )
    PROXY_UNAVAILABLE = (
        "{status} came from {url} or from the proxy {proxy}",
        "run again later, or name the host in NO_PROXY if the proxy does not reach it",
        UNREACHED,
    )
    PROXY_LOGIN = "the proxy {proxy} wants a login (407)", "set the variable to http://USER:PASSWORD@HOST:PORT"
    MOVED_TO_HTTPS = "{url} redirects to https", "set PIX_BASE_URL={other}"
    REDIRECTED = "{route} is redirected{to}", "give the final address in PIX_BASE_URL"
    PAGE = (
        "{route} returned a web page ({status}), so this is not the {api} API",
        f"{CHECK}, its host, port and path, or log in where a network or proxy asks for it",
    )
    NOTHING_BUILT = (
        "{url} has no route of the {api} API: {route} and others return {status}",
        f"{CHECK}, its host and path; if the server is still being built, pix-conformance todo says what comes next",
    )
    UNAVAILABLE = (
        "the service is not available ({status} from {url})",
        "a gateway answers, the service behind it does not: start the service, or run again later",
        UNREACHED,
    )
    LIMITED = "{route} is rate-limited at once (429)", "wait for {wait}, then give --rate 5", UNREACHED
    SWAPPED = "{names} are swapped", "the login the other way round was accepted"
    REFUSED = (
        "{attempt} was refused ({status}, {evidence})",
        "check that the credential was copied whole, belongs to {url}, has not expired, and was not revoked",
    )
    FORBIDDEN = (
        "{attempt} was refused ({status}, {evidence})",
        "check that it belongs to {url}, and that the service allows this machine's IP address",
    )
    REFUSED_AT_PATH = (
        "{attempt} was refused ({status}, {evidence})",
        "check the path of PIX_BASE_URL first, {url}, then whether the credential belongs there",
    )
    NOT_ASKED = "{why}", "mend the rest, then ask again", UNREACHED
    CLOCK = (
        "the clock of the target is {ahead}, by this machine's",
        "set the wrong one, such as with timedatectl set-ntp true",
    )

    EMPTY_WALLET = (
        "the wallet of PIX_CLIENT_ID is empty",
        "a run first creates and pays a charge of the sandbox, you need do nothing",
        RIGHT,
    )
    NO_SANDBOX = "the target has no sandbox route, {route} ({status})", "give the address of a service with its sandbox"
    PRODUCTION = "a sandbox route refuses {names} with 403, as it does production", "give those of the sandbox"
    MAY_BE_PRODUCTION = (
        "whether {names} are of the sandbox is not known: production may answer an unknown charge with 404 as well",
        "check where they were issued; a run pays its first charge, and if that is refused with 403 sends no transfer",
        RIGHT,
    )
    NOT_REVOKED = "PIX_REVOKED_API_KEY is accepted", "revoke that key, or unset the variable"
    SLOW = "the look at the set-up took more than {seconds:g} s", "see the log of the target", UNREACHED

    NOT_LISTENING = "{why}", "end what has the port, or check --receiver-listen and --receiver-tls"
    RECEIVER_HOST = ("the host name in {url} cannot be resolved", "check PIX_RECEIVER_URL or --receiver-url")
    RECEIVER_CLOSED = "no connection to the receiver's address {url}", TUNNEL
    RECEIVER_PORT = (
        "the receiver's address has port {port}, but the receiver listens on {own}",
        "give the same port twice, --receiver-listen HOST:PORT --receiver-url https://HOST:PORT, or neither option",
    )
    RECEIVER_TLS = (
        "the certificate at {url} is not trusted",
        "give --receiver-tls CERT,KEY, or off behind a tunnel that ends TLS",
    )
    RECEIVER_NO_TLS = "{url} speaks no TLS", "give --receiver-tls self-signed or CERT,KEY, or a tunnel with https"
    RECEIVER_PAGE = (
        "{url} shows a web page of its own ({why})",
        f"{TUNNEL}; with --receiver-tls off if it ends TLS, and without its warning page",
    )
    RECEIVER_ANOTHER = "another program answers at {url} ({why})", TUNNEL

    def __init__(self, seen: str, remedy: str, status: int = WRONG) -> None:
        self.seen, self.remedy, self.status = seen, remedy, status

    def of(self, **values: object) -> Problem:
        """Return the diagnosis of one set-up: `values` are the words in braces."""
        return Problem(self, ": ".join(filter(None, (self.seen, self.remedy))).format(**values))

    def error(self, **values: object) -> UsageError:
        """Return the diagnosis as a usage error."""
        return UsageError(str(self.of(**values)))


@dataclass(frozen=True)
class Problem:
    """A diagnosis of one set-up, and its sentence."""

    diagnosis: Diagnosis
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def status_of(problems: Iterable[Problem]) -> int:
    """Return the exit status: 4 if a set-up is wrong, 6 if something could not be reached, 0 if nothing is wrong."""
    statuses = {problem.diagnosis.status for problem in problems}
    return next((status for status in (WRONG, UNREACHED) if status in statuses), RIGHT)
