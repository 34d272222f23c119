"""A mutant whose own code raises an error is not killed: any test would see its 500."""

from pix_conformance.proof.plan import mutant_result
from pix_conformance.proof.runner import Job, run_all
from pix_conformance.reference.call import Answer, Call
from pix_conformance.reference.payments import PaymentsRules
from pix_conformance.sandbox.mutants.registry import all_mutants

BALANCE = "PAY-BAL-01"


class BalanceWithAnError(PaymentsRules):
    """Raises an error on each balance."""

    async def get_balance(self, call: Call) -> Answer:
        """Raise KeyError."""
        raise KeyError(call.path)


def test_a_mutant_whose_code_raises_an_error_is_not_killed() -> None:
    mutant = next(mutant for mutant in all_mutants().values() if mutant.breaks == (BALANCE,))
    (result,) = run_all([Job("error", (f"{__name__}:BalanceWithAnError",), (BALANCE,))], workers=1)
    assert result.outcomes[BALANCE] == "fail"
    assert result.error.startswith("KeyError")
    assert not mutant_result(mutant, result, is_whole=False).killed
