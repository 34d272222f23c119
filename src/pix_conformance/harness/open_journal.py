"""Opens the journal of a run, and makes the report of an earlier run that has left one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pix_conformance.harness.session_state import Session
from pix_conformance.harness.unfinished_run import LeftWebhooks, bundle_of_journal, left_webhooks
from pix_conformance.harness.workers import given_to_worker
from pix_conformance.results.bundle.writer import write
from pix_conformance.results.report_directory import UNFINISHED, set_aside
from pix_conformance.results.run_journal import JournalOfTests, RunJournal, left_lines


def open_journal(config: pytest.Config, ours: Session) -> None:
    """Open the journal of this process, which from now on has what the run records.

    The process that the user started first makes the report of an earlier run that has left its journal, and sets an
    earlier report aside. ReportDirectoryError if another run writes into the directory.
    """
    given = given_to_worker(config)
    directory = Path(given.get("report_dir", ours.target.report_dir))
    journal = RunJournal(
        directory / (f"journal-{given['number']}.jsonl" if given else "journal.jsonl"), ours.ledger.redact
    )
    if given:
        ours.left = LeftWebhooks(**given["left"]) if given["left"] else None
    else:
        lines = left_lines(journal.path)
        set_aside(directory)
        if lines["run"]:
            (directory / UNFINISHED).mkdir(exist_ok=True)
            write(directory / UNFINISHED, bundle_of_journal(lines), ours.ledger.redact)
            config.hook.pytest_pix_bundle_written(config=config, directory=directory / UNFINISHED)
            ours.left = left_webhooks(lines, directory / UNFINISHED / "index.html")
            ours.warnings.append(ours.left.said)
        journal.begin()
    ours.ledger.note = journal.note
    config.pluginmanager.register(JournalOfTests(ours.ledger, journal), "pix-journal")
