"""How the suite itself is tested: recall on mutants, precision on conforming variants, collateral failures."""
