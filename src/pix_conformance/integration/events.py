"""The events that an integration's webhook endpoint receives: bodies as the documents show them, signed."""

import hmac
import json
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pix_conformance.integration import business_form, payments_form
from pix_conformance.integration.event_form import OrderCharge
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api
from pix_conformance.oracles import signature

COMPACT = (",", ":")
STRANGER = "whsec_of_a_stranger"  # no secret


@dataclass(frozen=True)
class SignedEvent:
    """One event as it is delivered: the body, and the value of the signature header, None without one."""

    api: Api
    body: bytes
    header: str | None
    header_name: str
    is_genuine: bool = True
    """Whether it is signed as the document says, so that it has to be answered with a 2xx."""
    recipe: str = ""
    """The lines for a shell that put t and v1 of the header into T and V1, from BODY; empty without a signature."""
    is_cut: bool = False
    """Whether the connection is closed before the endpoint has answered."""


FORMS = {Api.PAYMENTS: payments_form.FORM, Api.BUSINESS: business_form.FORM}


def fields_of(charge: OrderCharge, name: str, *, status: str = "pending") -> dict[str, Any]:
    """Return the body of an event of that name about a charge, as JSON values."""
    return FORMS[charge.api].fields(charge, name, status)


def paid(charge: OrderCharge) -> dict[str, Any]:
    """Return the body of the event that reports the payment of a charge."""
    return fields_of(charge, FORMS[charge.api].paid, status="paid")


def created(charge: OrderCharge) -> dict[str, Any]:
    """Return the body of the event that reports the creation of a charge."""
    return fields_of(replace(charge, e2e_id=""), FORMS[charge.api].created)


def written(fields: Mapping[str, Any]) -> bytes:
    """Return a body as the sandbox writes it."""
    return json.dumps(fields, ensure_ascii=False, separators=COMPACT).encode()


SECRET = {api: f"PIX_{api.upper()}_WEBHOOK_SECRET" for api in Api}
"""The variable with the secret of the endpoint, for commands and for the lines of a report."""
HASH = 'V1=$(printf %s {text} | openssl dgst -sha256 -hmac {key} | sed "s/.* //")'


def signed(api: Api, body: bytes, secret: str, *, age: float = 0) -> SignedEvent:
    """Return an event with a right signature, whose t is `age` seconds in the past."""
    t = str(int(time.time() - age))
    header = f"t={t},v1={signature.sign(t, body, secret)}"
    moment = f"$(($(date +%s) {'-' if age > 0 else '+'} {abs(age):.0f}))" if age else "$(date +%s)"
    recipe = "\n".join([f"T={moment}", HASH.format(text='"$T.$BODY"', key=f'"${SECRET[api]}"')])
    return SignedEvent(api, body, header, PROFILES[api].signature_header, recipe=recipe)


def signed_without_t(event: SignedEvent, secret: str) -> SignedEvent:
    """Return an event whose v1 is computed over the body alone."""
    t = signature.parse(event.header).t
    v1 = hmac.digest(secret.encode(), event.body, "sha256").hex()
    recipe = "\n".join(["T=$(date +%s)", HASH.format(text='"$BODY"', key=f'"${SECRET[event.api]}"')])
    return replace(event, header=f"t={t},v1={v1}", recipe=recipe, is_genuine=False)


def signed_with_another_secret(event: SignedEvent) -> SignedEvent:
    """Return an event that a stranger has signed."""
    other = signed(event.api, event.body, STRANGER)
    return replace(other, recipe=event.recipe.replace(f'"${SECRET[event.api]}"', STRANGER), is_genuine=False)


def signed_with_no_secret(event: SignedEvent) -> SignedEvent:
    """Return an event that is signed with the empty text."""
    other = signed(event.api, event.body, "")
    return replace(other, recipe=event.recipe.replace(f'"${SECRET[event.api]}"', '""'), is_genuine=False)


def unsigned(event: SignedEvent) -> SignedEvent:
    """Return an event without a signature."""
    return replace(event, header=None, recipe="", is_genuine=False)


def with_empty_header(event: SignedEvent) -> SignedEvent:
    """Return an event whose signature header has no value."""
    return replace(event, header="", recipe="", is_genuine=False)


def with_hash_cut(event: SignedEvent, digits: int) -> SignedEvent:
    """Return an event of whose v1 only the first digits are left."""
    t, (v1,) = signature.parse(event.header)
    recipe = f'{event.recipe}\nV1=$(printf %.{digits}s "$V1")'
    return replace(event, header=f"t={t},v1={v1[:digits]}", recipe=recipe, is_genuine=False)


def without_hash(event: SignedEvent) -> SignedEvent:
    """Return an event whose header has t alone."""
    t = signature.parse(event.header).t
    return replace(event, header=f"t={t}", recipe="T=$(date +%s)", is_genuine=False)


def with_another_body(event: SignedEvent, body: bytes) -> SignedEvent:
    """Return an event whose body was changed after it was signed."""
    recipe = "\n".join([f"OTHER={shlex.quote(event.body.decode())}", event.recipe.replace("$T.$BODY", "$T.$OTHER")])
    return replace(event, body=body, recipe=recipe, is_genuine=False)
