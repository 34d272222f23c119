"""All deliveries of a run, its receiver's and those of a file: judged as they arrived, then redacted, when it ends.

They cannot be redacted when they arrive. An event of a new charge may arrive before the response that names the charge,
so that only later it is known whether this run made its object; and a signature is judged over the raw body.
Until then the raw deliveries are in memory only, and their repr shows neither headers nor body.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pix_conformance.checks import passive
from pix_conformance.checks.clocks import clock_ahead
from pix_conformance.checks.passive_rules import DeliveryContext
from pix_conformance.model.delivery import Delivery, DeliveryFileError, read_deliveries
from pix_conformance.model.events import MIN_UNAMBIGUOUS_LENGTH, api_of, event_of, mentions
from pix_conformance.model.exchange import Request
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.subject import MISSING, at, parsed
from pix_conformance.model.vocabulary import Api, Outcome, Secret, Verdict
from pix_conformance.model.why import Why
from pix_conformance.oracles import signature
from pix_conformance.recording.recorder import Recorder
from pix_conformance.recording.redaction import hidden, redacted_delivery


def read_at_the_end(file: Path, recorder: Recorder, apis: Iterable[Api], *, is_alone: bool) -> None:
    """Take what a file of recorded deliveries has when the run ends. What cannot be read of it is a notice.

    `is_alone`: the run has no receiver. What then no event of the file shows is not applicable.
    """
    try:
        recorder.deliveries = read_deliveries(file)
    except (DeliveryFileError, OSError) as reason:
        recorder.notices.append(f"--deliveries could not be read to its end when the run ended: {reason}")
        with contextlib.suppress(DeliveryFileError, OSError):
            recorder.deliveries = read_deliveries(file, is_growing=True)
    for api in apis:
        count = sum(api_of(delivery) is api for delivery in recorder.deliveries)
        events = f"the {api} API in {file.name} (--deliveries)"
        unseen = f"none of the {count} events of {events} shows it" if count else f"there is no event of {events}"
        if is_alone:
            recorder.events_unavailable[api] = Verdict("", Outcome.NOT_APPLICABLE, unseen, why=Why.UNSEEN)
        elif before := recorder.events_unavailable.get(api):
            recorder.events_unavailable[api] = replace(before, reason=f"{before.reason}; {unseen}")


def gather(own: Sequence[Delivery], recorded: Sequence[Delivery], numbers: Iterator[int]) -> list[Delivery]:
    """Return what came to the receiver, then what a file recorded, with the next numbers."""
    return [*own, *(replace(delivery, id=next(numbers), api=api_of(delivery)) for delivery in recorded)]


def check_deliveries(
    deliveries: Sequence[Delivery],
    recorder: Recorder,
    own: int,
    secrets: Mapping[Api, Secret],
    by_target: Callable[[float], float | None],
) -> None:
    """Enter what each raw delivery shows into the recorder.

    The first `own` of them were timed by this machine's clock; `by_target` turns such a time, in epoch seconds, into
    that of the target, None where it is not known. An event that came is its own precondition.
    """
    ahead = clock_ahead(recorder.exchanges)
    proven = {
        api for api, secret in secrets.items() if any(_shows_secret(delivery, api, secret) for delivery in deliveries)
    }
    requests = {exchange.id: exchange.request for exchange in recorder.exchanges}
    first_arrivals: dict[tuple[Api, str], float | None] = {}
    for number, delivery in enumerate(deliveries):
        api = api_of(delivery)
        if api is None:
            continue
        event = api, str(at(delivery.json, "id"))
        arrived = first_arrived = None
        if event in first_arrivals:  # a later attempt may carry the first's t
            first_arrived = first_arrivals[event]
        else:
            arrived = by_target(delivery.received) if number < own else delivery.received
            first_arrivals[event] = arrived
        name = f"{api}.{event_of(delivery, api) or 'an event without a known name'}"
        context = DeliveryContext(
            _kind(delivery, api, recorder),
            secrets.get(api),
            arrived,
            ahead,
            first_arrived,
            *_creation(delivery, api, recorder, requests),
        )
        for finding in passive.judge_delivery(delivery, api, context):
            recorder.succeeded[name] += 1
            if unknown := finding.unknown:
                evidence, why = (delivery.evidence,), unknown.why
                verdict = Verdict(finding.requirement, Outcome.INCONCLUSIVE, unknown.sentence, None, evidence, why=why)
                recorder.verdicts.append(verdict)
            elif finding.requirement == passive.RULES[api].endpoint_secret and finding.mismatch and api not in proven:
                endpoint = PROFILES[api].endpoint
                words = f"is {endpoint.variable if endpoint else 'it'} the secret that the target signs with?"
                mismatch = f"{finding.mismatch}; no event shows it: {words}"
                recorder.passive_judge.note(replace(finding, mismatch=mismatch), name, delivery)
            else:
                recorder.passive_judge.note(finding, name, delivery)


def _shows_secret(delivery: Delivery, api: Api, secret: Secret) -> bool:
    """Whether an event was signed with the secret, rightly or with a known mistake."""
    header = delivery.header(PROFILES[api].signature_header)
    if header is None or api_of(delivery) is not api:
        return False
    wrong = signature.verify(header, delivery.body, secret.reveal()) is not None
    return not wrong or signature.diagnose(header, delivery.body, secret.reveal()) is not None


def _creation(
    delivery: Delivery, api: Api, recorder: Recorder, requests: Mapping[int, Request]
) -> tuple[str | None, Any]:
    """Return the kind of the object that an event names by its id, and the body with which this run created it.

    Both are None if this run created none of that id, or one in each of two accounts or environments.
    """
    named = (recorder.journal.get((api, str(at(delivery.json, path)))) for path in PROFILES[api].event_objects)
    created = next(filter(None, named), None)
    if created is None or created.is_id_shared:
        return None, None
    sent = requests.get(created.exchange)
    return created.kind, parsed(sent.body) if sent else None


def without_secrets(delivery: Delivery, recorder: Recorder, *, embedded: bool) -> Delivery:
    """Return a delivery as the recorder keeps it: secrets are masked, and values of objects that this run did not make.

    `embedded` says that the target is the suite's own reference, which has no objects but those of the run.
    """
    api = api_of(delivery)
    ours = embedded or (api is not None and _about_ours(delivery, api, recorder))
    if not ours:
        delivery = replace(delivery, body=hidden(delivery.body), masked="an object this run did not create")
    return redacted_delivery(delivery, recorder.redact)


def _about_ours(delivery: Delivery, api: Api, recorder: Recorder) -> bool:
    values = [at(delivery.json, path) for path in PROFILES[api].event_objects]
    if any(isinstance(value, str) and recorder.is_created_by_us(value) for value in values):
        return True
    label = PROFILES[api].event_label
    unlabeled = bool(label) and at(delivery.json, label) in (MISSING, None, "")
    amount = at(delivery.json, PROFILES[api].event_amount)
    return unlabeled and recorder.has_created_without_label(api, amount, delivery.received)


def _kind(delivery: Delivery, api: Api, recorder: Recorder) -> str | None:
    """Return the kind of this run's object that a delivery without a known event name speaks of."""
    if event_of(delivery, api) is not None:
        return None
    objects = (created for created in recorder.journal.values() if created.api is api and not created.is_removable)
    return next(
        (created.kind for created in objects if any(_speaks_of(delivery, api, name) for name in created.names)), None
    )


def _speaks_of(delivery: Delivery, api: Api, name: str) -> bool:
    """Whether a delivery names an object; a short name stands anywhere by chance, but not where objects are named."""
    placed = (str(at(delivery.json, path)) for path in PROFILES[api].event_objects)
    return mentions(delivery, name) if len(name) >= MIN_UNAMBIGUOUS_LENGTH else name in placed
