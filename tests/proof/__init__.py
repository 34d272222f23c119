"""Proof: recall on our defects, precision on our freedoms, localisation; measured, then published."""
