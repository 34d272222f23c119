"""`python -m tools.requirement`: the next free id of an area."""

import pytest

from pix_conformance.model.catalogue import catalogue
from tools import requirement


@pytest.mark.parametrize(
    ("ids", "free"),
    [
        ([], "PAY-EVT-01"),
        (["PAY-EVT-01", "PAY-EVT-07", "BUS-EVT-30", "PAY-EV-40"], "PAY-EVT-08"),
        (["PAY-EVT-02", "PAY-EVT-99"], "PAY-EVT-01"),
        ([f"PAY-EVT-{number:02}" for number in range(1, 100) if number != 36], "PAY-EVT-36"),
    ],
    ids=["none", "next", "gap", "last-gap"],
)
def test_a_new_number_comes_before_a_gap(ids: list[str], free: str) -> None:
    assert requirement.next_free_id("PAY-EVT", ids) == free


def test_an_area_whose_ids_are_all_used_has_no_free_one() -> None:
    with pytest.raises(ValueError, match="all ids of PAY-EVT are used"):
        requirement.next_free_id("PAY-EVT", [f"PAY-EVT-{number:02}" for number in range(1, 100)])


def test_an_id_that_an_edition_or_an_earlier_commit_has_is_used() -> None:
    assert requirement.used() >= catalogue().keys()


def test_the_command_prints_an_id_that_no_requirement_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert requirement.main(["pay-evt"]) == 0
    assert capsys.readouterr().out.strip() not in catalogue()


def test_an_unknown_area_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        requirement.main(["PAY-FOO"])
    assert "PAY-FOO is no area" in capsys.readouterr().err
