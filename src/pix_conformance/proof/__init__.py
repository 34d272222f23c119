"""How is the suite tested: by servers of which the right result is known.

In come the mutants and conforming variants of `sandbox`. Out come recall, precision and collateral failures, in
`docs/proof.json`, `docs/proof.md` and `reports/proof/`. No command of a user needs this room, but `pix-mutants`.
"""
