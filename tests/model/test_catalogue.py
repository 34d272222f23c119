"""Both requirement files agree with the documents that they cite, and with the files that name requirements."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pix_conformance.checks.schema import requirements_in
from pix_conformance.model import catalogue, openapi
from pix_conformance.model.areas import AREAS
from pix_conformance.model.profile import PROFILES
from pix_conformance.model.questions import Question
from pix_conformance.model.vocabulary import Api, Capability, Level
from pix_conformance.report import explain

ROOT = Path(__file__).resolve().parents[2]
FIELDS = {
    *("id", "level", "statement", "section", "lines", "text"),
    *(
        "party",
        "refusals",
        "needs",
        "operation",
        "asks",
        "asks_every",
        "unobservable",
        "passive",
        "observe",
        "note",
        "is_general",
    ),
}
RUN = 8
"""A sequence of so many words that also stands in the document counts as a copy."""
GENERAL = ("What the service does", "Endpoints", "Errors", "Limits")
"""Sections that repeat what other sections state."""
GENERAL_RULES = {"GEN": GENERAL[0], "ENV": GENERAL[0], "ERR": "Errors", "RATE": "Limits"}
"""The general section that states the rules of an area first."""

pytestmark = pytest.mark.parametrize("api", Api)


def document(api: Api) -> bytes:
    """Return the text of a document. Skip if it is not available, fail if PIX_DOCUMENTS names another directory."""
    named = os.environ.get("PIX_DOCUMENTS")
    path = Path(named or ROOT.parent / "shared" / "documents") / f"{api}.md"
    if path.is_file():
        return path.read_bytes()
    if named:
        pytest.fail(f"PIX_DOCUMENTS is {named}, which holds no {api}.md")
    pytest.skip(f"{api}.md is not at hand: name its directory in PIX_DOCUMENTS")


def lines(api: Api) -> dict[int, str]:
    """Return the lines of a document by number, from 1."""
    return dict(enumerate(document(api).decode("utf-8").splitlines(), start=1))


def sections(api: Api) -> dict[int, str]:
    """Return the nearest heading at or above each line of a document."""
    headings: dict[int, str] = {}
    for n, line in lines(api).items():
        headings[n] = line.lstrip("# ") if line.startswith("#") else headings[n - 1]
    return headings


def rows(api: Api) -> list[dict[str, Any]]:
    """Return the requirements of a document as written in the file."""
    requirements: list[dict[str, Any]] = catalogue.source(api)["requirement"]
    return requirements


def numbers(ranges: list[list[int]]) -> list[int]:
    """Return the line numbers of inclusive ranges."""
    return [n for first, last in ranges for n in range(first, last + 1)]


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield every sequence of RUN words; the path of a route counts as one word."""
    words = re.findall(r"(?<!\w)/[\w/{}-]+|[\w'-]+", text.lower())
    return (tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))


def test_the_file_names_the_document_it_was_written_for(api: Api) -> None:
    raw = catalogue.source(api)
    assert raw["document"] == api
    assert raw["sha256"] == hashlib.sha256(document(api)).hexdigest()


def test_every_line_is_cited_or_context(api: Api) -> None:
    cited = {n for row in rows(api) for n in numbers(row["lines"])}
    context = numbers(catalogue.source(api)["context"])
    known = cited | set(context)
    place = f"`lines` and `context` of specs/{api}/requirements.toml, which cite {api}.md"
    assert {n: line for n, line in lines(api).items() if n not in known} == {}, place
    assert known - set(lines(api)) == set(), place
    assert len(context) == len(set(context)), place
    assert cited & set(context) == set(), place


def test_every_requirement_that_a_test_can_decide_is_asked_by_one(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that is collected has the id: a question is asked of the operations that the parameters of tests name."""
    monkeypatch.setattr(explain, "files_that_ask", lambda _: ())  # so that all suites are collected once
    rules = catalogue.catalogue().of_document(api)
    decided = [rule for rule in rules if not rule.passive and not rule.unobservable]
    unasked = [rule.id for rule in decided if not explain.listed_tests(rule).asking]
    files = {name: file_of_area(name) for name in unasked}
    assert unasked == [], (
        f"no test, and no case of one, names these requirements; others of their area: {files}. That an event is sent, "
        f"and that a status refuses an operation, is asked of the rows of specs/{api}/states.toml that name it"
    )


def file_of_area(requirement: str) -> str:
    """Return the path of the suite that names the most requirements of an area."""
    area = requirement.rpartition("-")[0]
    suites = [*(ROOT / "suites").rglob("test_*.py")]
    path = max(suites, key=lambda path: path.read_text("utf-8").count(f'"{area}-'))
    return str(path.relative_to(ROOT))


def schemas(node: Any) -> Iterator[Any]:
    """Yield each `schema` within a description."""
    for name, part in node.items() if isinstance(node, dict) else enumerate(node if isinstance(node, list) else ()):
        if name == "schema":
            yield part
        else:
            yield from schemas(part)


def test_every_passive_requirement_is_judged(api: Api) -> None:
    """By the schema of a response or event, or by a rule of `checks` that names it."""
    operations, webhooks = openapi.operations(api).values(), openapi.description(api)["webhooks"].values()
    messages = [
        *(operation["responses"] for operation in operations),
        *(hook["post"]["requestBody"] for hook in webhooks),
    ]
    judged = {name for message in messages for schema in schemas(message) for name in requirements_in(schema)}
    rules = "".join(path.read_text("utf-8") for path in (ROOT / "src/pix_conformance/checks").rglob("*.py"))
    judged |= set(re.findall(r'"((?:PAY|BUS)-[A-Z]+-\d\d)"', rules))
    passive = [row.id for row in catalogue.catalogue().of(api) if row.passive]
    assert [name for name in passive if name not in judged] == []


def test_the_cited_text_is_unchanged(api: Api) -> None:
    text = lines(api)
    for row in rows(api):
        cited = "\n".join(text[n].rstrip() for n in numbers(row["lines"]))
        unchanged = row["text"] == hashlib.sha256(cited.encode()).hexdigest()[:12]
        assert unchanged, f"{row['id']}: its lines {row['lines']} have another text than the one that it cites: {cited}"


def test_lines_are_ranges_in_order(api: Api) -> None:
    """Each range ascends, no line is cited twice, and the ranges after the first are in order."""
    for row in rows(api):
        spelled = numbers(row["lines"])
        rest = numbers(row["lines"][1:])
        assert spelled, row["id"]
        assert all(first <= last for first, last in row["lines"]), row["id"]
        assert len(spelled) == len(set(spelled)), row["id"]
        assert rest == sorted(rest), f"{row['id']}: the ranges after the first, which names the section, must ascend"


def test_every_cited_line_states_something(api: Api) -> None:
    """No cited line is blank, a heading or the rule below the head of a table."""
    text = lines(api)
    empty = {n for n, line in text.items() if not line.strip() or line.startswith("#") or set(line) <= set("|-")}
    assert not {
        row["id"]: sorted(empty & set(cited)) for row in rows(api) if empty & set(cited := numbers(row["lines"]))
    }


def test_the_section_is_the_heading_of_the_first_cited_line(api: Api) -> None:
    """The section is the nearest heading above the first cited range, which contains no heading."""
    headings = sections(api)
    for row in rows(api):
        assert {headings[n] for n in numbers(row["lines"][:1])} == {row["section"]}, row["id"]


def test_the_first_cited_line_is_the_most_specific(api: Api) -> None:
    """A section that repeats others is cited first only if it states the rule itself."""
    headings = sections(api)
    for row in rows(api):
        general = {headings[1], *GENERAL} - {GENERAL_RULES.get(row["id"].split("-")[1])}
        elsewhere = [n for n in numbers(row["lines"]) if headings[n] not in general]
        assert row["section"] not in general or not elsewhere, (row["id"], elsewhere)


def test_nothing_is_copied(api: Api) -> None:
    copied = set(runs(document(api).decode("utf-8")))
    for row in rows(api):
        for field in ("statement", "note", "observe", "unobservable"):
            shared = copied.intersection(runs(row.get(field, "")))
            assert not shared, f"{row['id']}, {field}: {shared}"


def test_ids_are_unique_and_well_formed(api: Api) -> None:
    """An id consists of document, area and two digits, and no two ids are equal."""
    areas = "|".join(AREAS)
    ids = [row["id"] for row in rows(api)]
    assert not [k for k, n in Counter(ids).items() if n > 1]
    assert not [id_ for id_ in ids if not re.fullmatch(rf"{PROFILES[api].prefix}-({areas})-\d\d", id_)]


def test_statements_are_unique_sentences(api: Api) -> None:
    statements = Counter((row["statement"], row.get("operation")) for row in rows(api))
    assert not [key for key, n in statements.items() if n > 1 or not key[0].endswith(".")]


def test_refusals_are_the_4xx_statuses_that_the_statement_names(api: Api) -> None:
    for row in rows(api):
        named = dict.fromkeys(map(int, re.findall(r"\b4[0-9]{2}\b", row["statement"])))
        assert row.get("refusals", []) == list(named), row["id"]


def test_fields_hold_known_values(api: Api) -> None:
    for row in rows(api):
        assert set(row) <= FIELDS, row["id"]
        assert row["level"] in set(Level), row["id"]
        assert set(row.get("needs", ())) <= set(Capability), row["id"]
        assert row.get("operation") in {None, *openapi.operations(api)}, row["id"]
        assert {row.get("asks"), row.get("asks_every")} <= {None, *Question}, row["id"]


def test_observable_open_points_have_observe(api: Api) -> None:
    for row in rows(api):
        observed = row["level"] == Level.OPEN and "unobservable" not in row
        assert bool(row.get("observe")) == observed, row["id"]


def test_an_unobservable_requirement_has_a_reason(api: Api) -> None:
    """An unobservable requirement has a reason, is not passive and needs no capability."""
    for row in (row for row in rows(api) if "unobservable" in row):
        assert len(row["unobservable"].split()) > 2, row["id"]
        assert not row.get("passive"), row["id"]
        assert not row.get("needs"), row["id"]


def test_the_catalogue_loads_whole(api: Api) -> None:
    assert [requirement.id for requirement in catalogue.catalogue().of_document(api)] == [
        row["id"] for row in rows(api)
    ]
