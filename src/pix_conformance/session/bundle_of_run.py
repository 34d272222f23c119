"""The bundle of a run that has ended, from its facts and its results."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from operator import attrgetter
from typing import Any

from pix_conformance.model import editions
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.delivery import Delivery
from pix_conformance.model.documents import Documents
from pix_conformance.model.events import api_of
from pix_conformance.model.exchange import Created
from pix_conformance.model.printable import clip
from pix_conformance.model.settings import Settings
from pix_conformance.model.vocabulary import Party
from pix_conformance.recording.bundle.values import AgainFacts, AskingTest, Bundle, Entry, RunFacts
from pix_conformance.recording.facts import Facts
from pix_conformance.recording.masking import Masking
from pix_conformance.recording.objects import ObjectsOfRun, objects_of
from pix_conformance.recording.owners import addresses_given, of_target, said_of_strays
from pix_conformance.verdicts.evidence import Verdicts
from pix_conformance.verdicts.judge import RequirementResult, judged_fields
from pix_conformance.verdicts.messages import notices_of_events, said_of_refused_connections
from pix_conformance.verdicts.missing_settings import unlocks

LONGEST_NAME = 200
"""Characters of an id or label of a created object."""


@dataclass(frozen=True)
class Ending:
    """How the run was started, and how it ended."""

    narrowed: bool
    """Whether only some requirements were asked for."""
    left_out_by: str
    """The options that left out a part of the suites, such as `--quick`; empty without any."""
    seconds: float
    command: str
    """How it was started."""
    report: str = ""
    """The directory of the report, as the command named it."""
    gate: Sequence[str] = ()
    """Why the run failed though no requirement did."""
    again: AgainFacts | None = None
    access: Sequence[str] = ()
    """What the first look found for each credential."""
    notices: Sequence[str] = ()


def bundle_of_run(
    facts: Facts,
    settings: Settings,
    verdicts: Verdicts,
    ending: Ending,
    asked_by: Mapping[str, tuple[AskingTest, ...]],
) -> Bundle:
    """Make the bundle of a run, without its exit status and headline.

    `settings` are those with the target that was tested; `asked_by` names each requirement's tests. Values of objects
    that the run did not create are masked here.
    """
    target, objects = settings.target, objects_of(facts)
    masking = Masking(objects)
    seconds = _seconds(facts)
    own = of_target(facts.deliveries, objects, addresses_given(facts.exchanges))
    in_order = sorted(facts.deliveries, key=attrgetter("received"))
    strays = said_of_strays(in_order, own)
    circumstances = [*notices_of_events(facts), *said_of_refused_connections(facts.exchanges)]
    notices = [*(notice.words for notice in facts.notices), *circumstances, *strays, *ending.notices]
    return Bundle(
        suite=version("pix-conformance"),
        documents=catalogue().documents,
        target=target.name,
        base_url=target.base_url,
        embedded=target.embedded and settings.party is Party.SERVICE,
        apis=tuple(target.apis),
        api_chosen=settings.tests.api_chosen,
        capabilities=tuple(sorted({name for fact in facts.concluded for name in fact.capabilities})),
        described=target.described,
        run=_facts_of_run(facts, settings, ending),
        headline="",
        notices=tuple(dict.fromkeys(notices)),
        succeeded=tuple(sorted(verdicts.succeeded)),
        journal=_created(facts),
        entries=tuple(
            _entry(result, seconds[result.requirement.id], settings.documents, asked_by) for result in verdicts.results
        ),
        exchanges=tuple(map(masking.exchange, sorted(facts.exchanges, key=attrgetter("started")))),
        deliveries=tuple(
            delivery if target.embedded or _is_about_own(delivery, objects) else masking.delivery(delivery)
            for delivery in in_order
        ),
    )


def _is_about_own(delivery: Delivery, objects: ObjectsOfRun) -> bool:
    """Whether a delivery names an object of the run; the embedded reference has no other objects."""
    api = api_of(delivery)
    return api is not None and objects.are_named_in(delivery, api)


def _created(facts: Facts) -> tuple[Created, ...]:
    """Return every object that the run created, and whether it is still there."""
    removed = {(fact.api, fact.id) for fact in facts.removed}
    return tuple(
        replace(
            created,
            id=clip(created.id, LONGEST_NAME),
            label=clip(created.label, LONGEST_NAME),
            state="removed" if (created.api, created.id) in removed else created.state,
        )
        for created in objects_of(facts).all()
    )


def _seconds(facts: Facts) -> Mapping[str, float]:
    """Return how long the tests of each requirement took; a test of several gives each an equal share."""
    seconds: dict[str, float] = defaultdict(float)
    for end in facts.ended:
        for name in end.requirements:
            seconds[name] += end.seconds / len(end.requirements)
    return seconds


def _facts_of_run(facts: Facts, settings: Settings, ending: Ending) -> RunFacts:
    first: Mapping[str, Any] = facts.begun[0].heading if facts.begun else {"started": 0.0}
    of_workers = facts.begun[1:] or facts.begun
    return RunFacts(
        id=" ".join(str(fact.heading["id"]) for fact in of_workers),
        seed=settings.generation.seed,
        started=datetime.fromtimestamp(float(first["started"]), UTC).isoformat(timespec="seconds"),
        seconds=round(ending.seconds, 1),
        turns=tuple(turn for fact in facts.concluded for turn in fact.turns),
        partial=ending.narrowed,
        again=ending.again,
        left_out_by=ending.left_out_by,
        level=settings.gate.level,
        edition=settings.gate.edition or editions.current(),
        exit=0,
        command=ending.command,
        report=ending.report,
        gate=tuple(ending.gate),
        access=tuple(ending.access),
        unlocks=tuple(unlocks(settings)),
    )


def _entry(
    result: RequirementResult, seconds: float, documents: Documents, asked_by: Mapping[str, tuple[AskingTest, ...]]
) -> Entry:
    requirement = result.requirement
    return Entry(
        id=requirement.id,
        document=requirement.api,
        level=requirement.level,
        section=requirement.section,
        lines=requirement.lines,
        cited=tuple(documents.cited(requirement)),
        statement=requirement.statement,
        note=requirement.note or "",
        needs=tuple(sorted(requirement.needs)),
        unobservable=requirement.unobservable or "",
        asked_by=asked_by.get(requirement.id, ()),
        passive=requirement.passive,
        seconds=round(seconds, 3),
        **judged_fields(result),
    )
