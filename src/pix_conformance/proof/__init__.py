"""Proof: recall on our mutants, precision on our conforming variants, collateral failures; measured, then published."""
