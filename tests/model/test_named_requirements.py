"""The words of --only and pix-mutants: ids, areas, APIs, levels and patterns."""

import pytest

from pix_conformance.model.catalogue import catalogue, named_requirements
from pix_conformance.model.vocabulary import UsageError


def beginning(*words: str) -> set[str]:
    return {id_ for id_ in catalogue() if id_.startswith(words)}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("PAY-IDEM-02", {"PAY-IDEM-02"}),
        ("PAY-CHG-52 BUS-QR-04,pay-bal-01 ,", {"PAY-CHG-52", "BUS-QR-04", "PAY-BAL-01"}),
        ("PAY-IDEM", beginning("PAY-IDEM-")),
        ("PAY-PAY", None),
        ("BUS-PAY", beginning("BUS-PAY-")),
        ("pay", beginning("PAY-")),
        ("BUS-*", beginning("BUS-")),
        ("PAY-IDEM-0*", beginning("PAY-IDEM-0")),
        ("*-IDEM", None),
        ("*-IDEM-*", beginning("PAY-IDEM-", "BUS-IDEM-")),
        ("open", {requirement.id for requirement in catalogue().values() if requirement.level == "open"}),
        (
            "should PAY-BAL-01",
            {requirement.id for requirement in catalogue().values() if requirement.level == "should"} | {"PAY-BAL-01"},
        ),
        ("", set()),
    ],
)
def test_words_name_requirements(text: str, ids: set[str] | None) -> None:
    if ids is None:
        with pytest.raises(UsageError, match="no requirement is called"):
            named_requirements(text)
    else:
        assert named_requirements(text) == ids


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("BUS-QR-4", "no requirement is called BUS-QR-4: did you mean BUS-QR-04?"),
        ("PAY-IDME", "did you mean PAY-IDEM"),
        ("opne", "did you mean open?"),
        ("emv", "give an id"),
    ],
)
def test_a_wrong_name_has_a_hint(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        named_requirements(text)
    assert hint in str(error.value)
