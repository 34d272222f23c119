"""The proxy that the environment names for a target: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, and NO_PROXY."""

import importlib.util
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from pix_conformance.harness.transport.environment import hosts_without_proxy, proxies
from pix_conformance.model.vocabulary import UsageError

SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})


@dataclass(frozen=True, repr=False)
class Proxy:
    """A proxy, and the variable that names it. The URL may hold a password."""

    url: str
    variable: str

    def __str__(self) -> str:
        """Return address and variable, without a password: `http://proxy.example:3128 (HTTPS_PROXY)`."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]} ({self.variable})"


def proxy_for(base_url: str) -> Proxy | None:
    """Return the proxy for an address; None without one, or if NO_PROXY names its host.

    A name in lower case takes precedence. Raises UsageError for a proxy that cannot be used.
    """
    named, target = proxies(), urlsplit(base_url)
    key = target.scheme if target.scheme in named else "all"
    if not base_url or key not in named or any(is_named_by(entry, base_url) for entry in hosts_without_proxy()):
        return None
    proxy = Proxy(named[key] if "://" in named[key] else f"http://{named[key]}", f"{key.upper()}_PROXY")
    if not _is_address(proxy.url):
        scheme = proxy.url.partition("://")[0]
        wrong = "is not the address of a proxy" if scheme in SCHEMES else f"begins with {scheme}://, which is no proxy"
        raise UsageError(f"{proxy.variable} {wrong}: set it to http://HOST:PORT, or unset it")
    if urlsplit(proxy.url).scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        raise UsageError(f"{proxy.variable} names a SOCKS proxy: install httpx[socks], or name the host in NO_PROXY")
    return proxy


def is_named_by(entry: str, base_url: str) -> bool:
    """Return whether an entry of NO_PROXY names the host of an address, as curl reads it.

    `*` names every host; `example.com`, `.example.com` and `*.example.com` the host and its subdomains; `::1` and
    `[::1]` an address; `10.0.0.0/8` the addresses of a network. No name is resolved. `example.com:8443` names a port
    too, as requests reads it.

    >>> is_named_by("10.0.0.0/8", "https://10.1.2.3:8443"), is_named_by("ample.com", "https://example.com")
    (True, False)
    """
    target = urlsplit(base_url)
    host, port = (target.hostname or "").rstrip("."), target.port or {"http": 80, "https": 443}.get(target.scheme)
    if entry == "*":
        return True
    with suppress(ValueError):
        address = ip_address(host)
        with suppress(ValueError):
            return address in ip_network(entry.strip("[]"), strict=False)
    name, colon, number = entry.rpartition(":")
    if colon and number.isdecimal():
        return port == int(number) and is_named_by(name, base_url)
    suffix = entry.removeprefix("*").strip(".")
    return bool(suffix) and (host == suffix or host.endswith(f".{suffix}"))


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
