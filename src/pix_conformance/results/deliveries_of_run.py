"""All deliveries of a run, own and recorded elsewhere: gathered, judged and made ready for the bundle at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pix_conformance.checks.deliveries import Context, judge
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import MIN_UNAMBIGUOUS_LENGTH, api_of, event_of, mentions
from pix_conformance.model.secret import Secret
from pix_conformance.model.subject import MISSING, at, parsed
from pix_conformance.model.vocabulary import Api
from pix_conformance.results.redaction import hidden, redacted_delivery
from pix_conformance.results.run_record import RunRecord

OBJECT = {Api.PAYMENTS: ("transaction.id", "transfer.id"), Api.BUSINESS: ("data.external_ref", "data.e2e_id")}
"""Where a payload names the object that it is about."""
PAYER_NAMES = ("PAY-EVT-56", "PAY-EVT-88")
"""What says of an event that its payer has a name."""


def gather(own: Sequence[Delivery], recorded: Sequence[Delivery]) -> list[Delivery]:
    """Return what came to the receiver, then what was recorded elsewhere, numbered on."""
    first = max((one.id for one in own), default=0) + 1
    return [*own, *(replace(one, id=first + more, api=api_of(one)) for more, one in enumerate(recorded))]


def check_deliveries(
    ledger: RunRecord, own: int, secret: Secret | None, by_target: Callable[[float], float | None]
) -> None:
    """Enter what each delivery of the ledger shows; the first `own` of them were timed by this machine's clock.

    An event that came is its own control.
    """
    begun: dict[tuple[Api, str], float | None] = {}
    for number, one in enumerate(ledger.deliveries):
        api = api_of(one)
        if api is None:
            continue
        arrived = by_target(one.received) if number < own else one.received
        event = api, str(at(one.json, "id"))
        first = begun.get(event)
        arrived = None if event in begun else begun.setdefault(event, arrived)  # a later one may carry the first's t
        name = f"{api}.{event_of(one, api) or 'an event without a known name'}"
        for found in judge(one, api, Context(_kind(one, api, ledger), secret, arrived, first)):
            if found.requirement in PAYER_NAMES and "name" in (found.mismatch or "") and _has_no_customer(one, ledger):
                continue
            ledger.succeeded[name] += 1
            ledger.passive.note(found, name, one)


def _has_no_customer(delivery: Delivery, ledger: RunRecord) -> bool:
    """Whether a payer without a name paid a charge that was made without one: what stands for it is not shown."""
    made = ledger.journal.get((Api.PAYMENTS, str(at(delivery.json, "transaction.id"))))
    if made is None or at(delivery.json, "transaction.pix.payerInfo.name") not in (MISSING, None):
        return False
    sent = next((one.request.body for one in ledger.exchanges if one.id == made.exchange), b"")
    return at(parsed(sent), "customer.name") in (MISSING, None)


def stored(delivery: Delivery, ledger: RunRecord, *, embedded: bool) -> Delivery:
    """Return a delivery as the bundle keeps it: without secrets and values of objects that this run did not make."""
    api = api_of(delivery)
    ours = embedded or (api is not None and _about_ours(delivery, api, ledger))
    if not ours:
        delivery = replace(delivery, body=hidden(delivery.body), masked="an object this run did not create")
    return redacted_delivery(delivery, ledger.redact)


def _about_ours(delivery: Delivery, api: Api, ledger: RunRecord) -> bool:
    found = [at(delivery.json, path) for path in OBJECT[api]]
    if any(isinstance(one, str) and ledger.is_created_by_us(one) for one in found):
        return True
    unlabeled = api is Api.BUSINESS and at(delivery.json, "data.external_ref") in (MISSING, None, "")
    return unlabeled and ledger.has_created_without_label(
        api, at(delivery.json, "data.amount_cents"), delivery.received
    )


def _kind(delivery: Delivery, api: Api, ledger: RunRecord) -> str | None:
    """Return the kind of this run's object that a delivery without a known event name speaks of."""
    if event_of(delivery, api) is not None:
        return None
    made = (one for one in ledger.journal.values() if one.api is api and one.kind != "webhook")
    return next((one.kind for one in made if any(_speaks_of(delivery, api, name) for name in one.names)), None)


def _speaks_of(delivery: Delivery, api: Api, name: str) -> bool:
    """Whether a delivery names an object; a short name stands anywhere by chance, but not where objects are named."""
    placed = (str(at(delivery.json, path)) for path in OBJECT[api])
    return mentions(delivery, name) if len(name) >= MIN_UNAMBIGUOUS_LENGTH else name in placed
