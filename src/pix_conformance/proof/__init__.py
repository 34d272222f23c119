"""Proof: recall on our defects, precision on our freedoms, collateral failures; measured, then published."""
