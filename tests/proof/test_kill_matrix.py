"""The kill matrix names the mutants and the tests that say nothing new."""

import json

from pix_conformance.proof.kill_matrix import KillMatrix, by_function, compact, of_rows, summary

ROWS = [
    {"mutant": "plain", "killers": ["f.py::a[1]", "f.py::a[2]", "f.py::b"]},
    {"mutant": "narrow", "killers": ["f.py::b"]},
    {"mutant": "same as narrow, in more words", "killers": ["f.py::b"]},
    {"mutant": "apart", "killers": ["f.py::a[1]"]},
    {"mutant": "survivor", "killers": []},
]


def matrix() -> KillMatrix:
    return of_rows(ROWS, {"narrow": 1, "same as narrow, in more words": 9})


def test_mutants_with_the_same_killers_are_one_class_and_its_smallest_is_first() -> None:
    assert ["narrow", "same as narrow, in more words"] in matrix().classes
    assert len(matrix().classes) == 3


def test_a_mutant_is_subsumed_by_one_with_fewer_killers() -> None:
    assert matrix().subsumed == {"plain"}
    assert matrix().minimal == ["apart", "narrow"]


def test_a_test_is_needed_if_nothing_else_kills_a_mutant() -> None:
    assert matrix().needed == {"f.py::b", "f.py::a[1]"}
    assert matrix().chosen == ["f.py::b", "f.py::a[1]"]


def test_cases_of_a_function_count_as_one_test() -> None:
    assert by_function(matrix()).tests == {"f.py::a", "f.py::b"}
    figures = summary(matrix(), ["f.py::a", "f.py::b", "f.py::never"])
    assert (figures["functions"], figures["killing"], figures["needed"], figures["minimal"]) == (3, 2, 2, 2)


def test_the_file_names_each_test_once() -> None:
    stored = json.loads(compact(matrix()))
    assert [stored["tests"][at] for at in stored["mutants"]["apart"]] == ["f.py::a[1]"]
