"""A transfer that ends by itself while it is completed says nothing of its completion; one that it ends says much."""

from tests.proof.jobs import Job, run_all

RULES = "tests.reference_rules:"


def test_only_what_ends_without_a_completion_excuses_that_it_is_refused() -> None:
    right = Job("right", (f"{RULES}RefusesMeanwhile",), ("PAY-CMP-08",), apis="payments")
    wrong = Job("wrong", (f"{RULES}CompletionRefuses",), ("PAY-CMP-01",), until=("PAY-CMP-01",), apis="payments")
    found = {one.name: one for one in run_all([right, wrong])}
    assert "became refused by itself" in found["right"].reasons["PAY-CMP-08"]
    assert found["wrong"].outcomes["PAY-CMP-01"] == "fail"
