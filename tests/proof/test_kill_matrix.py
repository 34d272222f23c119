"""The kill matrix names the mutants and the tests that say nothing new."""

from pix_conformance.proof.kill_matrix import KillMatrix, of_rows, summary
from pix_conformance.proof.publish import marked

ROWS = [
    {"mutant": "plain", "killers": ["f.py::a[1]", "f.py::a[2]", "f.py::b"]},
    {"mutant": "narrow", "killers": ["f.py::b"]},
    {"mutant": "same as narrow, in more words", "killers": ["f.py::b"]},
    {"mutant": "apart", "killers": ["f.py::a[1]"]},
    {"mutant": "survivor", "killers": []},
]


def matrix() -> KillMatrix:
    return of_rows(ROWS, {"narrow": 1, "same as narrow, in more words": 9})


def test_mutants_are_classed_by_their_killers_and_a_test_is_needed_if_nothing_else_kills_a_mutant() -> None:
    """The smallest of a class is the first; a mutant is subsumed by one with fewer killers."""
    assert ["narrow", "same as narrow, in more words"] in matrix().classes
    assert (len(matrix().classes), matrix().subsumed, matrix().minimal) == (3, {"plain"}, ["apart", "narrow"])
    assert (matrix().needed, matrix().chosen) == ({"f.py::b", "f.py::a[1]"}, ["f.py::b", "f.py::a[1]"])


def test_cases_of_a_function_count_as_one_test() -> None:
    figures = summary(matrix(), ["f.py::a", "f.py::b", "f.py::never"], set(), {})
    assert (figures["functions"], figures["killing"], figures["needed"], figures["minimal"]) == (3, 2, 2, 2)


def test_mutants_that_only_generated_tests_kill_are_counted_by_class() -> None:
    groups = {"plain": "limits", "narrow": "limits", "same as narrow, in more words": "limits", "apart": "states"}
    figures = summary(matrix(), [], {"f.py::a[1]", "f.py::a[2]"}, groups)
    assert figures["only_generated"] == {"states": 1}
    assert matrix().killed_by_none_but({"f.py::a[1]", "f.py::a[2]", "f.py::b"}) == sorted(matrix().killers)


def test_the_generated_tests_of_the_suites_are_known() -> None:
    tests = marked("generated")
    assert "suites/payments/test_charges.py::test_every_valid_charge_is_created" in tests
    assert "suites/business/test_charges.py::test_random_valid_creations_succeed" in tests
    assert "suites/payments/test_charges.py::test_a_new_charge_is_pending" not in tests
