"""Values of settings that are well-formed and cannot be meant: quotes, placeholders, a value of another setting."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from pix_conformance.model.profile import PROFILES, ApiProfile
from pix_conformance.model.reception import EVERY_ADDRESS
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Credential, is_loopback
from pix_conformance.model.vocabulary import Role
from pix_conformance.oracles import pix_key
from pix_conformance.session.diagnoses import Diagnosis, Problem

IN_QUOTES = re.compile(r"""(["'`]).*\1""", re.DOTALL)
PLACEHOLDER = re.compile(r"(ak_(test|live)_)?(\.\.\.|…|\*+|x{3,}|<.*>|\$\{.*\}|\$[A-Z_]+)", re.IGNORECASE | re.DOTALL)
KEYS = tuple(beginning for profile in PROFILES.values() for beginning in profile.credential.beginnings if beginning)


def doubtful_credential(profile: ApiProfile, role: Role, credential: Credential) -> Iterator[Problem]:
    """Yield what is doubtful in the credential of a role."""
    for variable, text in zip(profile.variables(role), credential.parts, strict=True):
        if IN_QUOTES.fullmatch(text):
            yield Diagnosis.QUOTED.of(variable=variable)
        elif PLACEHOLDER.fullmatch(text):
            yield Diagnosis.PLACEHOLDER.of(variable=variable)
        elif profile.credential.id and text.startswith(KEYS):
            yield Diagnosis.KEY_IN_PAIR.of(variable=variable)


def doubtful_values(settings: Settings) -> Iterator[Problem]:
    """Yield what is doubtful in the other settings of a target."""
    target = settings.target
    if target.embedded:
        return
    for api, secret in target.webhook_secrets.items():
        if (endpoint := PROFILES[api].endpoint) and secret.reveal().startswith(KEYS):
            yield Diagnosis.KEY_AS_SECRET.of(variable=endpoint.variable)
    if target.split_email and pix_key.kind(target.split_email) != "email":
        yield Diagnosis.NO_EMAIL.of()
    if target.transfer_key and pix_key.kind(target.transfer_key) is None:
        yield Diagnosis.NO_PIX_KEY.of()
    if settings.reception.why_none is None:
        yield from _receiver(settings)


def _receiver(settings: Settings) -> Iterator[Problem]:
    scheme = "http" if settings.receiver.tls == "off" else "https"
    url = settings.receiver.url or f"{scheme}://{settings.receiver.listen}"
    host = urlsplit(url).hostname or ""
    if url.startswith("http:"):
        yield Diagnosis.RECEIVER_HTTP.of(url=url)
    if not settings.target.loopback and (is_loopback(host) or host in EVERY_ADDRESS):
        yield Diagnosis.RECEIVER_LOCAL.of(url=url)
    paths = [profile.endpoint.path for profile in PROFILES.values() if profile.endpoint]
    yield from (Diagnosis.RECEIVER_PATH.of(path=path) for path in paths if settings.receiver.url.endswith(path))
