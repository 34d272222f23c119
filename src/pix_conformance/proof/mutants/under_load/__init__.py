"""Mutants that are wrong only while several users send requests: a run under load kills them, the suites cannot."""
