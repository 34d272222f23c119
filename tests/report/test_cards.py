"""Failures of one cause stand on one card, in every output; those of two causes stand on two."""

import json
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

from pix_conformance.model.paths import PACKAGE
from pix_conformance.proof.runner import Forking, Job, lines_of
from pix_conformance.recording.bundle.reader import read
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.report.cards import cards
from pix_conformance.report.failure_blocks import failure_blocks
from pix_conformance.report.pages import write_pages
from pix_conformance.sandbox.mutants.registry import all_mutants
from tests.support import bundles

SCHEMA = Draft202012Validator(json.loads((PACKAGE / "report" / "failures.schema.json").read_text("utf-8")))
KEY_IGNORED, AMOUNT_IS_TEXT = "PAY-IDEM-01/header-ignored", "BUS-CHG-47/get_charge.amount_cents:wrong-type"
SERVERS = {"one": (KEY_IGNORED,), "two": (KEY_IGNORED, AMOUNT_IS_TEXT), "three": ("BUS-CHG-13/required",)}


def broken_by(name: str) -> set[str]:
    return set(all_mutants()[name].breaks)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports of the servers: each asks what its mutants break."""
    directory = tmp_path_factory.mktemp("cards")
    jobs = [
        Job(
            server,
            tuple(all_mutants()[name].rules for name in names),
            tuple(sorted(set().union(*map(broken_by, names)))),
            shown=True,
        )
        for server, names in SERVERS.items()
    ]
    assert len(list(lines_of(lambda _, results: Forking(jobs, len(jobs), math.inf, directory, results)))) == len(jobs)
    for place in range(len(jobs)):
        write_pages(directory / str(place))
    return {job.name: directory / str(place) for place, job in enumerate(jobs)}


@pytest.mark.parametrize("server", SERVERS)
def test_each_mutant_has_one_card_in_every_output(reports: dict[str, Path], server: str) -> None:
    directory, causes = reports[server], sorted(map(sorted, map(broken_by, SERVERS[server])))
    bundle = read(directory)
    assert sorted(sorted(card.requirements) for card in cards(bundle)) == causes

    heads = [line for line in failure_blocks(bundle) if line.startswith("FAIL ")]
    assert len(heads) == len(causes)
    rows = (directory / "summary.md").read_text("utf-8").split("### Failures")[1].splitlines()
    assert sum(row.startswith("| ✕") for row in rows) == len(causes)
    assert (directory / "index.html").read_text("utf-8").count('<div class="group">') == len(causes)
    document = ET.parse(directory / "junit.xml").getroot()  # noqa: S314 # written by this test
    groups: dict[str, list[str]] = {}
    for case in document.iter("testcase"):
        for element in case.iterfind("properties/property[@name='card']"):
            groups.setdefault(element.attrib["value"], []).append(case.attrib["name"].split()[0])
    assert sorted(map(sorted, groups.values())) == causes
    listed = failures(directory)["cards"]
    assert sorted(sorted(row["id"] for row in card["requirements"]) for card in listed) == causes


def failures(directory: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((directory / "failures.json").read_text("utf-8"))
    SCHEMA.validate(content)
    return content


def test_a_card_has_a_headline_the_request_to_look_at_first_and_the_lines_that_reproduce_it(
    reports: dict[str, Path],
) -> None:
    (card,) = failures(reports["one"])["cards"]
    (shown,) = cards(read(reports["one"]))
    method, path, _ = re.split(": | ", card["headline"], maxsplit=2)
    assert (method, path) == ("POST", "/api/v1/pix/out/pixkey")
    assert card["request"]["method"] == "POST"
    assert card["request"]["url"].endswith(path)
    assert card["response"]["status"] == shown_status(read(reports["one"]), card["evidence"])
    assert any(line.startswith("curl ") or "$(curl " in line for line in card["curl"])
    assert card["curl"] == shown.lines
    assert card["again"].endswith(f" --only {','.join(shown.requirements)}")
    block = "\n".join(failure_blocks(read(reports["one"])))
    assert all(f"{row['id']} (must)" in block for row in card["requirements"])
    page = (reports["one"] / "index.html").read_text("utf-8")
    assert f"{len(card['requirements'])} requirements, one cause: POST {path}: " in page


def test_a_requirement_of_an_operation_leads_before_a_general_one(reports: dict[str, Path]) -> None:
    (card,) = failures(reports["three"])["cards"]
    names = [row["id"] for row in card["requirements"]]
    assert set(names[:2]) == {"BUS-CHG-01", "BUS-CHG-13"}
    assert names[2:] == ["BUS-ERR-04"]


def test_a_headline_says_what_was_expected_of_a_field_and_what_came(reports: dict[str, Path]) -> None:
    headlines = [card["headline"] for card in failures(reports["two"])["cards"]]
    assert any(
        re.fullmatch(
            'GET /v1/business/pix-charges/{id}: amount_cents has to be of type integer, and is "[0-9]+"', words
        )
        for words in headlines
    ), headlines


def test_what_was_inconclusive_stands_beside_the_cards_with_the_kind_of_its_reason(tmp_path: Path) -> None:
    bundles.run(tmp_path, bundles.requirement(7, why="rate limited"))
    write_pages(tmp_path)
    content = failures(tmp_path)
    ((row,), cards_of_run) = content["inconclusive"], content["cards"]
    assert (row["outcome"], row["why"], cards_of_run) == ("inconclusive", "rate limited", [])


def test_the_first_failure_of_a_card_stands_once_and_its_requirement_links_there(reports: dict[str, Path]) -> None:
    page = (reports["one"] / "index.html").read_text("utf-8").partition('id="requirements"')[0]
    (card,) = cards(read(reports["one"]))
    assert page.count(f'id="card-{card.id}"') == page.count(f'href="#card-{card.id}"') == 1
    assert page.count("<h4>Received") == page.count("Transcript: ")
    assert card.shown
    assert page.count(f'Received <span class="muted">in {card.shown.evidence}</span>') == 1


def shown_status(bundle: Bundle, evidence: str) -> int | None:
    message = bundle.message(evidence)
    return message.status if message else None


def test_a_waived_failure_is_on_no_card_of_a_failure(tmp_path: Path) -> None:
    rows = [bundles.requirement(number, outcome=outcome) for number, outcome in enumerate(("fail", "waived", "error"))]
    for row in rows:
        row["judgements"] = [bundles.judgement("exchange 1", "fail")]
    grouped = cards(bundles.run(tmp_path, *rows))
    assert [(card.outcome, card.requirements) for card in grouped] == [
        ("fail", [rows[0]["id"], rows[2]["id"]]),
        ("waived", [rows[1]["id"]]),
    ]


def test_the_file_of_failures_keeps_to_its_schema_whatever_a_server_sends(tmp_path: Path) -> None:
    write_pages(bundles.write(tmp_path, text=" ".join(bundles.HOSTILE)))
    assert failures(tmp_path)["cards"]
