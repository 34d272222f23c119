"""The reference as a server for others: scenarios, conforming variants and mutants (`pix-sandbox`).

In come the names of differences from the reference. Out comes a server that differs from it in these ways alone; the
proof runs the suites against such servers.
"""
