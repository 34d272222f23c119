"""The report quotes the cited lines if the documents are available; otherwise it names the setting."""

import hashlib
import os
from pathlib import Path

import pytest

from pix_conformance.model import documents
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.documents import UNSET, Documents
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Api, Outcome, UsageError
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read as read_bundle
from pix_conformance.report.cards import cards
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.report.pages import render_index
from pix_conformance.session.options import gather
from pix_conformance.session.target_settings import settings_of
from pix_conformance.session.terminal import missing_documents
from pix_conformance.verdicts.judge import RequirementResult
from tests.support import bundles

IDEM = catalogue()["PAY-IDEM-02"]
TEXT = tuple(f"This is line {n}." for n in range(1, 400))


def test_the_cited_lines_come_with_their_numbers() -> None:
    first, last = IDEM.lines[0]
    assert Documents({Api.PAYMENTS: TEXT}).shown(IDEM)[: last - first + 1] == [
        f"{n:4}  This is line {n}." for n in range(first, last + 1)
    ]


def test_a_file_of_another_version_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "payments.md").write_text("# Another text")
    available = documents.read(tmp_path)
    assert available.cited(IDEM) == []
    assert "not the version that this suite cites" in available.shown(IDEM)[0]
    assert available.notices == available.shown(IDEM)


def test_a_directory_without_the_documents_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds neither"):
        settings_of(gather({}, {"PIX_DOCUMENTS": str(tmp_path)}))


@pytest.mark.parametrize(("outcome", "said"), [(Outcome.FAIL, [UNSET]), (Outcome.PASS, [])])
def test_the_terminal_names_the_setting_once(outcome: Outcome, said: list[str]) -> None:
    rows = [RequirementResult(requirement, outcome, "") for requirement in (IDEM, catalogue()["PAY-IDEM-03"])]
    assert missing_documents(rows, Settings(Target("t", "http://t"))) == said


def test_page_and_terminal_show_them_or_the_page_says_what_to_set(tmp_path: Path) -> None:
    failed = bundles.requirement(0, outcome="fail", cited=[[200, "A <b>line</b>."]])
    bare, bundle = bundles.run(tmp_path / "a", bundles.requirement(0)), bundles.run(tmp_path / "b", failed)
    assert UNSET in render_index(bare, cards(bare))
    assert " 200  A &lt;b&gt;line&lt;/b&gt;." in render_index(bundle, cards(bundle))
    assert UNSET not in render_index(bundle, cards(bundle))
    assert any("200  A <b>line</b>." in line for line in failure_blocks(bundle))


def test_a_run_keeps_the_cited_lines_of_the_documents_that_it_was_given(tmp_path: Path) -> None:
    room = Path(os.environ.get("PIX_DOCUMENTS") or Path(__file__).parents[3] / "shared" / "documents")
    if not (room / "payments.md").is_file():
        pytest.skip("the documents are neither in PIX_DOCUMENTS nor beside the checkout")
    done = run_suite(tmp_path / "out", "--only", "PAY-BAL-01", PIX_DOCUMENTS=str(room))
    entry = next(entry for entry in read_bundle(done.directory).entries if entry.id == "PAY-BAL-01")
    lines = "\n".join(text.rstrip() for _, text in entry.cited)
    assert hashlib.sha256(lines.encode()).hexdigest()[:12] == catalogue()["PAY-BAL-01"].text
