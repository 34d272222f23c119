"""The proxy that the environment names for a target: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, and NO_PROXY."""

import importlib.util
from dataclasses import dataclass
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

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

    A host of NO_PROXY stands for its subdomains too, and `*` for every host. A name in lower case takes precedence.
    Raises UsageError for a proxy that cannot be used.
    """
    named, target = getproxies_environment(), urlsplit(base_url)
    key = target.scheme if target.scheme in named else "all"
    if not base_url or key not in named or proxy_bypass(target.netloc.rpartition("@")[2]):
        return None
    proxy = Proxy(named[key] if "://" in named[key] else f"http://{named[key]}", f"{key.upper()}_PROXY")
    parts = urlsplit(proxy.url)
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise UsageError(f"{proxy.variable} is not the address of a proxy")
    if parts.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        raise UsageError(f"{proxy.variable} names a SOCKS proxy: install httpx[socks], or name the host in NO_PROXY")
    return proxy
