"""The page and the pictures of what was measured."""

import json
import xml.etree.ElementTree as ET
from typing import Any

from docs.performance_curve import curve, picture
from docs.performance_page import AIMS, mutants, page

RUNS = (
    ("M1", "the suites", 10, "PAY-A-01"),
    ("M2", "the suites", 30, "PAY-A-02"),
    ("M1", "schemathesis, tuned", 900, None),
    ("M2", "schemathesis, tuned", 800, None),
)
ALARMS = {"the suites": [], "schemathesis, tuned": ["a of b"]}
FURTHER = ("cpu_s", "tests_s", "only_start_s", "only_end_s")
"""Costs that have no aim."""


def figures(**costs: float) -> dict[str, Any]:
    right = [
        {"tool": tool, "api": api, "requests": 100, "seconds": 10.0, "failures": alarms}
        for tool, alarms in ALARMS.items()
        for api in ("payments", "business")
    ]
    found = [
        {"mutant": name, "tool": tool, "requests": count, "seconds": 2.0, "first": first}
        for name, tool, count, first in RUNS
    ]
    about = {"date": "2026-01-02", "seconds": 9, "commit": "abc", "seed": 1, "cores": 2, "system": "Linux"}
    measured = dict.fromkeys((*FURTHER, *(one.figure for one in AIMS)), 1.0) | costs
    known = {"load_before": 0.1, "versions": {"pytest": "9"}, "known_mutants": 1_000}
    return {**about, **known, "right": right, "mutants": found, "costs": measured}


def test_a_curve_rises_with_each_kill_in_their_order_and_goes_to_the_end_of_a_run() -> None:
    assert curve("a", [30, 10], mutants=4, end=100).points == ((10, 0.25), (30, 0.5), (100, 0.5))


def test_a_curve_without_kills_stays_at_the_bottom() -> None:
    assert curve("a", [], mutants=4, end=100).points == ((100, 0.0),)


def test_a_curve_never_goes_back_if_a_kill_took_longer_than_a_whole_run() -> None:
    assert curve("a", [200], mutants=1, end=100).points == ((200, 1.0), (200, 1.0))


def test_the_page_counts_the_kills_of_each_tool() -> None:
    text = page(figures())
    assert "| the suites | 2 of 2 (100%) | 20 | 2 | 100 requests, 10 s | 0 |" in text
    assert "| schemathesis, tuned | 0 of 2 (0%) | none | none | 100 requests, 10 s | 1 |" in text
    assert mutants(figures()) == 2


def test_an_aim_is_reached_up_to_its_limit() -> None:
    assert "| after the last test | 2.0 s | 2.0 s | reached |" in page(figures(end_s=2.0))


def test_an_aim_that_is_not_reached_has_its_reason() -> None:
    text = page(figures(wall_s=26.0, start_s=3.0))
    assert "not reached: 3.0 s before the first request, 1.0 s of tests, 1.0 s after |" in text


def test_the_page_says_that_the_costs_were_measured_again() -> None:
    again = {"date": "2026-01-03", "seconds": 280, "commit": "def", "load_before": 0.2}
    assert "on 2026-01-03 in 280 s, at commit `def`" in page(figures() | {"costs_again": again})
    assert "benchmarks --costs" not in page(figures())


def test_a_picture_is_xml_and_escapes_names() -> None:
    drawn = picture([curve("<a>", [1, 10], 2, 50), curve("b & c", [5], 2, 177)], "requests")
    texts = [one.text for one in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314  # our own
    assert {"<a>", "b & c", "requests", "100%", "1,000"} <= set(texts)
    assert "prefers-color-scheme: dark" in drawn


def test_the_page_is_made_of_the_file_alone() -> None:
    assert page(json.loads(json.dumps(figures()))) == page(figures())
