"""What each test and each shared fixture of a measured run against the reference sent and showed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from fixtures.business.many_charges import MORE_THAN_A_LIST, many_charges
from pix_conformance.checks import passive
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.events import api_of, event_of
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.subject import at
from pix_conformance.model.vocabulary import Api
from pix_conformance.proof.recorded_tests import IS_TEST, RecordedTests
from pix_conformance.results.bundle.values import Bundle
from pix_conformance.results.deliveries_of_run import OBJECT

PREFLIGHT, CLEANUP = "preflight", "cleanup"
"""The names that the record gives in place of a test to the requests before the first and after the last one."""
PAYMENTS_RECEIVER = "payments_receiver"
"""The fixture without which no webhook of the payments API is registered: what does not use it causes no event."""
LARGE = {many_charges.__name__: MORE_THAN_A_LIST}
"""Fixtures that count what other tests created, and what they send if these are few, as in a part of a run."""
Message = tuple[str, str]
"""A requirement that every response or event is judged by, and one that shows it: `api.operation` or `api.event`."""


@dataclass
class Effects:
    """What a test or a shared fixture sent: the number of its requests, and what these showed."""

    requests: int = 0
    succeeded: set[str] = field(default_factory=set)
    """Each `api.operation` that succeeded."""
    shown: set[Message] = field(default_factory=set)


@dataclass
class MeasuredTest(Effects):
    """A test: `requests` are its own, without those of shared fixtures."""

    fixtures: tuple[str, ...] = ()
    """The shared fixtures that it uses and that sent requests."""
    asks: set[str] = field(default_factory=set)
    """The requirements that it judged."""
    needs: set[str] = field(default_factory=set)
    """Each `api.operation` that must have succeeded in the run for its judgements to count."""


@dataclass
class MeasuredRun:
    """All tests of a run by node id, all shared fixtures that sent requests by name, and the preflight."""

    tests: dict[str, MeasuredTest]
    fixtures: dict[str, Effects]
    preflight: Effects
    judged_on: Mapping[str, tuple[str, ...]]
    """For each requirement, every `api.operation` and `api.event` that showed it."""


def measured_run(bundle: Bundle, record: RecordedTests) -> MeasuredRun:
    """Attribute what a whole run sent and received to its tests and fixtures."""
    fixtures = {name: Effects() for name in sorted({*record.sender.values()})}
    every = frozenset[str]().union(*record.used.values())
    fixtures |= {name: Effects(requests) for name, requests in LARGE.items() if name in every}
    tests = {
        name: MeasuredTest(fixtures=tuple(sorted(used & fixtures.keys())))
        for name, used in record.used.items()
        if IS_TEST in name
    }
    found = MeasuredRun(tests, fixtures, Effects(), {one.id: one.judged_on for one in bundle.entries})
    nowhere = Effects()
    sent_by = {
        one.id: fixtures.get(record.sender.get(one.id, "")) or tests.get(one.test or "") or nowhere
        for one in bundle.exchanges
    } | {one.id: found.preflight for one in bundle.exchanges if one.test == PREFLIGHT}
    _add_exchanges(bundle, sent_by)
    with_receiver = {
        id(one) for name, one in [*tests.items(), *fixtures.items()] if PAYMENTS_RECEIVER in record.used.get(name, ())
    }
    for delivery, cause in _causes(bundle):
        effects = sent_by[cause.id]
        if delivery.api != Api.PAYMENTS or id(effects) in with_receiver:
            effects.shown |= set(_shown_by_delivery(delivery, found.judged_on))
    _add_judgements(bundle, tests)
    return found


def _add_exchanges(bundle: Bundle, sent_by: Mapping[int, Effects]) -> None:
    """Count the requests; the removal of a webhook at the end belongs to the test or fixture that made the webhook."""
    made_by = {one.id: sent_by[one.exchange] for one in bundle.journal if one.exchange in sent_by}
    for one in bundle.exchanges:
        removed = unquote(one.request.url.rpartition("/")[2]) if one.test == CLEANUP else ""
        effects = made_by.get(removed, sent_by[one.id])
        effects.requests += 1
        if one.operation and one.status is not None:
            place = f"{one.api}.{one.operation}"
            effects.succeeded |= {place} if one.ok else set()
            judged = passive.judge(Api(one.api), one.operation, one)
            effects.shown |= {(each.requirement, place) for each in judged if each.mismatch is None}


def _causes(bundle: Bundle) -> Iterator[tuple[Delivery, Exchange]]:
    """Yield each delivery with the last request before it that names its object."""
    texts = [(one, f"{one.request.url} {one.request.body!r} {one.body!r}") for one in bundle.exchanges]
    for delivery in bundle.deliveries:
        api = api_of(delivery)
        names = [str(found) for path in OBJECT[api] if (found := at(delivery.json, path))] if api else []
        before = (one for one, text in reversed(texts) if one.started <= delivery.received and _names(text, names))
        if cause := next((one for one in before if one.request.method != "GET"), None):
            yield delivery, cause


def _names(text: str, names: list[str]) -> bool:
    return any(name in text for name in names)


def _shown_by_delivery(delivery: Delivery, judged_on: Mapping[str, tuple[str, ...]]) -> Iterator[Message]:
    api = api_of(delivery)
    place = f"{api}.{event_of(delivery, api)}" if api else ""
    yield from ((requirement, place) for requirement, places in judged_on.items() if place in places)


def _add_judgements(bundle: Bundle, tests: Mapping[str, MeasuredTest]) -> None:
    for entry in bundle.entries:
        for name in entry.tests:
            tests[name].asks.add(entry.id)
        for one in entry.judgements:
            if one.control and (test := tests.get(one.test or "")):
                test.needs.add(one.control)
