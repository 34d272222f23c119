"""The report quotes the cited lines of available documents; limits are read from the OpenAPI files."""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model import documents
from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.documents import UNSET, Documents
from pix_conformance.model.openapi import Keyword, limit, operations, source
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.vocabulary import Api, Outcome, UsageError
from pix_conformance.proof.publish import marked
from pix_conformance.proof.suite_run import run_suite
from pix_conformance.recording.bundle.reader import read as read_bundle
from pix_conformance.report.cards import cards_of
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.report.pages import render_index
from pix_conformance.sandbox.mutants.registry import all_mutants
from pix_conformance.sandbox.variants.registry import all_variants
from pix_conformance.session.options import gather
from pix_conformance.session.target_settings import settings_of
from pix_conformance.session.terminal import missing_documents
from pix_conformance.verdicts.judge import RequirementResult
from tests.support import bundles

IDEM = catalogue()["PAY-IDEM-02"]
TEXT = tuple(f"This is line {n}." for n in range(1, 400))


def test_the_cited_lines_come_with_their_numbers() -> None:
    first, last = IDEM.lines[0]
    lines = [f"{n:4}  This is line {n}." for n in range(first, last + 1)]
    assert Documents({Api.PAYMENTS: TEXT}).shown(IDEM)[: len(lines)] == lines


def test_a_file_of_another_version_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "payments.md").write_text("# Another text")
    available = documents.read(tmp_path)
    assert available.cited(IDEM) == []
    assert "not the version that this suite cites" in available.shown(IDEM)[0]
    assert available.notices == available.shown(IDEM)


def test_a_directory_without_the_documents_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds neither"):
        settings_of(gather({}, {"PIX_DOCUMENTS": str(tmp_path)}))


@pytest.mark.parametrize(("outcome", "said"), [(Outcome.FAIL, [UNSET]), (Outcome.WARN, [UNSET]), (Outcome.PASS, [])])
def test_the_terminal_names_the_setting_once(outcome: Outcome, said: list[str]) -> None:
    rows = [RequirementResult(requirement, outcome, "") for requirement in (IDEM, catalogue()["PAY-IDEM-03"])]
    assert missing_documents(rows, Documents()) == said


def test_page_and_terminal_show_them_or_the_page_says_what_to_set(tmp_path: Path) -> None:
    failed = bundles.requirement(0, outcome="fail", cited=[[200, "A <b>line</b>."]])
    bare, bundle = bundles.run(tmp_path / "a", bundles.requirement(0)), bundles.run(tmp_path / "b", failed)
    assert UNSET in render_index(bare, cards_of(bare))
    assert " 200  A &lt;b&gt;line&lt;/b&gt;." in render_index(bundle, cards_of(bundle))
    assert UNSET not in render_index(bundle, cards_of(bundle))
    assert any("200  A <b>line</b>." in line for line in failure_blocks(bundle))


def test_a_run_keeps_the_cited_lines_of_the_documents_that_it_was_given(tmp_path: Path) -> None:
    room = Path(os.environ.get("PIX_DOCUMENTS") or Path(__file__).parents[3] / "shared" / "documents")
    if not (room / "payments.md").is_file():
        pytest.skip("the documents are neither in PIX_DOCUMENTS nor beside the checkout")
    done = run_suite(tmp_path / "out", "--only", "PAY-BAL-01", PIX_DOCUMENTS=str(room))
    entry = next(entry for entry in read_bundle(done.directory).entries if entry.id == "PAY-BAL-01")
    lines = "\n".join(text.rstrip() for _, text in entry.cited)
    assert hashlib.sha256(lines.encode()).hexdigest()[:12] == catalogue()["PAY-BAL-01"].text


BEYOND = {"minimum": -1, "maximum": 1, "maxLength": 1, "maxItems": 1, "default": 1}
"""By keyword of a limit, what is to be added to it for the nearest value on its other side."""
COMMON = 10
"""Smaller numbers stand in names for other reasons."""


def limits_within(schema: Any) -> Iterator[int]:
    """Yield the limits of a part of an OpenAPI file, and the values beyond them."""
    for name, member in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if name in BEYOND and isinstance(member, int) and member >= COMMON:
            yield from (member, member + BEYOND[name])
        if isinstance(member, dict | list):
            yield from limits_within(member)


@pytest.mark.parametrize(("field", "keyword"), [("customer", "minimum"), ("nothing", "minimum")])
def test_a_limit_that_is_not_stated_is_an_error(field: str, keyword: Keyword) -> None:
    with pytest.raises(KeyError):
        limit(Api.PAYMENTS, "create_charge", field, keyword)


def test_no_name_of_a_test_a_case_a_mutant_or_a_variant_contains_a_limit() -> None:
    tests = marked("")
    for api in Api:
        statuses = {status for operation in operations(api).values() for status in operation["responses"]}
        limits = {str(number) for number in limits_within(source(api)["components"]["schemas"])} - statuses
        names = [name for name in tests if name.startswith(f"suites/{api}/")]
        names += [name for name in (*all_mutants(), *all_variants()) if name.startswith(PROFILES[api].prefix)]
        assert len(limits) > 3
        assert [name for name in names if limits & set(re.findall(r"\d+", re.sub(r"[A-Z]+-\d+", "", name)))] == []
