"""A run that ended without a report, as after `kill -9`: the next run makes its report and removes its webhooks."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pix_conformance.harness.clients.client import Client, in_path
from pix_conformance.harness.interruptible_wait import Waits
from pix_conformance.harness.outcomes import Inconclusive, NotApplicable
from pix_conformance.harness.run import Run, empty_run
from pix_conformance.model.exchange import Exchange
from pix_conformance.model.json_reader import Row
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import SUCCESS, Api, Level
from pix_conformance.recording.bundle import reader
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.recording.journal import Lines
from pix_conformance.recording.recorder import Recorder
from pix_conformance.session.bundle_of_run import Ending, bundle_of_run
from pix_conformance.verdicts.evidence_of_run import Selection, recording_of_run
from pix_conformance.verdicts.exit_status import INTERRUPTED, concluded
from pix_conformance.verdicts.judge import judge
from pix_conformance.verdicts.rejudge import is_masked

GONE = 404
PREFLIGHT = "preflight"


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
    """Return the first line of a journal: which run it is of, and what it was to do."""
    return {
        "id": run.id,
        "started": run.started,
        "command": command,
        "name": settings.target.name,
        "base_url": run.target.base_url,
        "embedded": settings.target.embedded,
        "apis": settings.target.apis,
        "api_chosen": settings.api_chosen,
        "only": sorted(settings.only),
        "level": settings.level,
        "seed": settings.seed,
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


def left_webhooks(lines: Lines, report: Path) -> LeftWebhooks:
    """Return the webhooks that the run created and did not remove; none of an embedded reference, which has ended.

    `report` is the page of the report that was made of the journal.
    """
    first = lines["run"][0]
    removed = {
        request.text("url").rpartition("/")[2]
        for request in (row.row("request") for row in lines["exchange"] if _is_removal(row))
    }
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for row in lines["created"] if not first.flag("embedded") else ():
        created = reader.created(row)
        if created.is_removable and in_path(created.id) not in removed:
            ids[_account(created.api, created.role)].append(created.id)
    accounts = {account: str(value) for account, value in first.row("accounts").fields.items()}
    count = sum(map(len, ids.values()))
    left = f", {count} webhook{'s' * (count != 1)} left" if count else ""
    said = f"run {first.text('id')} ended without a report{left}: its journal is now the report {report}"
    return LeftWebhooks(first.text("base_url"), accounts, ids, said)


def _is_removal(row: Row) -> bool:
    status = row.row("response").integer("status")
    return row.text("operation") == "delete_webhook" and (status in SUCCESS or status == GONE)


def remove_left_webhooks(run: Run, left: LeftWebhooks) -> str:
    """Remove the webhooks if address and accounts are the same, and return what is said of the run that left them."""
    removed = 0
    test, run.recorder.test = run.recorder.test, "cleanup"
    own = _accounts(run.target) if left.base_url == run.target.base_url else {}
    for (api, role), client in run.clients.items():
        account = _account(api, role)
        if account in own and own[account] == left.accounts.get(account) and (api, role) not in run.unusable:
            removed += sum(_is_removed(client, id_) for id_ in left.ids.get(account, ()))
    run.recorder.test = test
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


def bundle_of_journal(lines: Lines) -> Bundle:
    """Return what the run had found when it ended. Every test that had not ended is one that was not reached."""
    first = lines["run"][0]
    recorder = _recorder(lines)
    target = Target(
        first.text("name"),
        first.text("base_url"),
        embedded=first.flag("embedded"),
        apis=tuple(map(Api, first.texts("apis"))),
    )
    settings = Settings(
        target,
        api_chosen=first.flag("api_chosen"),
        only=frozenset(first.texts("only")),
        level=Level(first.text("level")),
        seed=first.integer("seed"),
    )
    run = empty_run(settings, recorder, Waits())
    run.id, run.started = first.text("id"), first.number("started")
    ended = {row.text("test") for row in lines["ended"]}
    selected: defaultdict[str, set[str]] = defaultdict(set)
    for row in lines["run"]:
        for name in (tests := row.row("selected")).fields:
            selected[name].update(tests.texts(name))
    results = judge(recording_of_run(recorder, settings, Selection(selected, selected, reached=ended)), {})
    last = max((exchange.ended for exchange in recorder.exchanges), default=run.started)
    moment = datetime.fromtimestamp(last, UTC).isoformat(timespec="seconds")
    recorder.notices.append(f"this run ended without a report after its last request at {moment}: a later run made it")
    ending = Ending(
        narrowed=True, left_out_by="", seconds=last - run.started, command=first.text("command"), report="", gate=[]
    )
    return concluded(bundle_of_run(run, results, ending, {}, {}), INTERRUPTED)


def _recorder(lines: Lines) -> Recorder:
    recorder = Recorder()
    recorder.exchanges += [replace(Exchange.from_dict(row.fields), recorder=recorder) for row in lines["exchange"]]
    for exchange in recorder.exchanges:
        if (
            exchange.test != PREFLIGHT
            and not is_masked(exchange)
            and not (exchange.response and exchange.response.truncated)
        ):
            recorder.passive_judge.see(exchange)
    for row in lines["created"]:
        created = reader.created(row)
        recorder.journal[created.api, created.id] = created
    for row in lines["succeeded"]:
        recorder.succeeded[row.text("operation")] += 1
    recorder.judgements += [reader.judgement(row.text("requirement"), row) for row in lines["judgement"]]
    recorder.verdicts += [reader.verdict(row.text("requirement"), row) for row in lines["verdict"]]
    recorder.observations += [reader.observation(row.text("requirement"), row) for row in lines["observation"]]
    return recorder
