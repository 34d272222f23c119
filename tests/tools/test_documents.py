"""`python -m tools.documents`: what a changed document touches, and how requirements.toml follows it."""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.model import catalogue
from pix_conformance.model.vocabulary import Api
from pix_conformance.reference.payments.authentication import ErrorRules
from tools import documents, mentions

OLD = ["# Payments", "", "- Amounts are cents.", "- A key is a UUID, one for each transfer.", "", "Errors: 401, 429."]
REQUIREMENTS = {
    "PAY-GEN-01": replace(catalogue.catalogue()["PAY-GEN-01"], lines=((3, 3),)),
    "PAY-IDEM-09": replace(catalogue.catalogue()["PAY-IDEM-09"], lines=((3, 4),)),
    "PAY-AUTH-01": replace(catalogue.catalogue()["PAY-AUTH-01"], lines=((6, 6), (3, 3))),
}
FILES = {"PAY-IDEM-09": ["suites/payments/test_idempotency.py"]}


def digest(*lines: str) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def source() -> str:
    """Return a requirements.toml that cites OLD."""
    tables = [
        f'[[requirement]]\nid = "{name}"\nsection = "Payments"\nlines = {json.dumps(requirement.lines)}\ntext = "-"\n'
        for name, requirement in REQUIREMENTS.items()
    ]
    head = 'sha256 = "-"\n# Headings and blank lines.\ncontext = [\n  [1, 2], [5, 5],\n]\n'
    return "\n".join([head, *tables])


@pytest.fixture(autouse=True)
def _free_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next free id of each area is 00: the real ones change with each requirement."""
    monkeypatch.setattr(documents, "next_free_id", lambda area: f"{area}-00")


@pytest.mark.parametrize(
    ("new", "moved", "touched", "added"),
    [
        (OLD, {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6}, [], []),
        ([*OLD[:3], "- New.", *OLD[3:]], {1: 1, 2: 2, 3: 3, 4: 5, 5: 6, 6: 7}, [], [4]),
        ([*OLD[:3], *OLD[4:]], {1: 1, 2: 2, 3: 3, 5: 4, 6: 5}, [4], []),
        ([*OLD[:3], "- A key is a UUID, one for each charge.", *OLD[4:]], {n: n for n in range(1, 7)}, [4], []),
        ([*OLD[:2], "- Transfers.", "- Amounts are units.", *OLD[3:]], {1: 1, 2: 2, 3: 4, 4: 5, 5: 6, 6: 7}, [3], [3]),
        ([*OLD[:3], "Nothing alike", *OLD[4:]], {1: 1, 2: 2, 3: 3, 5: 5, 6: 6}, [4], [4]),
        ([*OLD[:5], f"{OLD[5]}  "], {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6}, [], []),
    ],
    ids=["unchanged", "inserted", "removed", "changed", "changed-and-inserted", "replaced", "blanks-at-the-end"],
)
def test_each_line_keeps_or_changes_its_number(
    new: Sequence[str], moved: dict[int, int], touched: list[int], added: list[int]
) -> None:
    change = documents.compare(OLD, new)
    assert (change.moved, change.touched, change.added) == (moved, touched, added)


@pytest.mark.parametrize(
    ("line", "is_changed"),
    [
        (f"{OLD[3]} It is chosen by the caller, who keeps it until the response has come, and sends it again.", True),
        (
            "- Each key is a UUID, one for each transfer: it is chosen by the caller, who keeps it for a day or two.",
            True,
        ),
        ("- A caller has one key for each environment; it is no UUID, and each transfer is made with it alone.", False),
    ],
    ids=["more-words", "reworded-with-more-words", "same-words-in-another-sentence"],
)
def test_a_line_with_many_more_words_is_changed(line: str, *, is_changed: bool) -> None:
    change = documents.compare(OLD, [*OLD[:3], line, *OLD[4:]])
    assert (change.new_text(4), change.touched, change.added) == ((line, [4], []) if is_changed else (None, [4], [4]))
    reported = list(documents.report(change, list(REQUIREMENTS.values()), FILES))
    assert ("line 4, now 4, cited by PAY-IDEM-09:" in reported) == is_changed
    assert any(row.startswith("reread PAY-IDEM-09 (must") for row in reported)


def test_a_line_that_stands_within_a_new_one_and_is_left_is_not_changed() -> None:
    new = [*OLD[:3], f"{OLD[3]} The caller keeps it until the response has come, and sends it again with it.", *OLD[3:]]
    assert documents.compare(OLD, new).touched == []


def test_of_equal_lines_each_follows_the_lines_around_it() -> None:
    old = ["# Charges", "- Each is paid once.", "404: no such id", "# Transfers", "- Each is sent.", "404: no such id"]
    new = ["# PIX charges", "- Each is paid only once.", "# PIX transfers", "- Each is sent once.", "404: no such id"]
    assert documents.compare(old, new).moved == {1: 1, 2: 2, 4: 3, 5: 4, 6: 5}


@pytest.mark.parametrize(
    ("added", "ranges", "new_lines", "is_split"),
    [
        (["- New."], [(3, 5), (1, 2)], [4], False),
        (["- New.", "- Newer."], [(3, 6), (1, 2)], [4, 5], False),
        ([""], [(3, 3), (5, 5), (1, 2)], [], True),
        (["", "## Keys", ""], [(3, 3), (7, 7), (1, 2)], [], True),
    ],
    ids=["line", "lines", "blank-line", "heading"],
)
def test_a_line_within_a_citation_extends_it_and_a_heading_splits_it(
    added: Sequence[str], ranges: list[tuple[int, int]], new_lines: list[int], *, is_split: bool
) -> None:
    change = documents.compare(OLD, [*OLD[:3], *added, *OLD[3:]])
    assert change.moved_ranges([(3, 4), (1, 2)]) == ranges
    assert change.new_lines_of([(3, 4)]) == new_lines
    assert change.is_split([(3, 4)]) is is_split


def test_a_new_row_of_a_cited_table_is_to_be_reread() -> None:
    change = documents.compare(OLD, [*OLD[:3], "- New.", *OLD[3:]])
    lines = list(documents.report(change, list(REQUIREMENTS.values()), {}))
    assert "new line 4, now cited by PAY-IDEM-09:" in lines
    reason = "must; new line 4 within its lines, which now have it"
    assert f"reread PAY-IDEM-09 ({reason}): {REQUIREMENTS['PAY-IDEM-09'].statement}" in lines


def test_a_line_beside_a_citation_is_named_and_not_cited() -> None:
    change = documents.compare(OLD, [*OLD[:4], "- New.", *OLD[4:]])
    assert (change.moved_ranges([(3, 4)]), change.new_lines_of([(3, 4)])) == ([(3, 4)], [5])
    assert change.new_lines_of([(3, 3)]) == []


def test_a_new_line_names_the_open_requirements_of_its_section() -> None:
    """It may state what one of them asks, beside whose lines it does not stand."""
    rows = [*REQUIREMENTS.values(), replace(catalogue.catalogue()["PAY-IDEM-13"], lines=((1, 1),), section="Payments")]
    change = documents.compare(OLD, [*OLD[:4], "- New.", *OLD[4:]])
    words = "free ids: PAY-IDEM-00; open in this section: PAY-IDEM-13"
    assert f"new line 5, cited by no requirement ({words}):" in documents.report(change, rows, {})


def test_the_context_is_not_extended_by_what_states_something() -> None:
    change = documents.compare(["", "", "- A."], ["", "- New.", "", "- A."])
    assert change.context([(1, 2)]) == [(1, 1), (3, 3)]


def test_a_name_that_is_gone_is_printed_and_a_number_that_a_line_has_no_more() -> None:
    old = ["400 is `INVALID_REQUEST`, and amountInCents 100 or more.", "404: NOT_FOUND", "at most 100 %"]
    new = ["400 is `INVALID_BODY`, and amountInCents 500 or more.", "404: NOT_FOUND", "at most 100 %"]
    assert documents.removed_words(documents.compare(old, new)) == ["INVALID_REQUEST", "100"]


def test_the_files_with_a_word_are_those_to_change() -> None:
    assert "tests/openapi/client.ts" in mentions.files_with(ErrorRules.error_codes["key_conflict"])
    assert mentions.files_with("no such word" + "s") == []


def test_the_report_names_changed_removed_and_new_lines_and_what_to_reread() -> None:
    new = ["# Payments", "", "- New.", "- A key is a UUID, one for each charge.", "", "Errors: 401, 429."]
    assert list(documents.report(documents.compare(OLD, new), list(REQUIREMENTS.values()), FILES)) == [
        "line 3, removed, cited by PAY-GEN-01, PAY-IDEM-09, PAY-AUTH-01:",
        "  - - Amounts are cents.",
        "line 4, now 4, cited by PAY-IDEM-09:",
        "  - - A key is a UUID, one for each transfer.",
        "  + - A key is a UUID, one for each charge.",
        "new line 3, cited by no requirement (free ids: PAY-IDEM-00):",
        "  + - New.",
        f"reread PAY-GEN-01 (must; none of its lines is left): {REQUIREMENTS['PAY-GEN-01'].statement}",
        f"reread PAY-IDEM-09 (must; new line 3 beside its lines): {REQUIREMENTS['PAY-IDEM-09'].statement}",
        "  suites/payments/test_idempotency.py",
        f"reread PAY-AUTH-01 (must): {REQUIREMENTS['PAY-AUTH-01'].statement}",
    ]


def test_a_rewritten_file_has_the_new_numbers_sections_and_hashes() -> None:
    new = ["# Transfers", "", *OLD[2:4], "", "## Errors", "", "Errors: 400, 401, 429."]
    written = tomllib.loads(documents.rewritten(source(), documents.compare(OLD, new), "f00d", REQUIREMENTS))
    assert (written["sha256"], written["context"]) == ("f00d", [[1, 2], [5, 7]])
    assert [(row["section"], row["lines"], row["text"]) for row in written["requirement"]] == [
        ("Transfers", [[3, 3]], digest(OLD[2])),
        ("Transfers", [[3, 4]], digest(*OLD[2:4])),
        ("Errors", [[8, 8], [3, 3]], digest(new[7], OLD[2])),
    ]


def test_a_requirement_without_a_line_keeps_its_table_and_cites_nothing() -> None:
    change = documents.compare(OLD, [*OLD[:2], *OLD[3:]])
    written = tomllib.loads(documents.rewritten(source(), change, "f00d", REQUIREMENTS))
    assert [row["lines"] for row in written["requirement"]] == [[], [[3, 3]], [[5, 5]]]


@pytest.fixture
def cited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write OLD and the requirements that cite it, and let the command find both; return the folder of all."""
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "payments").mkdir()
    (tmp_path / "old" / "payments.md").write_text("\n".join(OLD), "utf-8")
    (tmp_path / "payments" / "requirements.toml").write_text(source(), "utf-8")
    sha256 = hashlib.sha256("\n".join(OLD).encode()).hexdigest()
    loaded: Any = catalogue.Catalogue(REQUIREMENTS, dict.fromkeys(Api, sha256))
    monkeypatch.setattr(documents, "SPECS", tmp_path)
    monkeypatch.setattr(catalogue, "catalogue", lambda: loaded)
    monkeypatch.setenv("PIX_DOCUMENTS", str(tmp_path / "old"))
    return tmp_path


@pytest.mark.parametrize("accept", [False, True])
def test_only_accept_writes(cited: Path, *, accept: bool, capsys: pytest.CaptureFixture[str]) -> None:
    (cited / "new" / "payments.md").write_text("\n".join(["# Payments", "", "- New.", *OLD[2:]]), "utf-8")
    assert documents.main([str(cited / "new"), *(["--accept"] if accept else [])]) == 0
    written = (cited / "payments" / "requirements.toml").read_text("utf-8")
    assert ("[[4, 5]]" in written, written == source()) == (accept, not accept)
    assert "new line 3, cited by no requirement (free ids: PAY-GEN-00, PAY-IDEM-00):" in capsys.readouterr().out


def test_another_old_document_is_refused(cited: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (cited / "old" / "payments.md").write_text("another", "utf-8")
    (cited / "new" / "payments.md").write_text("\n".join(OLD), "utf-8")
    with pytest.raises(SystemExit):
        documents.main([str(cited / "new")])
    assert "is not the document that requirements.toml cites" in capsys.readouterr().err
