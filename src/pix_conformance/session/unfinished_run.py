"""A run that ended without a report, as after `kill -9`: the next run makes its report and removes its webhooks."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pix_conformance.harness.clients.client import Client, in_path
from pix_conformance.harness.current_test import CLEANUP
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.run import Run
from pix_conformance.model.editions import requirements_of_edition
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.settings import ChosenTests, Gate, Generation, Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Level
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.recording.facts import Facts
from pix_conformance.session.bundle_of_run import Ending, bundle_of_run
from pix_conformance.verdicts.evidence import Selection, judge_run
from pix_conformance.verdicts.exit_status import INTERRUPTED, concluded

GONE = 404


@dataclass(frozen=True)
class LeftWebhooks:
    """The webhooks that a run has left: where they are, and by API and role of their account the ids."""

    base_url: str
    accounts: Mapping[str, str]
    """By API and role, what identifies the account."""
    ids: Mapping[str, list[str]]
    said: str
    """The sentence about that run."""

    def __len__(self) -> int:
        return sum(map(len, self.ids.values()))


def heading(run: Run, settings: Settings, selected: Mapping[str, Iterable[str]], command: str) -> dict[str, Any]:
    """Return what `Begun` has: which run it is, and what it was to do."""
    return {
        "id": run.sender.names.run,
        "started": run.sender.names.started,
        "command": command,
        "name": settings.target.name,
        "base_url": run.target.base_url,
        "embedded": settings.target.embedded,
        "apis": settings.target.apis,
        "api_chosen": settings.tests.api_chosen,
        "only": sorted(settings.tests.only),
        "level": settings.gate.level,
        "seed": settings.generation.seed,
        "accounts": {} if settings.target.embedded else _accounts(settings.target),
        "selected": {name: sorted(tests) for name, tests in selected.items()},
    }


def _accounts(target: Target) -> dict[str, str]:
    """Return by API and role what identifies an account: a hash, since an id need not be known."""
    removable = (api for api, profile in PROFILES.items() if profile.removes)
    ids = {
        _account(api, role): credential.parts[0] for api in removable for role, credential in target.roles(api).items()
    }
    return {account: hashlib.sha256(named.encode()).hexdigest() for account, named in ids.items()}


def _account(api: str, role: str) -> str:
    return f"{api} {role}"


def left_webhooks(facts: Facts, report: Path) -> LeftWebhooks:
    """Return the webhooks that the run created and did not remove; none of an embedded reference, which has ended.

    `report` is the page of the report that was made of the journal.
    """
    first = facts.begun[0].heading
    gone = {
        exchange.request.url.rpartition("/")[2]
        for exchange in facts.exchanges
        if exchange.operation == "delete_webhook" and (exchange.ok or exchange.status == GONE)
    }
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for created in facts.created if not first.get("embedded") else ():
        if created.is_removable and in_path(created.id) not in gone:
            ids[_account(created.api, created.role)].append(created.id)
    count = sum(map(len, ids.values()))
    left = f", {count} webhook{'s' * (count != 1)} left" if count else ""
    said = f"run {first['id']} ended without a report{left}: its journal is now the report {report}"
    return LeftWebhooks(str(first.get("base_url", "")), first.get("accounts", {}), dict(ids), said)


def remove_left_webhooks(run: Run, left: LeftWebhooks) -> str:
    """Remove the webhooks if address and accounts are the same, and return what is said of the run that left them."""
    removed = 0
    node, requirements = run.current_test.node, run.current_test.requirements
    run.current_test.begin(CLEANUP)
    own = _accounts(run.target) if left.base_url == run.target.base_url else {}
    for (api, role), client in run.clients.by_role.items():
        account = _account(api, role)
        if account in own and own[account] == left.accounts.get(account) and (api, role) not in run.clients.unusable:
            removed += sum(_is_removed(client, id_) for id_ in left.ids.get(account, ()))
    run.current_test.begin(node, requirements)
    still = len(left) - removed
    words = [f"{removed} of them removed now"] if removed else []
    words += (
        [f"{still} of them stay: they are removed with the address and credentials of that run only"] if still else []
    )
    return "; ".join([left.said, *words])


def _is_removed(client: Client, webhook: str) -> bool:
    with suppress(Inconclusive, NotApplicable):
        answer = client.remove(webhook)
        return answer.ok or answer.status == GONE
    return False


def bundle_of_journal(facts: Facts) -> Bundle:
    """Return what the run had found when it ended. Every test that had not ended is one that was not reached."""
    first = facts.begun[0].heading
    target = Target(
        str(first["name"]),
        str(first["base_url"]),
        embedded=bool(first.get("embedded")),
        apis=tuple(map(Api, first["apis"])),
    )
    settings = Settings(
        target,
        tests=ChosenTests(frozenset(first["only"]), api_chosen=bool(first.get("api_chosen"))),
        gate=Gate(Level(first["level"])),
        generation=Generation(seed=int(first["seed"])),
    )
    selected: defaultdict[str, set[str]] = defaultdict(set)
    for fact in facts.begun:
        for name, tests in fact.heading["selected"].items():
            selected[name].update(tests)
    selection = Selection(
        selected, selected, settings.tests.only, tuple(target.apis), settings.tests.api_chosen, is_interrupted=True
    )
    requirements = (
        row for row in requirements_of_edition(settings.gate.edition).values() if row.party is settings.party
    )
    verdicts = judge_run(facts, selection, requirements, {})
    last = max((exchange.ended for exchange in facts.exchanges), default=float(first["started"]))
    moment = datetime.fromtimestamp(last, UTC).isoformat(timespec="seconds")
    said = f"this run ended without a report after its last request at {moment}: a later run made it"
    seconds = last - float(first["started"])
    ending = Ending(True, "", seconds, str(first["command"]), notices=[said])  # noqa: FBT003  # it did not ask all
    return concluded(bundle_of_run(facts, settings, verdicts, ending, {}), INTERRUPTED)
