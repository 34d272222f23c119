"""Reads the variables from which connections are built: authorities, TLS keys, proxies. No other module does."""

import os
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.request import getproxies_environment

from pix_conformance.model.vocabulary import UsageError

SEPARATORS = re.compile(r"[\s,;]+")
"""Between two entries of NO_PROXY: curl reads commas and blanks; no host has a semicolon."""
HASHED = re.compile(r"[0-9a-f]{8}\.\d+")
"""The file names by which OpenSSL finds certificates in a directory."""
AUTHORITIES_FILE, AUTHORITIES_DIRECTORY, KEY_LOG = "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"


@dataclass(frozen=True)
class ConnectionVariables:
    """What the environment says of connections; empty texts for what it does not say."""

    authorities_file: str = ""
    """The PEM file of the certificate authorities that are trusted instead of httpx's."""
    authorities_directory: str = ""
    """The directories of such files, if there is no file."""
    key_log: str = ""
    """The file to which Python writes the keys of TLS connections."""

    def check(self) -> None:
        """Raise UsageError for a file or directory that cannot be used; it names the variable and what mends it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.authorities_file:
            remedy = "give the PEM file of certificate authorities, or unset it"
            _try(lambda: context.load_verify_locations(self.authorities_file), AUTHORITIES_FILE, remedy)
        elif self.authorities_directory and not any(
            map(_has_certificates, self.authorities_directory.split(os.pathsep))
        ):
            raise UsageError(
                f"{AUTHORITIES_DIRECTORY} is {self.authorities_directory}, where no certificate has a name that "
                "OpenSSL finds: run `openssl rehash` there, give SSL_CERT_FILE, or unset it"
            )
        if self.key_log:
            _try(
                lambda: setattr(context, "keylog_filename", self.key_log),
                KEY_LOG,
                "give a file that can be written, or unset it",
            )


def read(environment: Mapping[str, str] = os.environ) -> ConnectionVariables:
    """Return what the variables for TLS say."""
    names = (AUTHORITIES_FILE, AUTHORITIES_DIRECTORY, KEY_LOG)
    return ConnectionVariables(*(environment.get(name, "") for name in names))


def absolute(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables for TLS that are given, with paths that hold in another working directory too."""
    names = (AUTHORITIES_FILE, AUTHORITIES_DIRECTORY, KEY_LOG)
    given = {name: environment[name] for name in names if environment.get(name)}
    return {name: os.pathsep.join(map(os.path.abspath, text.split(os.pathsep))) for name, text in given.items()}


def load_client_certificate(context: ssl.SSLContext, text: str) -> None:
    """Have TLS connections show a client certificate: a file with certificate and key, or `CERT,KEY`.

    Raises UsageError if it cannot be used.
    """
    certificate, _, key = text.partition(",")
    remedy = "give one PEM file with certificate and key, or two as CERT,KEY; the key has to have no password"
    try:
        context.load_cert_chain(certificate, key or None, password="")
    except ssl.SSLError as reason:
        why = f"which is no certificate with its key ({reason.reason or reason.args[-1]})"
    except OSError as reason:
        why = f"which cannot be read ({reason.strerror})"
    else:
        return
    raise UsageError(f"PIX_CLIENT_CERT (or --client-cert) is {text}, {why}: {remedy}")


def proxies() -> Mapping[str, str]:
    """Return the proxies by http, https and all: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, in lower case first."""
    return getproxies_environment()


def hosts_without_proxy() -> list[str]:
    """Return the entries of NO_PROXY, in lower case: hosts, addresses, networks, or `*`."""
    text = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""  # curl reads both
    return [entry for entry in SEPARATORS.split(text.lower()) if entry]


def _try(use: Callable[[], object], variable: str, remedy: str) -> None:
    """Use the file of a variable. Raises UsageError if that fails."""
    try:
        use()
    except ssl.SSLError:
        why = "which has no certificate in PEM format"
    except OSError as reason:
        why = f"which cannot be used ({reason.strerror})"
    else:
        return
    raise UsageError(f"{variable} is {os.environ.get(variable, '')}, {why}: {remedy}")


def _has_certificates(directory: str) -> bool:
    return Path(directory).is_dir() and any(HASHED.fullmatch(path.name) for path in Path(directory).iterdir())
